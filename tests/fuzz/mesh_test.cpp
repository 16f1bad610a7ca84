// Mesh files that ask for more than there is: refused with a reason, before memory and time are taken. The libFuzzer
// target is mesh_fuzzer.cc.
#include <gtest/gtest.h>

#include "lithe/base/text.h"
#include "lithe/read/mesh/mesh_file.h"

namespace lithe {
namespace {

std::string refusal(const std::string& text, MeshFormat format, const MeshReadOptions& options = {}) {
  Diagnostics diagnostics;
  const std::optional<Mesh> mesh = read_mesh(text, "fuzz", format, diagnostics, options);
  EXPECT_FALSE(mesh);
  return diagnostics.any() ? diagnostics.errors().front().message : "";
}

const std::string nodes = "*NODE, NSET=A\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n";
const std::string tetrahedron = nodes + "*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2, 3, 4\n";

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(HostileMesh, SetsThatDoubleAreLimited) {
  const auto limited = [](const std::string& text) {
    EXPECT_NE(refusal(text, MeshFormat::abaqus).find("more than 20000000 members"), std::string::npos) << text;
  };
  limited(nodes + "*NSET, NSET=A\n" + repeated("A\n", 60));
  limited(tetrahedron + "*ELSET, ELSET=E\n" + repeated("E\n", 60));
  limited(nodes + "*SURFACE, TYPE=NODE, NAME=A\n" + repeated("A\n", 60));
  limited(tetrahedron + "*NSET, NSET=A\n" + repeated("A\n", 18) + repeated("*RIGID BODY, NSET=A, REF NODE=1\n", 100));
  limited(tetrahedron + "*NSET, NSET=A\n" + repeated("A\n", 18) + "*MPC\n" + repeated("BEAM, A, 1\n", 100));
}

TEST(HostileMesh, GeneratedNumbersAreLimited) {
  const auto generated = [](const std::string& line) {
    return refusal(nodes + "*NSET, NSET=B, GENERATE\n" + line + "\n", MeshFormat::abaqus);
  };
  const std::string largest = "9223372036854775807";
  EXPECT_NE(generated("1, " + largest).find("members"), std::string::npos);
  EXPECT_NE(generated("-" + largest + ", " + largest).find("make no sense"), std::string::npos);
  EXPECT_NE(generated("5, 1").find("make no sense"), std::string::npos);
  EXPECT_NE(generated(repeated("1, 3000000\n", 50)).find("members"), std::string::npos);
  Diagnostics diagnostics;  // no number above the largest is looked for
  const std::string last = tetrahedron + "*NSET, NSET=B, GENERATE\n9223372036854775800, " + largest + ", 5\n";
  EXPECT_TRUE(read_mesh(last, "fuzz", MeshFormat::abaqus, diagnostics));
}

TEST(HostileMesh, FilesThatIncludeTheNextTwiceAreLimited) {
  int asked = 0;
  MeshReadOptions options;
  options.include = [&](const std::string& name, const std::string&, std::string&) {
    ++asked;
    const std::string next = cat("*INCLUDE, INPUT=", name, "x\n"), card = cat("INCLUDE '", name, "x'\n");
    const std::string& line = name[0] == 'a' ? next : card;
    return std::optional(IncludedFile{name, name.size() < 40 ? line + line : ""});
  };
  EXPECT_NE(refusal("*INCLUDE, INPUT=a\n", MeshFormat::abaqus, options).find("more than 1000 files"),
            std::string::npos);
  EXPECT_NE(refusal("INCLUDE 'n'\n", MeshFormat::nastran, options).find("more than 1000 files"), std::string::npos);
  EXPECT_LT(asked, 2100);
}

TEST(HostileMesh, GroupsTimesElementsAreLimited) {
  std::string text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 5000 ";
  for (int group = 1; group <= 5000; ++group) text += cat(group, " ");
  text += "0\n$EndEntities\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n";
  text += "$Elements\n1 5000 1 5000\n3 1 4 5000\n";
  for (int element = 1; element <= 5000; ++element) text += cat(element, " 1 2 3 4\n");
  text += "$EndElements\n";
  EXPECT_NE(refusal(text, MeshFormat::gmsh).find("more than 20000000 members"), std::string::npos);
}

TEST(HostileMesh, GmshNumbersAtTheirEndsAreRefused) {
  const std::string head =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
  EXPECT_NE(refusal(head + "$Elements\n1\n1 4 2 -2147483648 1 1 2 3 4\n$EndElements\n", MeshFormat::gmsh).find("tag"),
            std::string::npos);
  // The same element in two groups is written twice; another one of the same number is an error.
  const std::string element = "1 4 2 7 1 1 2 3 4\n";
  Diagnostics diagnostics;
  EXPECT_TRUE(read_mesh(head + "$Elements\n2\n" + element + "1 4 2 8 1 1 2 3 4\n$EndElements\n", "fuzz",
                        MeshFormat::gmsh, diagnostics));
  for (const std::string other : {"1 4 2 8 1 1 2 4 3\n", "1 2 2 8 1 1 2 3\n"})
    EXPECT_NE(
        refusal(head + "$Elements\n2\n" + element + other + "$EndElements\n", MeshFormat::gmsh).find("defined twice"),
        std::string::npos);
}

TEST(HostileMesh, CoordinatesThatOverflowAreRefused) {
  const std::string frame = "CORD2R,1,,0.,0.,0.,0.,0.,1.\n,1.,1.,0.\nGRID,1,1,1.7+308,-1.7+308,0.\n";
  const std::string rest = "GRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\nCTETRA,1,1,1,2,3,4\n";
  EXPECT_NE(refusal(frame + rest, MeshFormat::nastran).find("node 1: the coordinates are not finite"),
            std::string::npos);
}

}  // namespace
}  // namespace lithe
