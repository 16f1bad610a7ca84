// Laws of time, ways of the tool and motions made of pieces, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/model/motion_pieces.h"
#include "lithe/plan/time_law.h"
#include "lithe/plan/tool_path.h"

namespace lithe {
namespace {

MoveWaypoint to(const Vector3& position, double blend = 0) {
  MoveWaypoint waypoint;
  waypoint.position = position;
  waypoint.blend = blend;
  return waypoint;
}

TEST(MotionPieces, AreTheMoveOfDegreeFiveExactly) {
  const SignalSmoothMove move{0.5, 2, -1, 3};
  MotionPieces pieces(0, -1);
  pieces.hold_until(0.5);
  pieces.add({-1, 0, 0}, 2, {3, 0, 0});
  const Signal made = pieces.table(), wanted = move;
  for (double t = 0; t < 2.5; t += 0.01) {
    const SignalValue a = evaluate(made, t), b = evaluate(wanted, t);
    EXPECT_NEAR(a.value, b.value, 1e-14);
    EXPECT_NEAR(a.rate, b.rate, 1e-13);
    EXPECT_NEAR(a.acceleration, b.acceleration, 1e-12);
  }
}

TEST(MotionPieces, BreakWhereTheAccelerationJumpsAndNowhereElse) {
  MotionPieces pieces(0, 0);
  pieces.add({0, 0, 2}, 0.5, {0.25, 1, 2});  // accelerates
  pieces.add({0.25, 1, 2}, 1, {1, 2, 2});    // goes on doing so
  pieces.add({1, 2, 0}, 2, {3, 2, 0});       // cruises
  const std::vector<double> breaks = break_times(pieces.table());
  EXPECT_EQ(breaks, (std::vector<double>{0, 1, 2}));
}

TEST(TimeLaw, OfTrapezoidsTakesLengthOverSpeedPlusOneRamp) {
  const TimeLaw fast = fastest_law(MoveProfile::trapezoid, 2.0, {0.5, 4});
  EXPECT_NEAR(fast.duration(), 2.0 / 0.5 + 0.5 / 4, 1e-14);
  EXPECT_NEAR(fast.at(1, true).rate, 0.5, 1e-14);
  const TimeLaw triangle = fastest_law(MoveProfile::trapezoid, 0.01, {0.5, 4});
  EXPECT_NEAR(triangle.duration(), 2 * std::sqrt(0.01 / 4), 1e-14);
}

TEST(TimeLaw, OfSCurvesTakesLengthOverSpeedPlusBothRamps) {
  const TimeLaw law = fastest_law(MoveProfile::s_curve, 2.0, {0.5, 4, 50});
  EXPECT_NEAR(law.duration(), 2.0 / 0.5 + 0.5 / 4 + 4.0 / 50, 1e-13);
  // As short as it gets: four phases of jerk alone, s = 2 j (T/4)³.
  const TimeLaw shortest = fastest_law(MoveProfile::s_curve, 1e-4, {0.5, 4, 50});
  EXPECT_NEAR(shortest.duration(), 4 * std::cbrt(1e-4 / (2 * 50.0)), 1e-13);
}

TEST(TimeLaw, OfAGivenDurationTakesIt) {
  for (const MoveProfile profile : {MoveProfile::trapezoid, MoveProfile::s_curve, MoveProfile::minimum_jerk}) {
    const TimeLaw law = law_in_time(profile, 3.0, 0.7);
    EXPECT_NEAR(law.duration(), 0.7, 1e-13);
    EXPECT_NEAR(law.at(0.7, true).value, 3.0, 1e-13);
    EXPECT_NEAR(law.at(0.7, true).rate, 0, 1e-12);
    EXPECT_NEAR(law.at(0.35, true).value, 1.5, 1e-13);
  }
}

TEST(TimeLaw, FindsTheTimeOfAPlace) {
  const TimeLaw law = fastest_law(MoveProfile::minimum_jerk, 2.0, {1, 10, 100});
  for (const double s : {0.1, 1.0, 1.9}) EXPECT_NEAR(law.at(law.time_at(s), true).value, s, 1e-12);
}

// The derivatives that a piece tells are those of its positions, and its length is the way.
void expect_derivatives(const ToolPiece& piece) {
  const double h = 1e-5 * piece.length();
  for (double part = 0.03; part < 1; part += 0.1) {
    const double s = part * piece.length();
    const ToolPoint before = piece.at(s - h), now = piece.at(s), after = piece.at(s + h);
    EXPECT_NEAR(now.velocity.norm(), 1, 1e-12);
    EXPECT_LT(((after.position - before.position) / (2 * h) - now.velocity).norm(), 1e-8);
    EXPECT_LT(((after.velocity - before.velocity) / (2 * h) - now.acceleration).norm(),
              1e-7 * (1 + now.acceleration.norm()));
    const Matrix3 rate = (after.orientation - before.orientation) / (2 * h) * now.orientation.transpose();
    EXPECT_LT((rate - skew(now.turn)).norm(), 1e-7 * (1 + now.turn.norm()));
    EXPECT_LT(((after.turn - before.turn) / (2 * h) - now.turn_rate).norm(), 1e-7 * (1 + now.turn_rate.norm()));
  }
}

TEST(ToolPath, RoundsACornerWithoutJumpsOfCurvature) {
  const std::vector<ToolLeg> legs = tool_legs({}, {to({1, 0, 0}, 0.2), to({1, 2, 0})});
  ASSERT_EQ(legs.size(), 1u);
  ASSERT_EQ(legs[0].pieces.size(), 3u);
  const ToolPiece& blend = *legs[0].pieces[1];
  expect_derivatives(blend);
  EXPECT_LT((blend.at(0).position - Vector3(0.8, 0, 0)).norm(), 1e-14);
  EXPECT_LT((blend.at(blend.length()).position - Vector3(1, 0.2, 0)).norm(), 1e-10);
  EXPECT_LT((blend.at(0).velocity - Vector3::UnitX()).norm(), 1e-12);
  EXPECT_LT((blend.at(blend.length()).velocity - Vector3::UnitY()).norm(), 1e-12);
  EXPECT_LT(blend.at(0).acceleration.norm() + blend.at(blend.length()).acceleration.norm(), 1e-9);
  EXPECT_LT(blend.length(), 0.4);
}

TEST(ToolPath, GoesOnTheCircleThroughThreePoints) {
  MoveWaypoint end = to({-1, 0, 0});
  end.via = Vector3(0, 1, 0);
  end.orientation = Eigen::AngleAxisd(0.8, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  Pose start;
  start.position = Vector3::UnitX();
  const std::vector<ToolLeg> legs = tool_legs(start, {end});
  const ToolPiece& arc = *legs[0].pieces[0];
  EXPECT_NEAR(arc.length(), std::numbers::pi, 1e-13);
  EXPECT_LT((arc.at(arc.length() / 2).position - Vector3::UnitY()).norm(), 1e-13);
  EXPECT_LT((arc.at(arc.length()).orientation - *end.orientation).norm(), 1e-13);
  expect_derivatives(arc);
  end.via = Vector3(0, -1, 0);
  EXPECT_LT((tool_legs(start, {end})[0].pieces[0]->at(1).position - Vector3(std::cos(1), -std::sin(1), 0)).norm(),
            1e-13);
}

TEST(ToolPath, RefusesWhatIsNoWay) {
  MoveWaypoint straight = to({2, 0, 0});
  straight.via = Vector3(1, 0, 0);
  EXPECT_THROW(tool_legs({}, {straight}), InputError);
  EXPECT_THROW(tool_legs({}, {to({1, 0, 0}, 1.1), to({1, 2, 0})}), InputError);
  EXPECT_THROW(tool_legs({}, {to({1, 0, 0}, 0.1), to({0.2, 0, 0})}), InputError);
  EXPECT_THROW(tool_legs({}, {to({0, 0, 0})}), InputError);
}

}  // namespace
}  // namespace lithe
