// A parsed TOML file as a plain tree with places, so that the rest of read/ knows nothing of the TOML library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/base/diagnostics.h"

namespace lithe {

enum class ValueKind { table, array, text, integer, real, boolean, date };

struct Member;

// A node of the tree.
struct Value {
  ValueKind kind = ValueKind::table;
  int line = 0;
  int column = 0;
  std::string text;             // of a text or a date
  double number = 0;            // of an integer or a real
  bool truth = false;           // of a boolean
  std::vector<Value> items;     // of an array
  std::vector<Member> members;  // of a table, in the order of the file

  const Value* find(std::string_view key) const;
  bool is_number() const { return kind == ValueKind::integer || kind == ValueKind::real; }
};

// A key of a table and its value.
struct Member {
  std::string key;
  int line = 0;
  int column = 0;
  Value value;
};

// The value as the user would write it, cut to a readable length, for messages.
std::string display(const Value& value);
// "a table", "a text", ...
std::string kind_name(const Value& value);

// Throws InputError for a syntax error (the parser stops at the first).
Value parse_toml(std::string_view text, const std::string& file_name);

}  // namespace lithe
