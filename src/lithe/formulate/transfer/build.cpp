// From a model to the tree of elements: joints as the mechanism's spanning tree has them, the beams of a link outwards
// from the node that carries it.
#include <algorithm>
#include <queue>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/erls/link_damping.h"
#include "lithe/formulate/transfer/modes.h"
#include "lithe/formulate/transfer/tree.h"
#include "lithe/model/mechanism_damping.h"

namespace lithe {
namespace {

class Builder {
 public:
  Builder(const Model& model, const Mechanism& mechanism, bool shortens)
      : model_(model), mechanism_(mechanism), shortens_(shortens) {}

  TransferTree build() {
    tree_.gravity = model_.gravity;
    tree_.num_joint_coordinates = mechanism_.num_coordinates();
    tree_.num_variables = tree_.num_joint_coordinates;
    tree_.joints.resize(tree_.num_joint_coordinates);
    tree_.frame_of_coordinate.resize(tree_.num_joint_coordinates);
    tree_.nodes.resize(model_.links.size());
    tree_.root_frame.assign(model_.links.size(), -1);
    for (const TreeFrame& source : mechanism_.frames()) {
      frame_of_tree_.push_back(add_joint_frame(source));
      if (source.link >= 0) add_link(source, frame_of_tree_.back());
    }
    tree_.ball_dampers = ball_dampers(model_, mechanism_);
    number_deformations();
    add_link_damping();
    return std::move(tree_);
  }

 private:
  int add_frame(TransferFrame frame) {
    tree_.frames.push_back(std::move(frame));
    return static_cast<int>(tree_.frames.size()) - 1;
  }

  // A hinge, a slider or a fixed offset. On a flexible parent it starts at the frame of the node; a flexible child
  // begins at its own node.
  int add_joint_frame(const TreeFrame& source) {
    TransferFrame frame;
    frame.motion = source.motion;
    frame.axis = source.axis;
    frame.before = source.before;
    frame.after = source.after;
    frame.chart = source.chart;
    frame.chart_transposed = source.backwards;
    frame.parent = source.parent < 0 ? -1 : frame_of_tree_[source.parent];
    const int parent_link = source.parent < 0 ? -1 : mechanism_.frames()[source.parent].link;
    if (parent_link >= 0) {
      const NodePlace& place = tree_.nodes[parent_link][source.parent_node];
      frame.parent = place.frame;
      frame.before = Pose{place.link_axes, place.offset} * Pose{source.before.rotation, Vector3::Zero()};
    }
    if (source.link >= 0 && !model_.links[source.link].rigid) frame.after.position.setZero();
    if (source.coordinate >= 0) {
      frame.first = source.coordinate;
      frame.count = 1;
      tree_.joints[source.coordinate] = joint_element(model_.joints[source.joint], source.freedom);
      tree_.frame_of_coordinate[source.coordinate] = static_cast<int>(tree_.frames.size());
    }
    return add_frame(std::move(frame));
  }

  void add_link(const TreeFrame& source, int frame) {
    const Link& link = model_.links[source.link];
    tree_.root_frame[source.link] = frame;
    if (link.rigid) {
      add_rigid_link(source.link, frame);
    } else {
      add_beams(source.link, source.child_node, frame);
    }
  }

  void add_rigid_link(int index, int frame) {
    const Link& link = model_.links[index];
    FrameInertia& body = tree_.frames[frame].body;
    body.add(link.rigid_inertia.mass, link.rigid_inertia.centre, link.rigid_inertia.inertia);
    for (const LumpedMass& lumped : link.lumped_masses)
      body.add(lumped.mass, link.nodes[lumped.node].position, lumped.inertia);
    for (const Node& node : link.nodes)
      tree_.nodes[index].push_back({frame, node.position, Matrix3::Identity(), node.position});
  }

  // Outwards from the root node, breadth first; an element between two nodes that are reached already is welded.
  void add_beams(int index, int root, int root_frame) {
    const Link& link = model_.links[index];
    const FiniteElementBody mesh = assemble(model_, link, true);
    if (mesh.elements.empty())
      throw InputError(cat("link '", link.name,
                           "': the formulation transfer-functions needs beams, the link has imported matrices"));
    std::vector<NodePlace>& places = tree_.nodes[index];
    places.assign(mesh.node_positions.size(), {});
    places[root].frame = root_frame;
    places[root].rest = mesh.node_positions[root];
    std::vector<char> used(mesh.elements.size(), 0);
    std::queue<int> waiting;
    for (waiting.push(root); !waiting.empty(); waiting.pop()) {
      const int node = waiting.front();
      for (std::size_t k = 0; k < mesh.elements.size(); ++k) {
        const BeamElement& element = mesh.elements[k];
        if (used[k] || (element.node_a != node && element.node_b != node)) continue;
        used[k] = 1;
        const int other = element.node_a == node ? element.node_b : element.node_a;
        const NodePlace end = add_beam(index, mesh, static_cast<int>(k), node, other);
        if (places[other].frame < 0) {
          places[other] = end;
          waiting.push(other);
        } else {
          tree_.welds.push_back({end, places[other], index});
        }
      }
    }
    add_nodal_masses(mesh, places);
  }

