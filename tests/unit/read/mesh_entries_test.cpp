// What single entries of Abaqus and Nastran files mean, and that nothing of the structure is left out silently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/mesh/mesh_file.h"

namespace lithe {
namespace {

Mesh read_text(const std::string& text, const std::string& name) {
  Diagnostics diagnostics;
  std::optional<Mesh> mesh = read_mesh(text, name, mesh_format(text, name).value(), diagnostics);
  diagnostics.throw_if_any();
  return *std::move(mesh);
}

std::string error_of(const std::string& text, const std::string& name) {
  try {
    read_text(text, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool warns(const Mesh& mesh, const std::string& sentence) {
  return std::any_of(mesh.warnings.begin(), mesh.warnings.end(),
                     [&](const std::string& warning) { return warning.find(sentence) != std::string::npos; });
}

#define EXPECT_REFUSED(text, name, part) \
  EXPECT_NE(error_of(text, name).find(part), std::string::npos) << error_of(text, name)

Vector3 position(const Mesh& mesh, std::int64_t label) {
  const auto found = std::find(mesh.node_labels.begin(), mesh.node_labels.end(), label);
  return mesh.positions[static_cast<std::size_t>(found - mesh.node_labels.begin())];
}

constexpr const char* cube_nodes = R"(1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
)";

// A cube as Abaqus/CAE writes it: a part, an assembly with its own node 1, sets of the same name in both.
std::string assembly(const std::string& placement, const std::string& more) {
  return cat("*HEADING\n a cube\n*PART, NAME=Cube\n*NODE\n", cube_nodes, R"(*ELEMENT, TYPE=C3D8
1, 1, 2, 3, 4, 5, 6, 7, 8
*ELSET, ELSET=Set-1
1
*NSET, NSET=Set-1
1, 2, 3, 4, 5, 6, 7, 8
*SOLID SECTION, ELSET=Set-1, MATERIAL=steel
,
*END PART
*ASSEMBLY, NAME=Assembly
*INSTANCE, NAME=Cube-1, PART=Cube
)",
             placement, R"(*END INSTANCE
*NODE
1, 0.5, 0.5, 3
*NSET, NSET=Set-1
1
*ELSET, ELSET=_top_S2, INTERNAL, INSTANCE=Cube-1
1
*SURFACE, TYPE=ELEMENT, NAME=top
_top_S2, S2
)",
             more, R"(*END ASSEMBLY
*MATERIAL, NAME=STEEL
*ELASTIC
210e9, 0.3
*DENSITY
7850
)");
}

TEST(AbaqusAssembly, KeepsItsNodesApartFromThoseOfThePart) {
  const std::string coupling = "*COUPLING, CONSTRAINT NAME=c, REF NODE=Set-1, SURFACE=top\n*KINEMATIC\n";
  const Mesh mesh = read_text(assembly("", coupling), "a.inp");
  ASSERT_EQ(mesh.num_nodes(), 9);
  EXPECT_EQ(position(mesh, 1), Vector3::Zero());
  ASSERT_EQ(mesh.spiders.size(), 1u);
  EXPECT_EQ(mesh.positions[static_cast<std::size_t>(mesh.spiders[0].reference)], Vector3(0.5, 0.5, 3));
  EXPECT_EQ(mesh.spiders[0].nodes.size(), 4u);
  EXPECT_TRUE(warns(mesh, "a.inp:26: node 1 of the assembly is number 9 here")) << mesh.warnings.at(0);
  EXPECT_EQ(mesh.nodes_named("Set-1").size(), 8u);
  EXPECT_EQ(mesh.elements[0].material, 0);
}

TEST(AbaqusAssembly, MovesThePartWithItsInstance) {
  // Shifted by 2 along x, then turned by 90 degrees about the z axis.
  const Mesh mesh = read_text(assembly("2, 0, 0\n0, 0, 0, 0, 0, 1, 90\n", ""), "a.inp");
  EXPECT_LT((position(mesh, 1) - Vector3(0, 2, 0)).norm(), 1e-15);
  EXPECT_LT((position(mesh, 2) - Vector3(0, 3, 0)).norm(), 1e-15);
  EXPECT_LT((position(mesh, 7) - Vector3(-1, 3, 1)).norm(), 1e-15);
  EXPECT_REFUSED(assembly("2, 0\n", ""), "a.inp", "a.inp:24:1: error: *INSTANCE needs a line of 3 numbers");
  EXPECT_REFUSED(assembly("", "*INSTANCE, NAME=Cube-1, PART=Cube\n"), "a.inp", "*INSTANCE CUBE-1 is defined twice");
  EXPECT_REFUSED(assembly("", "*INSTANCE, NAME=Cube-2, PART=Ball\n"), "a.inp", "*PART BALL does not exist");
}

// A second cube beside the first, turned by 90 degrees, tied to it; its names and numbers are its own.
TEST(AbaqusAssembly, HasSeveralInstancesOfAPart) {
  const std::string second = "*INSTANCE, NAME=Cube-2, PART=Cube\n2, 0, 0\n2, 0, 0, 2, 0, 1, 90\n*END INSTANCE\n";
  const std::string more = R"(*NSET, NSET=ends
Cube-1.1, Cube-2.1
*ELSET, ELSET=_b, INSTANCE=Cube-2
1
*SURFACE, NAME=side
_b, S5
*ELSET, ELSET=_a, INSTANCE=Cube-1
1
*SURFACE, NAME=face
_a, S4
*TIE, NAME=glue
side, face
)";
  const Mesh mesh = read_text(assembly("", second + more), "a.inp");
  EXPECT_EQ(mesh.num_elements(), 2);
  EXPECT_EQ(position(mesh, 7), Vector3(1, 1, 1));
  EXPECT_LT((position(mesh, 17) - Vector3(1, 1, 1)).norm(), 1e-15);
  EXPECT_LT((position(mesh, 11) - Vector3(2, 0, 0)).norm(), 1e-15);
  EXPECT_EQ(mesh.nodes_named("CUBE-2.SET-1").size(), 8u);
  EXPECT_EQ(mesh.nodes_named("CUBE-1.SET-1").size(), 8u);
  EXPECT_EQ(mesh.nodes_named("ENDS").size(), 2u);
  EXPECT_EQ(mesh.elements[0].material, 0);
  EXPECT_EQ(mesh.elements[1].material, 0);
  EXPECT_TRUE(warns(mesh, "of instance CUBE-2 nodes have their numbers plus 10 here, elements plus 10"));
  EXPECT_EQ(mesh.equations.size(), 4u * 6);  // displacements, and rotations where there are some
  EXPECT_REFUSED(assembly("", "*ELSET, ELSET=x, INSTANCE=Cube-3\n1\n"), "a.inp", "*INSTANCE CUBE-3 does not exist");
  EXPECT_REFUSED(assembly("", second + "*NSET, NSET=x\nCube-2.9\n*COUPLING, REF NODE=x, SURFACE=top\n"), "a.inp",
                 "has node 19, which does not exist");
}

TEST(AbaqusAssembly, NamesNodesByTheirInstance) {
  const Mesh mesh = read_text(assembly("",
                                       "*ELEMENT, TYPE=MASS, ELSET=motor\n1, Cube-1.7\n*MASS, ELSET=motor\n2.5\n"
                                       "*ELEMENT, TYPE=MASS, ELSET=point\n2, 1\n*MASS, ELSET=point\n1.5\n"),
                              "a.inp");
  ASSERT_EQ(mesh.masses.size(), 2u);
  EXPECT_EQ(mesh.positions[static_cast<std::size_t>(mesh.masses[0].node)], Vector3(1, 1, 1));
  EXPECT_EQ(mesh.positions[static_cast<std::size_t>(mesh.masses[1].node)], Vector3(0.5, 0.5, 3));
}

std::string cube(const std::string& more) {
  return cat("*NODE\n", cube_nodes, "9, 0.5, 0.5, 3\n10, 3, 0, 0\n11, 3, 1, 0\n12, 3, 0, 1\n13, 3, 1, 1\n",
             "*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1, 2, 3, 4, 5, 6, 7, 8\n2, 2, 10, 11, 3, 6, 12, 13, 7\n", more);
}

TEST(AbaqusEntries, PlacesNodesInSystems) {
  const Mesh mesh = read_text(R"(*SYSTEM
1, 2, 3, 1, 5, 3
1, 2, 9
*NODE
1, 4, 0, 0
2, 0, 1, 0
*SYSTEM
10, 0, 0
*NODE, SYSTEM=C
3, 2, 90, 7
*SYSTEM
*NODE
4, 1, 1, 1
*ELEMENT, TYPE=C3D4
1, 1, 2, 3, 4
)",
                              "a.inp");
  EXPECT_LT((position(mesh, 1) - Vector3(1, 6, 3)).norm(), 1e-15);
  EXPECT_LT((position(mesh, 2) - Vector3(1, 2, 4)).norm(), 1e-15);
  EXPECT_LT((position(mesh, 3) - Vector3(10, 2, 7)).norm(), 1e-15);
  EXPECT_EQ(position(mesh, 4), Vector3(1, 1, 1));
  EXPECT_REFUSED("*NODE, SYSTEM=S\n1, 1, 0, 0\n", "a.inp", "a.inp:1:1: error: *NODE with SYSTEM=S");
}

