#include "lithe/read/mesh/mesh_builder.h"

#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/fem/shells/shell_element.h"
#include "lithe/fem/solid_element.h"
#include "lithe/read/mesh/mesh_ties.h"

namespace lithe {

void MeshBuilder::add_node(std::int64_t label, const Vector3& position) {
  largest_node_ = std::max(largest_node_, label);
  const auto [place, is_new] = node_index_.emplace(label, mesh.num_nodes());
  if (!is_new) {  // written twice: the last one counts
    mesh.positions[static_cast<std::size_t>(place->second)] = position;
    return;
  }
  mesh.positions.push_back(position);
  mesh.node_labels.push_back(label);
}

const Vector3* MeshBuilder::position_of(std::int64_t label) const {
  const auto found = node_index_.find(label);
  return found == node_index_.end() ? nullptr : &mesh.positions[static_cast<std::size_t>(found->second)];
}

int MeshBuilder::add_element(ElementShape shape, std::int64_t label, const std::vector<std::int64_t>& nodes) {
  const int index = mesh.num_elements();
  mesh.elements.push_back({shape, -1, connectivity_.size(), label});
  connectivity_.insert(connectivity_.end(), nodes.begin(), nodes.end());
  element_index_.emplace(label, index);
  of_elements_.push_back(here_);
  return index;
}

const int* MeshBuilder::element(std::int64_t label) const {
  const auto found = element_index_.find(label);
  return found == element_index_.end() ? nullptr : &found->second;
}

std::vector<int>& MeshBuilder::set(std::vector<MeshSet>& sets, std::map<std::string, std::size_t>& places,
                                   const std::string& name) {
  const auto [place, is_new] = places.emplace(name, sets.size());
  if (is_new) sets.push_back({name, {}});
  return sets[place->second].members;
}

int MeshBuilder::index_of(std::int64_t label, const MeshFilePlace& place, const std::string& user) const {
  const auto found = node_index_.find(label);
  if (found == node_index_.end()) place.fail(cat(user, " has node ", label, ", which does not exist"));
  return found->second;
}

void MeshBuilder::connect(const std::string& file) {
  mesh.connectivity.reserve(connectivity_.size());
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const MeshElement& element = mesh.elements[e];
    for (int k = 0; k < info(element.shape).num_nodes; ++k) {
      const std::int64_t label = connectivity_[element.first + static_cast<std::size_t>(k)];
      const auto found = node_index_.find(label);
      if (found == node_index_.end())
        place_of(of_elements_[e], file)
            .fail(cat("element ", element.label, " has node ", label, ", which does not exist"));
      mesh.connectivity.push_back(found->second);
    }
  }
}

namespace {

// ∫ N_i over a face of an element, or over a triangle or quadrilateral.
VectorX weights_on(const Mesh& mesh, const MeshElement& element, int face) {
  const int* nodes = mesh.nodes_of(element);
  const auto set = [&](auto& positions) {
    positions.resize(info(element.shape).num_nodes, 3);
    for (int k = 0; k < positions.rows(); ++k)
      positions.row(k) = mesh.positions[static_cast<std::size_t>(nodes[k])].transpose();
  };
  if (info(element.shape).dimension == 2) {
    ShellElement flat;
    flat.shape = element.shape;
    set(flat.nodes);
    return shell_weights(flat);
  }
  SolidNodes positions;
  set(positions);
  return face_weights(element.shape, positions, faces_of(element.shape)[static_cast<std::size_t>(face)]);
}

}  // namespace

// w_i = ∫ N_i dA over the faces of an averaging spider, (8) of the theory of solids. Nodes beyond them have none.
void MeshBuilder::weigh_by_area(const Spider& spider, MeshSpider& made) const {
  std::map<int, double> weights;
  double area = 0;
  for (const Face& face : spider.faces) {
    const MeshElement& element = mesh.elements[static_cast<std::size_t>(face.element)];
    const VectorX own = weights_on(mesh, element, face.face);
    for (Eigen::Index k = 0; k < own.size(); ++k) weights[mesh.nodes_of(element)[k]] += own(k);
    area += own.sum();
  }
  if (!(area > 0)) return;
  made.weights.clear();
  for (const int node : made.nodes) made.weights.push_back(weights.contains(node) ? weights.at(node) / area : 0);
}

MeshSpider MeshBuilder::made_of(const Spider& spider, const std::string& file) const {
  const MeshFilePlace place = spider.place.line > 0 ? spider.place : MeshFilePlace{file, 0};
  const std::string user = cat("rigid or averaging element ", spider.label);
  MeshSpider made{spider.kind, index_of(spider.reference, place, user), {}, {}, spider.label, spider.turns_nodes};
  std::map<int, std::size_t> places;  // each node once
  for (std::size_t k = 0; k < spider.nodes.size(); ++k) {
    const int node = index_of(spider.nodes[k], place, user);
    const auto [known, is_new] = places.emplace(node, made.nodes.size());
    if (is_new) made.nodes.push_back(node);
    if (spider.weights.empty()) continue;
    if (is_new) made.weights.push_back(0);
    made.weights[known->second] += spider.weights[k];
  }
  weigh_by_area(spider, made);
  return made;
}

