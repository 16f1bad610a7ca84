#include "lithe/results/recording/signature.h"

#include <algorithm>
#include <sstream>

#include "lithe/base/text.h"

namespace lithe {
namespace {

std::string on_one_line(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\\\";
    if (c == '\n') result += "\\n";
    if (c == '\t') result += "\\t";
    if (c != '\\' && c != '\n' && c != '\t') result += c;
  }
  return result;
}

const std::string* value_of(const std::vector<std::pair<std::string, std::string>>& entries, const std::string& what) {
  for (const auto& [name, value] : entries)
    if (name == what) return &value;
  return nullptr;
}

std::string shown(const std::string& value) { return value.empty() ? std::string("not given") : value; }

}  // namespace

std::string Signature::value(const std::string& what) const {
  const std::string* found = value_of(entries_, what);
  return found ? *found : std::string();
}

std::string Signature::text() const {
  std::string text;
  for (const auto& [what, value] : entries_) text += on_one_line(what) + "\t" + on_one_line(value) + "\n";
  return text;
}

// Names stay as they were written on their lines: they are compared and shown, nothing else.
std::optional<Signature> Signature::read(const std::string& text) {
  Signature result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) return std::nullopt;
    result.entries_.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return result;
}

std::string Signature::difference_to(const Signature& now) const {
  const Signature other = *read(now.text());
  for (const auto& [what, value] : other.entries_) {
    const std::string* then = value_of(entries_, what);
    if (!then) return cat(what, " was not there");
    if (*then == value) continue;
    if (value.starts_with('#')) return cat(what, " has changed");
    return cat(what, " was ", shown(*then), " and is ", shown(value));
  }
  for (const auto& [what, value] : entries_)
    if (!value_of(other.entries_, what)) return cat(what, " is no longer there");
  return "";
}

}  // namespace lithe