TEST(AbaqusEntries, LeavesNothingOutSilently) {
  EXPECT_REFUSED(cube("*ELGEN, ELSET=E\n1, 3, 1, 1\n"), "a.inp", "a.inp:18:1: error: *ELGEN is not supported");
  EXPECT_REFUSED(cube("*NONSTRUCTURAL MASS, ELSET=E\n1\n"), "a.inp", "would change the structure");
  EXPECT_REFUSED(cube("*ELEMENT, TYPE=MASS, ELSET=M\n7, 1\n"), "a.inp",
                 "a.inp:19:1: error: element 7 of type MASS has no *MASS for its set");
  EXPECT_REFUSED(cube("*ELEMENT, TYPE=ROTARYI, ELSET=M\n7, 1\n*MASS, ELSET=M\n2\n"), "a.inp",
                 "element 7 of type ROTARYI has no *ROTARY INERTIA");
  EXPECT_REFUSED(cube("*ELEMENT, TYPE=C3D4\n3, 1, 2, 3, 77\n"), "a.inp",
                 "a.inp:19:1: error: element 3 has node 77, which does not exist");
  EXPECT_REFUSED(cube("*NSET, NSET=N\n1, 77\n"), "a.inp", "a.inp:18:1: error: node set 'N' has node 77");
  EXPECT_REFUSED(cube("*RIGID BODY, NSET=N, REF NODE=9\n*HEADING\n"), "a.inp",
                 "a.inp:18:1: error: surface or node set");
  const Mesh mesh =
      read_text(cube("*CONTACT PAIR, INTERACTION=i\na, b\n*BOUNDARY\n1, 1, 3\n*NODE\n2, 1, 0, 0.1\n"), "a.inp");
  EXPECT_TRUE(warns(mesh, "a.inp:18: *CONTACT PAIR is passed over"));
  EXPECT_TRUE(warns(mesh, "a.inp:23: node 2 is defined twice"));
  EXPECT_EQ(mesh.warnings.size(), 2u);
}

