// Links of a description that bend: what they weigh is as before, how they bend is as a beam does.
#include <filesystem>

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
}

}  // namespace
}  // namespace lithe
