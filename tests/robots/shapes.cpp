// How links look: triangles of mesh files, and which shapes of a description a page draws.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>

#include "lithe/base/text.h"
#include "lithe/read/surface/surface.h"
#include "lithe/read/urdf/drawn_shapes.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

// A box from 0 to (1, 2, 3), seen from outside counterclockwise.
const float box_corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0},
                                 {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}};
const int box_faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

std::vector<std::array<int, 3>> box_triangles() {
  std::vector<std::array<int, 3>> triangles;
  for (const auto& face : box_faces) {
    triangles.push_back({face[0], face[1], face[2]});
    triangles.push_back({face[0], face[2], face[3]});
  }
  return triangles;
}

std::string ascii_stl() {
  std::string text = "solid box\n";
  for (const auto& triangle : box_triangles()) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int corner : triangle)
      text += cat("vertex ", box_corners[corner][0], " ", box_corners[corner][1], " ", box_corners[corner][2], "\n");
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid box\n";
}

std::string binary_stl() {
  std::string text(80, ' ');
  text.replace(0, 5, "solid");  // some programs begin binary files like this
  const auto word = [&](std::uint32_t value) {
    for (int k = 0; k < 4; ++k) text += static_cast<char>(value >> (8 * k) & 255);
  };
  word(12);
  for (const auto& triangle : box_triangles()) {
    for (int k = 0; k < 3; ++k) word(0);
    for (const int corner : triangle)
      for (const float value : box_corners[corner]) word(std::bit_cast<std::uint32_t>(value));
    text += std::string(2, '\0');
  }
  return text;
}

std::string obj() {
  std::string text = "# a box\no box\n";
  for (const auto& corner : box_corners) text += cat("v ", corner[0], " ", corner[1], " ", corner[2], "\n");
  text += "vn 0 0 1\n";
  for (const auto& face : box_faces) {
    text += "f";
    for (const int corner : face) text += cat(" ", corner + 1, "//1");
    text += "\n";
  }
  return text;
}

// In millimetres, turned by 90 degrees about z and moved by its scene.
std::string collada() {
  std::string corners, indices;
  for (const auto& corner : box_corners)
    corners += cat(1000 * corner[0], " ", 1000 * corner[1], " ", 1000 * corner[2], " ");
  for (const auto& face : box_faces)
    for (const int corner : face) indices += cat(corner, " 0 ");
  return cat(
      "<COLLADA><asset><unit meter=\"0.001\"/></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\">",
      "<float_array id=\"a\" count=\"24\">", corners, "</float_array></source><vertices id=\"v\"><input ",
      "semantic=\"POSITION\" source=\"#p\"/></vertices><polylist count=\"6\"><input semantic=\"VERTEX\" source=\"#v\" ",
      "offset=\"0\"/><input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/><vcount>4 4 4 4 4 4</vcount><p>", indices,
      "</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene><node>",
      "<translate>5000 0 0</translate><rotate>0 0 1 90</rotate><instance_geometry url=\"#g\"/></node></visual_scene>",
      "</library_visual_scenes></COLLADA>");
}

// By Gauss: a sixth of the sum of a . (b x c).
double volume_of(const TriangleMesh& mesh) {
  const auto corner = [&](std::size_t k) {
    const auto c = 3 * static_cast<std::size_t>(mesh.triangles[k]);
    return Vector3(mesh.corners[c], mesh.corners[c + 1], mesh.corners[c + 2]);
  };
  double six = 0;
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3)
    six += corner(t).dot(corner(t + 1).cross(corner(t + 2)));
  return six / 6;
}

