// Links of a description that bend: what they weigh is as before, how they bend is as a beam does.
#include <filesystem>
#include <fstream>

#include "lithe/analyse/analyses.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/flexible_link.h"
#include "lithe/reduce/invariants.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

Model arm_with(const std::string& more) {
  return read_model_text(cat("lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = \"arm.urdf\"\n", more),
                         LITHE_TESTS_DIR "/robots/model.toml");
}

const Link& link_named(const Model& model, const std::string& name) {
  for (const Link& link : model.links)
    if (link.name == name) return link;
  ADD_FAILURE() << "no link " << name;
  return model.links.front();
}

MassMoments moments_in(const Model& model, const Link& link) {
  if (link.rigid) return moments_of(link.rigid_inertia);
  const InertiaInvariants sums = rigid_invariants(assemble(model, link).mass_points);
  return {sums.mass, sums.first_moment, sums.second_moment};
}

const char* forearm =
    "[links.forearm]\nflexible = {beam = \"tube 60x2 carbon\", from = \"elbow\", to = \"wrist_tilt\"}\n";

TEST(FlexibleLink, HasTheMassCentreAndInertiaOfTheDescription) {
  const Model rigid = arm_with("");
  const MassMoments expected = moments_of(link_named(rigid, "forearm").rigid_inertia);
  for (const char* beam : {"tube 60x2 carbon", "rod 20 aluminium", "bar 60x4 aluminium"}) {
    const Model model =
        arm_with(cat("[links.forearm]\nflexible = {beam = \"", beam, "\", from = \"elbow\", to = \"wrist_tilt\"}\n"));
    MassMoments found;
    for (const char* part : {"forearm", "forearm root", "forearm tip"}) {
      const MassMoments own = moments_in(model, link_named(model, part));
      EXPECT_GT(own.mass, 0);
      found = {found.mass + own.mass, found.first + own.first, found.second + own.second};
    }
    EXPECT_NEAR(found.mass, expected.mass, 1e-12);
    EXPECT_LT((found.first - expected.first).norm(), 1e-12);
    EXPECT_LT((found.second - expected.second).norm(), 1e-12) << beam;
  }
}

TEST(FlexibleLink, EndBodiesAreBodies) {
  const MassMoments whole = moments_of({3, {0.1, 0.05, -0.02}, Vector3(0.02, 0.03, 0.015).asDiagonal()});
  const std::optional<EndBodies> ends = split_between_ends(whole, Vector3(1, 2, -1).normalized());
  ASSERT_TRUE(ends);
  for (const RigidInertia* body : {&ends->first, &ends->last}) {
    EXPECT_DOUBLE_EQ(body->mass, 1.5);
    const MassMoments own = moments_of(*body);
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix3>(own.second - own.first * own.first.transpose() / own.mass)
                  .eigenvalues()[0],
              -1e-15);
  }
  const MassMoments first = moments_of(ends->first), last = moments_of(ends->last);
  EXPECT_LT((first.second + last.second - whole.second).norm(), 1e-15);
  EXPECT_LT((first.first + last.first - whole.first).norm(), 1e-15);
}

// The more rigid the tube, the more the robot accelerates as the description does.
TEST(FlexibleLink, AcceleratesAsTheRigidOneWhereNothingBends) {
  Formulated rigid(arm_with(""));
  rigid.evaluate();
  Formulated held(arm_with(cat(forearm, "[links.forearm.reduction]\nmethod = \"guyan\"\n")));
  held.evaluate();
  // At the first instant nothing has bent: the total angular momentum about the pan axis changes by the same weight,
  // so that with locked elastic coordinates the mass matrix is that of the description.
  LinearBlocks a, b;
  ASSERT_EQ(rigid.equations->linearise(rigid.state, rigid.inputs, *rigid.workspace, a), EvaluationStatus::ok);
  ASSERT_EQ(held.equations->linearise(held.state, held.inputs, *held.workspace, b), EvaluationStatus::ok);
  ASSERT_EQ(a.mass.rows(), 6);
  EXPECT_LT((b.mass.topLeftCorner(6, 6) - a.mass).norm(), 1e-10 * a.mass.norm());
  EXPECT_GT(b.mass.rows(), 6);
}

