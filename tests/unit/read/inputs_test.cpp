// Drives, loads, sensors, signals, targets and analyses as read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

const std::string base = R"(
lithe = 1
[materials."a <steel> & 'co'"]
density = 7800
young_modulus = "200 GPa"
shear_modulus = "80 GPa"
[sections.s]
shape = "circle"
radius = 0.01
[[links]]
name = "frame"
nodes = {a = [0, 0, 0], b = [1, 0, 0], c = [0, 1, 0], d = [0, 0, 1]}
material = "a <steel> & 'co'"
section = "s"
elements = 3
[[links.segments]]
from = "a"
to = "b"
[[links.segments]]
from = "a"
to = "c"
elements = 5
theory = "euler-bernoulli"
[[links.segments]]
from = "a"
to = "d"
mass_model = "lumped"
section_z = [0, 3, 1]
[[joints]]
name = "j"
child = "frame"
child_node = "a"
)";

Model with(const std::string& text) { return read_model_text(base + text, "model.toml"); }

Signal torque(const std::string& signal) {
  return with("[[drives]]\njoint = \"j\"\ntorque = " + signal + "\n").drives.at(0).signal;
}

// The documented defaults of files are those of the structs that C++ users fill.
TEST(ReadLinks, DefaultsAreThoseOfTheStruct) {
  std::string bare = base;
  bare.erase(bare.find("elements = 3\n"), std::string("elements = 3\n").size());
  const BeamSegment found = read_model_text(bare, "model.toml").links[0].segments[0], expected;
  EXPECT_EQ(found.num_elements, expected.num_elements);
  EXPECT_EQ(found.theory, expected.theory);
  EXPECT_EQ(found.mass_model, expected.mass_model);
  EXPECT_EQ(found.section_z, expected.section_z);
}

TEST(ReadLinks, SegmentsTakeDefaultsFromTheLink) {
  const Model model = with("");
  const std::vector<BeamSegment>& segments = model.links[0].segments;
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].num_elements, 3);
  EXPECT_EQ(segments[1].num_elements, 5);
  EXPECT_EQ(segments[0].theory, BeamTheory::timoshenko);
  EXPECT_EQ(segments[1].theory, BeamTheory::euler_bernoulli);
  EXPECT_EQ(segments[2].mass_model, MassModel::lumped);
  EXPECT_TRUE(segments[2].section_z.isApprox(Vector3(0, 3, 1).normalized()));
  EXPECT_EQ(model.materials[0].name, "a <steel> & 'co'");
  EXPECT_EQ(model.materials[0].shear_modulus, 80e9);
}

TEST(ReadLinks, NodesKeepTheOrderOfTheFile) {
  const Model model = read_model_text(
      "lithe = 1\n[[links]]\nname = \"r\"\ntype = \"rigid\"\nmass = 1\nnodes = {z = [0, 0, 0], a = [1, 0, 0], m = [2, "
      "0, 0]}\n",
      "m.toml");
  EXPECT_EQ(model.links[0].nodes[0].name, "z");
  EXPECT_EQ(model.links[0].nodes[2].name, "m");
}

TEST(ReadSignals, NumbersAreConstants) {
  EXPECT_EQ(evaluate(torque("2"), 5).value, 2);
  EXPECT_DOUBLE_EQ(evaluate(torque("\"2 N cm\""), 5).value, 0.02);
  EXPECT_DOUBLE_EQ(evaluate(torque("{constant = \"2 N cm\"}"), 5).value, 0.02);
}

TEST(ReadSignals, EveryKindIsRead) {
  EXPECT_EQ(evaluate(torque("{steps = [[0, 1], [\"500 ms\", \"-1 N m\"]]}"), 0.6).value, -1);
  EXPECT_EQ(evaluate(torque("{ramp = {start_time = 1, end_time = 3, end_value = 4}}"), 2).value, 2);
  EXPECT_EQ(evaluate(torque("{move = {end_time = 2, start_value = 1, end_value = 3}}"), 1).value, 2);
  EXPECT_DOUBLE_EQ(evaluate(torque("{sine = {amplitude = 2, frequency = 1, phase = \"90 deg\", offset = 1}}"), 0).value,
                   3);
  EXPECT_NEAR(
      evaluate(torque("{chirp = {amplitude = 2, start_frequency = 1, end_frequency = 3, end_time = 4}}"), 1).value,
      2 * std::sin(2 * std::numbers::pi * 1.25), 1e-14);
  EXPECT_EQ(evaluate(torque("{points = [[0, 0], [1, 4]]}"), 0.25).value, 1);
  EXPECT_EQ(evaluate(torque("{points = [[0, 0], [1, 1], [2, 0]], interpolation = \"smooth\"}"), 0.5).value, 0.6875);
}

class TableFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("lithe_table_file_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Signal read(const std::string& csv, const std::string& keys) {
    std::ofstream(folder_ / "t.csv") << csv;
    std::ofstream(folder_ / "m.toml") << base << "[[drives]]\njoint = \"j\"\ntorque = {table = \"t.csv\"" << keys
                                      << "}\n";
    return read_model(folder_ / "m.toml").drives.at(0).signal;
  }

  std::filesystem::path folder_;
};

TEST_F(TableFile, IsFoundBesideTheModelFile) { EXPECT_EQ(evaluate(read("0, 1\n1, 3\n", ""), 0.5).value, 2); }