TEST(Surface, AllFormatsHoldTheSameBox) {
  const std::pair<const char*, std::string> files[] = {
      {"a.stl", ascii_stl()}, {"b.STL", binary_stl()}, {"c.obj", obj()}, {"d.dae", collada()}};
  for (const auto& [name, text] : files) {
    std::string problem;
    const auto mesh = read_surface(text, name, problem);
    ASSERT_TRUE(mesh) << name << ": " << problem;
    EXPECT_EQ(mesh->triangles.size(), 36u) << name;
    EXPECT_NEAR(volume_of(*mesh), 6, 1e-5) << name;
  }
  std::string problem;
  const auto placed = read_surface(collada(), "d.dae", problem);
  float left = 1e9F, right = -1e9F;
  for (std::size_t i = 0; i < placed->corners.size(); i += 3) {
    left = std::min(left, placed->corners[i]);
    right = std::max(right, placed->corners[i]);
  }
  EXPECT_NEAR(left, 3, 1e-5);  // x is -y + 5 m
  EXPECT_NEAR(right, 5, 1e-5);
}

TEST(Surface, CornersThatCoincideBecomeOneAndFineMeshesCoarse) {
  std::string problem;
  const TriangleMesh box = simplified(*read_surface(ascii_stl(), "a.stl", problem), 2000);
  EXPECT_EQ(box.corners.size(), 24u);
  EXPECT_EQ(box.triangles.size(), 36u);
  EXPECT_NEAR(volume_of(box), 6, 1e-6);
  std::string sphere;  // by longitude and latitude
  constexpr int n = 200;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < 2 * n; ++k)
      sphere += cat("v ", std::sin(M_PI * i / n) * std::cos(M_PI * k / n), " ",
                    std::sin(M_PI * i / n) * std::sin(M_PI * k / n), " ", std::cos(M_PI * i / n), "\n");
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 2 * n; ++k) {
      const int a = 2 * n * i + k + 1, b = 2 * n * i + (k + 1) % (2 * n) + 1;
      sphere += cat("f ", a, " ", a + 2 * n, " ", b + 2 * n, " ", b, "\n");
    }
  const auto fine = read_surface(sphere, "s.obj", problem);
  ASSERT_TRUE(fine) << problem;
  const TriangleMesh coarse = simplified(*fine, 2000);
  EXPECT_LE(coarse.corners.size(), 6000u);
  EXPECT_GE(coarse.corners.size(), 1500u);
  EXPECT_NEAR(volume_of(coarse) / (4 * M_PI / 3), 1, 0.05);  // cells of a few hundredths
}

TEST(Surface, WhatIsNoMeshIsRefusedWithAReason) {
  const auto why = [](const std::string& name, const std::string& text) {
    std::string problem;
    EXPECT_FALSE(read_surface(text, name, problem)) << name;
    return problem;
  };
  EXPECT_EQ(why("a.stl", "nothing"), "this is no STL file");
  EXPECT_EQ(why("a.stl", "solid a\nvertex 1 2\n"), "a vertex needs three numbers");
  EXPECT_EQ(why("a.stl", "solid a\nvertex 1 2 3\n"), "it holds no whole triangles");
  EXPECT_EQ(why("a.obj", "v 0 0 0\nf 1 2 3\n"), "a face names a vertex that does not exist");
  EXPECT_EQ(why("a.obj", "v 0 0 1e30\nv 0 0 0\nv 1 0 0\nf 1 2 3\n"), "a corner lies too far away");
  EXPECT_EQ(why("a.dae", "<COLLADA/>"), "it holds no triangles");
  EXPECT_EQ(why("a.dae", "<!DOCTYPE a [<!ENTITY b \"c\">]><COLLADA/>"), "document types and entities are not read");
  EXPECT_EQ(why("a.step", "ISO-10303-21;"),
            "files of the kind '.step' are not read; known are .stl, .obj, .dae and .msh (of MuJoCo)");
}