  // A beam's frames have its axes; where these turn from one element to the next, a fixed frame stands between.
  NodePlace add_beam(int index, const FiniteElementBody& mesh, int number, int from, int to) {
    const Link& link = model_.links[index];
    const BeamElement& element = mesh.elements[number];
    const BeamSegment& segment = link.segments[element.segment];
    const NodePlace start = tree_.nodes[index][from];
    TransferBeam beam;
    beam.link = index;
    beam.element = number;
    beam.node_a = from;
    beam.node_b = to;
    beam.reversed = element.node_a != from;
    beam.damping_factor = link.damping.stiffness_factor;
    const double length = (mesh.node_positions[to] - mesh.node_positions[from]).norm();
    beam.form = beam_form(
        beam_properties(segment.theory, model_.materials[segment.material], model_.sections[segment.section], length),
        segment.mass_model, shortens_, model_.space == Space::planar);
    Matrix3 axes = element.axes;  // R_LB
    if (beam.reversed) {
      axes.col(0) = -axes.col(0);
      axes.col(2) = -axes.col(2);
    }
    beam.axes = axes;
    TransferFrame frame;
    frame.parent = start.frame;
    const Matrix3 turn = start.link_axes * axes;
    if (!turn.isIdentity(1e-14)) {
      TransferFrame offset;
      offset.parent = start.frame;
      offset.before.rotation = turn;
      frame.parent = add_frame(std::move(offset));
    }
    frame.beam = static_cast<int>(tree_.beams.size());
    beam.frame = add_frame(std::move(frame));
    tree_.beams.push_back(beam);
    return {beam.frame, Vector3::Zero(), axes.transpose(), mesh.node_positions[to]};
  }

  // Lumped masses and the masses that a lumped mass model puts into the nodes.
  void add_nodal_masses(const FiniteElementBody& mesh, const std::vector<NodePlace>& places) {
    for (const MassPoint& point : mesh.mass_points) {
      if (point.dofs.size() != 6) continue;
      const NodePlace& place = places[point.dofs.front() / 6];
      const Matrix3 moment = place.link_axes * point.section_moment * place.link_axes.transpose();
      tree_.frames[place.frame].body.add(point.mass, Vector3::Zero(), moment.trace() * Matrix3::Identity() - moment);
    }
  }

  // Deformations link by link, after the joint coordinates.
  void number_deformations() {
    std::vector<int> order(tree_.beams.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return tree_.beams[a].link < tree_.beams[b].link; });
    for (const int k : order) {
      TransferFrame& frame = tree_.frames[tree_.beams[k].frame];
      frame.first = tree_.num_variables;
      frame.count = tree_.beams[k].form.num_free;
      tree_.num_variables += frame.count;
    }
  }

  std::vector<const TransferBeam*> beams_of(std::size_t link) const {
    std::vector<const TransferBeam*> beams;
    for (const TransferBeam& beam : tree_.beams)
      if (beam.link == static_cast<int>(link)) beams.push_back(&beam);
    return beams;
  }

  // In proportion to mass and by ratios of modes; that in proportion to stiffness is the beams' own.
  void add_link_damping() {
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      const Link& link = model_.links[i];
      Damping damping = link.damping;
      damping.stiffness_factor = 0;
      if (link.rigid || !is_damped(damping)) continue;
      const std::vector<const TransferBeam*> beams = beams_of(i);
      const ReducedBody body = reduce(assemble(model_, link, true), {}, {}, {}, model_.space);
      LinkMount mount = link_mount(model_, mechanism_, static_cast<int>(i));
      for (const BeamSegment& segment : link.segments)  // whose nodes may turn freely: no frame to be fixed to
        mount.held = mount.held && segment.theory != BeamTheory::truss;
      const MatrixX G = modes_from_deformations(body, beams);
      tree_.link_damping.push_back(
          {tree_.frames[beams.front()->frame].first, G * mounted_damping(body, damping, mount) * G.transpose()});
    }
    add_mechanism_damping();
  }

  void add_mechanism_damping() {
    if (!is_damped(mechanism_damping(model_))) return;
    const ReducedModel reduced = lithe::reduce(model_, ReductionChoice{});
    const MatrixX damping = assembled_damping(reduced);
    if (damping.size() == 0) return;
    MatrixX G = MatrixX::Zero(tree_.num_variables - tree_.num_joint_coordinates, damping.rows());
    Eigen::Index column = 0;
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      const std::vector<const TransferBeam*> beams = beams_of(i);
      if (beams.empty()) continue;
      const MatrixX own = modes_from_deformations(reduced.bodies[i], beams);
      G.block(tree_.frames[beams.front()->frame].first - tree_.num_joint_coordinates, column, own.rows(), own.cols()) =
          own;
      column += own.cols();
    }
    tree_.link_damping.push_back({tree_.num_joint_coordinates, G * damping * G.transpose()});
  }

  const Model& model_;
  const Mechanism& mechanism_;
  bool shortens_;
  TransferTree tree_;
  std::vector<int> frame_of_tree_;  // of the mechanism's frames
};

}  // namespace

void FrameInertia::add(double m, const Vector3& centre, const Matrix3& about_centre) {
  mass += m;
  moment += m * centre;
  inertia += about_centre + m * (centre.squaredNorm() * Matrix3::Identity() - centre * centre.transpose());
}

TransferTree build_transfer_tree(const Model& model, const Mechanism& mechanism, bool shortens) {
  return Builder(model, mechanism, shortens).build();
}

}  // namespace lithe
