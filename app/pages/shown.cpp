#include "app/pages/shown.h"

#include <iostream>

namespace lithe::app {
namespace {

// Bytes of the printable UTF-8 character that begins the text, or 0.
std::size_t printable(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 0;                                                   // C1 controls
  const bool turns = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||  // U+202A..202E
                                         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));   // U+2066..2069
  return turns ? 0 : length;  // characters that reverse the direction of others hide what a command says
}

// The last letter of the style whose mark begins here. Digits and semicolons lead to it: no other sequence of a
// terminal, of a text with zero bytes, passes as a style.
std::size_t end_of_style(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(style_mark)) return text.npos;
  const std::size_t end = text.find_first_not_of("0123456789;", at + style_mark.size());
  return end != text.npos && text[end] == 'm' ? end : text.npos;
}

std::string escaped(std::string_view text, bool in_line) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t style_end = end_of_style(text, i);
    const bool stays = !in_line && (text[i] == '\n' || text[i] == '\t');
    if (style_end != text.npos) {
      const std::size_t begin = in_line ? i : i + 1;  // a line is on its way to shown(), where the mark ends
      result += text.substr(begin, style_end + 1 - begin);
      i = style_end + 1;
    } else if (const std::size_t length = stays ? 1 : printable(text.substr(i)); length > 0) {
      result += text.substr(i, length);
      i += length;
    } else {
      const auto byte = static_cast<unsigned char>(text[i++]);
      (result += "\\x").append({digits[byte / 16], digits[byte % 16]});
    }
  }
  return result;
}

// Hands on what was written since the last flush, or whole lines, as shown() has it.
class ShownBuffer : public std::streambuf {
 public:
  ShownBuffer(std::streambuf* target, std::string& start) : target_(target), start_(start) {}
  ~ShownBuffer() override { hand_on(); }

 protected:
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    remember(std::string(1, traits_type::to_char_type(letter)));
    text_ += traits_type::to_char_type(letter);
    return text_.size() < most || hand_on(text_.rfind('\n')) ? letter : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    remember(std::string(text, static_cast<std::size_t>(count)));
    text_.append(text, static_cast<std::size_t>(count));
    return text_.size() < most || hand_on(text_.rfind('\n')) ? count : 0;
  }
  int sync() override { return hand_on() && target_->pubsync() == 0 ? 0 : -1; }

 private:
  static constexpr std::size_t most = 1 << 20, most_remembered = 1 << 12;

  void remember(const std::string& text) {
    if (start_.size() < most_remembered) start_ += text.substr(0, most_remembered - start_.size());
  }

  // Up to the last line break, if any, so that no character is cut in two.
  bool hand_on(std::size_t last = std::string::npos) {
    const std::size_t count = last == std::string::npos ? text_.size() : last + 1;
    const std::string safe = shown(std::string_view(text_).substr(0, count));
    text_.erase(0, count);
    const auto size = static_cast<std::streamsize>(safe.size());
    return target_->sputn(safe.data(), size) == size;
  }

  std::streambuf* target_;
  std::string& start_;
  std::string text_;
};

}  // namespace

std::string shown(std::string_view text) { return escaped(text, false); }
std::string shown_in_line(std::string_view text) { return escaped(text, true); }

ShownStreams::ShownStreams()
    : out_(std::make_unique<ShownBuffer>(std::cout.rdbuf(), output_start_)),
      error_(std::make_unique<ShownBuffer>(std::cerr.rdbuf(), error_start_)),
      plain_out_(std::cout.rdbuf(out_.get())),
      plain_error_(std::cerr.rdbuf(error_.get())) {}

ShownStreams::~ShownStreams() {
  std::cout.flush();
  std::cerr.flush();
  std::cout.rdbuf(plain_out_);
  std::cerr.rdbuf(plain_error_);
}

}  // namespace lithe::app
