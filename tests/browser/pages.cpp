// Writes report pages of made-up results, one per kind of data, for the tests in the browser: `browser_pages
// DIRECTORY`.
#include <cmath>
#include <iostream>
#include <numbers>

#include "lithe/base/text.h"
#include "lithe/view/report.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

Section tube(double outer, double inner) {
  Section section;
  section.name = "tube";
  section.shape = SectionShape::tube;
  section.dimensions = {outer, inner};
  section.area = pi * (outer * outer - inner * inner);
  section.second_moment_y = section.second_moment_z = pi / 4 * (std::pow(outer, 4) - std::pow(inner, 4));
  section.torsion_constant = 2 * section.second_moment_y;
  return section;
}

// A chain of straight links along x, each with `num_elements` beam elements.
Scene chain(int num_links, int num_elements, double length) {
  Scene scene;
  scene.name = "chain";
  scene.sections = {tube(0.02 * length, 0.015 * length)};
  for (int l = 0; l < num_links; ++l) {
    SceneLink link;
    link.name = cat("link ", l + 1);
    link.nodes = {{"root", Vector3::Zero()}, {"tip", Vector3(length, 0, 0)}};
    for (int i = 1; i < num_elements; ++i) link.nodes.push_back({"", Vector3(length * i / num_elements, 0, 0)});
    for (int i = 0; i < num_elements; ++i) {
      const int from = i == 0 ? 0 : i + 1, to = i + 1 == num_elements ? 1 : i + 2;
      link.pieces.push_back({from, to, 0, Matrix3::Identity(), 70e9, 26e9});
    }
    scene.links.push_back(link);
    SceneJoint joint;
    joint.name = cat("joint ", l + 1);
    joint.parent = l - 1;
    joint.child = l;
    joint.parent_node = l == 0 ? -1 : 1;
    joint.child_node = 0;
    joint.driven = l == 0;
    scene.joints.push_back(joint);
  }
  return scene;
}

Pose planar(double x, double y, double angle) {
  Pose pose;
  pose.rotation = Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix();
  pose.position = Vector3(x, y, 0);
  return pose;
}

std::vector<Pose> chain_poses(const std::vector<double>& angles, double length) {
  std::vector<Pose> poses;
  double x = 0, y = 0, total = 0;
  for (const double angle : angles) {
    total += angle;
    poses.push_back(planar(x, y, total));
    x += length * std::cos(total);
    y += length * std::sin(total);
  }
  return poses;
}

// Every link swings and bends in two shapes.
SceneMotion chain_motion(const Scene& scene, double length, int num_frames) {
  SceneMotion motion;
  motion.links.resize(scene.links.size());
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    LinkMotion& link = motion.links[l];
    const SceneLink& drawn = scene.links[l];
    const auto n = static_cast<Eigen::Index>(drawn.nodes.size());
    link.strained = true;
    link.shapes = MatrixX::Zero(6 * n + 6 * static_cast<Eigen::Index>(drawn.pieces.size()), 2);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double s = drawn.nodes[static_cast<std::size_t>(i)].position.x() / length;
      link.shapes(3 * i + 1, 0) = s * s;
      link.shapes(3 * i + 2, 1) = s * s * (1 - s);
    }
    for (Eigen::Index p = 0; p < static_cast<Eigen::Index>(drawn.pieces.size()); ++p)
      link.shapes(6 * n + 6 * p + 3, 0) = link.shapes(6 * n + 6 * p + 5, 0) = 100;
    link.coefficients.resize(2, num_frames);
  }
  for (int k = 0; k < num_frames; ++k) {
    const double time = 10.0 * k / std::max(1, num_frames - 1);
    motion.times.push_back(time);
    std::vector<double> angles;
    for (std::size_t l = 0; l < scene.links.size(); ++l)
      angles.push_back(0.25 * std::sin(time + 0.4 * static_cast<double>(l)));
    const std::vector<Pose> poses = chain_poses(angles, length);
    for (std::size_t l = 0; l < scene.links.size(); ++l) {
      motion.links[l].frames.push_back(poses[l]);
      motion.links[l].coefficients(0, k) = 0.03 * length * std::sin(9 * time);
      motion.links[l].coefficients(1, k) = 0.05 * length * std::cos(7 * time);
    }
  }
  return motion;
}

ReportRun swing(const std::string& name, double frequency, int samples, double seconds) {
  ReportRun run;
  run.name = name;
  run.columns = {{"tip position.x", "m", {}}, {"tip position.y", "m", {}}, {"total_energy", "J", {}}};
  for (int i = 0; i < samples; ++i) {
    const double time = seconds * i / (samples - 1);
    run.times.push_back(time);
    run.columns[0].values.push_back(0.5 * std::cos(2 * pi * frequency * time));
    run.columns[1].values.push_back(0.5 * std::sin(2 * pi * frequency * time));
    run.columns[2].values.push_back(1 + 1e-6 * time);
  }
  return run;
}