// Two faces of areas 1 and 2 that share an edge: every node once, with its share of the area.
TEST(AbaqusCoupling, WeighsNodesByTheirArea) {
  const std::string surface = "*SURFACE, NAME=low\nE, S1\n*COUPLING, REF NODE=9, SURFACE=low\n";
  const Mesh mesh = read_text(cube(surface + "*DISTRIBUTING\n1, 6\n"), "a.inp");
  ASSERT_EQ(mesh.spiders.size(), 1u);
  const MeshSpider& spider = mesh.spiders[0];
  EXPECT_EQ(spider.kind, SpiderKind::averaging);
  ASSERT_EQ(spider.nodes.size(), 6u);
  ASSERT_EQ(spider.weights.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    const double x = mesh.positions[static_cast<std::size_t>(spider.nodes[k])].x();
    EXPECT_NEAR(spider.weights[k], (x == 0 ? 0.25 : x == 1 ? 0.75 : 0.5) / 3, 1e-15) << x;
  }
  const MeshSpider rigid = read_text(cube(surface + "*KINEMATIC\n"), "a.inp").spiders.at(0);
  EXPECT_EQ(rigid.nodes.size(), 6u);
  EXPECT_TRUE(rigid.weights.empty());
  const std::string nodes = "*SURFACE, TYPE=NODE, NAME=low\n1, 1\n2, 3.\n3\n4\n*COUPLING, REF NODE=9, SURFACE=low\n";
  EXPECT_EQ(read_text(cube(nodes + "*DISTRIBUTING\n"), "a.inp").spiders.at(0).weights,
            (std::vector<double>{1, 3, 1, 1}));
  EXPECT_REFUSED(cube(surface + "*DISTRIBUTING, WEIGHTING METHOD=LINEAR\n"), "a.inp", "WEIGHTING METHOD=LINEAR");
}

TEST(AbaqusCoupling, LeavesRotationsFreeWhereItCouplesDisplacementsAlone) {
  const std::string start = "*NSET, NSET=N\n1, 2, 3\n*COUPLING, REF NODE=9, SURFACE=N\n*KINEMATIC\n";
  const auto turns = [&](const std::string& lines) {
    return read_text(cube(start + lines), "a.inp").spiders.at(0).turns_nodes;
  };
  EXPECT_TRUE(turns(""));
  EXPECT_TRUE(turns("1, 6\n"));
  EXPECT_TRUE(turns("1, 3\n4, 6\n"));
  EXPECT_FALSE(turns("1, 3\n"));
  EXPECT_FALSE(turns("1\n2\n3\n"));
  const Mesh partial = read_text(cube(start + "1, 2\n"), "a.inp");
  EXPECT_TRUE(partial.spiders.empty());
  ASSERT_EQ(partial.equations.size(), 6u);
  for (const MeshEquation& equation : partial.equations)
    EXPECT_LT(rigid_body_action(partial.positions, equation.terms).norm(), 1e-15);
  std::string distributing = start;
  distributing.replace(distributing.find("*KINEMATIC"), 10, "*DISTRIBUTING");
  EXPECT_REFUSED(cube(distributing + "1, 2\n"), "a.inp", "a.inp:20:1: error: *DISTRIBUTING of some directions alone");
  EXPECT_FALSE(read_text(cube("*NSET, NSET=N\n1, 2, 3\n*RIGID BODY, PIN NSET=N, REF NODE=9\n"), "a.inp")
                   .spiders.at(0)
                   .turns_nodes);
}

