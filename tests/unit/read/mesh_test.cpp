// Meshes in every format, and links made of them.
#include "lithe/model/mesh/mesh.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

const std::filesystem::path meshes = LITHE_TESTS_DIR "/unit/read/meshes";

std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Mesh read_text(const std::string& text, const std::string& name, const MeshReadOptions& options = {}) {
  Diagnostics diagnostics;
  const std::optional<MeshFormat> format = mesh_format(text, name);
  if (!format) throw InputError("unknown format");
  std::optional<Mesh> mesh = read_mesh(text, name, *format, diagnostics, options);
  diagnostics.throw_if_any();
  return *std::move(mesh);
}

std::string error_of(const std::string& text, const std::string& name, const MeshReadOptions& options = {}) {
  try {
    read_text(text, name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

Mesh read_block(const std::string& name) { return read_text(file_text(meshes / name), name); }

class EveryFormat : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Files, EveryFormat,
                         ::testing::Values("block_22.msh", "block_22_binary.msh", "block_41.msh", "block_41_binary.msh",
                                           "block.inp", "block.bdf"),
                         [](const auto& of) { return cat("File", of.index); });

// Two bricks of 20 nodes and four wedges of 15, the same in all files: nodes of elements one by one.
TEST_P(EveryFormat, GivesTheSameMesh) {
  const Mesh expected = read_block("block_22.msh"), mesh = read_block(GetParam());
  const auto solids = [](const Mesh& of) {
    std::vector<std::vector<Vector3>> result;
    for (const MeshElement& element : of.elements) {
      if (info(element.shape).dimension < 3) continue;
      result.emplace_back();
      for (int k = 0; k < info(element.shape).num_nodes; ++k)
        result.back().push_back(of.positions[static_cast<std::size_t>(of.nodes_of(element)[k])]);
    }
    return result;
  };
  const auto a = solids(expected), b = solids(mesh);
  ASSERT_EQ(b.size(), 6u);
  ASSERT_EQ(mesh.num_nodes(), expected.num_nodes());
  for (std::size_t e = 0; e < a.size(); ++e) {
    ASSERT_EQ(a[e].size(), b[e].size());
    for (std::size_t k = 0; k < a[e].size(); ++k) EXPECT_LT((a[e][k] - b[e][k]).norm(), 1e-9) << e << " " << k;
  }
  // The middle of an edge lies between its corners: the order of nodes is right.
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_LT((b[e][8] - (b[e][0] + b[e][1]) / 2).norm(), 1e-9);
    EXPECT_LT((b[e][13] - (b[e][5] + b[e][6]) / 2).norm(), 1e-9);
    EXPECT_LT((b[e][19] - (b[e][3] + b[e][7]) / 2).norm(), 1e-9);
  }
  for (std::size_t e = 2; e < 6; ++e) {
    EXPECT_LT((b[e][6] - (b[e][0] + b[e][1]) / 2).norm(), 1e-9);
    EXPECT_LT((b[e][11] - (b[e][5] + b[e][3]) / 2).norm(), 1e-9);
    EXPECT_LT((b[e][13] - (b[e][1] + b[e][4]) / 2).norm(), 1e-9);
  }
}

TEST_P(EveryFormat, GivesTheSameGroups) {
  const Mesh mesh = read_block(GetParam());
  const bool nastran = std::string(GetParam()).ends_with(".bdf");  // groups are numbers of properties there
  const std::vector<int> left = mesh.nodes_named(nastran ? "28" : "left");
  ASSERT_EQ(left.size(), 8u);
  for (const int node : left) EXPECT_NEAR(mesh.positions[static_cast<std::size_t>(node)].x(), 0, 1e-12);
  EXPECT_EQ(mesh.nodes_named(nastran ? "2" : "WEDGES").size(), mesh.nodes_named(nastran ? "2" : "wedges").size());
  EXPECT_TRUE(mesh.nodes_named("no such group").empty());
}

// Every file cut short, and with one byte changed, is read or refused, never more.
TEST_P(EveryFormat, SurvivesDamage) {
  const std::string whole = file_text(meshes / GetParam());
  for (std::size_t length = 0; length < whole.size(); length += 37) error_of(whole.substr(0, length), GetParam());
  unsigned random = 12345;
  for (int k = 0; k < 150; ++k) {
    std::string text = whole;
    random = random * 1664525u + 1013904223u;
    text[(random >> 8) % text.size()] = static_cast<char>(random >> 24);
    error_of(text, GetParam());
  }
}

TEST(Gmsh, SaysWhatIsWrongWhere) {
  const std::string good = file_text(meshes / "block_22.msh");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_NE(error_of(with("2.2 0 8", "3.0 0 8"), "a.msh").find("MSH version 3 is not supported"), std::string::npos);
  EXPECT_NE(error_of(with("$Nodes\n60", "$Nodes\n6000000000"), "a.msh").find("nodes announced"), std::string::npos);
  EXPECT_NE(error_of(with("$EndElements", ""), "a.msh").find("the file ends too early"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, good.find("$Elements")), "a.msh").find("no section $Elements"), std::string::npos);
  EXPECT_NE(error_of(with("\n1 0 0 0\n", "\n1 0 zero 0\n"), "a.msh").find("got 'zero'"), std::string::npos);
  EXPECT_NE(error_of(with("\n5 18 ", "\n5 7 "), "a.msh").find("pyramids of 5 nodes are not supported"),
            std::string::npos);
  std::string binary = file_text(meshes / "block_41_binary.msh");
  binary[binary.find("4.1 1 8\n") + 8] = 0;
  binary[binary.find("4.1 1 8\n") + 11] = 1;
  EXPECT_NE(error_of(binary, "a.msh").find("the other byte order"), std::string::npos) << error_of(binary, "a.msh");
}

