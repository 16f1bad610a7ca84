// Bodies reduced once: the same link by its mesh and by its file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/matrices/reduced_file.h"
#include "lithe/reduce/invariants.h"
#include "lithe/reduce/portable_body.h"
#include "lithe/reduce/reduce.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/results/reduced_body_file.h"
#include "support/formulations.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fs::temp_directory_path() / ("lithe_reduced_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Model solid_model() {
  Model model;
  model.name = "bar";
  model.gravity = {0.3, -9.81, 1};
  model.links = {test::link_of({.shape = ElementShape::hex8, .count = {8, 1, 2}, .skew = 0.1})};
  model.links[0].reduction.method = ReductionMethod::craig_bampton;
  model.links[0].reduction.num_internal_modes = 7;
  Joint joint;
  joint.name = "hinge";
  joint.child = 0;
  joint.child_node = 0;
  joint.set_type(JointType::revolute);
  joint.initial_speed = {3};
  model.joints = {joint};
  Load load;
  load.name = "push";
  load.node = 1;
  load.direction = Vector3::UnitY();
  load.signal = SignalSine{5, 3, 0, 1, 0};
  model.loads = {load};
  return model;
}

Model with_file(const Model& model, const PortableBody& part) {
  Model result = model;
  Link& link = result.links[0];
  link.mesh = nullptr;
  link.spiders.clear();
  link.reduction = {};
  link.imported = std::make_shared<const FiniteElementBody>(body_of(part));
  return result;
}

PortableBody through_file(const PortableBody& part) {
  const TemporaryFolder folder;
  write_reduced_body(part, folder / "part.h5");
  return parse_reduced_file(bytes_of(folder / "part.h5"));
}

void expect_same(const MatrixX& a, const MatrixX& b, double tolerance, const char* what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  const double scale = std::max(b.cwiseAbs().maxCoeff(), 1e-300);
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * scale) << what;
}

TEST(ReducedBodies, ComeBackFromTheirFileBitByBit) {
  const PortableBody part = portable_body(solid_model(), 0, 5), back = through_file(part);
  EXPECT_EQ(back.name, part.name);
  EXPECT_EQ(back.num_unknowns, part.num_unknowns);
  EXPECT_EQ(back.num_modes(), 5);
  ASSERT_EQ(back.nodes.size(), 2u);
  EXPECT_EQ(back.nodes[1].name, "tip");
  EXPECT_EQ(back.nodes[1].position, part.nodes[1].position);
  EXPECT_EQ(back.node_dofs, (std::vector<int>{6, 6}));
  expect_same(back.stiffness, part.stiffness, 0, "stiffness");
  expect_same(back.mass, part.mass, 0, "mass");
  expect_same(back.inertia.mode_momentum, part.inertia.mode_momentum, 0, "momentum");
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      expect_same(back.inertia.position_mode[a][b], part.inertia.position_mode[a][b], 0, "position");
      expect_same(back.inertia.mode_mode[a][b], part.inertia.mode_mode[a][b], 0, "products");
    }
}

// The synthetic points give every integral of the part's mass.
TEST(ReducedBodies, PointsHaveTheIntegralsOfThePart) {
  const PortableBody part = portable_body(solid_model(), 0, 5);
  const FiniteElementBody body = body_of(part);
  const InertiaInvariants found = inertia_invariants(body, MatrixX::Identity(body.num_dofs(), body.num_dofs()));
  EXPECT_NEAR(found.mass, part.inertia.mass, 1e-12 * part.inertia.mass);
  expect_same(found.first_moment, part.inertia.first_moment, 1e-11, "first moment");
  expect_same(found.second_moment, part.inertia.second_moment, 1e-11, "second moment");
  expect_same(found.mode_momentum, part.inertia.mode_momentum, 1e-11, "momentum");
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      expect_same(found.position_mode[a][b], part.inertia.position_mode[a][b], 1e-10, "position");
      expect_same(found.mode_mode[a][b], part.inertia.mode_mode[a][b], 1e-10, "products");
    }
}