const Material& material_of(const Model& model, const Link& link) {
  return model.materials[static_cast<std::size_t>(link.segments[0].material)];
}

// Displacement of the beam's end under a unit force or moment there, its start clamped.
VectorX displacement_of_end(const Model& model, const Link& beam, int component) {
  const FiniteElementBody body = assemble(model, beam);
  const Eigen::Index free = body.num_dofs() - 6;
  const MatrixX K = MatrixX(body.stiffness).bottomRightCorner(free, free);
  return K.llt().solve(VectorX(VectorX::Unit(free, component))).head(6);
}

TEST(MeasuredLink, BendsByItsStiffnessAndKeepsItsMass) {
  const MassMoments expected = moments_of(link_named(arm_with(""), "forearm").rigid_inertia);
  for (const char* more : {"", ", torsional_stiffness = 900"}) {
    const Model model = arm_with(cat(
        "[links.forearm]\nflexible = {stiffness = \"80 N/mm\", from = \"elbow\", to = \"wrist_tilt\"", more, "}\n"));
    const Link& beam = link_named(model, "forearm");
    for (const int across : {1, 2})  // the beam lies along x
      EXPECT_NEAR(displacement_of_end(model, beam, across)[across], 1 / 80e3, 1e-9 / 80e3);
    const double twist = displacement_of_end(model, beam, 3)[3];
    if (*more)
      EXPECT_NEAR(twist, 1 / 900.0, 1e-9);
    else
      EXPECT_NEAR(twist * 80e3 * std::pow(0.3922, 2) / 3, 1.3, 1e-6);  // GJ = EI / 1.3
    MassMoments found;
    for (const char* part : {"forearm", "forearm root", "forearm tip"}) {
      const MassMoments own = moments_in(model, link_named(model, part));
      found = {found.mass + own.mass, found.first + own.first, found.second + own.second};
    }
    EXPECT_NEAR(found.mass, expected.mass, 1e-12);
    EXPECT_LT((found.first - expected.first).norm(), 1e-12);
    EXPECT_LT((found.second - expected.second).norm(), 1e-12);
  }
}

MatrixX random_stiffness() {
  MatrixX half(6, 6);
  for (int i = 0; i < 36; ++i) half(i / 6, i % 6) = std::sin(1.0 + 3 * i);
  const VectorX size = (VectorX(6) << 3e3, 500, 700, 40, 60, 90).finished();
  return size.asDiagonal() * (half * half.transpose() + 0.5 * MatrixX::Identity(6, 6)) * size.asDiagonal();
}

std::string rows_of(const MatrixX& matrix) {
  std::string text = "[";
  for (int i = 0; i < 6; ++i) {
    text += i > 0 ? ", [" : "[";
    for (int j = 0; j < 6; ++j) text += cat(j > 0 ? ", " : "", matrix(i, j));
    text += "]";
  }
  return text + "]";
}

std::string forearm_of(const MatrixX& stiffness) {
  return cat("[links.forearm]\nflexible = {stiffness_matrix = ", rows_of(stiffness),
             ", from = \"elbow\", to = \"wrist_tilt\"}\n");
}

