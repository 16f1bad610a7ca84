// A body given by matrices, some of whose nodes rotate and some of which do not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/reduce.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

constexpr const char* frame = R"(lithe = 1
[materials.steel]
density = 7850
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.rod]
shape = "circle"
radius = "5 mm"
[[links]]
name = "frame"
nodes = {a = [0, 0, 0], b = [0.4, 0, 0], c = [0.4, 0.3, 0]}
path = ["a", "b", "c"]
material = "steel"
section = "rod"
elements = 1
[[joints]]
name = "joint"
type = "fixed"
child = "frame"
child_node = "a"
)";
const Vector3 top(0.2, 0.1, 0.25);  // a mass on three bars, which does not rotate
constexpr double top_mass = 0.4, bar_stiffness = 3e6;

// Of the frame's three nodes, 6 unknowns each, and the top, 3.
struct Matrices {
  MatrixX stiffness, mass;
};

Matrices matrices_of(const FiniteElementBody& body) {
  Matrices m{MatrixX::Zero(21, 21), MatrixX::Zero(21, 21)};
  m.stiffness.topLeftCorner(18, 18) = MatrixX(body.stiffness);
  m.mass.topLeftCorner(18, 18) = MatrixX(body.mass);
  m.mass.bottomRightCorner(3, 3) = top_mass * Matrix3::Identity();
  for (int node = 0; node < 3; ++node) {
    const Vector3 n = (top - body.node_positions[static_cast<std::size_t>(node)]).normalized();
    const Matrix3 k = bar_stiffness * n * n.transpose();
    m.stiffness.block<3, 3>(18, 18) += k;
    m.stiffness.block<3, 3>(6 * node, 6 * node) += k;
    m.stiffness.block<3, 3>(18, 6 * node) -= k;
    m.stiffness.block<3, 3>(6 * node, 18) -= k;
  }
  return m;
}

// Abaqus' MATRIX INPUT with the top first, so that the order of the file is not that of the link.
std::string text_of(const MatrixX& matrix) {
  std::string text;
  char line[128];
  for (int i = 20; i >= 0; --i)
    for (int j = 0; j <= i; ++j) {
      if (matrix(i, j) == 0) continue;
      std::snprintf(line, sizeof line, "%d,%d, %d,%d, %.17e\n", i / 6 + 1, i % 6 + 1, j / 6 + 1, j % 6 + 1,
                    matrix(i, j));
      text += line;
    }
  return text;
}

class MixedBody : public ::testing::Test {
 protected:
  MixedBody() : folder_(fs::temp_directory_path() / cat("lithe_mixed_", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~MixedBody() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  fs::path write_model(const Matrices& m, const std::string& node) const {
    write("k.mtx", text_of(m.stiffness));
    write("m.mtx", text_of(m.mass));
    write("nodes.csv", "number,x,y,z\n4,0.2,0.1,0.25\n1,0,0,0\n2,0.4,0,0\n3,0.4,0.3,0\n");
    write("model.toml", cat(R"(lithe = 1
[[links]]
name = "part"
type = "matrices"
mass_matrix = "m.mtx"
stiffness_matrix = "k.mtx"
node_coordinates = "nodes.csv"
nodes = {a = [0, 0, 0], c = [0.4, 0.3, 0], top = [0.2, 0.1, 0.25]}
[[joints]]
name = "joint"
child = "part"
child_node = ")",
                            node, "\"\n"));
    return folder_ / "model.toml";
  }

  fs::path folder_;
};

TEST_F(MixedBody, HasTheModesAndTheInertiaOfItsMatrices) {
  const Model of_frame = read_model_text(frame, "frame.toml");
  const FiniteElementBody beams = assemble(of_frame, of_frame.links[0]);
  const Matrices m = matrices_of(beams);
  const Model model = read_model(write_model(m, "a"));
  ASSERT_EQ(model.links[0].imported->num_dofs(), 21);
  EXPECT_TRUE(has_rotation(model.links[0], 0));
  EXPECT_FALSE(has_rotation(model.links[0], 2));
  const ReducedBody reduced = reduce(model).bodies[0];
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> pairs(m.stiffness, m.mass, Eigen::EigenvaluesOnly);
  ASSERT_EQ(reduced.num_modes(), 15);
  for (int k = 0; k < 15; ++k) EXPECT_NEAR(reduced.squared_frequencies(k) / pairs.eigenvalues()(6 + k), 1, 1e-9) << k;
  // Mass, centre and inertia: those of the frame and of a point.
  const InertiaInvariants rods = reduce(of_frame).bodies[0].invariants;
  const InertiaInvariants& all = reduced.invariants;
  EXPECT_NEAR(all.mass, rods.mass + top_mass, 1e-9);
  EXPECT_LT((all.first_moment - rods.first_moment - top_mass * top).norm(), 1e-9);
  EXPECT_LT((all.second_moment - rods.second_moment - top_mass * top * top.transpose()).norm(), 1e-6 * rods.mass);
  // Modes are orthogonal to rigid motions, so they carry no momentum.
  EXPECT_LT(all.mode_momentum.cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(MixedBody, HasNoJointWhereItDoesNotRotate) {
  const Model of_frame = read_model_text(frame, "frame.toml");
  try {
    read_model(write_model(matrices_of(assemble(of_frame, of_frame.links[0])), "top"));
    FAIL() << "the joint was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("needs the rotation of node 'top' of link 'part', which has none"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lithe