constexpr const char* deck = R"(** a cube of 10 mm with a coupled face and a mass
*NODE, NSET=all
1, 0, 0, 0
2, 10, 0, 0
3, 10, 10, 0
4, 0, 10, 0
5, 0, 0, 10
6, 10, 0, 10
7, 10, 10, 10
8, 0, 10, 10
100, 5., 5., 10.
*ELEMENT, TYPE=C3D8I, ELSET=cube
1, 1, 2, 3, 4,
5, 6, 7, 8
*ELEMENT, TYPE=MASS, ELSET=point
7, 100
*SURFACE, NAME=top
cube, S2
*NSET, NSET=bottom, GENERATE
1, 4, 1
*MATERIAL, NAME=steel
*ELASTIC
2.1E5, .3
*DENSITY
7.85D-9
*SOLID SECTION, ELSET=cube, MATERIAL=STEEL
*COUPLING, CONSTRAINT NAME=c, REF NODE=100, SURFACE=top
*KINEMATIC
1, 6
*MASS, ELSET=point
2.E-6
*STEP
*FREQUENCY
)";

TEST(Abaqus, ReadsSectionsCouplingsAndMasses) {
  Mesh mesh = read_text(deck, "cube.inp");
  ASSERT_EQ(mesh.num_elements(), 1);
  EXPECT_EQ(mesh.elements[0].material, 0);
  EXPECT_EQ(mesh.nodes_named("bottom").size(), 4u);
  ASSERT_EQ(mesh.spiders.size(), 1u);
  EXPECT_EQ(mesh.spiders[0].kind, SpiderKind::rigid);
  const std::set<int> coupled(mesh.spiders[0].nodes.begin(), mesh.spiders[0].nodes.end());
  ASSERT_EQ(coupled.size(), 4u);
  for (const int node : coupled) EXPECT_EQ(mesh.positions[static_cast<std::size_t>(node)].z(), 10);
  convert(mesh, {1e-3, 1e3, 1});
  EXPECT_NEAR(mesh.materials[0].density, 7850, 1e-9);
  EXPECT_NEAR(mesh.materials[0].young_modulus, 2.1e11, 1);
  ASSERT_EQ(mesh.masses.size(), 1u);
  EXPECT_NEAR(mesh.masses[0].mass, 2e-3, 1e-15);
}

