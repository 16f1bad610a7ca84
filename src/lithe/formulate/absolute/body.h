// A body in absolute coordinates: one or more frames (position and rotation) and elastic coordinates, with everything
// that the equations of motion of bodies joined by multipliers ask of it. docs/theory/floating_frame.md.
#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <string>

#include "lithe/base/math.h"
#include "lithe/formulate/joints/node_frame.h"
#include "lithe/formulate/numerics/envelope_cholesky.h"

namespace lithe {

// A frame of a body. Velocities in its own axes: v = Rᵀ ṗ and ω.
struct BodyFrame {
  Vector3 position = Vector3::Zero();
  Matrix3 rotation = Matrix3::Identity();
};

// How a node's motion in the world changes with small motions of the body's frames (in their own axes) and elastic
// coordinates, and with its speeds. Columns are those of the node's Jacobian, which says the rest: how its place and
// its velocity change.
struct NodeDerivatives {
  Matrix6X velocity_by_place, acceleration_by_place, acceleration_by_speed;  // rows: translation, turn
  MatrixX wrench_by_place;  // of jacobianᵀ (force, torque), the force and torque staying as they are in the world
};

// Energies of a body, and the power that its own damping takes.
struct BodyEnergies {
  double kinetic = 0, gravity = 0, elastic = 0, dissipated_power = 0;
};

// How energies change with small motions of the frames (in their own axes) and elastic coordinates, and with speeds.
struct EnergyGradients {
  VectorX kinetic_by_place, kinetic_by_speed, gravity_by_place, elastic_by_place;

  void set_zero(Eigen::Index size) {
    for (VectorX* v : {&kinetic_by_place, &kinetic_by_speed, &gravity_by_place, &elastic_by_place}) v->setZero(size);
  }
};

// Factors of S = M + damping C + stiffness K of one body; each kind of body uses its own part.
struct BodyFactors {
  Eigen::LLT<Matrix6> frame;    // of the frame's block less the elastic coordinates' share
  Matrix6X coupling;            // S_fq
  MatrixX elastic_coupling;     // S_qq^-1 S_qf
  VectorX elastic_inverse;      // S_qq^-1 when it is diagonal
  Eigen::LLT<MatrixX> elastic;  // otherwise
  EnvelopeCholesky envelope;    // of a body with many frames
  mutable VectorX ordered;      // scratch of solve()
};

// Changes of a body's places (own axes), ν and ν̇, one motion per column.
struct BodyChanges {
  MatrixX place, speed, acceleration;
};

class LeftOutSections;

class AbsoluteBody {
 public:
  struct Work {
    virtual ~Work() = default;
  };
  virtual ~AbsoluteBody() = default;

  int num_frames() const { return num_frames_; }
  int num_elastic() const { return num_elastic_; }
  // ν: (v, ω) of each frame, then the rates of the elastic coordinates.
  int num_speeds() const { return 6 * num_frames_ + num_elastic_; }
  virtual int num_nodes() const = 0;
  // Inertia that factorise() adds to the first frame of a body that has none of its own; what is solved with such
  // factors is corrected for it (docs/theory/floating_frame.md, section 5). Mass, and mass times length squared.
  void fill(double mass, double inertia) {
    filling_ << Vector3::Constant(mass), Vector3::Constant(inertia);
    filled_ = mass > 0;
  }
  bool filled() const { return filled_; }
  const Vector6& filling() const { return filling_; }
  // The frames of the undeformed body, in its link frame.
  virtual BodyFrame frame_at_rest(int frame) const = 0;
  virtual std::string elastic_name(int k) const = 0;
  virtual std::unique_ptr<Work> make_work() const = 0;
  virtual BodyFactors make_factors() const = 0;

  // Everything below belongs to the state set here.
  virtual void set_state(const BodyFrame* frames, const double* elastic, const double* speeds, Work&) const = 0;