TEST(AbaqusSurface, TakesFacesAndEdgesOfShells) {
  const auto with = [](const std::string& face) {
    return read_text(cat("*NODE\n", cube_nodes, "*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n*SURFACE, NAME=f\nE, ",
                         face, "\n"),
                     "a.inp")
        .nodes_named("f")
        .size();
  };
  EXPECT_EQ(with("SPOS"), 4u);
  EXPECT_EQ(with("SNEG"), 4u);
  EXPECT_EQ(with("E4"), 2u);
  EXPECT_REFUSED(cat("*NODE\n", cube_nodes, "*ELEMENT, TYPE=S4\n1, 1, 2, 3, 4\n*SURFACE, NAME=f\n1, E5\n"), "a.inp",
                 "element 1 has no edge E5");
}

constexpr const char* tetrahedron = R"(GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,0.,1.,0.
GRID,4,,0.,0.,1.
GRID,5,,0.,0.,3.
CTETRA,1,3,1,2,3,4
)";
std::string bulk(const std::string& more) { return tetrahedron + more; }

TEST(NastranEntries, LeavesNothingOutSilently) {
  EXPECT_REFUSED(bulk("CHEXA27,2,3,1,2,3,4\n"), "a.bdf", "a.bdf:7:1: error: CHEXA27: this kind of entry is not known");
  EXPECT_REFUSED(bulk("RBAR1,2,3,1,123\n"), "a.bdf", "a.bdf:7:1: error: RBAR1: this kind of entry is not known");
  EXPECT_REFUSED(bulk("GRID,3,,0.,1.,0.5\n"), "a.bdf",
                 "a.bdf:7:1: error: node 3 is defined twice, with other coordinates in line 3");
  EXPECT_EQ(error_of(bulk("GRID,3,,0.,1.,0.\n"), "a.bdf"), "accepted");
  EXPECT_REFUSED(bulk("CTETRA,2,3,1,2,3,77\n"), "a.bdf", "a.bdf:7:1: error: element 2 has node 77, which does not");
  EXPECT_REFUSED(bulk("CONM2,2,77,0,1.\n"), "a.bdf", "a.bdf:7:1: error: a point mass has node 77");
  const Mesh mesh =
      read_text(bulk("SPC1,1,123,1\nDMIG,K2,1,1,,2,2,,5.\nDMIG,K2,0,6,1\nPSOLID,3,8\nMAT9,8,1.\n"), "a.bdf");
  EXPECT_TRUE(warns(mesh, "a.bdf:8: entries DMIG are passed over"));
  EXPECT_TRUE(warns(mesh, "material 8 is no MAT1 and is not read"));
  EXPECT_EQ(mesh.warnings.size(), 3u);  // and MAT9
}

// Gmsh writes the numbers of volumes and of surfaces as properties.
TEST(NastranEntries, KeepFacesApartFromSolidsOfTheSameProperty) {
  const Mesh mesh = read_text(bulk("CTRIA3,2,3,1,2,3\nCTRIA3,3,4,1,2,4\n"), "a.bdf");
  EXPECT_EQ(mesh.nodes_named("3").size(), 4u);
  EXPECT_EQ(mesh.nodes_named("3 faces").size(), 3u);
  EXPECT_EQ(mesh.nodes_named("4").size(), 3u);
  EXPECT_TRUE(warns(mesh, "a.bdf: property 3 is of solids and of faces"));
  EXPECT_EQ(mesh.warnings.size(), 1u);
}

TEST(NastranEntries, HaveFourFieldsInALineOfLargeOnesWithCommas) {
  const Mesh mesh = read_text(
      "GRID*,1,,10.,0.25\n*,7.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n"
      "CTETRA,1,3,1,2,3,4\n",
      "a.bdf");
  EXPECT_EQ(position(mesh, 1), Vector3(10, 0.25, 7));
}

TEST(NastranEntries, HoldRotationsOfNodesOnlyWhereTheySaySo) {
  EXPECT_TRUE(read_text(bulk("RBE2,9,5,123456,1,2,3\n"), "a.bdf").spiders.at(0).turns_nodes);
  EXPECT_FALSE(read_text(bulk("RBE2,9,5,123,1,2,3\n"), "a.bdf").spiders.at(0).turns_nodes);
  const Mesh partial = read_text(bulk("RBE2,9,5,13,1,2,3\n"), "a.bdf");
  EXPECT_TRUE(partial.spiders.empty());
  ASSERT_EQ(partial.equations.size(), 6u);
  for (const MeshEquation& equation : partial.equations)
    EXPECT_LT(rigid_body_action(partial.positions, equation.terms).norm(), 1e-15);
  EXPECT_REFUSED(bulk("RBE3,9,,5,3,1.,123,1,2\n,3\n"), "a.bdf", "follows in all displacements");
  const Mesh mesh = read_text(bulk("RBE3,9,,5,123456,1.,123,1,2\n,3,2.5,123,4\n"), "a.bdf");
  EXPECT_EQ(mesh.spiders.at(0).weights, (std::vector<double>{1, 1, 1, 2.5}));
}

