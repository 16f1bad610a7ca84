#include "lithe/results/scene/scene_motion.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/model/stress_measure.h"
#include "lithe/results/scene/mesh_surface.h"
#include "lithe/results/scene/static_shape.h"

namespace lithe {
namespace {

// An orthonormal basis that grows whenever a vector is not within the tolerance (of every entry) of its span.
class GrowingBasis {
 public:
  GrowingBasis(Eigen::Index rows, double tolerance) : tolerance_(tolerance), vectors_(rows, 0) {}

  // Coefficients of the vector in the basis as it is afterwards.
  VectorX add(const VectorX& vector) {
    VectorX residual = vector;
    VectorX coefficients = project_out(residual);
    if (residual.size() == 0 || residual.cwiseAbs().maxCoeff() <= tolerance_) return coefficients;
    coefficients += project_out(residual);  // twice is enough (Kahan, Parlett)
    const double length = residual.norm();
    vectors_.conservativeResize(Eigen::NoChange, vectors_.cols() + 1);
    vectors_.rightCols<1>() = residual / length;
    coefficients.conservativeResize(coefficients.size() + 1);
    coefficients(coefficients.size() - 1) = length;
    return coefficients;
  }
  const MatrixX& vectors() const { return vectors_; }

 private:
  VectorX project_out(VectorX& residual) const {
    const VectorX part = vectors_.transpose() * residual;
    residual.noalias() -= vectors_ * part;
    return part;
  }
  double tolerance_;
  MatrixX vectors_;
};

// Section loads of all pieces from the displacements that strain the link: normal force, torque, moments at both ends.
class PieceLoads {
 public:
  PieceLoads(const Model& model, const Link& link) {
    if (link.rigid || link.from_elsewhere()) return;
    const FiniteElementBody body = assemble(model, link, true);
    elements_ = body.elements;
    for (const BeamElement& element : elements_) {
      const BeamSegment& segment = link.segments[static_cast<std::size_t>(element.segment)];
      const Section& section = model.sections[static_cast<std::size_t>(segment.section)];
      const Material& material = model.materials[static_cast<std::size_t>(segment.material)];
      stiffness_.push_back({material.young_modulus * section.area, material.shear_modulus * section.torsion_constant,
                            material.young_modulus * section.second_moment_y,
                            material.young_modulus * section.second_moment_z});
    }
  }
  Eigen::Index rows() const { return 6 * static_cast<Eigen::Index>(elements_.size()); }

  VectorX operator()(const VectorX& displacements) const {
    VectorX loads(rows());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const BeamElement& element = elements_[i];
      Eigen::Matrix<double, 12, 1> u;
      u << displacements.segment<6>(6 * element.node_a), displacements.segment<6>(6 * element.node_b);
      const Eigen::Matrix<double, 12, 1> ends = element.stiffness * u;
      const Vector3 force = element.axes.transpose() * ends.segment<3>(6);
      const Vector3 first = -(element.axes.transpose() * ends.segment<3>(3));
      const Vector3 second = element.axes.transpose() * ends.segment<3>(9);
      loads.segment<6>(6 * static_cast<Eigen::Index>(i)) << force.x(), second.x(), first.y(), first.z(), second.y(),
          second.z();
    }
    return loads;
  }

  // Factors that turn loads into numbers of the size of displacements: strains and curvatures over `size`.
  VectorX weights(double size) const {
    VectorX result(rows());
    for (std::size_t i = 0; i < stiffness_.size(); ++i) {
      const auto& [axial, torsion, bending_y, bending_z] = stiffness_[i];
      const double y = size * size / bending_y, z = size * size / bending_z;
      result.segment<6>(6 * static_cast<Eigen::Index>(i)) << 100 * size / axial, size * size / torsion, y, z, y, z;
    }
    return result;
  }