  // f in M ν̇ = f: gravity, elasticity, damping and velocity terms; overwrites.
  virtual void forces(const Vector3& gravity, const Work&, Eigen::Ref<VectorX> force) const = 0;
  virtual void add_load(const Work&, int node, const Vector3& force, const Vector3& torque,
                        Eigen::Ref<VectorX> generalised) const = 0;
  virtual void add_mass_times(const Work&, const Eigen::Ref<const VectorX>& values,
                              Eigen::Ref<VectorX> result) const = 0;
  // Dense M, C and K (added), for analyses.
  virtual void add_blocks(const Work&, Eigen::Ref<MatrixX> mass, Eigen::Ref<MatrixX> damping,
                          Eigen::Ref<MatrixX> stiffness) const = 0;
  // Derivatives (added) of M ν̇ - f, with the loads' part left out, by small motions of frames and elastic coordinates,
  // and by speeds; ν̇ as given.
  virtual void add_derivatives(const Vector3& gravity, const Work&, const Eigen::Ref<const VectorX>& accelerations,
                               Eigen::Ref<MatrixX> by_place, Eigen::Ref<MatrixX> by_speed) const = 0;
  // False when S is not positive definite.
  virtual bool factorise(const Work&, double damping, double stiffness, BodyFactors&) const = 0;
  virtual void solve(const BodyFactors&, Eigen::Ref<MatrixX> rhs) const = 0;  // in place

  virtual void node_frame(const Work&, int node, NodeFrame& result) const = 0;
  virtual void node_derivatives(const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                                const Vector3& force, const Vector3& torque, NodeDerivatives& result) const = 0;
  virtual Matrix3 node_rotation(const Work&, int node) const = 0;  // link axes as they stand at the node
  virtual BodyEnergies energies(const Vector3& gravity, const Work&) const = 0;
  virtual void energy_gradients(const Vector3& gravity, const Work&, EnergyGradients& result) const = 0;
  virtual Vector3 rest_position(int node) const = 0;  // in the link frame
  // What the first beam element at a node carries there with ν̇ as given, beam axes; false where there is none.
  virtual bool section_load(const Vector3& gravity, const Work&, int node,
                            const Eigen::Ref<const VectorX>& accelerations, Vector3& force, Vector3& moment) const = 0;
  // Its derivatives along motions, rows: force, moment.
  virtual bool section_jacobians(const Vector3& gravity, const Work&, int node,
                                 const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                                 Matrix6X& jacobians) const = 0;
  // Coordinates of the link's reduced body, in which damping of modes is given: q̇ = B ν. None by default.
  virtual int num_damped_modes() const { return 0; }
  virtual void mode_rates(const Work&, Eigen::Ref<VectorX>) const {}
  // Bᵀ times forces on the modes, added.
  virtual void add_mode_forces(const Work&, const Eigen::Ref<const VectorX>& /*forces*/,
                               Eigen::Ref<VectorX> /*generalised*/) const {}
  virtual void mode_map(const Work&, Eigen::Ref<MatrixX> /*map*/) const {}  // B
  // Derivatives (added) of B ν and of Bᵀ f by small motions of the frames; 0 where B is constant.
  virtual void add_mode_derivatives(const Work&, const Eigen::Ref<const VectorX>& /*forces*/,
                                    Eigen::Ref<MatrixX> /*rates_by_place*/,
                                    Eigen::Ref<MatrixX> /*forces_by_place*/) const {}
  // What its sections need beside section_load(); null where no modes were left out.
  virtual const LeftOutSections* left_out_sections() const { return nullptr; }
  // Whether forces along its beams change their bending stiffness.
  virtual bool stiffens() const { return true; }
  // Displacements of the finite elements that strain them, link axes; false where they are not small.
  virtual bool strained_shape(const Work&, VectorX&) const { return false; }

 protected:
  int num_frames_ = 1, num_elastic_ = 0;
  bool filled_ = false;
  Vector6 filling_ = Vector6::Zero();
};

}  // namespace lithe