TEST(NastranEntries, TurnMassesWithTheirCoordinateSystem) {
  const std::string frame = "CORD2R,6,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\n";  // z along x, x along y
  const Mesh mesh = read_text(bulk(frame + "CONM2,2,5,6,2.,1.,0.,3.\n,4.,0.,5.,0.,0.,6.\n"), "a.bdf");
  ASSERT_EQ(mesh.masses.size(), 1u);
  EXPECT_LT((mesh.masses[0].offset - Vector3(3, 1, 0)).norm(), 1e-15);
  EXPECT_LT((mesh.masses[0].inertia - Matrix3(Vector3(6, 4, 5).asDiagonal())).norm(), 1e-14);
  const Mesh point = read_text(bulk("CONM2,2,5,-1,2.,1.,0.,3.\n"), "a.bdf");
  EXPECT_LT((point.masses.at(0).offset - Vector3(1, 0, 0)).norm(), 1e-15);
}

constexpr const char* laminate = R"(GRID,1,,0.,0.,0.
GRID,2,,0.,10.,0.
GRID,3,,-10.,10.,0.
GRID,4,,-10.,0.,0.
MAT8,8,135.+3,9.+3,.3,5.+3,4.+3,3.+3,1.6-9
CQUAD4,1,7,1,2,3,4,30.,0.1
PCOMP,7,-0.3,1.-9,,,,,
,8,.2,45.,,,,90.
,,.1,-45.
)";

