// What a thread needs to evaluate AbsoluteEquations; shared by the sources that implement it.
#pragma once

#include <Eigen/QR>
#include <vector>

#include "lithe/formulate/absolute/absolute_equations.h"
#include "lithe/formulate/absolute/known_multipliers.h"
#include "lithe/formulate/joints/joint_values.h"

namespace lithe {

// The two sides of a joint's rows: Jacobians (rows x the columns that the node moves with) and S⁻¹ Jᵀ of the bodies.
struct JointBlocks {
  int parent_first = 0, child_first = 0;  // first column in the body
  MatrixX parent, child;
  MatrixX parent_solved, child_solved;  // body's speeds x rows
};

// Factors of [S, Jᵀ; J, 0] with block-diagonal S: bodies, then rotors, by the Schur complement J S⁻¹ Jᵀ.
struct SaddleFactors {
  std::vector<BodyFactors> bodies;
  VectorX rotor_inverse;
  std::vector<JointBlocks> joints;
  EnvelopeCholesky schur;
  bool redundant = false;  // the complement is singular: solved by iteration with a shift
  VectorX rhs, correction, product;
  // Couplings touch many bodies: dense rows that border the system, K⁻¹ of them as (speeds, multipliers of the joints'
  // rows), and the border's own complement.
  MatrixX border, border_speeds, border_multipliers;
  Eigen::ColPivHouseholderQR<MatrixX> border_schur;
  VectorX joint_rows, border_forces, border_column;
};

struct JointWork {
  NodeFrame parent, child;
  RelativeJointMotion motion;
  FreedomRows freedoms;
  std::vector<JointRow> rows;
  bool singular_angles = false;
};

struct AbsoluteEquations::Work : Workspace {
  Vector3 gravity;
  std::vector<BodyFrame> frames;
  VectorX nu;
  std::vector<std::unique_ptr<AbsoluteBody::Work>> bodies;
  std::vector<JointWork> joints;
  std::vector<JointBlocks> jacobians;  // of the current state
  MatrixX couplings;                   // their rows by all speeds
  VectorX value, rate, bias;           // of the rows: g, ġ, and γ = -bias
  VectorX values;                      // of all joint freedoms, continuous
  VectorX force;
  VectorX mode_rates, mode_forces;  // of damped modes
  SaddleFactors mass, tangent;
  VectorX accelerations, multipliers, scratch, row_scratch, softness;
  KnownMultipliers known;
  KinematicState rigid;
  Configuration rigid_configuration;

  explicit Work(const Mechanism& mechanism) : rigid(mechanism) {}
};

// J ν added to `rows`, Jᵀ λ added to `forces`.
void add_jacobian_times(const AbsolutePlan& plan, const std::vector<JointBlocks>& joints, const VectorX& speeds,
                        VectorX& rows);
void add_transposed_times(const AbsolutePlan& plan, const std::vector<JointBlocks>& joints, const VectorX& multipliers,
                          VectorX& forces);

// Memory and the pattern of the complement.
void set_up(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies, SaddleFactors& factors);
// The complement for Jacobians that changed; bodies' factors are there. Rows of springs have a softness; with none they
// are left out.
bool factorise_rows(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                    const std::vector<JointBlocks>& jacobians, const MatrixX& couplings, const VectorX* softness,
                    SaddleFactors& factors);
// In place: S x + Jᵀ λ = forces, J x - softness λ = rows.
void solve_saddle(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                  SaddleFactors& factors, VectorX& forces, VectorX& rows);

}  // namespace lithe