 private:
  struct Stiffness {
    double axial, torsion, bending_y, bending_z;
  };
  std::vector<BeamElement> elements_;
  std::vector<Stiffness> stiffness_;
};

// Stress of a link of solid elements from the displacements that strain it.
class SurfaceStress {
 public:
  SurfaceStress(const Link& link, const SceneLink& drawn) {
    if (drawn.triangles.empty()) return;
    const FiniteElementBody body = mesh_nodes_of(link);
    const std::vector<int> places = stress_places_on_surface(*link.mesh);
    stress_ = nodal_stress(link, body, places);
    std::vector<Eigen::Index> first_row(static_cast<std::size_t>(body.num_nodes()), -1);
    for (const int node : body_nodes_at(*link.mesh, body, places)) {
      Eigen::Index& row = first_row[static_cast<std::size_t>(node)];
      if (row < 0) row = 6 * static_cast<Eigen::Index>(positions_.size());  // on a border the first material is drawn
      positions_.push_back(body.node_positions[static_cast<std::size_t>(node)]);
    }
    for (const int node : drawn.body_nodes) rows_.push_back(first_row[static_cast<std::size_t>(node)]);
  }
  Eigen::Index num_dofs() const { return stress_.cols(); }

  // Six rows per drawn node for shapes of the dofs, and the largest stress of the motion that they make.
  MatrixX of(const MatrixX& dof_shapes, const MatrixX& coefficients, const std::vector<double>& times,
             LinkMotion& motion) const {
    const MatrixX all = stress_ * dof_shapes;
    for (Eigen::Index i = 0; i < coefficients.cols(); ++i) {
      const VectorX now = all * coefficients.col(i);
      for (std::size_t node = 0; node < positions_.size(); ++node) {
        const double value = measure_of(now.segment<6>(6 * static_cast<Eigen::Index>(node)), StressMeasure::von_mises);
        if (value <= motion.largest_stress) continue;
        motion.largest_stress = value;
        motion.largest_stress_time = times[static_cast<std::size_t>(i)];
        motion.largest_stress_place = positions_[node];
      }
    }
    MatrixX drawn = MatrixX::Zero(6 * static_cast<Eigen::Index>(rows_.size()), all.cols());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (rows_[k] >= 0) drawn.middleRows<6>(6 * static_cast<Eigen::Index>(k)) = all.middleRows<6>(rows_[k]);
    return drawn;
  }

 private:
  SparseMatrix stress_;             // 6 per place on the surface x dofs
  std::vector<Vector3> positions_;  // of these places
  std::vector<Eigen::Index> rows_;  // of the drawn nodes among them; -1: a node inside, or a spider's
};

// Follows one link from state to state.
class LinkSampler {
 public:
  LinkSampler(const Equations& equations, const SceneLink& drawn, int link, double size, double tolerance)
      : equations_(equations),
        drawn_(drawn),
        link_(link),
        loads_(equations.model(), equations.model().links[static_cast<std::size_t>(link)]),
        stress_(equations.model().links[static_cast<std::size_t>(link)], drawn),
        static_shape_(equations, link),
        weights_(make_weights(size)),
        basis_(weights_.size(), tolerance * size) {}

  bool leaves_modes_out() const { return static_shape_.wanted(); }

  // `known`: the accelerations obey the equations of motion, so that forces are known.
  void add(const State& state, const Inputs& inputs, const Accelerations& accelerations, bool known,
           Workspace& workspace) {
    equations_.node_motions(state, inputs, accelerations, link_, motions_, workspace);
    if (!motions_[0].position.allFinite()) return stay();
    for (NodeMotion& node : motions_)
      if (node.status != EvaluationStatus::ok) node.displacement = node.rotation = Vector3::Zero();
    Pose frame = equations_.link_pose(state, inputs, link_, workspace);
    if (!frame.position.allFinite() || !frame.rotation.allFinite()) {  // the node's own place
      frame.rotation = motions_[0].orientation;
      frame.position = motions_[0].position - frame.rotation * drawn_.nodes[0].position;
    }
    const auto num_nodes = static_cast<Eigen::Index>(drawn_.nodes.size());
    VectorX sample = VectorX::Zero(weights_.size());
    for (Eigen::Index i = 0; i < num_nodes; ++i) {
      const auto drawn = static_cast<std::size_t>(i);
      const NodeMotion& node =
          motions_[drawn_.body_nodes.empty() ? drawn : static_cast<std::size_t>(drawn_.body_nodes[drawn])];
      sample.segment<3>(3 * i) = frame.inverse() * node.position - drawn_.nodes[drawn].position;
      sample.segment<3>(3 * (num_nodes + i)) = frame.rotation.transpose() * node.rotation;
    }
    const bool asked = loads_.rows() > 0 || stress_.num_dofs() > 0;
    if (asked && equations_.strained_shape(state, inputs, link_, displacements_, workspace)) {
      if (known) static_shape_.find(state, inputs, accelerations, motions_, workspace, displacements_);
      if (stress_.num_dofs() > 0)
        sample.tail(stress_.num_dofs()) = displacements_;
      else
        sample.tail(loads_.rows()) = loads_(displacements_);
      result_.strained = true;
    }
    result_.frames.push_back(frame);
    coefficients_.push_back(basis_.add(sample.cwiseProduct(weights_)));
  }