TEST(Abaqus, RefusesWhatWouldChangeTheStructure) {
  const auto with = [&](const std::string& more) { return error_of(std::string(deck).replace(0, 0, more), "a.inp"); };
  EXPECT_NE(with("*REBAR\n").find("a.inp:1:1: error: *REBAR is not supported"), std::string::npos);
  EXPECT_NE(with("*ELEMENT, TYPE=SPRING1\n").find("type SPRING1 are not supported"), std::string::npos);
  EXPECT_NE(with("*NODE\n1, zero, 0, 0\n").find("a.inp:2:1: error: a number expected"), std::string::npos);
  std::string text = deck;
  EXPECT_NE(error_of(text.replace(text.find("5, 6, 7, 8"), 10, "5, 6, 7, 9"), "a.inp").find("node 9, which does not"),
            std::string::npos);
}

TEST(Abaqus, FollowsIncludesAndRefusesCycles) {
  MeshReadOptions options;
  options.include = [](const std::string& name, const std::string&, std::string& problem) {
    if (name == "deck.inp") return std::optional(IncludedFile{name, deck});
    if (name == "loop.inp") return std::optional(IncludedFile{name, "*INCLUDE, INPUT=loop.inp\n"});
    problem = "the file does not exist";
    return std::optional<IncludedFile>();
  };
  EXPECT_EQ(read_text("*INCLUDE, INPUT=deck.inp\n", "a.inp", options).num_elements(), 1);
  EXPECT_NE(error_of("*INCLUDE, INPUT=loop.inp\n", "a.inp", options).find("includes itself"), std::string::npos);
  EXPECT_NE(error_of("*INCLUDE, INPUT=none.inp\n", "a.inp", options).find("does not exist"), std::string::npos);
}

TEST(Nastran, ReadsAllFieldsFramesAndSpiders) {
  const Mesh mesh = read_text(R"(SOL 103
BEGIN BULK
$ free field
GRID,1,,0.,0.,0.
GRID,2,,10.,0.,0.
GRID,3,,10.,10.,0.
$ small field
GRID           4              0.     10.      0.
GRID           5              0.      0.     10.
$ large field, and a number without E
GRID*                  6                           1.0+1             0.0
*                   10.0
$ cylinder coordinates about z through (0, 0, 10)
CORD2C,7,,0.,0.,10.,0.,0.,20.
,1.,0.,10.
GRID,7,7,14.142135623731,45.,0.
GRID,8,7,10.,90.,0.
GRID,9,,5.,5.,10.
CHEXA,1,3,1,2,3,4,5,6
,7,8
PSOLID,3,4
MAT1,4,2.1+5,,.3,7.85-9
RBE2,11,9,123456,5,6,7,8
CONM2,12,9,,2.-6,0.,0.,1.
ENDDATA
)",
                              "cube.bdf");
  ASSERT_EQ(mesh.num_elements(), 1);
  const int* nodes = mesh.nodes_of(mesh.elements[0]);
  EXPECT_LT((mesh.positions[static_cast<std::size_t>(nodes[6])] - Vector3(10, 10, 10)).norm(), 1e-9);
  EXPECT_LT((mesh.positions[static_cast<std::size_t>(nodes[7])] - Vector3(0, 10, 10)).norm(), 1e-9);
  EXPECT_LT((mesh.positions[static_cast<std::size_t>(nodes[5])] - Vector3(10, 0, 10)).norm(), 1e-9);
  EXPECT_NEAR(mesh.materials[0].young_modulus, 2.1e5, 1e-6);
  EXPECT_NEAR(mesh.materials[0].density, 7.85e-9, 1e-20);
  ASSERT_EQ(mesh.spiders.size(), 1u);
  EXPECT_EQ(mesh.spiders[0].nodes.size(), 4u);
  ASSERT_EQ(mesh.masses.size(), 1u);
  EXPECT_EQ(mesh.masses[0].offset.z(), 1);
}

