// Text from files on its way to a terminal.
#pragma once

#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace lithe::app {

// What a style writes in place of its escape: a zero byte before it tells it from an escape in somebody's text, which
// has none.
constexpr std::string_view style_mark{"\0\033[", 3};

// Text as it may reach a terminal: control characters other than line breaks and tabs, and bytes that are not UTF-8,
// appear as \x1b, so that names in files cannot move the cursor or change the terminal. Styles stay.
std::string shown(std::string_view text);
// The same in one line.
std::string shown_in_line(std::string_view text);

// Makes all of std::cout and std::cerr go through shown() while it lives.
class ShownStreams {
 public:
  ShownStreams();
  ~ShownStreams();
  ShownStreams(const ShownStreams&) = delete;
  ShownStreams& operator=(const ShownStreams&) = delete;
  bool any_output() const { return !output_start_.empty(); }  // on std::cout
  const std::string& errors() const { return error_start_; }  // on std::cerr, the first of them

 private:
  std::string output_start_, error_start_;
  std::unique_ptr<std::streambuf> out_, error_;
  std::streambuf *plain_out_, *plain_error_;
};

}  // namespace lithe::app
