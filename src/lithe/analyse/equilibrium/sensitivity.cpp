#include "lithe/analyse/equilibrium/sensitivity.h"

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

struct Prescribed {
  std::size_t joint, freedom;
};

std::vector<Prescribed> prescribed_freedoms(const Model& model) {
  std::vector<Prescribed> result;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t k = 0; k < model.joints[j].initial_value.size(); ++k)
      for (const Drive& drive : model.drives)
        if (drive.prescribes_motion && drive.joint == static_cast<int>(j) && drive.freedom == static_cast<int>(k)) {
          result.push_back({j, k});
          break;
        }
  return result;
}

// Coordinates are called after their joints, those of several freedoms with more behind the name.
std::string unit_of_coordinate(const Model& model, const std::string& name) {
  for (const Joint& joint : model.joints) {
    if (name != joint.name && name.rfind(joint.name + " (", 0) != 0) continue;
    if (joint.initial_value.size() == 1) return is_rotation(joint.type, 0) ? "rad" : "m";
    return name.find("translation") != std::string::npos ? "m" : "rad";
  }
  return "";
}

std::string freedom_name(const Joint& joint, std::size_t freedom) {
  return joint.initial_value.size() > 1 ? cat(joint.name, ".", freedom + 1) : joint.name;
}

// Velocities of all nodes for given rates, or accelerations where all rates stay constant.
class RigidMotion {
 public:
  RigidMotion(const Equations& equations, const State& state)
      : equations_(equations),
        planar_(equations.model().space == Space::planar),
        workspace_(equations.make_workspace()),
        inputs_(make_inputs(equations.model())),
        state_(state) {
    evaluate_inputs(equations.model(), state.time, inputs_);
    moving_ = inputs_;
    bring_to_rest(inputs_);
    const Eigen::Index joints = equations.num_joint_coordinates();
    speeds_ = state.speeds;
    speeds_.tail(speeds_.size() - joints).setZero();
    state_.coordinates.tail(state_.coordinates.size() - joints).setZero();
    state_.speeds.setZero();
    rest_.values.setZero(equations.num_coordinates());
  }
  const VectorX& speeds() const { return speeds_; }
  double prescribed_rate(const Prescribed& p) const { return moving_.prescribed_motion[p.joint][p.freedom].rate; }

  VectorX by_coordinate(Eigen::Index k) {
    state_.speeds[k] = 1;
    const VectorX result = read(inputs_, false);
    state_.speeds[k] = 0;
    return result;
  }
  VectorX by_drive(const Prescribed& p) {
    Inputs driven = inputs_;
    driven.prescribed_motion[p.joint][p.freedom].rate = 1;
    return read(driven, false);
  }
  // Ṡ q̇: with q̈ = 0.
  VectorX convective() {
    Inputs driven = moving_;
    for (std::vector<SignalValue>& joint : driven.prescribed_motion)
      for (SignalValue& freedom : joint) freedom.acceleration = 0;
    state_.speeds = speeds_;
    const VectorX result = read(driven, true);
    state_.speeds.setZero();
    return result;
  }
  MatrixX positions() {
    std::vector<Vector3> found;
    for (int link = 0; link < num_links(); ++link) {
      equations_.node_motions(state_, inputs_, rest_, link, motions_, *workspace_);
      for (const NodeMotion& m : motions_) found.push_back(m.position);
    }
    MatrixX result(static_cast<Eigen::Index>(found.size()), 3);
    for (std::size_t i = 0; i < found.size(); ++i) result.row(static_cast<Eigen::Index>(i)) = found[i].transpose();
    return result;
  }
  EvaluationStatus status() {
    Accelerations found;
    found.values.setZero(equations_.num_coordinates());
    return equations_.evaluate(state_, inputs_, *workspace_, found);
  }

 private:
  int num_links() const { return static_cast<int>(equations_.model().links.size()); }
  VectorX read(const Inputs& inputs, bool accelerations) {
    std::vector<double> values;
    for (int link = 0; link < num_links(); ++link) {
      equations_.node_motions(state_, inputs, rest_, link, motions_, *workspace_);
      for (const NodeMotion& m : motions_) {
        const Vector3& line = accelerations ? m.acceleration : m.velocity;
        const Vector3& turn = accelerations ? m.angular_acceleration : m.angular_velocity;
        if (planar_) {
          values.insert(values.end(), {line.x(), line.y(), turn.z()});
        } else {
          values.insert(values.end(), {line.x(), line.y(), line.z(), turn.x(), turn.y(), turn.z()});
        }
      }
    }
    return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  const Equations& equations_;
  bool planar_;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_, moving_;  // with prescribed motions at rest, and as they are
  State state_;
  VectorX speeds_;
  Accelerations rest_;
  std::vector<NodeMotion> motions_;
};

void name_rows(const Equations& equations, Sensitivity& result) {
  const Model& model = equations.model();
  const std::vector<const char*> parts = model.space == Space::planar
                                             ? std::vector<const char*>{"x", "y", "rz"}
                                             : std::vector<const char*>{"x", "y", "z", "rx", "ry", "rz"};
  for (std::size_t link = 0; link < model.links.size(); ++link)
    for (int node = 0; node < equations.num_nodes(static_cast<int>(link)); ++node) {
      const auto& named = model.links[link].nodes;
      const auto at = static_cast<std::size_t>(node);
      result.nodes.push_back(
          cat(model.links[link].name, ":", at < named.size() ? named[at].name : cat("mesh ", at - named.size() + 1)));
      for (const char* part : parts)
        result.rows.push_back({cat(result.nodes.back(), " ", part), part[0] == 'r' ? "rad" : "m"});
    }
}

}  // namespace

Sensitivity sensitivity(const Equations& equations, const State& state) {
  if (as_constrained(equations))
    throw InputError(cat("S(q) is of equations in independent coordinates, not of ", equations.name()));
  const Model& model = equations.model();
  Sensitivity result;
  RigidMotion motion(equations, state);
  result.status = motion.status();
  if (result.status != EvaluationStatus::ok) return result;
  name_rows(equations, result);
  const std::vector<Prescribed> prescribed = prescribed_freedoms(model);
  const std::vector<std::string> names = equations.coordinate_names();
  result.num_free = equations.num_joint_coordinates();
  const auto columns = result.num_free + static_cast<Eigen::Index>(prescribed.size());
  result.matrix.resize(static_cast<Eigen::Index>(result.rows.size()), columns);
  result.rates.resize(columns);
  for (Eigen::Index k = 0; k < result.num_free; ++k) {
    result.columns.push_back(
        {names[static_cast<std::size_t>(k)], unit_of_coordinate(model, names[static_cast<std::size_t>(k)])});
    result.matrix.col(k) = motion.by_coordinate(k);
    result.rates[k] = motion.speeds()[k];
  }
  for (std::size_t i = 0; i < prescribed.size(); ++i) {
    const Prescribed& p = prescribed[i];
    const Joint& joint = model.joints[p.joint];
    const Eigen::Index k = result.num_free + static_cast<Eigen::Index>(i);
    result.columns.push_back(
        {freedom_name(joint, p.freedom), is_rotation(joint.type, static_cast<int>(p.freedom)) ? "rad" : "m"});
    result.matrix.col(k) = motion.by_drive(p);
    result.rates[k] = motion.prescribed_rate(p);
  }
  result.convective = motion.convective();
  result.positions = motion.positions();
  return result;
}

}  // namespace lithe
