// Links given by matrices: the format, and a link that comes back as what it was.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "lithe/analyse/condense/condense.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/matrix_market.h"

namespace lithe {
namespace {

std::optional<SparseMatrix> parse(const std::string& text, std::string* message = nullptr) {
  Diagnostics diagnostics;
  const auto matrix = parse_matrix_market(text, "m.mtx", diagnostics);
  EXPECT_EQ(matrix.has_value(), !diagnostics.any());
  if (message && diagnostics.any()) *message = diagnostics.errors().front().text();
  return matrix;
}

TEST(MatrixMarket, ReadsCoordinatesAndArrays) {
  const auto general = parse("%%MatrixMarket matrix coordinate real general\n% note\n2 3 2\n1 1 4.5\n2 3 -1e3\n");
  ASSERT_TRUE(general);
  EXPECT_EQ(general->coeff(0, 0), 4.5);
  EXPECT_EQ(general->coeff(1, 2), -1000);
  const auto symmetric = parse("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 2\n2 1 7\n");
  ASSERT_TRUE(symmetric);
  EXPECT_EQ(symmetric->coeff(0, 1), 7);
  const auto array = parse("%%matrixmarket matrix array real symmetric\n2 2\n1\n2\n3\n");
  EXPECT_FALSE(array);  // the banner's first word is as it is
  const auto lower = parse("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
  ASSERT_TRUE(lower);
  EXPECT_EQ(lower->coeff(0, 1), 2);
  EXPECT_EQ(lower->coeff(1, 1), 3);
}

TEST(MatrixMarket, SaysWhatIsWrongAndWhere) {
  const std::string start = "%%MatrixMarket matrix coordinate real general\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "error: the first line"},
      {start + "2 2\n", "m.mtx:2:1: error: the size must be three"},
      {start + "2 2 1\n3 1 5\n", "m.mtx:3:1: error: the entry (3, 1) lies outside"},
      {start + "2 2 2\n1 1 5\n", "the file ends after 1 of 2 entries"},
      {start + "2 2 1\n1 1 5\n2 2 5\n", "more entries"},
      {start + "2 2 1\n1 1 nan\n", "must be finite"},
      {start + "2 2 1\n1 1 x\n", "row, column, value"},
      {start + "99999999999 2 1\n1 1 1\n", "is not possible"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "real or integer"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "lower half"}};
  for (const auto& [text, part] : cases) {
    std::string message;
    EXPECT_FALSE(parse(text, &message));
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(MatrixMarket, SurvivesDamage) {
  const std::string good =
      "%%MatrixMarket matrix coordinate real symmetric\n% x\n4 4 5\n1 1 1.5\n2 1 2\n3 3 -4e5\n4 1 0\n4 4 9\n";
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (unsigned k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = static_cast<char>(random());
      else
        text.erase(at, random() % 12);
      if (text.empty()) break;
    }
    parse(text);  // reads or refuses
  }
}

class ImportedLink : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      cat("lithe imported ", getpid(), " ", ::testing::UnitTest::GetInstance()->current_test_info()->name());

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  void write_matrix(const std::string& name, const SparseMatrix& matrix) const {
    std::ofstream file(folder / name);
    file.precision(17);
    file << "%%MatrixMarket matrix coordinate real general\n"
         << matrix.rows() << " " << matrix.cols() << " " << matrix.nonZeros() << "\n";
    for (int k = 0; k < matrix.outerSize(); ++k)
      for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)
        file << entry.row() + 1 << " " << entry.col() + 1 << " " << entry.value() << "\n";
  }

  static constexpr const char* beams = R"(lithe = 1
gravity = [0, 0, -9.81]
[materials.steel]
density = 7850
young_modulus = "205 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "15 mm"
[[links]]
name = "arm"
nodes = {tip = [0.5, 0.2, 0], root = [0, 0, 0], side = [0.25, 0.1, 0]}
path = ["root", "side", "tip"]
material = "steel"
section = "bar"
elements = 3
)";
  static constexpr const char* matrices = R"(lithe = 1
gravity = [0, 0, -9.81]
[[links]]
name = "arm"
type = "matrices"
nodes = {root = [0, 0, 0], tip = [0.5, 0.2, 0]}
mass_matrix = "m.mtx"
stiffness_matrix = "k.mtx"
node_coordinates = "x.csv"
masses = [{node = "tip", mass = 0.5, inertia = [0.001, 0.001, 0.001]}]
)";
  static constexpr const char* joint = R"(