  LinkMotion result(const std::vector<double>& times) {
    const Eigen::Index of_nodes = 6 * static_cast<Eigen::Index>(drawn_.nodes.size());
    result_.shapes = weights_.cwiseInverse().asDiagonal() * basis_.vectors();
    result_.coefficients = MatrixX::Zero(basis_.vectors().cols(), static_cast<Eigen::Index>(coefficients_.size()));
    for (std::size_t i = 0; i < coefficients_.size(); ++i)
      result_.coefficients.col(static_cast<Eigen::Index>(i)).head(coefficients_[i].size()) = coefficients_[i];
    if (result_.strained && stress_.num_dofs() > 0) {
      const MatrixX stress =
          stress_.of(result_.shapes.bottomRows(stress_.num_dofs()), result_.coefficients, times, result_);
      result_.shapes.conservativeResize(of_nodes + stress.rows(), Eigen::NoChange);
      result_.shapes.bottomRows(stress.rows()) = stress;
    } else if (!result_.strained) {
      result_.shapes.conservativeResize(of_nodes, Eigen::NoChange);
    }
    return std::move(result_);
  }

 private:
  // At a state in which the mechanism cannot be placed the link is drawn as it was.
  void stay() {
    result_.frames.push_back(result_.frames.empty() ? Pose{} : result_.frames.back());
    coefficients_.push_back(coefficients_.empty() ? basis_.add(VectorX::Zero(weights_.size())) : coefficients_.back());
  }

  VectorX make_weights(double size) const {
    const auto rows = 3 * static_cast<Eigen::Index>(drawn_.nodes.size());
    // Strains of solids are differences of displacements over a hundredth of the size.
    VectorX result(2 * rows + loads_.rows() + stress_.num_dofs());
    result << VectorX::Ones(rows), VectorX::Constant(rows, size), loads_.weights(size),
        VectorX::Constant(stress_.num_dofs(), 100);
    return result;
  }

  const Equations& equations_;
  const SceneLink& drawn_;
  int link_;
  PieceLoads loads_;
  SurfaceStress stress_;
  StaticShape static_shape_;
  VectorX weights_;
  GrowingBasis basis_;
  LinkMotion result_;
  std::vector<VectorX> coefficients_;
  std::vector<NodeMotion> motions_;
  VectorX displacements_;
};

// A state of a motion, and what controllers did to joint freedoms, in the order of the model; none: no controllers.
struct SampledState {
  const State* state = nullptr;
  std::vector<double> controller_forces;
  bool forces_known = true;
};

// The columns that a run records of its controllers (ControlLoop::channels), and the freedoms that they act on.
class ControllerColumns {
 public:
  ControllerColumns(const Model& model, const Trajectory& motion) : motion_(motion) {
    for (const Joint& joint : model.joints)
      for (int k = 0; k < num_freedoms(joint.type); ++k, ++num_freedoms_) {
        const std::string ending = cat(": ", joint.name, num_freedoms(joint.type) > 1 ? cat(" ", k + 1) : "");
        for (const Column& column : motion.columns)
          if (column.name.ends_with(ending)) columns_.emplace_back(&column, num_freedoms_);
      }
  }
  // False where the recording has no row of that time.
  bool at(double time, std::vector<double>& forces) const {
    if (columns_.empty()) return true;
    const auto row = std::lower_bound(motion_.times.begin(), motion_.times.end(), time);
    if (row == motion_.times.end() || *row != time) return false;
    forces.assign(num_freedoms_, 0.0);
    for (const auto& [column, freedom] : columns_)
      forces[freedom] += column->values[static_cast<std::size_t>(row - motion_.times.begin())];
    return true;
  }

