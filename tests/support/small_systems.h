// Small mechanical systems with closed forms or textbook equations, as Equations, for the tests of integrators.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lithe/integrate/integrator.h"

namespace lithe::testing {

class NoWorkspace : public Workspace {};

// M(x) a = f(x, v, t) by plain functions. Time enters through Inputs::joint_forces[0][0] when there are inputs.
class SmallSystem : public Equations {
 public:
  explicit SmallSystem(int n) : n_(n) {}
  std::string name() const override { return "small"; }
  const Model& model() const override { return model_; }
  Model& editable_model() { return model_; }
  // A revolute joint per coordinate, so that drives and limits can be given.
  void add_joints() {
    for (int i = 0; i < n_; ++i) {
      Joint joint;
      joint.name = "joint" + std::to_string(i + 1);
      joint.set_type(JointType::revolute);
      model_.joints.push_back(joint);
    }
  }
  int num_coordinates() const override { return n_; }
  int num_joint_coordinates() const override { return n_; }
  std::vector<std::string> coordinate_names() const override { return std::vector<std::string>(n_, "x"); }
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<NoWorkspace>(); }
  State initial_state() const override {
    State state;
    state.coordinates.setZero(n_);
    state.speeds.setZero(n_);
    return state;
  }
  bool accept(State&, const Inputs&, Workspace&) const override { return false; }
  NodeMotion node_motion(const State&, const Inputs&, const Accelerations&, int, int, Workspace&) const override {
    return {};
  }
  SignalValue joint_motion(const State& s, const Inputs&, const Accelerations& a, int joint, int,
                           Workspace&) const override {
    return {s.coordinates[joint], s.speeds[joint], a.values[joint]};
  }

 protected:
  int n_;
  Model model_;
};

inline State state_of(const std::vector<double>& x, const std::vector<double>& v) {
  State state;
  state.coordinates.resize(static_cast<Eigen::Index>(x.size()));
  state.speeds.resize(static_cast<Eigen::Index>(v.size()));
  std::copy(x.begin(), x.end(), state.coordinates.data());
  std::copy(v.begin(), v.end(), state.speeds.data());
  return state;
}

inline double force_of(const Inputs& inputs) { return inputs.joint_forces.empty() ? 0.0 : inputs.joint_forces[0][0]; }

// Oscillators M ẍ + C ẋ + K x = e1 u with full matrices.
class LinearSystem : public SmallSystem {
 public:
  LinearSystem(MatrixX mass, MatrixX damping, MatrixX stiffness)
      : SmallSystem(static_cast<int>(mass.rows())),
        mass_(std::move(mass)),
        damping_(std::move(damping)),
        stiffness_(std::move(stiffness)),
        inverse_mass_(mass_.inverse()),
        to_speed_(-inverse_mass_ * damping_),
        to_coordinate_(-inverse_mass_ * stiffness_) {}

  EvaluationStatus evaluate(const State& s, const Inputs& inputs, Workspace&, Accelerations& a) const override {
    a.values.noalias() = to_coordinate_ * s.coordinates;
    a.values.noalias() += to_speed_ * s.speeds;
    a.values += force_of(inputs) * inverse_mass_.col(0);
    return EvaluationStatus::ok;
  }
  EvaluationStatus linearise(const State&, const Inputs&, Workspace&, LinearBlocks& b) const override {
    b.mass = mass_;
    b.damping = damping_;
    b.stiffness = stiffness_;
    return EvaluationStatus::ok;
  }
  Energies energies(const State& s, const Inputs&, Workspace&) const override {
    return {0.5 * s.speeds.dot(mass_ * s.speeds), 0, 0.5 * s.coordinates.dot(stiffness_ * s.coordinates)};
  }

  MatrixX mass_, damping_, stiffness_, inverse_mass_, to_speed_, to_coordinate_;
};

inline LinearSystem oscillator(double frequency, double damping = 0) {
  return LinearSystem(MatrixX::Identity(1, 1), MatrixX::Constant(1, 1, damping),
                      MatrixX::Constant(1, 1, frequency * frequency));
}