// Plies count their angles from the side of the first two nodes, here along y, which THETA turns by 30 degrees.
TEST(NastranLaminate, HasPliesMaterialOffsetAndDirection) {
  const Mesh mesh = read_text(laminate, "a.bdf");
  ASSERT_EQ(mesh.shells.size(), 1u);
  const ShellSection& shell = mesh.shells[0];
  ASSERT_EQ(shell.layers.size(), 3u);
  EXPECT_NEAR(shell.layers[0].angle, std::numbers::pi / 4, 1e-15);
  EXPECT_NEAR(shell.layers[1].angle, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(shell.layers[2].angle, -std::numbers::pi / 4, 1e-15);
  EXPECT_EQ(shell.layers[1].thickness, 0.2);
  EXPECT_EQ(shell.layers[2].thickness, 0.1);
  EXPECT_NEAR(shell.offset, 0.1 - 0.3 + 0.25, 1e-15);  // ZOFFS, Z0 of the bottom, half the thickness
  EXPECT_EQ(shell.mass_per_area, 1e-9);
  const OrthotropicConstants& constants = mesh.materials.at(0).orthotropic.value();
  EXPECT_EQ(constants.young, Vector3(135e3, 9e3, 9e3));
  EXPECT_EQ(constants.shear, Vector3(5e3, 4e3, 3e3));
  EXPECT_EQ(constants.poisson(0), 0.3);
  EXPECT_EQ(mesh.materials[0].density, 1.6e-9);
  const Matrix3& axes = mesh.frames.at(static_cast<std::size_t>(mesh.elements[0].frame)).axes;
  EXPECT_LT((axes.col(0) - Vector3(-0.5, std::sqrt(3) / 2, 0)).norm(), 1e-15);
  EXPECT_LT((axes.col(2) - Vector3(0, 0, 1)).norm(), 1e-15);
}

TEST(NastranLaminate, MayBeSymmetricAndAlongACoordinateSystem) {
  std::string text = laminate;
  text.replace(text.find("30.,0.1"), 7, "6");
  text.replace(text.find("1.-9,,,,,"), 9, "1.-9,,,,,SYM");
  const Mesh mesh = read_text("CORD2R,6,,0.,0.,0.,0.,0.,1.\n,1.,1.,0.\n" + text, "a.bdf");
  ASSERT_EQ(mesh.shells.at(0).layers.size(), 6u);
  EXPECT_EQ(mesh.shells[0].layers[3].angle, mesh.shells[0].layers[2].angle);
  EXPECT_EQ(mesh.shells[0].layers[5].angle, mesh.shells[0].layers[0].angle);
  const Matrix3& axes = mesh.frames.at(static_cast<std::size_t>(mesh.elements[0].frame)).axes;
  EXPECT_LT((axes.col(0) - Vector3(1, 1, 0).normalized()).norm(), 1e-15);
  text.replace(text.find("SYM"), 3, "MEM");
  EXPECT_REFUSED(text, "a.bdf", "PCOMP: LAM must be empty or SYM");
}

TEST(AbaqusBeams, HaveSectionAndDirection) {
  const std::string beams = "*ELEMENT, TYPE=B31, ELSET=rods\n7, 9, 10\n*ELEMENT, TYPE=B33, ELSET=rods\n8, 10, 11\n";
  const std::string section = "*BEAM SECTION, ELSET=rods, MATERIAL=steel, SECTION=RECT\n2, 3\n0, 1, 0\n";
  const std::string steel = "*MATERIAL, NAME=steel\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n";
  Mesh mesh = read_text(cube(beams + section + steel), "a.inp");
  ASSERT_EQ(mesh.beams.size(), 2u);
  for (const MeshBeam& beam : mesh.beams) {
    EXPECT_EQ(beam.side, Vector3(0, 1, 0));
    const MeshBeamSection& of = mesh.beam_sections.at(static_cast<std::size_t>(beam.section));
    EXPECT_EQ(of.material, 0);
    EXPECT_NEAR(of.section.second_moment_z, 3 * 8 / 12.0, 1e-15);  // 2 along the side
  }
  EXPECT_EQ(mesh.beam_sections[0].theory, BeamTheory::timoshenko);
  EXPECT_EQ(mesh.beam_sections[1].theory, BeamTheory::euler_bernoulli);
  convert(mesh, {1e-3, 1e3, 1});
  EXPECT_NEAR(mesh.beam_sections[0].section.area, 6e-6, 1e-20);
  EXPECT_NEAR(mesh.beam_sections[0].section.second_moment_z, 2e-12, 1e-26);
  EXPECT_REFUSED(cube(beams), "a.inp", "a.inp:19:1: error: element 7 is a beam without *BEAM SECTION");
  EXPECT_REFUSED(cube(beams + "*BEAM SECTION, ELSET=rods, MATERIAL=steel, SECTION=BOX\n2, 3\n" + steel), "a.inp",
                 "only RECT, CIRC and PIPE are supported, got BOX");
  EXPECT_REFUSED(cube("*BEAM SECTION, ELSET=E, MATERIAL=steel, SECTION=CIRC\n2\n" + steel), "a.inp",
                 "which is no B31 or B33");
}

TEST(NastranBeams, HaveSectionAndDirection) {
  const std::string bar = "CBAR,7,5,4,5,0.,1.,0.\nCBAR,8,6,4,5,1\nMAT1,4,2.1+11,,.3,7850.\n";
  const std::string sections = "PBAR,5,4,2.,3.,4.,5.\nPBARL,6,4,,BAR\n,2.,3.\n";
  const Mesh mesh = read_text(bulk(bar + sections), "a.bdf");
  ASSERT_EQ(mesh.beams.size(), 2u);
  EXPECT_EQ(mesh.beams[0].side, Vector3(0, 1, 0));
  EXPECT_EQ(mesh.beams[1].side, Vector3(0, 0, -1));  // from node 4 to node 1
  const Section &first = mesh.beam_sections.at(0).section, &second = mesh.beam_sections.at(1).section;
  EXPECT_EQ(first.area, 2);
  EXPECT_EQ(first.second_moment_z, 3);  // I1: in the plane of the vector
  EXPECT_EQ(first.second_moment_y, 4);
  EXPECT_EQ(first.torsion_constant, 5);
  EXPECT_EQ(mesh.beam_sections[0].theory, BeamTheory::euler_bernoulli);  // no K1 and K2
  EXPECT_NEAR(second.second_moment_z, 2 * 27 / 12.0, 1e-15);
  EXPECT_EQ(mesh.beam_sections[1].theory, BeamTheory::timoshenko);
  EXPECT_REFUSED(bulk("CBAR,7,5,4,5,0.,1.,0.\n,456\n" + sections), "a.bdf", "pin flags");
  const std::string moved = "CBAR,7,5,4,5,0.,1.,0.\n,,,0.,.5,0.,0.,.25,0.\nMAT1,4,2.1+11,,.3,7850.\n";
  const Mesh beside = read_text(bulk(moved + "PBAR,5,4,2.,3.,4.,5.,.7\n"), "a.bdf");
  EXPECT_EQ(beside.beams.at(0).offsets[0], Vector3(0, 0.5, 0));
  EXPECT_EQ(beside.beams.at(0).offsets[1], Vector3(0, 0.25, 0));
  EXPECT_EQ(beside.beam_sections.at(0).mass_per_length, 0.7);
  EXPECT_REFUSED(bulk("CBAR,7,5,4,5\n" + sections), "a.bdf", "the orientation of the beam");
  EXPECT_REFUSED(bulk("CBAR,7,5,4,5,0.,1.,0.\nPBARL,5,4,,HAT\n,1.,2.,3.,4.\n"), "a.bdf",
                 "a.bdf:8:1: error: PBARL: only ROD, TUBE and BAR are supported");
  EXPECT_REFUSED(bulk("CROD,7,5,4,5\nPBAR,5,4,2.,3.,4.,5.\n"), "a.bdf", "of beams and rods CBAR with PBAR");
}

TEST(NastranBeams, OfOneSectionMayBeCbeams) {
  const std::string beam = "CBEAM,7,5,4,5,0.,1.,0.\nMAT1,4,2.1+11,,.3,7850.\n";
  const auto section = [&](const std::string& card) {
    return read_text(bulk(beam + card), "a.bdf").beam_sections.at(0);
  };
  const MeshBeamSection plain = section("PBEAM,5,4,2.,3.,4.,,5.,.7\n");
  EXPECT_EQ(plain.section.second_moment_z, 3);
  EXPECT_EQ(plain.section.second_moment_y, 4);
  EXPECT_EQ(plain.section.torsion_constant, 5);
  EXPECT_EQ(plain.section.shear_factor_y, 1);  // unless K1 says otherwise
  EXPECT_EQ(plain.mass_per_length, 0.7);
  const std::string stations = "PBEAM,5,4,2.,3.,4.,,5.\n,1.,1.,-1.,1.\n,YES,1.,2.,3.,4.,,5.\n,1.,1.\n,.5,.25\n";
  EXPECT_EQ(section(stations).section.shear_factor_z, 0.25);
  std::string tapered = stations;
  tapered.replace(tapered.find("YES,1.,2."), 9, "YES,1.,9.");
  EXPECT_REFUSED(bulk(beam + tapered), "a.bdf", "a.bdf:9:1: error: PBEAM: the section changes along the beam");
}

TEST(NastranSprings, AreReadInTheAxesOfTheirNodes) {
  // Node 6 has displacements along axes turned by 90 degrees about z: its 1 is y.
  const std::string turned = "CORD2R,8,0,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\nGRID,6,,0.,0.,0.,8\n";
  const Mesh mesh = read_text(bulk(turned + "CELAS2,9,50.,6,1,1,2\n"), "a.bdf");
  ASSERT_EQ(mesh.springs.size(), 1u);
  EXPECT_EQ(mesh.springs[0].stiffness, 50);
  EXPECT_LT(rigid_body_action(mesh.positions, mesh.springs[0].terms).norm(), 1e-15);
  EXPECT_REFUSED(bulk("CELAS2,9,50.,1,1\n"), "a.bdf", "a.bdf:7:1: error: CELAS2: a spring to the ground");
  EXPECT_REFUSED(bulk("CELAS1,9,4,1,1,2,1\n"), "a.bdf", "PELAS 4 does not exist");
  EXPECT_REFUSED(bulk("CBUSH,9,4,1,6,,,,0\nGRID,6,,0.,0.,0.\n"), "a.bdf", "PBUSH 4 does not exist");
  EXPECT_REFUSED(bulk("CBUSH,9,4,1,6\nGRID,6,,0.,0.,0.\nPBUSH,4,K,1.\n"), "a.bdf", "give its axes (CID)");
  EXPECT_REFUSED(bulk("MPC,1,1,1,1.,2,1,-1.\nMPC,2,1,2,1.,2,2,-1.\n"), "a.bdf", "there are several sets, 1 and 2");
  EXPECT_REFUSED(bulk("RBAR,9,1,5,123,456\n"), "a.bdf", "only bars with all motions");
  EXPECT_EQ(read_text(bulk("RBAR,9,5,1,123456\nRBAR,10,5,2,123456\nRBAR,11,3,5,,123456\n"), "a.bdf").spiders.size(),
            1u);
}

TEST(AbaqusSprings, BecomeElongations) {
  Mesh mesh = read_text(cube("*ELEMENT, TYPE=SPRINGA, ELSET=S\n7, 1, 7\n*SPRING, ELSET=S\n\n6.\n"), "a.inp");
  ASSERT_EQ(mesh.springs.size(), 1u);
  EXPECT_EQ(mesh.springs[0].terms.size(), 6u);
  EXPECT_LT(rigid_body_action(mesh.positions, mesh.springs[0].terms).norm(), 1e-15);
  // 1 mm of elongation of 6 N/mm has the energy of 1e-3 m of 6000 N/m, whatever it is called.
  convert(mesh, {1e-3, 1e3, 1});
  const double factor = std::abs(mesh.springs[0].terms[0].factor);
  EXPECT_NEAR(mesh.springs[0].stiffness * factor * factor, 6000 / 3.0, 1e-9);
  EXPECT_REFUSED(cube("*ELEMENT, TYPE=SPRING2, ELSET=S\n7, 1, 7\n*SPRING, ELSET=S\n1, 9\n6.\n"), "a.inp",
                 "two directions 1 to 6");
  EXPECT_REFUSED(cube("*SPRING, ELSET=E\n\n6.\n"), "a.inp", "which is no spring");
  EXPECT_TRUE(warns(read_text(cube("*ELEMENT, TYPE=DASHPOTA, ELSET=D\n7, 1, 7\n*DASHPOT, ELSET=D\n\n6.\n"), "a.inp"),
                    "elements DASHPOTA are passed over"));
}

TEST(GmshEntries, NameTheLineOfAnElementWithoutItsNode) {
  EXPECT_REFUSED(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n2\n"
      "1 2 2 7 1 1 2 3\n2 4 2 7 1 1 2 3 4\n$EndElements\n",
      "a.msh", "a.msh:13:1: error: element 2 has node 4, which does not exist");
}

// 300 edits of lines, fields and characters of a file, as a user's script makes them: the mesh is whole, or the error
// names a line.
void expect_whole_or_refused(const std::string& name, const std::string& whole) {
  std::istringstream stream(whole);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::mt19937 random(7);
  const auto below = [&](std::size_t count) { return random() % count; };
  int accepted = 0;
  for (int edit = 0; edit < 300; ++edit) {
    std::vector<std::string> changed = lines;
    const std::size_t at = below(lines.size());
    std::string& line = changed[at];
    switch (edit % 5) {
      case 0:
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        std::swap(changed[at], changed[below(lines.size())]);
        break;
      case 2:
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), lines[below(lines.size())]);
        break;
      case 3:
        if (!line.empty()) line.erase(below(line.size()), 1 + below(4));
        break;
      default:
        if (!line.empty()) line[below(line.size())] = "0123456789.,-+*$ ae"[below(19)];
    }
    std::string text;
    for (const std::string& of : changed) text += of + "\n";
    Diagnostics diagnostics;
    const std::optional<Mesh> mesh = read_mesh(text, name, mesh_format(text, name).value(), diagnostics);
    ASSERT_NE(mesh.has_value(), diagnostics.any()) << name << " " << edit;
    if (!mesh) {
      EXPECT_GT(diagnostics.errors().front().line, 0) << edit << diagnostics.errors().front().text();
      continue;
    }
    ++accepted;
    const auto count = static_cast<int>(mesh->positions.size());
    const auto expect_nodes = [&](const std::vector<int>& nodes) {
      for (const int node : nodes) ASSERT_TRUE(node >= 0 && node < count) << name << " " << edit;
    };
    expect_nodes(mesh->connectivity);
    for (const MeshSet& set : mesh->node_sets) expect_nodes(set.members);
    for (const MeshSpider& spider : mesh->spiders) {
      expect_nodes({spider.reference});
      expect_nodes(spider.nodes);
      EXPECT_TRUE(spider.weights.empty() || spider.weights.size() == spider.nodes.size());
    }
    for (const MeshMass& mass : mesh->masses) expect_nodes({mass.node});
    for (const MeshBeam& beam : mesh->beams) {
      EXPECT_LT(beam.element, mesh->num_elements());
      EXPECT_LT(static_cast<std::size_t>(beam.section), mesh->beam_sections.size());
    }
  }
  EXPECT_GT(accepted, 10) << name;
  EXPECT_LT(accepted, 290) << name;
}