TEST(Nastran, RefusesWhatWouldChangeTheStructure) {
  EXPECT_NE(error_of("RBE1,1,2,3\n", "a.bdf").find("a.bdf:1:1: error: RBE1: "), std::string::npos);
  EXPECT_NE(error_of("GRID,1,99,0.,0.,0.\nRBE2,1,1,123,1\n", "a.bdf").find("coordinate system 99 does not exist"),
            std::string::npos);
  EXPECT_NE(error_of("CORD2R,1,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,1,1,0.,0.,0.\n", "a.bdf").find("refers to itself"),
            std::string::npos);
}

// ---- shells

// Two squares of shells in all formats: nodes on the lower side, 2 mm, of steel; in mm, t, s.
constexpr const char* sheet_inp = R"(*NODE
1, 0, 0, 0
2, 10, 0, 0
3, 20, 0, 0
4, 0, 10, 0
5, 10, 10, 0
6, 20, 10, 0
*ELEMENT, TYPE=S4R, ELSET=plate
1, 1, 2, 5, 4
*ELEMENT, TYPE=S3, ELSET=plate
2, 2, 3, 6
3, 2, 6, 5
*MATERIAL, NAME=steel
*ELASTIC
210000, 0.3
*DENSITY
7.85e-9
*SHELL SECTION, ELSET=plate, MATERIAL=steel, OFFSET=SNEG
2.0, 5
)";

constexpr const char* sheet_bdf = R"(BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,10.,0.,0.
GRID,3,,20.,0.,0.
GRID,4,,0.,10.,0.
GRID,5,,10.,10.,0.
GRID,6,,20.,10.,0.
CQUAD4,1,7,1,2,5,4,,1.0
CTRIA3,2,7,2,3,6,,1.0
CTRIA3,3,7,2,6,5,,1.0
PSHELL,7,4,2.0,4,,4
MAT1,4,2.1+5,,.3,7.85-9
ENDDATA
)";

TEST(ShellMesh, IsTheSameFromAbaqusAndNastran) {
  for (const auto& [text, name] : {std::pair(sheet_inp, "a.inp"), std::pair(sheet_bdf, "a.bdf")}) {
    const Mesh mesh = read_text(text, name);
    ASSERT_EQ(mesh.num_elements(), 3) << name;
    ASSERT_EQ(mesh.shells.size(), 1u) << name;
    EXPECT_EQ(mesh.shells[0].offset, 1) << name;  // the middle is half the thickness above the nodes
    EXPECT_EQ(mesh.shells[0].thickness(), 2) << name;
    for (const MeshElement& element : mesh.elements) EXPECT_EQ(element.shell, 0) << name;
    EXPECT_NEAR(mesh.materials[static_cast<std::size_t>(mesh.shells[0].layers[0].material)].young_modulus, 2.1e5, 1e-6);
  }
}

TEST(ShellMesh, HasLayersAndOrthotropicMaterialsFromAbaqus) {
  const Mesh mesh = read_text(R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
*ELEMENT, TYPE=S3, ELSET=ply
1, 1, 2, 3
*MATERIAL, NAME=carbon
*ELASTIC, TYPE=ENGINEERING CONSTANTS
135e3, 9e3, 8e3, .3, .25, .4, 5e3, 4e3
3e3
*SHELL SECTION, ELSET=ply, COMPOSITE
0.2, 3, carbon, 45
0.3, 3, carbon, -45
)",
                              "a.inp");
  ASSERT_EQ(mesh.shells.size(), 1u);
  ASSERT_EQ(mesh.shells[0].layers.size(), 2u);
  EXPECT_NEAR(mesh.shells[0].layers[1].angle, -0.78539816339744831, 1e-15);
  EXPECT_EQ(mesh.shells[0].thickness(), 0.5);
  const OrthotropicConstants& constants = mesh.materials[0].orthotropic.value();
  EXPECT_EQ(constants.young, Vector3(135e3, 9e3, 8e3));
  EXPECT_EQ(constants.poisson, Vector3(.3, .25, .4));
  EXPECT_EQ(constants.shear, Vector3(5e3, 4e3, 3e3));
}