TEST(Surface, SurvivesDamage) {
  std::mt19937 random(3);
  const std::pair<const char*, std::string> files[] = {
      {"a.stl", ascii_stl()}, {"b.stl", binary_stl()}, {"c.obj", obj()}, {"d.dae", collada()}};
  for (const auto& [name, whole] : files)
    for (int i = 0; i < 300; ++i) {
      std::string text = whole;
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = random() % text.size();
        switch (random() % 3) {
          case 0:
            text.erase(at, random() % 60);
            break;
          case 1:
            text[at] = static_cast<char>(random() % 256);
            break;
          default:
            text.insert(at, k == 0 ? "99999999999" : k == 1 ? "-1 " : "<node/>");
        }
        if (text.empty()) text = " ";
      }
      std::string problem;
      if (const auto mesh = read_surface(text, name, problem)) {
        const TriangleMesh coarse = simplified(*mesh, 100);
        for (const int corner : coarse.triangles)
          ASSERT_LT(3 * static_cast<std::size_t>(corner), coarse.corners.size());
      }
    }
}

class Drawn : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();  // tests run side by side
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("lithe_shapes_") + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "models" / "meshes");
    std::filesystem::create_directories(folder_ / "elsewhere");
    write("models/meshes/box.stl", binary_stl());
    write("elsewhere/box.stl", ascii_stl());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // A link on a joint, with these shapes.
  static std::string robot(const std::string& shapes) {
    return cat(
        "<robot name=\"r\"><material name=\"red\"><color rgba=\"1 0.2 0.1 0.5\"/></material><link name=\"base\"/>",
        "<link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>", shapes,
        "</link><joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>",
        "</joint></robot>");
  }
  static std::string shape(const std::string& geometry, const char* element = "visual") {
    return cat("<", element, "><origin xyz=\"0.1 0 0\"/><geometry>", geometry, "</geometry><material name=\"red\"/></",
               element, ">");
  }
  DrawnShapes of(const std::string& shapes, const std::string& more = "", bool outside = false) const {
    write("models/robot.urdf", robot(shapes));
    write("models/robot.toml", "lithe = 1\n[robot]\nfile = \"robot.urdf\"\n" + more);
    return drawn_shapes(folder_ / "models" / "robot.toml", {.outside_files = outside});
  }
  std::filesystem::path folder_;
};

TEST_F(Drawn, ShapesHaveTheirPlaceAndColour) {
  const DrawnShapes found =
      of(shape("<box size=\"1 2 3\"/>") + shape("<mesh filename=\"meshes/box.stl\" scale=\"2 2 2\"/>"));
  ASSERT_EQ(found.shapes.size(), 2u);
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(found.shapes[0].link, "arm");
  EXPECT_EQ(found.shapes[0].shape.size, Vector3(1, 2, 3));
  EXPECT_EQ(found.shapes[0].shape.pose.position, Vector3(0.1, 0, 0));
  EXPECT_EQ(found.shapes[0].shape.colour->at(1), 0.2);
  ASSERT_TRUE(found.shapes[1].mesh);
  EXPECT_EQ(found.shapes[1].mesh->triangles.size(), 36u);
  EXPECT_EQ(found.shapes[1].shape.size, Vector3(2, 2, 2));
}

TEST_F(Drawn, ContactShapesStandInWhereNothingElseIsSeen) {
  const std::string contact = shape("<sphere radius=\"0.1\"/>", "collision");
  EXPECT_EQ(of(contact + shape("<box size=\"1 1 1\"/>")).shapes.size(), 1u);
  EXPECT_EQ(of(contact + shape("<box size=\"1 1 1\"/>")).shapes[0].shape.kind, ShapeKind::box);
  const DrawnShapes found = of(contact + shape("<mesh filename=\"none.stl\"/>"));
  ASSERT_EQ(found.shapes.size(), 1u);
  EXPECT_EQ(found.shapes[0].shape.kind, ShapeKind::sphere);
}

