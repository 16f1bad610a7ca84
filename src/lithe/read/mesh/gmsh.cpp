// Gmsh MSH 2.2 and 4.1, ASCII and binary (https://gmsh.info/doc/texinfo/gmsh.html, "MSH file format").
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "lithe/base/text.h"
#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_file.h"

namespace lithe {
namespace {

// A kind of element: its shape, and for each of our nodes the place of that node in the file.
struct GmshKind {
  ElementShape shape;
  std::vector<int> order;
};

const std::map<int, GmshKind>& gmsh_kinds() {
  static const std::map<int, GmshKind> kinds = {
      {15, {ElementShape::point1, {0}}},
      {1, {ElementShape::line2, {0, 1}}},
      {8, {ElementShape::line3, {0, 1, 2}}},
      {2, {ElementShape::tri3, {0, 1, 2}}},
      {9, {ElementShape::tri6, {0, 1, 2, 3, 4, 5}}},
      {3, {ElementShape::quad4, {0, 1, 2, 3}}},
      {16, {ElementShape::quad8, {0, 1, 2, 3, 4, 5, 6, 7}}},
      {4, {ElementShape::tet4, {0, 1, 2, 3}}},
      {11, {ElementShape::tet10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}}},
      {5, {ElementShape::hex8, {0, 1, 2, 3, 4, 5, 6, 7}}},
      {17, {ElementShape::hex20, {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}}},
      {6, {ElementShape::wedge6, {0, 1, 2, 3, 4, 5}}},
      {18, {ElementShape::wedge15, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}}}};
  return kinds;
}

std::string unknown_kind(int kind) {
  static const std::map<int, std::string> names = {{7, "pyramids of 5 nodes"},   {10, "quadrilaterals of 9 nodes"},
                                                   {12, "bricks of 27 nodes"},   {13, "wedges of 18 nodes"},
                                                   {14, "pyramids of 14 nodes"}, {19, "pyramids of 13 nodes"}};
  const auto found = names.find(kind);
  const std::string what = found == names.end() ? cat("elements of Gmsh type ", kind) : found->second;
  const bool complete = kind == 10 || kind == 12 || kind == 13;
  return cat(what, " are not supported",
             complete ? "; mesh with Mesh.SecondOrderIncomplete = 1 for elements without inner nodes" : "");
}

// Reads words of text, or numbers of a binary part, from one place on.
class GmshCursor {
 public:
  GmshCursor(std::string_view text, const std::string& file, bool quotes) : text_(text), file_(file), quotes_(quotes) {}

  [[noreturn]] void fail(const std::string& message) const {
    if (binary) throw MeshFileError{file_, 0, cat("byte ", at_, ": ", message)};
    throw MeshFileError{file_, line(), message};
  }

  bool binary = false;

  bool at_end() {
    skip_blank();
    return at_ >= text_.size();
  }
  std::size_t remaining() const { return text_.size() - at_; }

  std::string_view word() {
    skip_blank();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    if (begin == at_) fail("the file ends too early");
    return text_.substr(begin, at_ - begin);
  }