// Mass 1 on a rod of length 1 under gravity g, angle from the downward vertical, optional torque input.
class Pendulum : public SmallSystem {
 public:
  explicit Pendulum(double g = 9.81) : SmallSystem(1), g_(g) {}
  EvaluationStatus evaluate(const State& s, const Inputs& inputs, Workspace&, Accelerations& a) const override {
    a.values[0] = -g_ * std::sin(s.coordinates[0]) + force_of(inputs);
    return EvaluationStatus::ok;
  }
  EvaluationStatus linearise(const State& s, const Inputs&, Workspace&, LinearBlocks& b) const override {
    b.mass.setOnes(1, 1);
    b.damping.setZero(1, 1);
    b.stiffness.setConstant(1, 1, g_ * std::cos(s.coordinates[0]));
    return EvaluationStatus::ok;
  }
  Energies energies(const State& s, const Inputs&, Workspace&) const override {
    return {0.5 * s.speeds[0] * s.speeds[0], -g_ * std::cos(s.coordinates[0]), 0};
  }

 private:
  double g_;
};

// A system given by its mass matrix and force, linearised by central differences of the residual M(x) a - f(x, v) at
// the acceleration of the state: accurate to about 1e-9, enough for a tangent.
class ResidualSystem : public SmallSystem {
 public:
  using SmallSystem::SmallSystem;
  virtual void mass_and_force(const VectorX& x, const VectorX& v, const Inputs& inputs, MatrixX& mass,
                              VectorX& force) const = 0;

  EvaluationStatus evaluate(const State& s, const Inputs& inputs, Workspace&, Accelerations& a) const override {
    MatrixX mass(n_, n_);
    VectorX force(n_);
    mass_and_force(s.coordinates, s.speeds, inputs, mass, force);
    a.values = mass.llt().solve(force);
    return EvaluationStatus::ok;
  }
  EvaluationStatus linearise(const State& s, const Inputs& inputs, Workspace& w, LinearBlocks& b) const override {
    Accelerations a;
    evaluate(s, inputs, w, a);
    const auto residual = [&](const VectorX& x, const VectorX& v) {
      MatrixX mass(n_, n_);
      VectorX force(n_);
      mass_and_force(x, v, inputs, mass, force);
      return VectorX(mass * a.values - force);
    };
    VectorX force(n_);
    b.mass.resize(n_, n_);
    mass_and_force(s.coordinates, s.speeds, inputs, b.mass, force);
    b.damping.resize(n_, n_);
    b.stiffness.resize(n_, n_);
    const double step = 1e-6;
    for (int k = 0; k < n_; ++k) {
      const VectorX d = step * VectorX::Unit(n_, k);
      b.stiffness.col(k) = (residual(s.coordinates + d, s.speeds) - residual(s.coordinates - d, s.speeds)) / (2 * step);
      b.damping.col(k) = (residual(s.coordinates, s.speeds + d) - residual(s.coordinates, s.speeds - d)) / (2 * step);
    }
    return EvaluationStatus::ok;
  }
};

// Two point masses of 1 kg on rods of 1 m; absolute angles from the downward vertical.
class DoublePendulum : public ResidualSystem {
 public:
  DoublePendulum() : ResidualSystem(2) {}
  void mass_and_force(const VectorX& x, const VectorX& v, const Inputs& inputs, MatrixX& mass,
                      VectorX& force) const override {
    const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]), g = 9.81;
    mass << 2, c, c, 1;
    force << -s * v[1] * v[1] - 2 * g * std::sin(x[0]) + force_of(inputs), s * v[0] * v[0] - g * std::sin(x[1]);
  }
  Energies energies(const State& st, const Inputs&, Workspace&) const override {
    const VectorX &x = st.coordinates, &v = st.speeds;
    return {v[0] * v[0] + 0.5 * v[1] * v[1] + std::cos(x[0] - x[1]) * v[0] * v[1],
            -9.81 * (2 * std::cos(x[0]) + std::cos(x[1])), 0};
  }
};

