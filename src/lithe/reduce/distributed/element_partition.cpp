#include "lithe/reduce/distributed/element_partition.h"

#include <algorithm>

namespace lithe {
namespace {

class Bisection {
 public:
  explicit Bisection(const MeshPart& part) : part_of_(part.element_materials.size(), -1) {
    const Mesh& mesh = part.mesh;
    centres_.resize(mesh.elements.size());
    weights_.resize(mesh.elements.size(), 0);
    for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
      if (part.element_materials[e] < 0) continue;
      const MeshElement& element = mesh.elements[e];
      const int corners = info(element.shape).num_corners;
      centres_[e].setZero();
      for (int k = 0; k < corners; ++k)
        centres_[e] += mesh.positions[static_cast<std::size_t>(mesh.nodes_of(element)[k])] / corners;
      elements_.push_back(static_cast<int>(e));
      weights_[e] = info(element.shape).num_nodes;
    }
  }

  std::vector<int> run(int num_parts) && {
    cut(elements_.begin(), elements_.end(), 0, num_parts);
    return std::move(part_of_);
  }

 private:
  using Iterator = std::vector<int>::iterator;
  const Vector3& centre(int e) const { return centres_[static_cast<std::size_t>(e)]; }

  void cut(Iterator begin, Iterator end, int first_part, int num_parts) {
    if (num_parts == 1) {
      for (Iterator e = begin; e != end; ++e) part_of_[static_cast<std::size_t>(*e)] = first_part;
      return;
    }
    if (begin == end) return;
    Vector3 low = centre(*begin), high = low;
    for (Iterator e = begin; e != end; ++e) low = low.cwiseMin(centre(*e)), high = high.cwiseMax(centre(*e));
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    std::sort(begin, end, [&](int a, int b) {  // elements at the same place by their number
      return centre(a)(axis) != centre(b)(axis) ? centre(a)(axis) < centre(b)(axis) : a < b;
    });
    const int lower = num_parts / 2;
    double total = 0, sum = 0;
    for (Iterator e = begin; e != end; ++e) total += weights_[static_cast<std::size_t>(*e)];
    Iterator middle = begin;
    for (; middle != end && sum < total * lower / num_parts; ++middle)
      sum += weights_[static_cast<std::size_t>(*middle)];
    cut(begin, middle, first_part, lower);
    cut(middle, end, first_part + lower, num_parts - lower);
  }

  std::vector<int> part_of_;
  std::vector<Vector3> centres_;
  std::vector<int> elements_;
  std::vector<int> weights_;  // nodes of every element
};

}  // namespace

std::vector<int> partition_elements(const MeshPart& part, int num_parts) { return Bisection(part).run(num_parts); }

}  // namespace lithe