[[joints]]
name = "shoulder"
child = "arm"
child_node = "root"
axis = [0, 1, 0]
stiffness = 2000
)";

  // The beam's own matrices as files.
  void write_beam() const {
    const Model model = read_model_text(beams, "beams.toml");
    const FiniteElementBody body = assemble(model, model.links[0]);
    write_matrix("m.mtx", body.mass);
    write_matrix("k.mtx", body.stiffness);
    std::ofstream file(folder / "x.csv");
    file.precision(17);
    file << "x, y, z\n";
    for (const Vector3& p : body.node_positions) file << p.x() << "," << p.y() << "," << p.z() << "\n";
  }

  Model imported() const {
    write("model.toml", std::string(matrices) + joint);
    return read_model(folder / "model.toml");
  }
};

std::string beams_with_mass(const char* beams, const char* joint) {
  return std::string(beams) + "masses = [{node = \"tip\", mass = 0.5, inertia = [0.001, 0.001, 0.001]}]\n" + joint;
}

TEST_F(ImportedLink, CondensesLikeTheBeamsItWasMadeOf) {
  write_beam();
  const Model model = imported(), original = read_model_text(beams_with_mass(beams, joint), "beams.toml");
  ASSERT_TRUE(model.links[0].imported);
  const auto tool = [](const Model& m) {
    CondenseOptions options;
    options.tool = find_node(m, "arm:tip");
    const Condenser condenser(m, options);
    CondenseGeometry geometry = condenser.make_geometry();
    return *condenser.condense(initial_configuration(condenser.mechanism(), m), geometry).tool;
  };
  const ToolMatrices a = tool(model), b = tool(original);
  EXPECT_LT((*a.stiffness - *b.stiffness).norm(), 1e-9 * b.stiffness->norm());
  EXPECT_LT((*a.mass - *b.mass).norm(), 1e-9 * b.mass->norm());
  EXPECT_LT((a.displacements - b.displacements).norm(), 1e-9 * b.displacements.norm());
}

// Without knowledge of the elements ERLS-CMS lumps an imported body's mass to its nodes (docs/theory/modal_body.md):
// half a per cent with six elements.
TEST_F(ImportedLink, MovesInErlsCmsAsItsNodalMassesDo) {
  write_beam();
  const auto frequencies = [](const Model& model) {
    const ErlsCms equations(reduce(model));
    return mechanism_modes(equations, equations.initial_state()).modes.frequencies.head(6).eval();
  };
  const VectorX a = frequencies(imported()),
                b = frequencies(read_model_text(beams_with_mass(beams, joint), "beams.toml"));
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(a[k] / b[k], 1, 1e-2) << k;
}

