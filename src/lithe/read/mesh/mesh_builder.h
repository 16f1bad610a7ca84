// What the mesh readers share: errors that end the reading, numbers as text, nodes and elements by their numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Ends the reading of a mesh file; caught by the reader, which reports it.
struct MeshFileError {
  std::string file;
  int line = 0;
  std::string message;
};

inline std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

// The whole text as a number.
template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Collects nodes, elements and sets by the numbers of the file; elements may come before their nodes.
class MeshBuilder {
 public:
  void add_node(std::int64_t label, const Vector3& position);
  bool has_node(std::int64_t label) const { return node_index_.contains(label); }
  // Index of a new element. `nodes`: numbers of the file in the order of MeshElement.
  int add_element(ElementShape shape, std::int64_t label, const std::vector<std::int64_t>& nodes);
  int num_elements() const { return mesh.num_elements(); }
  std::vector<int>& element_set(const std::string& name) { return set(mesh.element_sets, element_sets_, name); }
  std::vector<std::int64_t>& node_set(const std::string& name) { return node_labels_of_sets_[name]; }
  bool has_node_set(const std::string& name) const { return node_labels_of_sets_.contains(name); }
  const int* element(std::int64_t label) const;
  std::int64_t node_label(int element, int place) const {
    return connectivity_[mesh.elements[static_cast<std::size_t>(element)].first + static_cast<std::size_t>(place)];
  }
  // To be asked before sets and spiders grow: a file of a few lines may ask for more members than memory holds. False
  // when there are too many.
  bool has_room_for(std::size_t members) {
    num_members_ += std::min(members, most_members + 1);  // no overflow
    return num_members_ <= most_members;
  }
  static constexpr std::size_t most_members = 20'000'000;
  // Numbers become indices; throws MeshFileError for those that do not exist. Nodes of no element, spider or mass are
  // left out.
  void finish(const std::string& file);

  struct Spider {
    SpiderKind kind = SpiderKind::rigid;
    std::int64_t label = 0, reference = 0;
    std::vector<std::int64_t> nodes;
    std::vector<double> weights{};
  };
  struct PointMass {
    std::int64_t node = 0;
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();
    Vector3 offset = Vector3::Zero();
  };
  std::vector<Spider> spiders;
  std::vector<PointMass> masses;
  Mesh mesh;

 private:
  static std::vector<int>& set(std::vector<MeshSet>& sets, std::map<std::string, std::size_t>& places,
                               const std::string& name);
  int index_of(std::int64_t label, const std::string& file, const std::string& user) const;
  void drop_unused_nodes();

  std::unordered_map<std::int64_t, int> node_index_;
  std::unordered_map<std::int64_t, int> element_index_;
  std::map<std::string, std::size_t> element_sets_;
  std::map<std::string, std::vector<std::int64_t>> node_labels_of_sets_;
  std::vector<std::int64_t> connectivity_;  // numbers of nodes
  std::size_t num_members_ = 0;
};

}  // namespace lithe