TEST(ShellMesh, TurnsMaterialsWithOrientationsOfAbaqus) {
  std::string text = deck;
  text.replace(text.find("*SOLID SECTION"), 14,
               "*ORIENTATION, NAME=wound, SYSTEM=CYLINDRICAL\n0, 0, 0, 0, 0, 1\n"
               "*SOLID SECTION, ORIENTATION=wound");
  const Mesh mesh = read_text(text, "a.inp");
  ASSERT_EQ(mesh.frames.size(), 1u);
  EXPECT_EQ(mesh.elements[0].frame, 0);
  Matrix3 expected;  // radial, tangential, axial at a point on the y axis
  expected << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_LT((mesh.frames[0].at(Vector3(0, 3, 5)) - expected).norm(), 1e-15);
}

TEST(ShellMesh, RefusesWhatItWouldGetWrong) {
  const auto changed = [](std::string text, const std::string& from, const std::string& to, const std::string& name) {
    return error_of(text.replace(text.find(from), from.size(), to), name);
  };
  EXPECT_NE(changed(sheet_bdf, "PSHELL,7,4,2.0,4,,4", "PSHELL,7,4,2.0", "a.bdf").find("MID2 must be the material"),
            std::string::npos);
  EXPECT_NE(changed(sheet_bdf, "4,,1.0\nCTRIA3,2", "4,,1.0\n,,,2.,2.,2.,2.\nCTRIA3,2", "a.bdf").find("at the corners"),
            std::string::npos);
  EXPECT_NE(changed(sheet_bdf, "PSHELL,7,4,2.0,4,,4", "PCOMPG,7", "a.bdf").find("this kind of shell is not read"),
            std::string::npos);
  EXPECT_NE(changed(sheet_inp, "2.0, 5", "-2.0", "a.inp").find("the thickness must be positive"), std::string::npos);
  EXPECT_NE(changed(sheet_inp, "MATERIAL=steel, OFFSET", "MATERIAL=none, OFFSET", "a.inp").find("names material NONE"),
            std::string::npos);
}

// ---- links

std::string link_text(const std::string& keys, const std::string& interfaces) {
  return cat(R"(lithe = 1
[materials.steel]
density = 7850
young_modulus = "210 GPa"
poisson_ratio = 0.3
[[links]]
name = "block"
type = "mesh"
file = "block_41.msh"
units = "mm t s"
)",
             keys, interfaces, R"(
[[joints]]
name = "hinge"
child = "block"
child_node = "a"
axis = [0, 0, 1]
)");
}

constexpr const char* ends = R"(
[[links.interfaces]]
name = "a"
group = "left"
[[links.interfaces]]
name = "b"
plane = {point = ["40 mm", 0, 0], normal = [1, 0, 0]}
spider = "averaging"
)";

Model read_link(const std::string& text) {
  // Meshes lie beside the model file.
  const std::filesystem::path file = meshes / "mesh_test_model.toml";
  return read_model_text(text, file.string());
}

