// Descriptions against two other engines: their numbers stand in the .reference files (make_references.py).
#include <Eigen/Dense>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/export/robot_text.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

// Another folder with descriptions and .reference files of make_references.py may be named by LITHE_ROBOTS.
const std::filesystem::path folder =
    std::getenv("LITHE_ROBOTS") ? std::getenv("LITHE_ROBOTS") : LITHE_TESTS_DIR "/robots";

std::vector<std::string> names_of_robots() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".reference") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct ReferenceState {
  VectorX q, v, torque;
  MatrixX mass;
  VectorX bias, gravity, acceleration;
  MatrixX jacobian;
};

struct Reference {
  std::vector<std::string> joints;
  std::string last_link;
  std::vector<ReferenceState> states;
};

VectorX numbers(std::istream& stream) {
  std::string line;
  std::getline(stream, line);
  std::istringstream words(line);
  std::vector<double> values;
  for (double value; words >> value;) values.push_back(value);
  return Eigen::Map<VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
MatrixX matrix(std::istream& stream, Eigen::Index columns) {
  const VectorX values = numbers(stream);
  return Eigen::Map<const RowMajor>(values.data(), values.size() / columns, columns);
}

Reference read_reference(const std::string& name) {
  std::ifstream stream(folder / (name + ".reference"));
  Reference result;
  std::string line;
  std::getline(stream, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) result.joints.push_back(word);
  std::getline(stream, result.last_link);
  const auto n = static_cast<Eigen::Index>(result.joints.size());
  while (stream.peek() != EOF) {
    ReferenceState state;
    state.q = numbers(stream);
    state.v = numbers(stream);
    state.torque = numbers(stream);
    state.mass = matrix(stream, n);
    state.bias = numbers(stream);
    state.gravity = numbers(stream);
    state.acceleration = numbers(stream);
    state.jacobian = matrix(stream, n);
    result.states.push_back(state);
  }
  return result;
}

Model robot_model(const std::string& name) {
  const char* format = ".urdf";
  for (const char* other : {".xml", ".sdf"})
    if (std::filesystem::exists(folder / (name + other))) format = other;
  Model model = read_model_text(cat("lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = \"", name, format, "\"\n"),
                                (folder / "model.toml").string());
  for (Joint& joint : model.joints) {
    std::fill(joint.damping.begin(), joint.damping.end(), 0.0);
    std::fill(joint.friction.begin(), joint.friction.end(), 0.0);
    std::fill(joint.stiffness.begin(), joint.stiffness.end(), 0.0);
    for (auto& limits : joint.limits) limits.reset();
  }
  return model;
}

int index_of(const Model& model, const std::string& joint) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].name == joint) return static_cast<int>(j);
  ADD_FAILURE() << "no joint " << joint;
  return 0;
}

// The model started at a state of the reference.
Model at_state(Model model, const Reference& reference, const VectorX& q, const VectorX& v) {
  for (std::size_t i = 0; i < reference.joints.size(); ++i) {
    Joint& joint = model.joints[static_cast<std::size_t>(index_of(model, reference.joints[i]))];
    joint.initial_value = {q[static_cast<Eigen::Index>(i)]};
    joint.initial_speed = {v[static_cast<Eigen::Index>(i)]};
    joint.initial_value_given = {true};
  }
  return model;
}

double apart(const MatrixX& a, const MatrixX& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1e-12, b.cwiseAbs().maxCoeff());
}

class Robot : public ::testing::TestWithParam<std::string> {};

// Mass matrix, bias, gravity and Jacobian in the joint coordinates of the equivalent rigid-link system.
void expect_matrices(const Model& model, const Reference& reference) {
  ASSERT_EQ(reference.states.size(), 4u);
  int last = -1;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    if (model.links[i].name == reference.last_link) last = static_cast<int>(i);
  ASSERT_GE(last, 0);
  for (const ReferenceState& expected : reference.states) {
    Formulated system(at_state(model, reference, expected.q, expected.v));
    const std::vector<std::string> names = system.equations->coordinate_names();
    ASSERT_EQ(names.size(), reference.joints.size());
    MatrixX order = MatrixX::Zero(static_cast<Eigen::Index>(names.size()), static_cast<Eigen::Index>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i)  // row of the reference, column here
      for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == reference.joints[i]) order(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = 1;
    ASSERT_EQ(order.sum(), static_cast<double>(names.size()));
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks),
              EvaluationStatus::ok);
    EXPECT_LT(apart(order * blocks.mass * order.transpose(), expected.mass), 1e-10);
    system.evaluate();
    EXPECT_LT(apart(-order * blocks.mass * system.accelerations.values, expected.bias), 1e-10);
    MatrixX jacobian(6, names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      system.state.speeds.setZero();
      system.state.speeds[static_cast<Eigen::Index>(k)] = 1;
      const NodeMotion motion = system.node(last, 0);
      jacobian.col(static_cast<Eigen::Index>(k)) << motion.velocity, motion.angular_velocity;
    }
    EXPECT_LT(apart(jacobian * order.transpose(), expected.jacobian), 1e-10);
    system.state.speeds.setZero();
    system.evaluate();
    EXPECT_LT(apart(-order * blocks.mass * system.accelerations.values, expected.gravity), 1e-10);
  }
}

TEST_P(Robot, HasTheMatricesOfOtherEngines) { expect_matrices(robot_model(GetParam()), read_reference(GetParam())); }

// What `lithe export` writes says the same; URDF does so where no rotor adds to the mass matrix.
TEST_P(Robot, ExportedAndReadAgainHasTheMatricesOfOtherEngines) {
  const Model model = robot_model(GetParam());
  const bool rotors = std::any_of(model.joints.begin(), model.joints.end(), [](const Joint& joint) {
    return std::any_of(joint.inertia.begin(), joint.inertia.end(), [](double inertia) { return inertia != 0; });
  });
  for (const RobotFormat format : {RobotFormat::urdf, RobotFormat::mjcf}) {
    if (rotors && format == RobotFormat::urdf) continue;
    const RobotDescription robot = read_description(robot_text(model, {}, format).text, "exported", {});
    expect_matrices(read_model_text(model_file_of(robot, false), "exported.toml"), read_reference(GetParam()));
  }
}

TEST_P(Robot, AcceleratesAsInOtherEnginesInEveryFormulation) {
  const Reference reference = read_reference(GetParam());
  const Model model = robot_model(GetParam());
  for (const char* formulation : {"erls-cms", "erls-fem", "floating-frame", "corotational", "transfer-functions"})
    for (const ReferenceState& expected : reference.states) {
      Formulated system(at_state(model, reference, expected.q, expected.v), {.formulation = formulation});
      for (std::size_t i = 0; i < reference.joints.size(); ++i)
        system.inputs.joint_forces[static_cast<std::size_t>(index_of(model, reference.joints[i]))] = {
            expected.torque[static_cast<Eigen::Index>(i)]};
      system.evaluate();
      VectorX found(expected.q.size());
      for (std::size_t i = 0; i < reference.joints.size(); ++i)
        found[static_cast<Eigen::Index>(i)] = system.joint(index_of(model, reference.joints[i])).acceleration;
      // Solving with the mass matrix loses what its condition says.
      const double condition = expected.mass.fullPivLu().rcond();
      EXPECT_LT(apart(found, expected.acceleration), 1e-10 + 1e-14 / condition) << formulation;
    }
}

INSTANTIATE_TEST_SUITE_P(Robots, Robot, ::testing::ValuesIn(names_of_robots()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lithe
