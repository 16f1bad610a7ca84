// Motion and forces of a tree of elements, in stages: each function uses what the one before left in the work. None
// allocates. Vectors of a frame are in its own axes.
#pragma once

#include <vector>

#include "lithe/formulate/transfer/tree.h"

namespace lithe {

using Matrix3x6 = Eigen::Matrix<double, 3, 6>;
using Matrix6x12 = Eigen::Matrix<double, 6, 12>;
using Matrix12x6 = Eigen::Matrix<double, 12, 6>;
using Matrix12x12 = Eigen::Matrix<double, 12, 12>;
using FieldVectors = Eigen::Matrix<double, 3, num_field_vectors>;

// The pose of a frame in its parent's axes, its rates and its derivatives by the element's own coordinates: the
// first-order transfer functions of one element.
struct ElementMotion {
  Matrix3 Q = Matrix3::Identity();
  Vector3 rho = Vector3::Zero(), rho_rate = Vector3::Zero(), rho_acceleration = Vector3::Zero();
  Vector3 w = Vector3::Zero(), w_rate = Vector3::Zero();  // relative angular velocity, parent's axes
  Matrix3x6 rho_jacobian = Matrix3x6::Zero(), w_jacobian = Matrix3x6::Zero();
};

// The same of the vectors that carry a beam's mass.
struct FieldMotion {
  FieldVectors value = FieldVectors::Zero(), rate = FieldVectors::Zero(), acceleration = FieldVectors::Zero();
  std::array<FieldVectors, 6> jacobian;
  FieldVectors force = FieldVectors::Zero();  // Σ_c m_bc A_c
};

// Second and third order, contracted with rates: derivatives of rates and accelerations by the coordinates. By the
// coordinates' rates: those of rho_acceleration are twice those of rho_rate by the coordinates.
struct ElementJacobians {
  Matrix3x6 rho_rate = Matrix3x6::Zero(), rho_acceleration = Matrix3x6::Zero();
  Matrix3x6 w = Matrix3x6::Zero(), w_rate = Matrix3x6::Zero();
  Matrix3x6 w_rate_by_rate = Matrix3x6::Zero();
};
struct FieldJacobians {
  std::array<FieldVectors, 6> rate, acceleration;
};

// Motion of a frame. Accelerations are those felt: gravity is in them.
struct FrameState {
  Matrix3 R_W = Matrix3::Identity();
  Vector3 p_W = Vector3::Zero();
  Vector3 velocity = Vector3::Zero(), omega = Vector3::Zero();
  Vector3 alpha = Vector3::Zero(), acceleration = Vector3::Zero();
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();  // that the frame and all beyond it needs, at its origin
};

// A force and torque on a frame, world axes (or the frame's own when it follows).
struct FrameLoad {
  int frame = 0;
  bool follows = false;
  Vector3 offset = Vector3::Zero(), force = Vector3::Zero(), torque = Vector3::Zero();
};

struct TransferWork {
  explicit TransferWork(const TransferTree& tree, int num_charts);

  VectorX y, y_rate, y_acceleration;
  std::vector<Matrix3> references;  // of charts
  std::vector<ElementMotion> elements;
  std::vector<FieldMotion> fields;  // per beam
  std::vector<FrameState> frames;
  std::vector<FrameLoad> loads;
  VectorX joint_drive;                       // applied forces, per β
  VectorX forces;                            // M ÿ - f, per variable
  std::vector<Matrix6> inertia;              // composite, (a, α)
  std::vector<Matrix6> carries, directions;  // per frame, of update_mass
  MatrixX mass;                              // of y
  std::vector<ElementJacobians> jacobians;   // per frame
  std::vector<FieldJacobians> field_jacobians;
};

BallMotion<double> ball_motion(const std::array<int, 3>& coordinates, const TransferWork& work);

// From y, ẏ, ÿ.
void update_elements(const TransferTree& tree, TransferWork& work);
// The same with derivatives of rates and accelerations.
void update_jacobians(const TransferTree& tree, TransferWork& work);
void update_frames(const TransferTree& tree, TransferWork& work);
// M ÿ - f of all variables: inertia, gravity, stresses, dampers, springs, loads and drives.
void update_forces(const TransferTree& tree, TransferWork& work);
// M of y.
void update_mass(const TransferTree& tree, TransferWork& work);

// Force and torque that the motion of a frame's own body asks for, at the frame's origin.
void body_wrench(const FrameInertia& body, const FrameState& state, Vector3& force, Vector3& torque);
// (a, α) of the child from those of the parent and the coordinates' accelerations.
Matrix6 carry(const ElementMotion& element);
Eigen::Matrix<double, 6, 6> free_directions(const ElementMotion& element);

// Second derivatives of weights·vectors by the deformations of a beam: what stress and inertia do to the stiffness.
Matrix6 weighted_hessian(const BeamForm& form, const double* deformations, int count,
                         const Eigen::Matrix<double, 3, num_beam_vectors>& weights);

}  // namespace lithe