// Two flexible arms in the plane, seen as rigid rods with a stiff torsion spring (frequency about `omega`) in the
// middle of each: angles q0, q2 of the joints and deflections q1, q3 of the springs, all relative. Four unit masses at
// the ends of four rods of 1/2 m. The mass matrix depends on configuration, and the stiff modes are coupled to the slow
// ones.
class StiffArm : public ResidualSystem {
 public:
  explicit StiffArm(double omega, double gravity = 9.81)
      : ResidualSystem(4), spring_(omega * omega * 0.01), g_(gravity) {}
  void mass_and_force(const VectorX& x, const VectorX& v, const Inputs& inputs, MatrixX& mass,
                      VectorX& force) const override {
    double jx[4] = {}, jy[4] = {};  // of the rod's end
    double angle = 0, rate = 0, bias_x = 0, bias_y = g_;
    mass.setZero();
    force.setZero();
    for (int rod = 0; rod < 4; ++rod) {
      angle += x[rod];
      rate += v[rod];
      const double s = std::sin(angle), c = std::cos(angle);
      for (int k = 0; k <= rod; ++k) {
        jx[k] += 0.5 * c;
        jy[k] += 0.5 * s;
      }
      bias_x -= 0.5 * rate * rate * s;
      bias_y += 0.5 * rate * rate * c;
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) mass(i, k) += jx[i] * jx[k] + jy[i] * jy[k];
        force[i] -= jx[i] * bias_x + jy[i] * bias_y;
      }
    }
    force[1] -= spring_ * x[1];
    force[3] -= spring_ * x[3];
    force[0] += force_of(inputs);
  }
  Energies energies(const State& s, const Inputs& inputs, Workspace&) const override {
    MatrixX mass(4, 4);
    VectorX force(4);
    mass_and_force(s.coordinates, s.speeds, inputs, mass, force);
    double angle = 0, height = 0, potential = 0;
    for (int rod = 0; rod < 4; ++rod) {
      angle += s.coordinates[rod];
      height -= 0.5 * std::cos(angle);
      potential += g_ * height;
    }
    const double spring = 0.5 * spring_ * (s.coordinates[1] * s.coordinates[1] + s.coordinates[3] * s.coordinates[3]);
    return {0.5 * s.speeds.dot(mass * s.speeds), potential, spring};
  }
  Eigen::Vector2d tip(const State& s) const {
    double angle = 0;
    double px = 0, py = 0;
    for (int rod = 0; rod < 4; ++rod) {
      angle += s.coordinates[rod];
      px += 0.5 * std::sin(angle);
      py -= 0.5 * std::cos(angle);
    }
    return {px, py};
  }

 private:
  double spring_, g_;
};