// The same basis, so the same equations: frequencies, integrals and motion.
TEST(ReducedBodies, AreTheLinkThatWasReduced) {
  const Model model = solid_model();
  const PortableBody part = through_file(portable_body(model, 0, std::nullopt));
  EXPECT_EQ(part.num_modes(), 7);
  const Model other = with_file(model, part);
  const ReducedBody a = reduce(model).bodies[0], b = reduce(other).bodies[0];
  expect_same(b.squared_frequencies, a.squared_frequencies, 1e-9, "frequencies");
  EXPECT_NEAR(b.invariants.mass, a.invariants.mass, 1e-12);
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    testing::Formulated first(model, {.formulation = formulation}), second(other, {.formulation = formulation});
    for (auto* system : {&first, &second}) system->evaluate();
    for (const int node : {0, 1}) {
      const NodeMotion x = first.node(0, node), y = second.node(0, node);
      EXPECT_LT((x.acceleration - y.acceleration).norm(), 1e-8 * (1 + x.acceleration.norm())) << formulation;
      EXPECT_LT((x.angular_acceleration - y.angular_acceleration).norm(), 1e-8 * (1 + x.angular_acceleration.norm()));
    }
    EXPECT_NEAR(first.energies().kinetic, second.energies().kinetic, 1e-9 * first.energies().kinetic) << formulation;
    EXPECT_NEAR(first.energies().gravity, second.energies().gravity, 1e-12) << formulation;
  }
}

// A mass at a node of the file is the mass at the node of the mesh.
TEST(ReducedBodies, CarryMassesAtTheirNodes) {
  Model model = solid_model();
  Model other = with_file(model, portable_body(model, 0, 7));
  for (Model* of : {&model, &other}) of->links[0].lumped_masses = {{1, 0.7, Vector3(1e-3, 2e-3, 3e-3).asDiagonal()}};
  const ReducedBody a = reduce(model).bodies[0], b = reduce(other).bodies[0];
  expect_same(b.squared_frequencies, a.squared_frequencies, 1e-9, "frequencies");
  EXPECT_NEAR(b.invariants.mass, a.invariants.mass, 1e-12);
  expect_same(b.invariants.second_moment, a.invariants.second_moment, 1e-10, "second moment");
}

TEST(ReducedBodies, OfBeamsAreReadAsWell) {
  Model model = testing::spatial_2r(7e10, 3);
  const PortableBody part = through_file(portable_body(model, 1, 6));
  Model other = model;
  other.links[1].segments.clear();
  other.links[1].imported = std::make_shared<const FiniteElementBody>(body_of(part));
  model.links[1].reduction.method = ReductionMethod::craig_bampton;
  model.links[1].reduction.num_internal_modes = 6;
  for (std::size_t node = 0; node < model.links[1].nodes.size(); ++node)
    model.links[1].reduction.interface_nodes.push_back(static_cast<int>(node));
  const ReducedBody a = reduce(model).bodies[1], b = reduce(other).bodies[1];
  expect_same(b.squared_frequencies, a.squared_frequencies, 1e-9, "frequencies");
  expect_same(b.invariants.second_moment, a.invariants.second_moment, 1e-10, "second moment");
}

std::string refusal(const std::string& bytes) {
  try {
    body_of(parse_reduced_file(bytes));
  } catch (const InputError& error) {
    return error.errors().empty() ? error.what() : error.errors().front().message;
  }
  return {};
}

std::string refusal(PortableBody part, const std::function<void(PortableBody&)>& damage) {
  damage(part);
  const TemporaryFolder folder;
  write_reduced_body(part, folder / "part.h5");
  return refusal(bytes_of(folder / "part.h5"));
}