std::string refusal(const std::string& text) {
  try {
    read_link(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MeshLink, HasInterfacesMassAndUnits) {
  const Model model = read_link(link_text("material = \"steel\"\n", ends));
  const Link& link = model.links[0];
  ASSERT_EQ(link.nodes.size(), 2u);
  EXPECT_LT((link.nodes[0].position - Vector3(0, 0.005, 0.004)).norm(), 1e-12);
  EXPECT_LT((link.nodes[1].position - Vector3(0.04, 0.005, 0.004)).norm(), 1e-12);
  EXPECT_EQ(link.spiders[1].kind, SpiderKind::averaging);
  const FiniteElementBody body = assemble(model, link);
  EXPECT_NEAR(body.node_mass.sum(), 7850 * 0.04 * 0.01 * 0.008, 1e-12);
  EXPECT_EQ(body.num_dofs(0), 6);
}

TEST(MeshLink, IsRefusedWithAReason) {
  const std::string steel = "material = \"steel\"\n";
  EXPECT_EQ(refusal(link_text(steel, ends)), "accepted");
  EXPECT_NE(refusal(link_text("", ends)).find("6 elements of the mesh have no material"), std::string::npos);
  EXPECT_NE(refusal(link_text(steel, "[[links.interfaces]]\nname = \"a\"\ngroup = \"lfet\"\n"))
                .find("the mesh has no group 'lfet'; did you mean 'left'?"),
            std::string::npos);
  EXPECT_NE(
      refusal(link_text(steel, "[[links.interfaces]]\nname = \"a\"\nplane = {point = [1, 0, 0], normal = [1, 0, 0]}\n"))
          .find("it selects no node; the nearest is 0.96 m away"),
      std::string::npos);
  EXPECT_NE(refusal(link_text(steel + "section = \"bar\"\n", ends)).find("for links of type beams"), std::string::npos);
}

// One brick of 8 nodes, 4 of them held: it has 12 vibrations, and nobody asked for 20.
TEST(MeshLink, KeepsNoMoreModesThanItHas) {
  std::string text = link_text("material = \"steel\"\n", "[[links.interfaces]]\nname = \"a\"\ngroup = \"bottom\"\n");
  text.replace(text.find("block_41.msh"), 12, "mesh_cube.inp");
  const std::filesystem::path file = std::filesystem::path(LITHE_TESTS_DIR) / "bad_input" / "mesh_test_model.toml";
  EXPECT_EQ(read_model_text(text, file.string()).links[0].reduction.num_internal_modes, 12);
  EXPECT_EQ(read_link(link_text("material = \"steel\"\n", ends)).links[0].reduction.num_internal_modes, 20);
}

// No silent error: nodes of solids have no rotations, so a hinge there would turn nothing.
TEST(MeshLink, WantsRotationsWhereTheyAreNeeded) {
  const std::string steel = "material = \"steel\"\nnodes = {a = [0, 0, 0]}\n";
  const std::string hinge = refusal(link_text(steel, ""));
  EXPECT_NE(hinge.find("joint 'hinge' needs the rotation of node 'a' of link 'block', which has none"),
            std::string::npos)
      << hinge;
  EXPECT_NE(hinge.find("[[links.interfaces]]"), std::string::npos);
  const std::string with_corner = "material = \"steel\"\nnodes = {corner = [0.04, 0.01, 0.008]}\n";
  const auto acted = [&](const std::string& more) {
    return refusal(link_text(with_corner, "[[links.interfaces]]\nname = \"a\"\ngroup = \"left\"\n") + more);
  };
  EXPECT_EQ(acted(""), "accepted");
  EXPECT_NE(acted("[[loads]]\nname = \"t\"\nlink = \"block\"\nnode = \"corner\"\ntorque = 1\ndirection = [0, 0, 1]\n")
                .find("the torque of load 't' needs the rotation of node 'corner'"),
            std::string::npos);
  EXPECT_NE(acted("[[sensors]]\nname = \"s\"\nlink = \"block\"\nnode = \"corner\"\nquantity = \"rotation\"\n")
                .find("sensor 's' needs the rotation"),
            std::string::npos);
  EXPECT_EQ(acted("[[sensors]]\nname = \"s\"\nlink = \"block\"\nnode = \"corner\"\nquantity = \"position\"\n"),
            "accepted");
}

}  // namespace
}  // namespace lithe
