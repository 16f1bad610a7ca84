// The finite-element view of [LIN] itself: nodes with positions and Euler parameters, elements that map them to
// deformations e = D(x), and any mix of nodal coordinates and deformations as degrees of freedom. The geometric
// transfer functions x = F(q) follow by Newton's method and by differentiating D(F(q)) = e; masses at the nodes, lumped
// or consistent, and stiffness of the deformations give the linearised equations (22)-(28). For mechanisms of a few
// elements in which the split is the point; `TransferFunctions` serves whole models.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/fem/beam_element.h"

namespace lithe {

enum class TransferRole { fixed, dependent, independent };

// A degree of freedom: a nodal coordinate or a deformation.
struct TransferFreedom {
  bool deformation = false;
  int index = 0;
};

enum class TransferStatus {
  ok,
  not_square,     // as many equations as dependent coordinates are needed
  singular,       // the configuration is singular
  not_converged,  // no configuration with these values was found
};

// M0, C0, K0 and G0 = G_static + G_dynamic of [LIN] (22)-(28).
struct TransferLinear {
  MatrixX mass, damping, stiffness, geometric;
};

class TransferNetwork {
 public:
  // Nodes return the index of their first coordinate: three of a position, four of a rotation (Euler parameters w, x,
  // y, z, whose length is a deformation fixed at one).
  int add_position(const std::string& name, const Vector3& position);
  int add_rotation(const std::string& name, const Quaternion& rotation = Quaternion::Identity());
  // Elements return the index of their first deformation. Lengths and axes are those of the present configuration.
  int add_truss(const std::string& name, int first, int second);
  // [LIN] (49); the x axis runs from the first node to the second, `y_axis` is a principal axis of the section.
  int add_beam(const std::string& name, int first, int first_rotation, int second, int second_rotation,
               const Vector3& y_axis, bool shortens = true);
  // Relative angle of two rotations about `axis`, and two sines of the axes' misalignment.
  int add_hinge(const std::string& name, int first_rotation, int second_rotation, const Vector3& axis);

  // Roles: coordinates are dependent and deformations fixed at zero unless said otherwise.
  void set_coordinate(int index, TransferRole role) { coordinate_roles_.at(index) = role; }
  void set_deformation(int index, TransferRole role) { deformation_roles_.at(index) = role; }
  void set_mass(int position, double mass) { masses_.at(position) = mass; }
  // Lumped rotary inertia of a node, in its own axes.
  void set_inertia(int rotation, const Matrix3& inertia);
  // Distributed (consistent) mass of a beam without shear, in the field of docs/theory/transfer_functions.md,
  // section 2.
  void set_beam_mass(int beam, const BeamProperties& properties);
  void set_force(int position, const Vector3& force);
  void set_stiffness(int deformation, double stiffness) { stiffness_.at(deformation) = stiffness; }

  int num_coordinates() const { return static_cast<int>(x_.size()); }
  int num_deformations() const { return static_cast<int>(deformation_roles_.size()); }
  // Independent coordinates, then independent deformations, ascending.
  std::vector<TransferFreedom> freedoms() const;
  const VectorX& coordinates() const { return x_; }
  VectorX deformations() const;

  // Newton's method for the dependent coordinates, the independent ones given.
  TransferStatus solve(const VectorX& freedoms);
  // First-order transfer functions of the coordinates (53) and of the deformations, at the present configuration.
  TransferStatus first_order(MatrixX& coordinates, MatrixX& deformations) const;
  // Second order (54): one nq x nq matrix per coordinate, or per deformation.
  TransferStatus second_order(std::vector<MatrixX>& coordinates, std::vector<MatrixX>& deformations) const;
  // Third order contracted with the freedoms' rates (62): x by nq.
  TransferStatus third_order(const VectorX& rates, MatrixX& coordinates) const;
  // (13)
  TransferStatus acceleration(const VectorX& rates, VectorX& accelerations) const;
  // (22)-(28) about rates and accelerations of the freedoms.
  TransferStatus linearise(const VectorX& rates, const VectorX& accelerations, TransferLinear& linear) const;
  // What is wrong, with the names of nodes and elements; empty when nothing is.
  std::string describe() const;

 private:
  struct Truss {
    int first, second;
    double length;
  };
  struct Beam {
    int first, first_rotation, second, second_rotation;
    Matrix3 axes, second_axes;  // beam axes in those of the nodes
    double length;
    bool shortens;
  };
  struct Hinge {
    int first, second;
    Matrix3 axes, second_axes;  // the axis is the first
  };
  struct Unit {
    int rotation;
  };
  struct Element {
    std::string name;
    int first_deformation = 0;
    std::variant<Truss, Beam, Hinge, Unit> kind;
  };
  // Vectors w(x) that carry mass: kinetic energy ½ Σ weights_bc ẇ_b·ẇ_c.
  struct Inertia {
    int beam = -1, rotation = -1;  // index into elements_, or the first coordinate of a rotation
    MatrixX weights;
  };
  // Transfer functions of the coordinates, contracted: ∂x/∂q, ∂ẋ/∂q, ∂ẍ/∂q, ∂²x/∂q², ẋ and ẍ.
  struct NetworkMotion {
    MatrixX position, by_rate, by_acceleration;
    const std::vector<MatrixX>& second;
    VectorX rate, acceleration;
  };
  struct Rows {
    std::vector<int> equations, dependent;  // deformations that are given; coordinates to be found
  };

  template <class S>
  void evaluate(const std::vector<S>& x, std::vector<S>& e) const;
  template <class S>
  void evaluate(const Truss&, const std::vector<S>& x, S* e) const;
  template <class S>
  void evaluate(const Beam&, const std::vector<S>& x, S* e) const;
  template <class S>
  void evaluate(const Hinge&, const std::vector<S>& x, S* e) const;
  template <class S>
  void evaluate(const Unit&, const std::vector<S>& x, S* e) const;

  template <class S>
  void inertial_vectors(const Inertia&, const std::vector<S>& x, std::vector<S>& w) const;
  // Adds an inertia to M and, with ẍ for given rates and q̈ = 0, to the force; or to all of (22)-(28).
  void add_inertia(const Inertia&, const MatrixX& position, const VectorX& rate, const VectorX& bias, MatrixX& mass,
                   VectorX& force) const;
  void add_inertia(const Inertia&, const NetworkMotion&, TransferLinear&) const;
  MatrixX inertial_force_jacobians(const Inertia&, const NetworkMotion&, const VectorX& force) const;

  int add_element(const std::string& name, int count, std::variant<Truss, Beam, Hinge, Unit> kind);
  MatrixX jacobian() const;
  Rows rows() const;
  TransferStatus factorise(const MatrixX& D, MatrixX& inverse) const;
  VectorX second_derivative(const VectorX& u, const VectorX& v) const;
  VectorX solve_dependent(const MatrixX& inverse, const VectorX& deformations) const;
  void motion_jacobians(const VectorX& rate, const VectorX& acceleration, const VectorX& direction, VectorX& of_rate,
                        VectorX& of_acceleration) const;

  VectorX x_;
  std::vector<TransferRole> coordinate_roles_, deformation_roles_;
  std::vector<double> masses_, stiffness_;
  VectorX forces_;
  std::vector<Element> elements_;
  std::vector<Inertia> inertias_;
  std::vector<std::string> coordinate_names_;
};

}  // namespace lithe