TEST(MeasuredLink, BendsAsItsStiffnessMatrixSaysAndKeepsItsMass) {
  const MatrixX stiffness = random_stiffness(), compliance = stiffness.inverse();
  const Model rigid = arm_with(""), model = arm_with(forearm_of(stiffness));
  const Link& part = link_named(model, "forearm");
  for (int k = 0; k < 6; ++k)
    EXPECT_LT((displacement_of_end(model, part, k) - compliance.col(k)).norm(), 1e-7 * compliance.col(k).norm());
  const MassMoments expected = moments_of(link_named(rigid, "forearm").rigid_inertia);
  MassMoments found;
  for (const char* name : {"forearm", "forearm root", "forearm tip"}) {
    const MassMoments own = moments_in(model, link_named(model, name));
    found = {found.mass + own.mass, found.first + own.first, found.second + own.second};
  }
  EXPECT_NEAR(found.mass, expected.mass, 1e-12);
  EXPECT_LT((found.first - expected.first).norm(), 1e-12);
  EXPECT_LT((found.second - expected.second).norm(), 1e-12);
  // A free body: rigid motion takes no force, and the mass matrix is that of the mass points.
  const FiniteElementBody body = assemble(model, part);
  const Vector3 arm = body.node_positions[1] - body.node_positions[0];
  for (int k = 0; k < 6; ++k) {
    VectorX motion = VectorX::Zero(12);
    motion[k] = motion[6 + k] = 1;
    if (k >= 3) motion.segment<3>(6) = Vector3::Unit(k - 3).cross(arm);
    EXPECT_LT((body.stiffness * motion).cwiseAbs().maxCoeff(), 1e-9 * stiffness.cwiseAbs().maxCoeff());
  }
  Formulated a(rigid), b(model);
  LinearBlocks of_rigid, of_flexible;
  ASSERT_EQ(a.equations->linearise(a.state, a.inputs, *a.workspace, of_rigid), EvaluationStatus::ok);
  ASSERT_EQ(b.equations->linearise(b.state, b.inputs, *b.workspace, of_flexible), EvaluationStatus::ok);
  const Eigen::Index n = of_rigid.mass.rows();
  EXPECT_EQ(of_flexible.mass.rows(), n + 6);
  EXPECT_LT((of_flexible.mass.topLeftCorner(n, n) - of_rigid.mass).norm(), 1e-10 * of_rigid.mass.norm());
}