 private:
  const Trajectory& motion_;
  std::size_t num_freedoms_ = 0;
  std::vector<std::pair<const Column*, std::size_t>> columns_;
};

void add_forces(const std::vector<double>& forces, Inputs& inputs) {
  std::size_t next = 0;
  for (std::vector<double>& joint : inputs.joint_forces)
    for (double& force : joint)
      if (next < forces.size()) force += forces[next++];
}

// Whether a joint is beyond a limit, where a spring acts that is not among the inputs.
bool beyond_limits(const Equations& equations, const State& state, const Inputs& inputs,
                   const Accelerations& accelerations, Workspace& workspace) {
  const std::vector<Joint>& joints = equations.model().joints;
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (std::size_t k = 0; k < joints[j].limits.size(); ++k) {
      const auto& limit = joints[j].limits[k];
      if (!limit) continue;
      const double value =
          equations.joint_motion(state, inputs, accelerations, static_cast<int>(j), static_cast<int>(k), workspace)
              .value;
      if (value < limit->first || value > limit->second) return true;
    }
  return false;
}

// A millionth of the weight's.
bool at_rest(const Accelerations& accelerations) { return accelerations.values.cwiseAbs().maxCoeff() < 1e-5; }

// Of a motion the accelerations follow from what acts. A single configuration may be held by who knows what: there
// forces are known where it stays by itself.
SceneMotion sample(const Equations& equations, const std::vector<SampledState>& states, double tolerance,
                   bool single = false) {
  const Model& model = equations.model();
  const Scene scene = make_scene(model);
  const double size = scene_size(scene);
  const std::unique_ptr<Workspace> workspace = equations.make_workspace();
  Inputs inputs = make_inputs(model);
  Accelerations accelerations;
  accelerations.values = VectorX::Zero(equations.num_coordinates());
  SceneMotion result;
  std::vector<LinkSampler> samplers;
  for (std::size_t i = 0; i < scene.links.size(); ++i)
    samplers.emplace_back(equations, scene.links[i], static_cast<int>(i), size, tolerance);
  result.load_values.resize(model.loads.size());
  const bool corrected = std::any_of(samplers.begin(), samplers.end(),
                                     [](const LinkSampler& sampler) { return sampler.leaves_modes_out(); });
  for (const auto& [state, controller_forces, forces_known] : states) {
    evaluate_inputs(model, state->time, inputs);
    add_forces(controller_forces, inputs);
    result.times.push_back(state->time);
    bool known = corrected && forces_known &&
                 equations.evaluate(*state, inputs, *workspace, accelerations) == EvaluationStatus::ok;
    known = known && (single ? accelerations.values.size() == 0 || at_rest(accelerations)
                             : !beyond_limits(equations, *state, inputs, accelerations, *workspace));
    if (!known) accelerations.values.setZero(equations.num_coordinates());
    for (LinkSampler& sampler : samplers) sampler.add(*state, inputs, accelerations, known, *workspace);
    for (std::size_t i = 0; i < model.loads.size(); ++i)
      result.load_values[i].push_back(evaluate(model.loads[i].signal, state->time).value);
  }
  for (LinkSampler& sampler : samplers) result.links.push_back(sampler.result(result.times));
  return result;
}

double numbers_in(const SceneMotion& motion) {
  double count = 0;
  for (const LinkMotion& link : motion.links)
    count += static_cast<double>(7 * link.frames.size()) + static_cast<double>(link.coefficients.size());
  return count;
}

// Every stride-th of `count` things, and the last one.
std::vector<std::size_t> chosen(std::size_t count, std::size_t stride) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; i += stride) result.push_back(i);
  if (count > 0 && result.back() + 1 < count) result.push_back(count - 1);
  return result;
}

template <class Items>
Items picked(const Items& items, const std::vector<std::size_t>& indices) {
  Items result;
  for (const std::size_t i : indices) result.push_back(items[i]);
  return result;
}

void thin_out(SceneMotion& motion, std::size_t stride) {
  const std::vector<std::size_t> kept = chosen(motion.times.size(), stride);
  motion.times = picked(motion.times, kept);
  for (std::vector<double>& values : motion.load_values) values = picked(values, kept);
  for (LinkMotion& link : motion.links) {
    link.frames = picked(link.frames, kept);
    MatrixX coefficients(link.coefficients.rows(), static_cast<Eigen::Index>(kept.size()));
    for (std::size_t i = 0; i < kept.size(); ++i)
      coefficients.col(static_cast<Eigen::Index>(i)) = link.coefficients.col(static_cast<Eigen::Index>(kept[i]));
    link.coefficients = std::move(coefficients);
  }
}