TEST_F(ImportedLink, IsRefusedWithAReason) {
  write_beam();
  const auto refusal = [&](const std::string& text) -> std::string {
    write("model.toml", text);
    try {
      read_model(folder / "model.toml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string good = std::string(matrices) + joint;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_NE(refusal(with("m.mtx", "none.mtx")).find("cannot read the file 'none.mtx'"), std::string::npos);
  EXPECT_NE(refusal(with("mass_matrix = \"m.mtx\"\n", "")).find("key 'mass_matrix' is missing"), std::string::npos);
  EXPECT_NE(refusal(with("[0.5, 0.2, 0]", "[0.5, 0.21, 0]")).find("is at no node of the mesh"), std::string::npos);
  EXPECT_NE(refusal(with("type = \"matrices\"", "type = \"rigid\"\nmass = 1")).find("for links of type matrices"),
            std::string::npos);
  EXPECT_NE(refusal(with("nodes = {", "path = [\"root\", \"tip\"]\nnodes = {")).find("for links of type beams"),
            std::string::npos);
  write("x.csv", "0,0,0\n1,0,0\n");
  EXPECT_NE(refusal(good).find("2 nodes need 6 or 12 unknowns"), std::string::npos);
  write_beam();
  const Model model = read_model_text(beams, "beams.toml");
  SparseMatrix held = assemble(model, model.links[0]).stiffness;
  held.coeffRef(0, 0) *= 2;  // a support left in
  write_matrix("k.mtx", held);
  EXPECT_NE(refusal(good).find("not that of a free body"), std::string::npos) << refusal(good);
  held.coeffRef(0, 1) += held.coeff(0, 0);
  write_matrix("k.mtx", held);
  EXPECT_NE(refusal(good).find("not symmetric"), std::string::npos);
}

// A motion with negative kinetic or strain energy: every entry of the diagonal is still positive.
TEST_F(ImportedLink, IsRefusedWhereAnEnergyIsNegative) {
  const auto refusal = [&]() -> std::string {
    try {
      imported();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  write_beam();
  EXPECT_EQ(refusal(), "accepted");
  const Model model = read_model_text(beams, "beams.toml");
  const FiniteElementBody body = assemble(model, model.links[0]);
  MatrixX mass(body.mass);
  mass(0, 6) = mass(6, 0) = 1.1 * std::sqrt(mass(0, 0) * mass(6, 6));  // a 2 x 2 block of negative determinant
  write_matrix("m.mtx", mass.sparseView());
  EXPECT_NE(refusal().find("the mass matrix is indefinite"), std::string::npos) << refusal();
  write_beam();
  MatrixX stiffness(body.stiffness);
  const VectorX bend = VectorX::LinSpaced(stiffness.rows(), -1, 1).cwiseAbs2();
  stiffness -= 2 * stiffness * bend * bend.transpose() * stiffness / (bend.transpose() * stiffness * bend);
  write_matrix("k.mtx", SparseMatrix(stiffness.sparseView()));
  EXPECT_NE(refusal().find("the stiffness matrix is indefinite"), std::string::npos) << refusal();
}

// Three translations per node: a tetrahedral truss, on ball joints.
TEST_F(ImportedLink, WithoutRotationsCarriesBallJoints) {
  const std::vector<Vector3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.3, 1}};
  MatrixX K = MatrixX::Zero(12, 12);
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      const Vector3 u = (points[b] - points[a]).normalized();
      VectorX row = VectorX::Zero(12);
      row.segment<3>(3 * a) = -u;
      row.segment<3>(3 * b) = u;
      K += 1e6 / (points[b] - points[a]).norm() * row * row.transpose();
    }
  write_matrix("k.mtx", K.sparseView());
  write_matrix("m.mtx", SparseMatrix(MatrixX(2 * MatrixX::Identity(12, 12)).sparseView()));
  write("x.csv", "0,0,0\n1,0,0\n0,1,0\n0.2,0.3,1\n");
  std::string text = R"(lithe = 1
[[links]]
name = "truss"
type = "matrices"
nodes = {a = [0, 0, 0], b = [1, 0, 0], c = [0, 1, 0], top = [0.2, 0.3, 1]}
mass_matrix = "m.mtx"
stiffness_matrix = "k.mtx"
node_coordinates = "x.csv"
[[links]]
name = "head"
type = "rigid"
nodes = {foot = [0, 0, 0], tip = [0, 0, 0.2]}
mass = 1
inertia = [0.1, 0.1, 0.1]
)";
  for (const auto& [name, point] :
       {std::pair{"a", "[0, 0, 0]"}, std::pair{"b", "[1, 0, 0]"}, std::pair{"c", "[0, 1, 0]"}})
    text += cat("[[joints]]\nname = \"", name, "\"\ntype = \"spherical\"\nparent_point = ", point,
                "\nchild = \"truss\"\nchild_node = \"", name, "\"\n");
  write("model.toml", text +
                          "[[joints]]\nname = \"ball\"\ntype = \"spherical\"\nparent = \"truss\"\nparent_node = "
                          "\"top\"\nchild = \"head\"\nchild_node = \"foot\"\n");
  const Model model = read_model(folder / "model.toml");
  CondenseOptions options;
  options.independent = {find_node(model, "head:foot")};
  const Condenser condenser(model, options);
  CondenseGeometry geometry = condenser.make_geometry();
  const CondensedModel result = condenser.condense(initial_configuration(condenser.mechanism(), model), geometry);
  ASSERT_EQ(result.status, CondenseStatus::ok) << result.message;
  EXPECT_LT((result.stiffness.topLeftCorner<3, 3>() - K.bottomRightCorner<3, 3>()).norm(), 1e-9 * K.norm());
  write("model.toml", text +
                          "[[joints]]\nname = \"pin\"\nparent = \"truss\"\nparent_node = \"top\"\nchild = "
                          "\"head\"\nchild_node = \"foot\"\n");
  try {
    const Condenser refused(read_model(folder / "model.toml"), options);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("joint 'pin' needs the rotation"), std::string::npos) << error.what();
  }
}

TEST_F(ImportedLink, ParametersChangeNumbersOfTheFile) {
  write("model.toml", beams_with_mass(beams, joint));
  const ParametricModel file(folder / "model.toml");
  EXPECT_EQ(file.with({{"materials.steel.young_modulus", 1e11}}).materials[0].young_modulus, 1e11);
  EXPECT_EQ(file.with({{"links[0].masses[0].mass", 2}}).links[0].lumped_masses[0].mass, 2);
  EXPECT_EQ(file.with({{"links.arm.nodes.tip[1]", 0.3}}).links[0].nodes[0].position.y(), 0.3);
  EXPECT_EQ(file.with({{"links.\"arm\".elements", 5}}).links[0].segments[0].num_elements, 5);
  EXPECT_THROW(file.with({{"materials.steel.density", -1}}), InputError);
  for (const char* wrong :
       {"materials.stel.density", "links[3].name", "links[0].name", "links[", "materials..", "gravity.x"})
    EXPECT_THROW(file.check(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace lithe
