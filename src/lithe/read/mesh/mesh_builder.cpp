#include "lithe/read/mesh/mesh_builder.h"

#include <algorithm>

#include "lithe/base/text.h"

namespace lithe {

void MeshBuilder::add_node(std::int64_t label, const Vector3& position) {
  const auto [place, is_new] = node_index_.emplace(label, mesh.num_nodes());
  if (!is_new) {  // written twice: the last one counts
    mesh.positions[static_cast<std::size_t>(place->second)] = position;
    return;
  }
  mesh.positions.push_back(position);
  mesh.node_labels.push_back(label);
}

int MeshBuilder::add_element(ElementShape shape, std::int64_t label, const std::vector<std::int64_t>& nodes) {
  const int index = mesh.num_elements();
  mesh.elements.push_back({shape, -1, connectivity_.size(), label});
  connectivity_.insert(connectivity_.end(), nodes.begin(), nodes.end());
  element_index_.emplace(label, index);
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

int MeshBuilder::index_of(std::int64_t label, const std::string& file, const std::string& user) const {
  const auto found = node_index_.find(label);
  if (found == node_index_.end())
    throw MeshFileError{file, 0, cat(user, " has node ", label, ", which does not exist")};
  return found->second;
}

void MeshBuilder::finish(const std::string& file) {
  for (std::size_t k = 0; k < mesh.positions.size(); ++k)
    if (!mesh.positions[k].allFinite())
      throw MeshFileError{file, 0, cat("node ", mesh.node_labels[k], ": the coordinates are not finite numbers")};
  mesh.connectivity.reserve(connectivity_.size());
  for (const MeshElement& element : mesh.elements)
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      mesh.connectivity.push_back(
          index_of(connectivity_[element.first + static_cast<std::size_t>(k)], file, cat("element ", element.label)));
  for (const auto& [name, labels] : node_labels_of_sets_) {
    MeshSet set{name, {}};
    for (const std::int64_t label : labels) set.members.push_back(index_of(label, file, cat("node set '", name, "'")));
    mesh.node_sets.push_back(std::move(set));
  }
  for (const Spider& spider : spiders) {
    const std::string user = cat("rigid or averaging element ", spider.label);
    MeshSpider made{spider.kind, index_of(spider.reference, file, user), {}, spider.weights, spider.label};
    for (const std::int64_t label : spider.nodes) made.nodes.push_back(index_of(label, file, user));
    mesh.spiders.push_back(std::move(made));
  }
  for (const PointMass& mass : masses)
    mesh.masses.push_back({index_of(mass.node, file, "a point mass"), mass.mass, mass.inertia, mass.offset});
  drop_unused_nodes();
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
  for (MeshMass& mass : mesh.masses) mass.node = place[static_cast<std::size_t>(mass.node)];
}

}  // namespace lithe