TEST_F(Drawn, MissingMeshesAndThoseOutsideAreNotes) {
  const auto note = [&](const std::string& name, bool outside = false) {
    const DrawnShapes found = of(shape(cat("<mesh filename=\"", name, "\"/>")), "", outside);
    return found.notes.empty() ? "" : found.notes[0];
  };
  EXPECT_NE(note("none.stl").find("the mesh 'none.stl' is not drawn: cannot read the file 'none.stl'"),
            std::string::npos);
  EXPECT_NE(note("none.stl").find("does not exist"), std::string::npos);
  EXPECT_NE(note("../elsewhere/box.stl").find("lies outside the model's folder"), std::string::npos);
  EXPECT_EQ(note("../elsewhere/box.stl", true), "");
  EXPECT_EQ(note("package://my_robot/meshes/box.stl"), "");  // the folder is the package
  EXPECT_EQ(note("package://meshes/box.stl"), "");           // the package lies in the folder
  EXPECT_NE(note("package://elsewhere/box.stl").find("is not drawn"), std::string::npos);
  EXPECT_EQ(note("package://elsewhere/box.stl", true), "");  // above it
  EXPECT_NE(note("").find("is not drawn"), std::string::npos);
}

TEST_F(Drawn, AMeshOf500MegabytesIsNotRead) {
  write("models/meshes/huge.stl", "solid");
  std::filesystem::resize_file(folder_ / "models" / "meshes" / "huge.stl", std::uintmax_t{500} << 20);
  const DrawnShapes found = of(shape("<mesh filename=\"meshes/huge.stl\"/>"));
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("the file has 500 MB; at most 64 MB are read"), std::string::npos);
}

TEST_F(Drawn, LinksThatBendShowTheirSections) {
  const std::string flexible =
      "[links.arm]\nnodes = {tip = [0.3, 0, 0]}\nflexible = {beam = \"tube 60x2 carbon\", from = \"j\", to = "
      "\"tip\"}\n";
  EXPECT_TRUE(of(shape("<box size=\"1 1 1\"/>"), flexible).shapes.empty());
}

TEST_F(Drawn, AnImportedModelFileKeepsTheShapes) {
  const std::string shapes = shape("<box size=\"1 2 3\"/>") + shape("<cylinder radius=\"0.1\" length=\"0.4\"/>") +
                             shape("<mesh filename=\"meshes/box.stl\"/>") + shape("<sphere radius=\"0\"/>");
  const RobotDescription description = read_description(robot(shapes), "robot.urdf", {});
  write("models/imported.toml", model_file_of(description, false));
  write("other.toml", model_file_of(description, false, "models/"));
  for (const char* name : {"models/imported.toml", "other.toml"}) {
    EXPECT_NO_THROW(read_model(folder_ / name));
    const DrawnShapes found = drawn_shapes(folder_ / name, {});
    ASSERT_EQ(found.shapes.size(), 3u) << name;
    EXPECT_TRUE(found.notes.empty()) << found.notes[0];
    EXPECT_EQ(found.shapes[1].shape.size, Vector3(0.1, 0.4, 0));
    EXPECT_EQ(found.shapes[1].shape.pose.position, Vector3(0.1, 0, 0));
    EXPECT_EQ(found.shapes[0].shape.colour->at(3), 0.5);
    EXPECT_TRUE(found.shapes[2].mesh);
  }
}

TEST_F(Drawn, MeshesOfMjcfAreItsAssets) {
  write("models/robot.xml",
        "<mujoco><compiler meshdir=\"meshes\"/><asset><mesh file=\"box.stl\" scale=\"2 1 1\"/><material name=\"m\" "
        "rgba=\"0 1 0 1\"/></asset><worldbody><body name=\"b\"><joint name=\"j\"/><geom type=\"mesh\" mesh=\"box\" "
        "mass=\"1\" material=\"m\"/><geom size=\"0.1\" group=\"3\"/></body></worldbody></mujoco>");
  write("models/m.toml", "lithe = 1\n[robot]\nfile = \"robot.xml\"\nprefix = \"left_\"\n");
  const DrawnShapes found = drawn_shapes(folder_ / "models" / "m.toml", {});
  ASSERT_EQ(found.shapes.size(), 1u);
  EXPECT_EQ(found.shapes[0].link, "left_b");
  EXPECT_TRUE(found.shapes[0].mesh);
  EXPECT_EQ(found.shapes[0].shape.size, Vector3(2, 1, 1));
  EXPECT_EQ(found.shapes[0].shape.colour->at(1), 1);
}

}  // namespace
}  // namespace lithe