  // The rest of the line, and on to the next.
  std::string_view rest_of_line() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    const std::string_view result = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return result;
  }

  template <class Number>
  Number text_number(const char* what) {
    const std::string_view text = word();
    Number value{};
    if (!parse_whole(text, value)) {
      at_ -= text.size();
      fail(quotes_ ? cat(what, " expected, got '", text.substr(0, 40), "'") : cat(what, " expected"));
    }
    return value;
  }

  // A number that is text in an ASCII file and `Raw` in a binary one.
  template <class Raw>
  Raw number(const char* what) {
    if (!binary) return text_number<Raw>(what);
    Raw value{};
    if (remaining() < sizeof(Raw)) fail("the file ends too early");
    std::memcpy(&value, text_.data() + at_, sizeof(Raw));
    at_ += sizeof(Raw);
    return value;
  }

  // How many of something follow, each of at least `least` bytes: a larger count than the file can hold is refused.
  std::int64_t checked(std::int64_t count, std::size_t least, const char* what) const {
    if (count < 0 || static_cast<std::uint64_t>(count) > remaining() / least)
      fail(cat(count, " ", what, " announced, but the file has only ", remaining(), " bytes left"));
    return count;
  }

  void expect(std::string_view wanted) {
    binary = false;
    const std::string_view found = word();
    if (found != wanted) {
      at_ -= found.size();
      fail(quotes_ ? cat(wanted, " expected, got '", found.substr(0, 40), "'") : cat(wanted, " expected"));
    }
  }

  // Of the file as text; to be asked from its beginning to its end.
  int line_so_far() {
    lines_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                          text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    counted_ = at_;
    return lines_;
  }

  void skip_section(std::string_view name) {
    const std::string end = cat("\n$End", name);
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail(cat("section $", name, " has no $End", name));
    at_ = found + end.size();
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip_blank() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  int line() const {
    int result = 1;
    for (std::size_t k = 0; k < at_; ++k) result += text_[k] == '\n';
    return result;
  }

  std::string_view text_;
  const std::string& file_;
  bool quotes_;
  std::size_t at_ = 0, counted_ = 0;
  int lines_ = 1;  // up to `counted_`
};

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& file, const MeshReadOptions& options)
      : cursor_(text, file, options.quotes_content), file_(file) {}

  Mesh read() {
    cursor_.expect("$MeshFormat");
    read_format();
    bool has_nodes = false, has_elements = false;
    while (!cursor_.at_end()) {
      const std::string_view section = cursor_.word();
      if (section.size() < 2 || section.front() != '$') cursor_.fail("a section such as $Nodes expected");
      const std::string name(section.substr(1));
      cursor_.rest_of_line();
      if (name == "PhysicalNames") {
        read_names();
      } else if (name == "Entities" && version_ == 4) {
        cursor_.binary = binary_;
        read_entities();
      } else if (name == "Nodes") {
        has_nodes = true;
        version_ == 2 ? read_nodes_2() : read_nodes_4();
      } else if (name == "Elements") {
        has_elements = true;
        version_ == 2 ? read_elements_2() : read_elements_4();
      } else {
        cursor_.skip_section(name);
        continue;
      }
      cursor_.expect(cat("$End", name));
    }
    if (!has_nodes) cursor_.fail("the file has no section $Nodes");
    if (!has_elements) cursor_.fail("the file has no section $Elements");
    builder_.finish(file_);
    return std::move(builder_.mesh);
  }

 private:
  void read_format() {
    const auto version = cursor_.text_number<double>("a version");
    if (version != 2.2 && version != 4.1)
      cursor_.fail(cat("MSH version ", version, " is not supported; save as version 4.1 or 2.2"));
    version_ = version == 2.2 ? 2 : 4;
    const int type = cursor_.text_number<int>("a file type");
    if (type != 0 && type != 1) cursor_.fail(cat("file type 0 (ASCII) or 1 (binary) expected, got ", type));
    binary_ = type == 1;
    const int size = cursor_.text_number<int>("a data size");
    if (size != 8) cursor_.fail(cat("data size 8 expected, got ", size));
    cursor_.rest_of_line();
    if (binary_) {
      cursor_.binary = true;
      const int one = cursor_.number<int>("one");
      if (one != 1)
        cursor_.fail(one == 0x01000000
                         ? "the file has the other byte order; save it on this kind of machine, or as ASCII"
                         : "the number 1 that shows the byte order is missing");
    }
    cursor_.expect("$EndMeshFormat");
  }

  void read_names() {
    const auto count = cursor_.checked(cursor_.text_number<std::int64_t>("a number of names"), 4, "names");
    for (std::int64_t k = 0; k < count; ++k) {
      const int dimension = cursor_.text_number<int>("a dimension");
      const int tag = cursor_.text_number<int>("a tag");
      std::string_view name = trimmed(cursor_.rest_of_line());
      if (name.size() < 2 || name.front() != '"' || name.back() != '"') cursor_.fail("a name in quotes expected");
      names_[{dimension, tag}] = std::string(name.substr(1, name.size() - 2));
    }
  }

  void read_entities() {
    std::array<std::int64_t, 4> counts{};
    for (std::int64_t& count : counts) count = cursor_.checked(count_number("a number of entities"), 4, "entities");
    for (int dimension = 0; dimension < 4; ++dimension)
      for (std::int64_t k = 0; k < counts[static_cast<std::size_t>(dimension)]; ++k) read_entity(dimension);
  }

  void read_entity(int dimension) {
    const int tag = cursor_.number<int>("a tag");
    for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) cursor_.number<double>("a coordinate");
    const auto groups = cursor_.checked(count_number("a number of groups"), 1, "groups");
    for (std::int64_t k = 0; k < groups; ++k) groups_of_entity_[{dimension, tag}].push_back(group_tag("a group"));
    if (dimension == 0) return;
    const auto bounds = cursor_.checked(count_number("a number of bounds"), 1, "bounds");
    for (std::int64_t k = 0; k < bounds; ++k) cursor_.number<int>("a bound");
  }

  std::int64_t count_number(const char* what) {
    if (!binary_) return cursor_.text_number<std::int64_t>(what);
    const auto value = cursor_.number<std::uint64_t>(what);
    return value > std::uint64_t{1} << 62 ? -1 : static_cast<std::int64_t>(value);
  }

  Vector3 position() {
    Vector3 result;
    for (double& x : result) x = cursor_.number<double>("a coordinate");
    if (!result.allFinite()) cursor_.fail("a node's coordinate is not a finite number");
    return result;
  }

  void read_nodes_2() {
    const auto announced = cursor_.text_number<std::int64_t>("a number of nodes");
    cursor_.rest_of_line();
    cursor_.binary = binary_;
    const auto count = cursor_.checked(announced, 7, "nodes");
    for (std::int64_t k = 0; k < count; ++k) {
      const int label = cursor_.number<int>("a node number");
      builder_.add_node(label, position());
    }
  }

  void read_nodes_4() {
    cursor_.binary = binary_;
    const auto blocks = cursor_.checked(count_number("a number of blocks"), 4, "blocks");
    for (int k = 0; k < 3; ++k) count_number("a number of nodes");
    for (std::int64_t b = 0; b < blocks; ++b) {
      const int dimension = cursor_.number<int>("a dimension");
      cursor_.number<int>("an entity");
      const int parametric = cursor_.number<int>("0 or 1");
      const auto count = cursor_.checked(count_number("a number of nodes"), 7, "nodes");
      std::vector<std::int64_t> labels;
      for (std::int64_t k = 0; k < count; ++k) labels.push_back(count_number("a node number"));
      for (const std::int64_t label : labels) {
        builder_.add_node(label, position());
        for (int k = 0; k < (parametric ? dimension : 0); ++k) cursor_.number<double>("a parameter");
      }
    }
  }

  const GmshKind& kind(int type) {
    const auto found = gmsh_kinds().find(type);
    if (found == gmsh_kinds().end()) cursor_.fail(unknown_kind(type));
    return found->second;
  }

  // An element in two groups is written twice in version 2.2: the second time only its group is new.
  void add_element(const GmshKind& kind, std::int64_t label, const std::vector<std::int64_t>& in_file,
                   const std::vector<int>& groups) {
    nodes_.clear();
    for (const int place : kind.order) nodes_.push_back(in_file[static_cast<std::size_t>(place)]);
    const int* known = builder_.element(label);
    if (known && !is_element(*known, kind.shape)) cursor_.fail(cat("element ", label, " is defined twice"));
    if (!binary_) builder_.set_place(file_, cursor_.line_so_far());
    const int index = known ? *known : builder_.add_element(kind.shape, label, nodes_);
    if (!builder_.has_room_for(groups.size()))
      cursor_.fail(cat("the groups have more than ", MeshBuilder::most_members, " members"));
    for (const int group : groups)
      if (group > 0) builder_.element_set(group_name(info(kind.shape).dimension, group)).push_back(index);
  }

  // Whether the element has this shape and the nodes nodes_.
  bool is_element(int element, ElementShape shape) const {
    if (builder_.mesh.elements[static_cast<std::size_t>(element)].shape != shape) return false;
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (builder_.node_label(element, static_cast<int>(k)) != nodes_[k]) return false;
    return true;
  }

  // Of a group; Gmsh writes it negative where the element is turned round.
  int group_tag(const char* what) {
    const int tag = cursor_.number<int>(what);
    if (tag == std::numeric_limits<int>::min()) cursor_.fail(cat(what, " must be above ", tag));
    return std::abs(tag);
  }

  std::string group_name(int dimension, int tag) {
    const auto found = names_.find({dimension, tag});
    return found == names_.end() ? std::to_string(tag) : found->second;
  }

  void read_elements_2() {
    const auto announced = cursor_.text_number<std::int64_t>("a number of elements");
    cursor_.rest_of_line();
    cursor_.binary = binary_;
    const auto count = cursor_.checked(announced, 4, "elements");
    std::vector<std::int64_t> nodes;
    for (std::int64_t done = 0; done < count;) {
      std::int64_t label = binary_ ? 0 : cursor_.text_number<std::int64_t>("an element number");
      const GmshKind& of = kind(cursor_.number<int>("an element type"));
      const std::int64_t in_block = binary_ ? cursor_.number<int>("a number of elements") : 1;
      const int tags = cursor_.number<int>("a number of tags");
      if (in_block < 1 || in_block > count - done || tags < 0 || tags > 1000)
        cursor_.fail("a block of elements makes no sense");
      for (std::int64_t k = 0; k < in_block; ++k, ++done) {
        if (binary_) label = cursor_.number<int>("an element number");
        int group = 0;
        for (int t = 0; t < tags; ++t) {
          if (t == 0)
            group = group_tag("a tag");
          else
            cursor_.number<int>("a tag");
        }
        nodes.clear();
        for (std::size_t n = 0; n < of.order.size(); ++n) nodes.push_back(cursor_.number<int>("a node number"));
        add_element(of, label, nodes, {group});
      }
    }
  }

  void read_elements_4() {
    cursor_.binary = binary_;
    const auto blocks = cursor_.checked(count_number("a number of blocks"), 4, "blocks");
    for (int k = 0; k < 3; ++k) count_number("a number of elements");
    std::vector<std::int64_t> nodes;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const int dimension = cursor_.number<int>("a dimension");
      const int entity = cursor_.number<int>("an entity");
      const GmshKind& of = kind(cursor_.number<int>("an element type"));
      const auto count = cursor_.checked(count_number("a number of elements"), 4, "elements");
      const std::vector<int>& groups = groups_of_entity_[{dimension, entity}];
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t label = count_number("an element number");
        nodes.clear();
        for (std::size_t n = 0; n < of.order.size(); ++n) nodes.push_back(count_number("a node number"));
        add_element(of, label, nodes, groups);
      }
    }
  }

  GmshCursor cursor_;
  std::string file_;
  MeshBuilder builder_;
  int version_ = 0;
  bool binary_ = false;
  std::map<std::pair<int, int>, std::string> names_;
  std::map<std::pair<int, int>, std::vector<int>> groups_of_entity_;
  std::vector<std::int64_t> nodes_;
};

}  // namespace

std::optional<Mesh> read_gmsh(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                              const MeshReadOptions& options) {
  try {
    return GmshReader(text, file_name, options).read();
  } catch (const MeshFileError& error) {
    diagnostics.error({error.file, error.line, error.line > 0 ? 1 : 0, "", error.message});
    return std::nullopt;
  }
}

}  // namespace lithe