// Rows of the drawn nodes among those of all nodes, three each.
MatrixX of_drawn_nodes(const SceneLink& drawn, const MatrixX& all) {
  if (drawn.body_nodes.empty()) return all;
  MatrixX result(3 * static_cast<Eigen::Index>(drawn.body_nodes.size()), all.cols());
  for (std::size_t k = 0; k < drawn.body_nodes.size(); ++k)
    result.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = all.middleRows<3>(3 * drawn.body_nodes[k]);
  return result;
}

MatrixX in_link_axes(const Pose& pose, const MatrixX& vectors, Eigen::Index count) {
  MatrixX result(vectors.rows(), count);
  for (Eigen::Index i = 0; i < vectors.rows(); i += 3)
    result.middleRows<3>(i) = pose.rotation.transpose() * vectors.block(i, 0, 3, count);
  return result;
}

}  // namespace

SceneMotion sample_motion(const Equations& equations, const Trajectory& motion, const SampleOptions& options) {
  std::vector<SampledState> states;
  const ControllerColumns controllers(equations.model(), motion);
  const std::size_t count = motion.states.size();
  const auto most = static_cast<std::size_t>(std::max(1, options.max_frames));
  for (const std::size_t i : chosen(count, std::max<std::size_t>(1, (count + most - 1) / most))) {
    states.push_back({&motion.states[i], {}, true});
    states.back().forces_known = controllers.at(motion.states[i].time, states.back().controller_forces);
  }
  SceneMotion result = sample(equations, states, options.tolerance);
  const double excess = numbers_in(result) / options.max_numbers;
  if (excess > 1) thin_out(result, static_cast<std::size_t>(std::ceil(excess)));
  return result;
}

SceneMotion sample_configuration(const Equations& equations, const State& state) {
  return sample(equations, {{&state, {}, true}}, SampleOptions().tolerance, true);
}

ModeSet mechanism_mode_set(const Equations& equations, const State& state, const MechanismModes& modes, int count) {
  const SceneMotion configuration = sample_configuration(equations, state);
  const Scene scene = make_scene(equations.model());
  ModeSet result;
  result.name = "the mechanism in its configuration";
  const int with_shape = modes.translations.empty() ? 0 : static_cast<int>(modes.translations[0].cols());
  const int listed = std::min(count, with_shape);
  for (int k = 0; k < listed; ++k) {
    result.numbers.push_back(k + 1);
    result.frequencies.push_back(modes.frequencies(k));
    result.damping_ratios.push_back(modes.damping_ratios(k));
  }
  for (std::size_t i = 0; i < configuration.links.size(); ++i) {
    const LinkMotion& link = configuration.links[i];
    const auto rows = 6 * static_cast<Eigen::Index>(scene.links[i].nodes.size());
    const Pose& pose = link.frames[0];
    result.link_poses.push_back(pose);
    result.displacements.push_back((link.shapes * link.coefficients).topRows(rows));
    MatrixX shapes(rows, listed);
    shapes << in_link_axes(pose, of_drawn_nodes(scene.links[i], modes.translations[i]), listed),
        in_link_axes(pose, of_drawn_nodes(scene.links[i], modes.rotations[i]), listed);
    result.modes.push_back(std::move(shapes));
  }
  return result;
}

ModeSet link_mode_set(const Model& model, int link, const LinkModes& modes, const std::string& name) {
  ModeSet result;
  result.of_mechanism = false;
  result.name = name;
  for (int k = 0; k < modes.num_modes(); ++k) {
    result.numbers.push_back(modes.number_of(k));
    result.frequencies.push_back(modes.frequencies(k));
  }
  result.link_poses.resize(model.links.size());
  result.displacements.resize(model.links.size());
  result.modes.resize(model.links.size());
  const auto drawn = static_cast<std::size_t>(link);
  SceneLink surface;
  if (model.links[drawn].mesh) surface = make_scene(model).links[drawn];
  const MatrixX translations = of_drawn_nodes(surface, modes.translations);
  const MatrixX rotations = of_drawn_nodes(surface, modes.rotations);
  MatrixX shapes(translations.rows() + rotations.rows(), modes.num_modes());
  shapes << translations, rotations;
  result.displacements[drawn] = MatrixX::Zero(shapes.rows(), 1);
  result.modes[drawn] = std::move(shapes);
  return result;
}

}  // namespace lithe
