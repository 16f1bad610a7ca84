#include "lithe/read/tables/document.h"

#include "lithe/base/units.h"

namespace lithe {
namespace {

constexpr std::size_t longest_display = 60;

// Cuts at a character boundary of UTF-8.
std::string shortened(std::string text) {
  if (text.size() <= longest_display) return text;
  std::size_t end = longest_display;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

void append_display(const Value& value, std::string& out) {
  if (out.size() > longest_display) return;
  switch (value.kind) {
    case ValueKind::text:
      out += '"' + value.text + '"';
      break;
    case ValueKind::date:
      out += value.text;
      break;
    case ValueKind::integer:
    case ValueKind::real:
      out += number_text(value.number);
      break;
    case ValueKind::boolean:
      out += value.truth ? "true" : "false";
      break;
    case ValueKind::array:
      out += '[';
      for (std::size_t i = 0; i < value.items.size() && out.size() <= longest_display; ++i) {
        if (i > 0) out += ", ";
        append_display(value.items[i], out);
      }
      out += ']';
      break;
    case ValueKind::table:
      out += '{';
      for (std::size_t i = 0; i < value.members.size() && out.size() <= longest_display; ++i) {
        if (i > 0) out += ", ";
        out += value.members[i].key + " = ";
        append_display(value.members[i].value, out);
      }
      out += '}';
      break;
  }
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string display(const Value& value) {
  std::string out;
  append_display(value, out);
  for (char& letter : out) {
    if (letter == '\n' || letter == '\r' || letter == '\t') letter = ' ';
  }
  return shortened(out);
}

std::string kind_name(const Value& value) {
  switch (value.kind) {
    case ValueKind::table:
      return "a table";
    case ValueKind::array:
      return "an array";
    case ValueKind::text:
      return "a text";
    case ValueKind::integer:
    case ValueKind::real:
      return "a number";
    case ValueKind::boolean:
      return "true or false";
    case ValueKind::date:
      return "a date or time";
  }
  return "a value";
}

}  // namespace lithe