// Of a sensor that stands still but for rounding errors.
ReportSpectrum still_spectrum() {
  ReportSpectrum result{.sensor = "still", .unit = "m", .run = "", .spectrum = {}};
  for (int i = 0; i <= 500; ++i) {
    result.spectrum.frequencies.push_back(i);
    result.spectrum.values.push_back(1e-17 / (1 + i) * (1.5 + std::cos(0.3 * i)));
  }
  return result;
}

Report comparison() {
  Report report;
  report.title = "Comparison";
  report.subtitle = "two formulations";
  report.runs = {swing("erls-cms", 1, 2001, 2), swing("floating", 1.001, 1501, 2)};
  report.runs[0].computing_time = 0.125;
  report.runs[1].computing_time = 0.5;
  ReportComparison part;
  part.name = "formulations";
  ReportDifference difference{"tip position.x", "m", "floating", "erls-cms", report.runs[0].times, {}};
  for (const double time : difference.times) difference.values.push_back(1e-4 * time * std::sin(6 * time));
  part.differences.push_back(difference);
  part.agreement.push_back({"agreement",
                            {{"run", ""}, {"largest difference", "m"}, {"rms", "m"}},
                            {{std::string("floating"), 1.9e-4, 0.8e-4}, {std::string("erls-fem"), 2e-6, NAN}}});
  report.comparisons.push_back(part);
  report.spectra.push_back(still_spectrum());
  return report;
}

// Stiffness over the plane of a two-link arm; unreachable cells are empty.
Report map() {
  constexpr double length = 0.5;
  Report report;
  report.title = "Workspace of an arm";
  report.subtitle = "sweep";
  report.scene = chain(2, 6, length);
  ReportMap part;
  part.name = "stiffness of the tip";
  for (int i = 0; i < 41; ++i) part.x.values.push_back(-1.1 + 2.2 * i / 40);
  part.x.name = "x", part.y.name = "y", part.x.unit = part.y.unit = "m";
  for (int j = 0; j < 31; ++j) part.y.values.push_back(-0.4 + 1.5 * j / 30);
  part.quantities = {{"stiffness", "N/m", {}, true}, {"first frequency", "Hz", {}, false}};
  for (const double y : part.y.values)
    for (const double x : part.x.values) {
      const double r2 = x * x + y * y, c = r2 / (2 * length * length) - 1;
      const bool reached = std::abs(c) < 1 && r2 > 0;
      const double elbow = reached ? std::acos(c) : 0;
      const double first = std::atan2(y, x) - std::atan2(std::sin(elbow), 1 + std::cos(elbow));
      part.configurations.push_back(reached ? chain_poses({first, elbow}, length) : std::vector<Pose>{});
      part.quantities[0].values.push_back(reached ? 1e4 / (0.02 + r2) : NAN);
      part.quantities[1].values.push_back(reached ? 20 + 15 * std::sin(elbow) : NAN);
    }
  report.maps.push_back(part);
  ReportMap line;
  line.name = "along x";
  line.x = part.x;
  line.quantities = {{"first frequency", "Hz", {}, false}};
  for (std::size_t i = 0; i < part.x.values.size(); ++i) {
    line.quantities[0].values.push_back(part.quantities[1].values[10 * part.x.values.size() + i]);
    line.configurations.push_back(part.configurations[10 * part.x.values.size() + i]);
  }
  report.maps.push_back(line);
  return report;
}

Report linear() {
  Report report;
  report.title = "Rotor";
  report.subtitle = "linear models over speed";
  ReportEigenvalues sweep;
  sweep.name = "eigenvalues over speed";
  sweep.parameter = "speed";
  sweep.unit = "rad/s";
  sweep.excitation_orders = {1, 2};
  sweep.hertz_per_unit = 1 / (2 * pi);
  for (int i = 0; i <= 60; ++i) {
    const double speed = 5.0 * i;
    sweep.parameter_values.push_back(speed);
    std::vector<std::complex<double>> list;
    for (const double base : {100.0, 180.0, 320.0, 400.0, 9e4}) {  // the last far above the excitation
      const double frequency = base + 0.2 * speed * (base < 150 ? -1 : 1);
      list.push_back({-0.02 * base + 0.01 * speed, frequency});
      list.push_back(std::conj(list.back()));
    }
    sweep.eigenvalues.push_back(list);
  }
  report.eigenvalues.push_back(sweep);
  return report;
}

Report large() {
  Report report;
  report.title = "Twenty links";
  report.subtitle = "2,020 nodes";
  report.scene = chain(20, 100, 1);
  report.motion = chain_motion(*report.scene, 1, 600);
  report.runs = {swing("run", 3, 10001, 10)};
  return report;
}

// A long recording, of which the page shows least and most.
Report recording() {
  Report report;
  report.title = "Recording";
  report.runs = {swing("run", 50, 200001, 20)};
  return report;
}

}  // namespace
}  // namespace lithe

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: browser_pages DIRECTORY\n";
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  lithe::write_report(lithe::comparison(), directory, "comparison");
  lithe::write_report(lithe::map(), directory, "map");
  lithe::write_report(lithe::linear(), directory, "linear");
  lithe::write_report(lithe::large(), directory, "large");
  lithe::write_report(lithe::recording(), directory, "recording");
}