TEST(ReducedBodies, ThatCannotBeAreRefused) {
  const PortableBody part = portable_body(solid_model(), 0, 3);
  using Damage = std::function<void(PortableBody&)>;
  const std::pair<const char*, Damage> cases[] = {
      {"the stiffness matrix is not symmetric", [](PortableBody& p) { p.stiffness(0, 1) += 1e6 + p.stiffness.norm(); }},
      {"the mass matrix is indefinite", [](PortableBody& p) { p.mass(14, 14) = -1; }},
      {"the stiffness matrix has entries that are no numbers",
       [](PortableBody& p) { p.stiffness(2, 2) = std::nan(""); }},
      {"a rigid motion of its nodes takes force", [](PortableBody& p) { p.stiffness(0, 0) *= 1.001; }},
      {"the products of inertia do not add up to the mass matrix", [](PortableBody& p) { p.mass *= 1.01; }},
      {"its inertia is that of no body", [](PortableBody& p) { p.inertia.first_moment.x() += 10; }},
      {"its inertia is that of no body",  // products of its entries, scaled, overflow
       [](PortableBody& p) { p.inertia.second_moment << 5e-324, 1e-3, 0, 1e-3, 5e-324, 0, 0, 0, 1; }},
      {"must have 3 or 6 dofs, got 5", [](PortableBody& p) { p.node_dofs[1] = 5; }},
      {"node 2 has no name", [](PortableBody& p) { p.nodes[1].name.clear(); }}};
  for (const auto& [message, damage] : cases)
    EXPECT_NE(refusal(part, damage).find(message), std::string::npos) << message << ", got " << refusal(part, damage);
}

TEST(ReducedBodies, ThatAreNotWholeAreRefused) {
  const TemporaryFolder folder;
  write_reduced_body(portable_body(solid_model(), 0, 3), folder / "part.h5");
  const std::string bytes = bytes_of(folder / "part.h5");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("no HDF5").find("no HDF5 file"), std::string::npos);
  for (const std::size_t part : {2, 3, 10}) EXPECT_NE(refusal(bytes.substr(0, bytes.size() / part)), "") << part;
  Hdf5File other(folder / "other.h5");
  other.set_fixed_attribute("/", "format", std::string(reduced_file_format));
  other.set_fixed_attribute("/", "version", "2");
  other.close();
  EXPECT_NE(refusal(bytes_of(folder / "other.h5")).find("it has version 2, this program reads up to 1"),
            std::string::npos);
}

TEST(ReducedBodies, ThatAreDamagedAreReadOrRefused) {
  const TemporaryFolder folder;
  write_reduced_body(portable_body(solid_model(), 0, 2), folder / "part.h5");
  std::string bytes = bytes_of(folder / "part.h5");
  bytes.resize(bytes.size() - reduced_file_tail);  // as another program writes it
  std::mt19937 random(7);
  int refused = 0;
  for (int k = 0; k < 300; ++k) {
    std::string damaged = bytes;
    for (unsigned n = 0; n <= random() % 20; ++n)
      damaged[random() % (k % 2 == 0 ? bytes.size() : std::size_t{6000})] = static_cast<char>(random());
    if (!refusal(damaged).empty()) ++refused;
  }
  EXPECT_GT(refused, 50);
}

TEST(ReducedBodies, OfThisProgramAreRefusedForEveryByteThatIsAnother) {
  const TemporaryFolder folder;
  write_reduced_body(portable_body(solid_model(), 0, 2), folder / "part.h5");
  const std::string bytes = bytes_of(folder / "part.h5");
  EXPECT_EQ(refusal(bytes), "");
  for (std::size_t at = 0; at < bytes.size() - reduced_file_tail; at += 1 + at / 500) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    ASSERT_NE(refusal(damaged).find("the file is damaged"), std::string::npos) << at;
    ASSERT_NE(refusal(bytes.substr(0, at)), "") << at;
  }
  std::string added = bytes;
  added.insert(added.size() / 2, "x");
  EXPECT_NE(refusal(added).find("the file is damaged"), std::string::npos);
}

}  // namespace
}  // namespace lithe