TEST_F(TableFile, ColumnsAreChosenByNameOrNumber) {
  const std::string csv = "# measured\ntime; position; torque\n\n0; 7; 1\r\n1; 7; 3\r\n";
  EXPECT_EQ(evaluate(read(csv, ", column = \"torque\""), 0.5).value, 2);
  EXPECT_EQ(evaluate(read(csv, ", column = 2"), 0.5).value, 7);
  EXPECT_DOUBLE_EQ(evaluate(read(csv, ", column = 3, unit = \"N mm\""), 0).value, 1e-3);
  EXPECT_EQ(evaluate(read("3, 0\n5, 1\n", ", column = 1, time_column = 2"), 0.5).value, 4);
}

TEST_F(TableFile, UnequalLinesAreRefused) { EXPECT_THROW(read("0, 1\n1\n", ""), InputError); }

TEST(ReadDrives, MotionSetsTheInitialValue) {
  const Model model = with(
      "[[drives]]\njoint = \"j\"\nmotion = {move = {end_time = 1, start_value = \"90 deg\", "
      "end_value = 0}}\n");
  EXPECT_TRUE(model.drives[0].prescribes_motion);
  EXPECT_DOUBLE_EQ(model.joints[0].initial_value[0], std::numbers::pi / 2);
  EXPECT_TRUE(model.joints[0].initial_value_given[0]);
  EXPECT_EQ(model.drives[0].name, "j");
}

TEST(ReadLoads, VectorIsDirectionTimesSize) {
  const Load load = with("[[loads]]\nlink = \"frame\"\nnode = \"b\"\nforce = [\"3 kN\", 0, 4000]\n").loads[0];
  EXPECT_TRUE((load.direction * evaluate(load.signal, 0).value).isApprox(Vector3(3000, 0, 4000), 1e-15));
  EXPECT_NEAR(load.direction.norm(), 1, 1e-15);
  EXPECT_FALSE(load.torque);
}

TEST(ReadLoads, FollowerTorqueHasASignal) {
  const Load load = with(
                        "[[loads]]\nlink = \"frame\"\nnode = \"b\"\ndirection = [0, 0, 2]\nfollower = true\n"
                        "torque = {ramp = {end_time = 1, end_value = 5}}\n")
                        .loads[0];
  EXPECT_TRUE(load.torque && load.follows_link);
  EXPECT_EQ(load.direction, Vector3::UnitZ());
  EXPECT_EQ(evaluate(load.signal, 1).value, 5);
}

TEST(ReadSensors, ReferToNodesAndJoints) {
  const Model model = with(R"(
[[sensors]]
name = "p"
quantity = "position"
link = "frame"
node = "c"
component = "y"
[[sensors]]
name = "r"
quantity = "reaction_torque"
joint = "j"
)");
  EXPECT_EQ(model.sensors[0].quantity, Quantity::position);
  EXPECT_EQ(model.sensors[0].node, 2);
  EXPECT_EQ(model.sensors[0].component, 1);
  EXPECT_EQ(model.sensors[1].quantity, Quantity::reaction_torque);
  EXPECT_EQ(model.sensors[1].joint, 0);
}

// The choices of the file are in the order of the enumeration: every one must arrive as itself.
TEST(ReadSensors, LastQuantityOfTheListIsTheLastOfTheEnumeration) {
  const Model model = with(
      "[[sensors]]\nname = \"m\"\nquantity = \"section_moment\"\nlink = \"frame\"\nnode = \"a\"\n"
      "[[sensors]]\nname = \"e\"\nquantity = \"total_energy\"\n");
  EXPECT_EQ(model.sensors[0].quantity, Quantity::section_moment);
  EXPECT_EQ(model.sensors[1].quantity, Quantity::total_energy);
}

TEST(ReadInitialConfiguration, TargetsHavePositionAndOrientation) {
  const Model model = with(R"(
[initial]
static_equilibrium = true
[[initial.targets]]
link = "frame"
node = "b"
position = [0, "10 cm", 1]
orientation = {axis = [0, 0, 1], angle = "90 deg"}
)");
  EXPECT_TRUE(model.initial_configuration.static_equilibrium);
  const PoseTarget& target = model.initial_configuration.targets.at(0);
  EXPECT_EQ(target.node, 1);
  EXPECT_EQ(target.position, Vector3(0, 0.1, 1));
  EXPECT_TRUE(target.orientation->col(0).isApprox(Vector3::UnitY()));
}

TEST(ReadAnalyses, SettingsHaveTheirDefaults) {
  const Model model = with("[[analyses]]\nkind = \"simulate\"\nend_time = \"2 min\"\nformulation = \"erls-fem\"\n");
  const AnalysisRequest& request = model.analyses.at(0);
  EXPECT_EQ(request.kind, AnalysisKind::simulate);
  EXPECT_EQ(request.number("end_time"), 120);
  EXPECT_EQ(request.number("output_step"), 0.001);
  EXPECT_EQ(request.text("formulation"), "erls_fem");
  EXPECT_EQ(request.text("gauge"), "encoder");
  EXPECT_FALSE(request.number("step"));
  EXPECT_FALSE(request.text("end_time"));  // of another type
}

TEST(ReadModel, MissingFileIsExplained) {
  try {
    read_model("no_such_model.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no_such_model.toml: error: the file does not exist");
  }
}

TEST(ReadModel, FolderIsNotAFile) { EXPECT_THROW(read_model(std::filesystem::temp_directory_path()), InputError); }

}  // namespace
}  // namespace lithe
