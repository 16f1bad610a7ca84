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

// A line of a mesh file; 0: the file as a whole.
struct MeshFilePlace {
  std::string file;
  int line = 0;
  [[noreturn]] void fail(const std::string& message) const { throw MeshFileError{file, line, message}; }
  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
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
  // Where nodes, elements, sets, spiders and masses stand that are added from now on.
  void set_place(const std::string& file, int line) {
    if (files_.empty() || files_.back() != file) files_.push_back(file);
    here_ = {static_cast<int>(files_.size()) - 1, line};
  }
  void warn(const MeshFilePlace& place, const std::string& sentence) {
    if (mesh.warnings.size() < most_warnings) mesh.warnings.push_back(place.text() + ": " + sentence);
  }
  static constexpr std::size_t most_warnings = 50;

  void add_node(std::int64_t label, const Vector3& position);
  bool has_node(std::int64_t label) const { return node_index_.contains(label); }
  const Vector3* position_of(std::int64_t label) const;  // null: there is no such node
  std::int64_t largest_node() const { return largest_node_; }
  // Index of a new element. `nodes`: numbers of the file in the order of MeshElement.
  int add_element(ElementShape shape, std::int64_t label, const std::vector<std::int64_t>& nodes);
  int num_elements() const { return mesh.num_elements(); }
  std::vector<int>& element_set(const std::string& name) { return set(mesh.element_sets, element_sets_, name); }
  std::vector<std::int64_t>& node_set(const std::string& name) {
    NodeLabels& set = node_labels_of_sets_[name];
    set.at = here_;
    return set.labels;
  }
  bool has_node_set(const std::string& name) const { return node_labels_of_sets_.contains(name); }
  const std::vector<std::int64_t>& labels_of(const std::string& node_set) const {
    return node_labels_of_sets_.at(node_set).labels;
  }
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
  MeshFilePlace place_of_element(int element) const {
    return place_of(of_elements_[static_cast<std::size_t>(element)], "");
  }
  // Where numbers of groups of solids and of faces are counted apart: the faces of a set with both become the set
  // "NAME faces".
  void separate_faces(const MeshFilePlace& place);
  // Numbers become indices; throws MeshFileError for those that do not exist. Nodes of no element, spider or mass are
  // left out.
  void finish(const std::string& file);

  struct Face {
    int element = 0;
    int face = 0;  // index into faces_of(shape); 0 of a triangle or quadrilateral
  };
  struct Spider {
    SpiderKind kind = SpiderKind::rigid;
    std::int64_t label = 0, reference = 0;
    std::vector<std::int64_t> nodes;  // one that is there twice counts once, with both weights
    std::vector<double> weights{};
    bool turns_nodes = true;
    std::vector<Face> faces{};  // of an averaging spider: weights are shares of their area
    MeshFilePlace place{};
  };
  struct PointMass {
    std::int64_t node = 0;
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();
    Vector3 offset = Vector3::Zero();
    MeshFilePlace place{};
  };
  // A share of a motion, as MotionTerm with the number of the node.
  struct Term {
    std::int64_t node = 0;
    int component = 0;
    double factor = 0;
  };
  struct Equation {
    std::string name;
    std::vector<Term> terms;
    MeshFilePlace place{};
    bool if_all_turn = false;
  };
  struct Spring {
    std::string name;
    std::vector<Term> terms;
    double stiffness = 0;
    MeshFilePlace place{};
  };
  // Nodes that are glued to the faces below them.
  struct Tie {
    std::string name;
    std::vector<std::int64_t> slaves;
    std::vector<Face> masters;
    double tolerance = -1;  // how far a node may be from its face; below zero: a share of the size of the faces
    MeshFilePlace place{};
  };
  std::vector<Spider> spiders;
  std::vector<PointMass> masses;
  std::vector<Equation> equations;
  std::vector<Spring> springs;
  std::vector<Tie> ties;
  Mesh mesh;

 private:
  struct Origin {
    int file = -1, line = 0;  // index into files_
  };
  struct NodeLabels {
    std::vector<std::int64_t> labels;
    Origin at;
  };
  static std::vector<int>& set(std::vector<MeshSet>& sets, std::map<std::string, std::size_t>& places,
                               const std::string& name);
  MeshFilePlace place_of(const Origin& origin, const std::string& file) const {
    return origin.file < 0 ? MeshFilePlace{file, 0}
                           : MeshFilePlace{files_[static_cast<std::size_t>(origin.file)], origin.line};
  }
  int index_of(std::int64_t label, const MeshFilePlace& place, const std::string& user) const;
  void connect(const std::string& file);
  MeshSpider made_of(const Spider& spider, const std::string& file) const;
  void weigh_by_area(const Spider& spider, MeshSpider& made) const;
  void drop_unused_nodes();
  std::vector<MotionTerm> made_of(const std::vector<Term>& terms, const MeshFilePlace& place,
                                  const std::string& user) const;
  void finish_couplings();

  std::unordered_map<std::int64_t, int> node_index_;
  std::unordered_map<std::int64_t, int> element_index_;
  std::map<std::string, std::size_t> element_sets_;
  std::map<std::string, NodeLabels> node_labels_of_sets_;
  std::vector<std::int64_t> connectivity_;  // numbers of nodes
  std::size_t num_members_ = 0;
  std::int64_t largest_node_ = 0;
  std::vector<std::string> files_;
  Origin here_;
  std::vector<Origin> of_elements_;
};

}  // namespace lithe
