// Andrews' squeezing mechanism: seven rigid bodies in a plane, three loops, a spring and a motor. Data and solution at
// t = 0.03 s: E. Hairer and G. Wanner, Solving ODEs II, section VII.7, and the IVP test set (F. Mazzia and C.
// Magherini, release 2.4, problem 'andrews'). All bodies in space with revolute joints, so that rows are redundant.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

// Lengths in m, masses in kg.
constexpr double d = 28e-3, da = 115e-4, e = 20e-3, ea = 1421e-5, zf = 20e-3, fa = 1421e-5, rr = 7e-3, ra = 92e-5,
                 ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 20e-3, ta = 2308e-5, tb = 916e-5, zt = 40e-3,
                 u = 40e-3, ua = 1228e-5, ub = 449e-5, rest_length = 7785e-5, spring = 4530, moment = 33e-3;
const Vector3 A(-0.06934, -0.00227, 0), B(-0.03635, 0.03273, 0), C(0.014, 0.072, 0);

class Squeezer : public ModelBuilder {
 public:
  Squeezer() {
    model().gravity.setZero();
    // Bodies in the axes of their angle: 1 β, 2 β+Θ, 3 γ, 4 Φ+δ, 5 δ, 6 Ω+ε, 7 ε.
    const int k1 = body("K1", 0.04325, 2.194e-6, {ra, 0, 0});
    const int k2 = body("K2", 0.00365, 4.410e-7, {-da, 0, 0});
    const int k3 = body("K3", 0.02373, 5.255e-6, {sb, -sa, 0});
    const int k4 = body("K4", 0.00706, 5.667e-7, {0, -(e - ea), 0});
    const int k5 = body("K5", 0.07050, 1.169e-5, {ta, tb, 0});
    const int k6 = body("K6", 0.00706, 5.667e-7, {zf - fa, 0, 0});
    const int k7 = body("K7", 0.05498, 1.912e-5, {-ub, -ua, 0});
    const double beta = -0.0617138900142764496, gamma = 0.455279819163070380, phi = 0.222668390165885884,
                 delta = 0.487364979543842550, omega = -0.222668390165885884, epsilon = 1.23054744454982119;
    hinge("O", -1, Vector3::Zero(), k1, Vector3::Zero(), beta);
    hinge("crank", k1, {rr, 0, 0}, k2, Vector3::Zero(), 0);
    hinge("B", -1, B, k3, Vector3::Zero(), gamma);
    hinge("A5", -1, A, k5, Vector3::Zero(), delta);
    hinge("A7", -1, A, k7, Vector3::Zero(), epsilon);
    hinge("54", k5, {zt, 0, 0}, k4, Vector3::Zero(), phi);
    hinge("76", k7, {0, -u, 0}, k6, Vector3::Zero(), omega);
    // The common point P: three loops, closed on K2.
    cut("P3", k2, {-d, 0, 0}, k3, {0, -ss, 0}, gamma - beta);
    cut("P4", k2, {-d, 0, 0}, k4, {0, -e, 0}, phi + delta - beta);
    cut("P6", k2, {-d, 0, 0}, k6, {zf, 0, 0}, omega + epsilon - beta);
    model().joints[0].independent = true;
    spring_node_ = node(k3, {sd, -sc, 0});
    spring_link_ = k3;
    model().drives.push_back({"motor", {}, 0, 0, false, SignalConstant{moment}});
    model().loads.push_back(
        {"spring", {}, spring_link_, spring_node_, false, false, Vector3::UnitX(), SignalConstant{}});
    for (int joint = 0; joint < 7; ++joint) {
      Sensor sensor;
      sensor.name = model().joints[joint].name;
      sensor.quantity = Quantity::joint_value;
      sensor.joint = joint;
      model().sensors.push_back(sensor);
    }
  }
  int spring_link() const { return spring_link_; }
  int spring_node() const { return spring_node_; }

 private:
  int body(const std::string& name, double mass, double inertia, const Vector3& centre) {
    const int index = link(name);
    model().links[index].rigid_inertia = {mass, centre, Vector3(inertia, inertia, inertia).asDiagonal()};
    return index;
  }
  void hinge(const std::string& name, int parent, const Vector3& p, int child, const Vector3& c, double value) {
    const int j = joint(name, JointType::revolute, parent, {Matrix3::Identity(), p}, child, {Matrix3::Identity(), c});
    model().joints[j].initial_value = {value};
    model().joints[j].initial_value_given = {j == 0};
  }
  void cut(const std::string& name, int parent, const Vector3& p, int child, const Vector3& c, double value) {
    hinge(name, parent, p, child, c, value);
    model().joints.back().prefer_cut = true;
  }
  int spring_link_ = 0, spring_node_ = 0;
};

TEST(AndrewsSqueezer, EndsWhereTheTestSetSays) {
  Squeezer squeezer;
  const Model& model = squeezer.model();
  for (const char* formulation : {"floating-frame", "erls-cms"}) {
    const auto equations = make_equations(model, {.formulation = formulation});
    const auto workspace = equations->make_workspace();
    Accelerations none;
    none.values.setZero(equations->num_coordinates());
    SimulateOptions options;
    options.end_time = 0.03;
    options.output_step = 0.03;
    options.integrator = "dormand_prince";
    options.integration.tolerance = 1e-9;
    options.integration.scales = VectorX::Ones(equations->num_coordinates());
    options.inputs = [&](double time, const State& state, Inputs& inputs) {
      evaluate_inputs(model, time, inputs);
      const Vector3 apart =
          equations->node_motion(state, inputs, none, squeezer.spring_link(), squeezer.spring_node(), *workspace)
              .position -
          C;
      inputs.nodal_loads[0].force = -spring * (apart.norm() - rest_length) * apart.normalized();
    };
    const Trajectory motion = simulate(*equations, start_state(*equations), options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    // β, Θ, γ, δ, ε, Φ, Ω
    const double expected[] = {15.81077119629904, -15.75637105984298,  0.04082224013073101, 0.5244099658805304,
                               1.048080741042263, -0.5347301163226948, 0.5347301163226948};
    for (int i = 0; i < 7; ++i)
      EXPECT_NEAR(motion.columns[i].values.back(), expected[i], 1e-5) << formulation << " " << motion.columns[i].name;
  }
}

}  // namespace
}  // namespace lithe