// A uniform beam of 1 kg and 1 m on a motor (0.0056 kg m²) that turns in a vertical plane, with the bending modes of
// the clamped beam; angle from the horizontal. Mode k: ω_k = ω_1 (β_k/β_1)², ∫s φ_k = 2/β_k², ∫φ_k = 2 σ_k/β_k,
// |φ_k(1)| = 2 (Euler-Bernoulli, closed form). Its fastest mode is thousands of times faster than the swing.
class RotatingBeam : public SmallSystem {
 public:
  RotatingBeam(int modes, double first_frequency, double modal_damping = 0)
      : SmallSystem(modes + 1), h_(modes), b_(modes), squared_(modes), damping_(modes), tip_(modes) {
    for (int k = 0; k < modes; ++k) {
      double beta = k == 0 ? 1.8751040687 : (k + 0.5) * M_PI;
      for (int i = 0; i < 8; ++i)  // cos β + 1/cosh β = 0
        beta -= (std::cos(beta) + 1 / std::cosh(beta)) / (-std::sin(beta) - std::tanh(beta) / std::cosh(beta));
      const double sigma = (std::sinh(beta) - std::sin(beta)) / (std::cosh(beta) + std::cos(beta));
      h_[k] = 2 / (beta * beta);
      b_[k] = 2 * (beta < 700 ? sigma : 1.0) / beta;
      const double omega = 2 * M_PI * first_frequency * beta * beta / (1.8751040687 * 1.8751040687);
      squared_[k] = omega * omega;
      damping_[k] = 2 * modal_damping * omega;
      tip_[k] = k % 2 == 0 ? 2 : -2;
    }
  }
  int num_joint_coordinates() const override { return 1; }
  EvaluationStatus evaluate(const State& s, const Inputs& inputs, Workspace&, Accelerations& a) const override {
    const auto m = h_.size();
    const auto q = s.coordinates.tail(m), qd = s.speeds.tail(m);
    const double angle = s.coordinates[0], rate = s.speeds[0], c = std::cos(angle), sn = std::sin(angle);
    a.values.tail(m) = rate * rate * q - squared_.cwiseProduct(q) - (g_ * c) * b_ - damping_.cwiseProduct(qd);
    const double moment = force_of(inputs) - 2 * rate * q.dot(qd) - g_ * (0.5 * c - sn * b_.dot(q));
    const double inertia = inertia_ + q.squaredNorm() - h_.squaredNorm();
    a.values[0] = (moment - h_.dot(a.values.tail(m))) / inertia;
    a.values.tail(m) -= a.values[0] * h_;
    return EvaluationStatus::ok;
  }
  EvaluationStatus linearise(const State& s, const Inputs& inputs, Workspace& w, LinearBlocks& b) const override {
    const auto m = h_.size();
    Accelerations a;
    a.values.resize(m + 1);
    evaluate(s, inputs, w, a);
    const auto q = s.coordinates.tail(m), qd = s.speeds.tail(m);
    const double angle = s.coordinates[0], rate = s.speeds[0], c = std::cos(angle), sn = std::sin(angle);
    for (MatrixX* matrix : {&b.mass, &b.damping, &b.stiffness}) matrix->setZero(m + 1, m + 1);
    b.mass(0, 0) = inertia_ + q.squaredNorm();
    b.mass.block(1, 0, m, 1) = h_;
    b.mass.block(0, 1, 1, m) = h_.transpose();
    b.mass.bottomRightCorner(m, m).setIdentity();
    b.damping(0, 0) = 2 * q.dot(qd);
    b.damping.block(0, 1, 1, m) = 2 * rate * q.transpose();
    b.damping.block(1, 0, m, 1) = -2 * rate * q;
    b.damping.bottomRightCorner(m, m).diagonal() = damping_;
    b.stiffness(0, 0) = -g_ * (0.5 * sn + c * b_.dot(q));
    b.stiffness.block(0, 1, 1, m) =
        2 * a.values[0] * q.transpose() + 2 * rate * qd.transpose() - g_ * sn * b_.transpose();
    b.stiffness.block(1, 0, m, 1) = -g_ * sn * b_;
    b.stiffness.bottomRightCorner(m, m).diagonal() = squared_ - VectorX::Constant(m, rate * rate);
    return EvaluationStatus::ok;
  }
  Energies energies(const State& s, const Inputs&, Workspace&) const override {
    const auto m = h_.size();
    const VectorX q = s.coordinates.tail(m), qd = s.speeds.tail(m);
    const double angle = s.coordinates[0], rate = s.speeds[0];
    return {0.5 * (inertia_ + q.squaredNorm()) * rate * rate + rate * h_.dot(qd) + 0.5 * qd.squaredNorm(),
            g_ * (0.5 * std::sin(angle) + std::cos(angle) * b_.dot(q)), 0.5 * q.dot(squared_.cwiseProduct(q))};
  }
  // Position of the tip: along the beam 1, across w.
  Eigen::Vector2d tip(const State& s) const {
    const double w = tip_.dot(s.coordinates.tail(tip_.size())), c = std::cos(s.coordinates[0]),
                 sn = std::sin(s.coordinates[0]);
    return {c - w * sn, sn + w * c};
  }
  double highest_frequency() const { return std::sqrt(squared_[squared_.size() - 1]) / (2 * M_PI); }
  VectorX tip_scales() const {
    VectorX result(n_);
    result[0] = 1;
    result.tail(tip_.size()) = tip_.cwiseAbs();
    return result;
  }

 private:
  VectorX h_, b_, squared_, damping_, tip_;
  double inertia_ = 1.0 / 3 + 0.0056, g_ = 9.81;
};

inline System system_of(const Equations& equations) {
  System system;
  system.equations = &equations;
  return system;
}

}  // namespace lithe::testing
