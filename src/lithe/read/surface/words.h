// Numbers and words of plain text, one after the other.
#pragma once

#include <charconv>
#include <cmath>
#include <string_view>

namespace lithe {

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // The next word, empty at the end.
  std::string_view next() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  // A finite number; false where the next word is none.
  bool number(double& value) {
    std::string_view word = next();
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    return status == std::errc() && end == word.data() + word.size() && std::isfinite(value);
  }
  std::string_view rest_of_line() {
    const std::size_t start = at_, end = std::min(text_.find('\n', at_), text_.size());
    at_ = end;
    return text_.substr(start, end - start);
  }
  bool done() {
    skip();
    return at_ == text_.size();
  }

 private:
  static bool is_space(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }
  void skip() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace lithe