void MeshBuilder::separate_faces(const MeshFilePlace& place) {
  const std::size_t count = mesh.element_sets.size();
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<int> solids, faces;
    for (const int element : mesh.element_sets[k].members)
      (is_solid(mesh.elements[static_cast<std::size_t>(element)]) ? solids : faces).push_back(element);
    if (solids.empty() || faces.empty()) continue;
    const std::string name = mesh.element_sets[k].name;
    mesh.element_sets[k].members = std::move(solids);
    element_set(name + " faces") = std::move(faces);
    warn(place, cat("property ", name, " is of solids and of faces: the group '", name, "' has the solids, '", name,
                    " faces' the faces"));
  }
}

void MeshBuilder::finish(const std::string& file) {
  for (std::size_t k = 0; k < mesh.positions.size(); ++k)
    if (!mesh.positions[k].allFinite())
      throw MeshFileError{file, 0, cat("node ", mesh.node_labels[k], ": the coordinates are not finite numbers")};
  connect(file);
  for (const auto& [name, own] : node_labels_of_sets_) {
    MeshSet set{name, {}};
    const MeshFilePlace place = place_of(own.at, file);
    const std::string user = cat("node set '", name, "'");
    for (const std::int64_t label : own.labels) set.members.push_back(index_of(label, place, user));
    mesh.node_sets.push_back(std::move(set));
  }
  for (const Spider& spider : spiders) mesh.spiders.push_back(made_of(spider, file));
  for (const PointMass& mass : masses) {
    const MeshFilePlace place = mass.place.line > 0 ? mass.place : MeshFilePlace{file, 0};
    mesh.masses.push_back({index_of(mass.node, place, "a point mass"), mass.mass, mass.inertia, mass.offset});
  }
  finish_couplings();
  drop_unused_nodes();
}

std::vector<MotionTerm> MeshBuilder::made_of(const std::vector<Term>& terms, const MeshFilePlace& place,
                                             const std::string& user) const {
  std::vector<MotionTerm> made;
  for (const Term& term : terms) made.push_back({index_of(term.node, place, user), term.component, term.factor});
  return made;
}

void MeshBuilder::finish_couplings() {
  for (const Equation& equation : equations)
    mesh.equations.push_back(
        {equation.name, made_of(equation.terms, equation.place, equation.name), equation.if_all_turn});
  for (const Spring& spring : springs)
    mesh.springs.push_back({spring.name, made_of(spring.terms, spring.place, spring.name), spring.stiffness});
  for (const Tie& tie : ties) {
    std::vector<int> slaves;
    for (const std::int64_t label : tie.slaves) slaves.push_back(index_of(label, tie.place, tie.name));
    const TiedNodes tied = tie_nodes(mesh, slaves, tie.masters, tie.tolerance, tie.name);
    if (tied.equations.empty())
      tie.place.fail(
          cat(tie.name, ": no node of the slave surface is within ", tied.tolerance, " of the master surface"));
    if (!tied.left_out.empty())
      warn(tie.place, cat(tie.name, ": ", tied.left_out.size(), " of ", slaves.size(),
                          " nodes of the slave surface are further than ", tied.tolerance,
                          " from the master surface and stay free, the first is node ", tied.left_out.front()));
    mesh.equations.insert(mesh.equations.end(), tied.equations.begin(), tied.equations.end());
  }
}

void MeshBuilder::drop_unused_nodes() {
  std::vector<int> place(mesh.positions.size(), -1);
  const auto use = [&](int node) { place[static_cast<std::size_t>(node)] = 0; };
  for (const int node : mesh.connectivity) use(node);
  for (const MeshSpider& spider : mesh.spiders) {
    use(spider.reference);
    for (const int node : spider.nodes) use(node);
  }
  for (const MeshMass& mass : mesh.masses) use(mass.node);
  const auto each_term = [&](const auto& action) {
    for (MeshEquation& equation : mesh.equations)
      for (MotionTerm& term : equation.terms) action(term.node);
    for (MeshSpring& spring : mesh.springs)
      for (MotionTerm& term : spring.terms) action(term.node);
  };
  each_term(use);
  int count = 0;
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (place[k] < 0) continue;
    mesh.positions[static_cast<std::size_t>(count)] = mesh.positions[k];
    mesh.node_labels[static_cast<std::size_t>(count)] = mesh.node_labels[k];
    place[k] = count++;
  }
  mesh.positions.resize(static_cast<std::size_t>(count));
  mesh.node_labels.resize(static_cast<std::size_t>(count));
  const auto move = [&](std::vector<int>& nodes) {
    for (int& node : nodes) node = place[static_cast<std::size_t>(node)];
    std::erase(nodes, -1);
  };
  move(mesh.connectivity);
  for (MeshSet& set : mesh.node_sets) move(set.members);
  for (MeshSpider& spider : mesh.spiders) {
    move(spider.nodes);
    spider.reference = place[static_cast<std::size_t>(spider.reference)];
  }
  each_term([&](int& node) { node = place[static_cast<std::size_t>(node)]; });
  for (MeshMass& mass : mesh.masses) mass.node = place[static_cast<std::size_t>(mass.node)];
}

}  // namespace lithe
