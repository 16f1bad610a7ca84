#include "lithe/read/freeze_reduction.h"

#include <algorithm>
#include <optional>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/document.h"

namespace lithe {
namespace {

struct TextEdit {
  std::size_t at = 0, length = 0;
  std::string text;
};

// Places in a text by line and column, both from 1; columns count characters.
class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text) : text_(text) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }
  std::size_t line_begin(int line) const { return line > num_lines() ? text_.size() : lines_[index(line)]; }
  std::size_t at(int line, int column) const {
    std::size_t place = line_begin(line);
    for (int c = 1; c < column && place < text_.size(); ++c) {
      ++place;
      while (place < text_.size() && (static_cast<unsigned char>(text_[place]) & 0xC0) == 0x80) ++place;
    }
    return place;
  }
  std::string_view text() const { return text_; }

 private:
  static std::size_t index(int line) { return static_cast<std::size_t>(std::max(1, line) - 1); }
  int num_lines() const { return static_cast<int>(lines_.size()); }
  std::string_view text_;
  std::vector<std::size_t> lines_;
};

// Past the quoted text or the inline table that begins here.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  for (const std::string_view quotes : {"\"\"\"", "'''"})
    if (text.substr(at).starts_with(quotes))
      return std::min(text.find(quotes, at + quotes.size()), text.size() - quotes.size()) + quotes.size();
  int depth = 0;
  for (char quote = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (quote != 0) {
      if (letter == '\\' && quote == '"') {
        ++at;
      } else if (letter == quote) {
        quote = 0;
      }
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (letter == '{' || letter == '[') {
      ++depth;
    } else if (letter == '}' || letter == ']') {
      --depth;
    }
    if (depth == 0 && quote == 0) return at + 1;
  }
  return at;
}

// A link without the key: a line of its own before its first key, or beside it in an inline table.
TextEdit added_key(const TextPlaces& places, const Value& link, const std::string& value) {
  const std::size_t line = places.line_begin(link.members.front().line);
  const std::size_t key = places.at(link.members.front().line, link.members.front().column);
  const std::string_view before = places.text().substr(line, key - line);
  const std::size_t first = before.find_first_not_of(" \t");
  const bool own_line = first == std::string_view::npos || before[first] == '[';
  if (!own_line) return {key, 0, cat("reduction = ", value, ", ")};
  return {line, 0, cat(std::string(before.substr(0, first)), "reduction = ", value, "\n")};
}

// A table of its own, [links.reduction], or dotted keys: the number on the first line, the others go.
void change_lines(const TextPlaces& places, const Member& reduction, const std::string& setting,
                  std::vector<TextEdit>& edits) {
  const std::vector<Member>& keys = reduction.value.members;
  if (keys.empty()) {
    edits.push_back({places.line_begin(reduction.value.line + 1), 0, setting + "\n"});
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t begin = places.line_begin(keys[i].line), end = places.line_begin(keys[i].line + 1);
    const std::string_view line = places.text().substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    const std::size_t key = line.find_first_not_of(" \t\"'");
    const bool dotted = key != line.npos && line.substr(key).starts_with("reduction");
    const std::string first = cat(std::string(line.substr(0, indent)), dotted ? "reduction." : "", setting, "\n");
    edits.push_back({begin, end - begin, i == 0 ? first : ""});
  }
}

void freeze(const TextPlaces& places, const Value& link, const FrozenLink& frozen, std::vector<TextEdit>& edits) {
  const std::string setting = frozen.all ? "method = \"none\"" : cat("internal_modes = ", frozen.num_modes);
  const std::string value = frozen.all ? "\"none\"" : cat("{", setting, "}");
  const auto found = std::find_if(link.members.begin(), link.members.end(),
                                  [](const Member& member) { return member.key == "reduction"; });
  if (found == link.members.end()) {
    edits.push_back(added_key(places, link, value));
    return;
  }
  const std::size_t at = places.at(found->value.line, found->value.column);
  const char letter = at < places.text().size() ? places.text()[at] : '\0';
  const bool is_text = found->value.kind == ValueKind::text && (letter == '"' || letter == '\'');
  if (is_text || letter == '{') {
    edits.push_back({at, end_of_value(places.text(), at) - at, value});
  } else {
    change_lines(places, *found, setting, edits);
  }
}

}  // namespace

namespace {

// The table of a link: [links.NAME] beside a robot, or as the reader numbers those of [[links]] and then of rows.
const Value* table_of(const Value& document, const FrozenLink& link) {
  const Value* links = document.find("links");
  if (links && links->kind == ValueKind::table) return links->find(link.name);
  std::vector<const Value*> tables;
  if (links)
    for (const Value& table : links->items) tables.push_back(&table);
  if (const Value* chain = document.find("dh"))
    if (const Value* rows = chain->find("rows"))
      for (const Value& row : rows->items) tables.push_back(&row);
  const auto index = static_cast<std::size_t>(link.link);
  return index < tables.size() ? tables[index] : nullptr;
}

}  // namespace

namespace {

std::string wanted_setting(const FrozenLink& link) {
  return link.all ? "\"none\"" : cat("{internal_modes = ", link.num_modes, "}");
}

// Whether the link now says what was wanted, and everything else that it said before.
bool is_changed_alone(const Value* before, const Value* after, const FrozenLink& link) {
  if (!before || !after) return false;
  const Value* reduction = after->find("reduction");
  if (!reduction || after->members.size() != before->members.size() + (before->find("reduction") ? 0 : 1)) return false;
  if (reduction->kind == ValueKind::text) return link.all && reduction->text == "none";
  const Value* method = reduction->find("method");
  const Value* modes = reduction->find("internal_modes");
  if (reduction->members.size() != 1) return false;
  return link.all ? method && method->text == "none" : modes && modes->number == link.num_modes;
}

// Forms of TOML that the changes above do not know must not end in another model.
void check_frozen(const Value& before, const std::string& text, const std::string& file_name,
                  const std::vector<FrozenLink>& frozen) {
  std::optional<Value> after;
  try {
    after = parse_toml(text, file_name);
  } catch (const InputError&) {  // its places are of a text that nobody has
  }
  for (const FrozenLink& link : frozen)
    if (!after || !is_changed_alone(table_of(before, link), table_of(*after, link), link))
      throw InputError(cat(
          file_name, ": the way in which link '", link.name,
          "' is written is not one that can be changed here; give it reduction = ", wanted_setting(link), " by hand"));
}

}  // namespace

std::string with_internal_modes(std::string_view text, const std::string& file_name,
                                const std::vector<FrozenLink>& frozen) {
  const Value document = parse_toml(text, file_name);
  const TextPlaces places(text);
  std::vector<TextEdit> edits;
  for (const FrozenLink& link : frozen) {
    const Value* table = table_of(document, link);
    if (!table)
      throw InputError(cat(file_name, ": link '", link.name, "' is not written in this file; give it reduction = ",
                           link.all ? "\"none\"" : cat("{internal_modes = ", link.num_modes, "}"), " where it is"));
    freeze(places, *table, link, edits);
  }
  std::sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) { return a.at > b.at; });
  std::string result(text);
  for (const TextEdit& edit : edits) result.replace(edit.at, edit.length, edit.text);
  check_frozen(document, result, file_name, frozen);
  return result;
}

}  // namespace lithe