TEST(MeasuredLink, SaysWhatIsWrongWithAStiffnessMatrix) {
  const auto error_of = [](const MatrixX& stiffness) {
    try {
      arm_with(forearm_of(stiffness));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  MatrixX bad = random_stiffness();
  bad(0, 1) += 2 * std::sqrt(bad(0, 0) * bad(1, 1));
  EXPECT_NE(error_of(bad).find("must be symmetric: entries (2, 1) and (1, 2) are"), std::string::npos) << error_of(bad);
  bad(1, 0) = bad(0, 1);
  EXPECT_NE(error_of(bad).find("must be positive definite"), std::string::npos) << error_of(bad);
  bad(2, 2) = -5;
  EXPECT_NE(error_of(bad).find("entry (3, 3) must be positive, got -5"), std::string::npos) << error_of(bad);
}

// The link alone, its start fixed to the ground.
double first_frequency_of(const Model& model, double tip_mass) {
  Model alone = model;
  alone.links = {link_named(model, "forearm"), link_named(model, "forearm tip")};
  alone.joints.clear();
  alone.links[0].lumped_masses.push_back({1, tip_mass, Matrix3::Zero()});
  Joint clamp, end;
  clamp.name = "clamp";
  clamp.set_type(JointType::fixed);
  clamp.child = clamp.child_node = 0;
  clamp.child_frame.position = alone.links[0].nodes[0].position;
  end.name = "end";
  end.set_type(JointType::fixed);
  end.parent = end.parent_node = 0;
  end.parent_node = 1;
  end.child = 1;
  end.child_node = 0;
  end.parent_frame.position = end.child_frame.position = alone.links[0].nodes[1].position;
  alone.joints = {clamp, end};
  alone.links[0].reduction = {};
  return natural_modes(alone, {}).mechanism->frequencies[0];
}

TEST(MeasuredLink, HasItsFirstFrequency) {
  for (const double tip_mass : {0.0, 1.5}) {
    const Model model = arm_with(cat("[links.forearm]\nflexible = {first_frequency = \"31 Hz\", tip_mass = ", tip_mass,
                                     ", from = \"elbow\", to = \"wrist_tilt\"}\n"));
    EXPECT_NEAR(first_frequency_of(model, tip_mass), 31, 1e-5);
    EXPECT_TRUE(tip_mass == 0 || first_frequency_of(model, 0) > 40);
    EXPECT_GT(material_of(model, link_named(model, "forearm")).young_modulus, 0);
  }
}

// A block of 40 x 10 x 8 mm between two joints.
TEST(MeasuredLink, MayBeAMeshOfItsPlace) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "lithe_flexible_link";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  std::filesystem::copy_file(LITHE_TESTS_DIR "/unit/read/meshes/block_41.msh", folder / "block.msh",
                             std::filesystem::copy_options::overwrite_existing);
  const std::string body =
      "<inertial><mass value='1'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial>";
  const auto robot = [&](const char* end) {
    return cat("<robot name='r'><link name='base'>", body, "</link><link name='block'>", body,
               "</link><link name='hand'>", body,
               "</link><joint name='a' type='continuous'><parent link='base'/><child link='block'/></joint>"
               "<joint name='b' type='continuous'><parent link='block'/><child link='hand'/><origin xyz='",
               end, "'/></joint></robot>");
  };
  const auto read = [&](const std::string& interfaces) {
    return read_model_text(
        cat("lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = \"robot.urdf\"\n[materials.steel]\ndensity = 7850\n"
            "young_modulus = 210e9\npoisson_ratio = 0.3\n[links.block]\nflexible = {file = \"block.msh\", units = "
            "\"mm t s\", material = \"steel\", interfaces = [",
            interfaces, "]}\n"),
        (folder / "model.toml").string());
  };
  const std::string both =
      "{name = \"a\", group = \"left\", position = [0, 0, 0]}, "
      "{name = \"b\", group = \"right\", position = [0.04, 0.005, 0.004]}";
  write("robot.urdf", robot("0.04 0.005 0.004"));
  const Model model = read(both);
  ASSERT_EQ(model.links.size(), 3u);
  EXPECT_NEAR(assemble(model, link_named(model, "block")).node_mass.sum(), 7850 * 0.04 * 0.01 * 0.008, 1e-9);
  Formulated system(model);
  system.evaluate();
  EXPECT_GT(system.accelerations.values.size(), 2);
  const auto error_of = [&](const std::string& interfaces) {
    try {
      read(interfaces);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error_of("{name = \"a\", group = \"left\"}").find("it has no node 'b', at which the link has a joint"),
            std::string::npos);
  write("robot.urdf", robot("0.05 0.005 0.004"));
  EXPECT_NE(error_of(both).find("its node 'b' is 10 mm away from the joint of this name"), std::string::npos)
      << error_of(both);
}

TEST(FlexibleLink, ErrorsSayWhatDoesNotFit) {
  const auto error_of = [](const std::string& more) {
    try {
      arm_with(more);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(
      error_of("[links.forearm]\nflexible = {beam = \"tube 60x20 steel\", from = \"elbow\", to = \"wrist_tilt\"}\n")
          .find("the beam has 7.7"),
      std::string::npos);
  EXPECT_NE(error_of("[links.forearm]\nflexible = {beam = \"tube 60x20\", from = \"elbow\", to = \"wrist_tilt\"}\n")
                .find("beam must be like \"tube 60x3 carbon\""),
            std::string::npos);
  EXPECT_NE(error_of("[links.forearm]\nflexible = {beam = \"rod 5 steel\", from = \"elbow\", to = \"wrist_tlt\"}\n")
                .find("did you mean"),
            std::string::npos);
  const auto measured = [&](const char* keys) {
    return error_of(cat("[links.forearm]\nflexible = {from = \"elbow\", to = \"wrist_tilt\", ", keys, "}\n"));
  };
  EXPECT_NE(measured("stiffness = 1e5, stiffness_matrix = [[1]]").find("give stiffness_matrix or stiffness, not both"),
            std::string::npos);
  EXPECT_NE(measured("stiffness_matrix = [[1]]").find("must be six rows of six numbers, got"), std::string::npos);
  EXPECT_NE(measured("stiffness = 1e5, first_frequency = 20").find("give stiffness or first_frequency, not both"),
            std::string::npos);
  EXPECT_NE(measured("stiffness = 1e5, tip_mass = 1").find("'tip_mass' is what was on the link when"),
            std::string::npos);
  EXPECT_NE(measured("first_frequency = 20, section = \"s\"").find("'section' is that of a beam"), std::string::npos);
  EXPECT_NE(measured("beam = \"rod 20 steel\", interfaces = []").find("'interfaces' is that of a 'file'"),
            std::string::npos);
}

}  // namespace
}  // namespace lithe