TEST(EditedMeshFiles, AreReadWholeOrRefusedWithALine) {
  for (const char* const name : {"block.inp", "block.bdf", "block_22.msh", "block_41.msh"}) {
    std::ifstream stream(std::filesystem::path(LITHE_TESTS_DIR) / "unit/read/meshes" / name);
    std::ostringstream text;
    text << stream.rdbuf();
    ASSERT_GT(text.str().size(), 1000u);
    expect_whole_or_refused(name, text.str());
  }
}

TEST(EditedMeshFiles, WithEverythingThatIsReadAreToo) {
  const std::string steel = "*MATERIAL, NAME=steel\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n";
  expect_whole_or_refused("assembly.inp",
                          assembly("2, 0, 0\n0, 0, 0, 0, 0, 1, 90\n",
                                   "*COUPLING, CONSTRAINT NAME=c, REF NODE=Set-1, SURFACE=top\n*DISTRIBUTING\n1, 6\n"
                                   "*ELEMENT, TYPE=MASS, ELSET=motor\n1, Cube-1.1\n*MASS, ELSET=motor\n2.5\n"));
  expect_whole_or_refused("flat.inp",
                          cube("*ELEMENT, TYPE=B31, ELSET=rods\n7, 9, 10\n*BEAM SECTION, ELSET=rods, MATERIAL=steel, "
                               "SECTION=PIPE\n2, 0.5\n0, 1, 0\n*SYSTEM\n1, 2, 3, 1, 5, 3\n1, 2, 9\n*NODE, SYSTEM=C\n"
                               "20, 4, 30, 0\n*NSET, NSET=N, GENERATE\n1, 3\n*RIGID BODY, PIN NSET=N, REF NODE=9\n"
                               "*ORIENTATION, NAME=o\n1, 0, 0, 0, 1, 0\n3, 30\n"
                               "*SOLID SECTION, ELSET=E, MATERIAL=steel, ORIENTATION=o\n") +
                              steel);
  expect_whole_or_refused("laminate.bdf", std::string(laminate) +
                                              "CORD2R,6,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\nGRID,9,6,1.,2.,3.\n"
                                              "CBAR,7,5,4,9,0.,1.,0.\nPBARL,5,4,,TUBE\n,3.,2.\nMAT1,4,2.1+5,,.3\n"
                                              "CONM2,2,9,6,2.,1.,0.,3.\n,4.,0.,5.,0.,0.,6.\n"
                                              "RBE3,11,,9,123456,1.,123,1,2\n,3,2.5,123,4\n"
                                              "SPC1,1,123,1\nPARAM,WTMASS,0.001\n");
}

}  // namespace
}  // namespace lithe
