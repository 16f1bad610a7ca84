#include "lithe/view/sweep_report.h"

#include <algorithm>
#include <limits>

#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/position.h"

namespace lithe {
namespace {

constexpr long long most_configurations = 20000;
constexpr long long most_places = 65536;  // of a map on a page: finer grids are thinned out
constexpr int numbers_per_pose = 7;       // position, quaternion

// An analysis that finds nothing but where the links are.
class LinkPoses : public PointAnalysis {
 public:
  explicit LinkPoses(std::unique_ptr<PointAnalysis> of) : of_(std::move(of)) {}
  const Model& model() const override { return of_->model(); }
  const Mechanism& mechanism() const override { return of_->mechanism(); }
  std::optional<NodeOfLink> tool() const override { return of_->tool(); }
  std::unique_ptr<Work> make_work() const override { return std::make_unique<Place>(mechanism()); }

  PointResult evaluate(const PointPlace& place, Work& work, double* values) const override {
    KinematicState& state = static_cast<Place&>(work).state;
    update_position(mechanism(), place.configuration, state);
    for (int link = 0; link < static_cast<int>(model().links.size()); ++link) {
      const Pose pose = state.pose(mechanism().frame_of_link(link));
      const Quaternion turn(pose.rotation);
      for (int k = 0; k < 3; ++k) *values++ = pose.position(k);
      for (const double part : {turn.x(), turn.y(), turn.z(), turn.w()}) *values++ = part;
    }
    return {};
  }

 private:
  struct Place : Work {
    explicit Place(const Mechanism& mechanism) : state(mechanism) {}
    KinematicState state;
  };
  std::unique_ptr<PointAnalysis> of_;
};

// Each point is written by one thread alone.
class PoseStore : public SweepStore {
 public:
  explicit PoseStore(long long num_points) : poses(static_cast<std::size_t>(num_points)) {}
  bool is_done(long long) const override { return false; }
  void put(long long index, const PointResult& result, const std::vector<double>& values) override {
    if (result.status != PointStatus::ok) return;
    std::vector<Pose>& place = poses[static_cast<std::size_t>(index)];
    for (std::size_t i = 0; i + numbers_per_pose <= values.size(); i += numbers_per_pose) {
      const double* v = values.data() + i;
      place.push_back({Quaternion(v[6], v[3], v[4], v[5]).toRotationMatrix(), Vector3(v[0], v[1], v[2])});
    }
  }
  std::vector<std::vector<Pose>> poses;
};

Column report_axis(const SweepAxis& axis) { return {axis.variable.name, axis.variable.unit, axis.values}; }

long long num_steps(long long count, long long step) { return (count + step - 1) / step; }

// Every step-th value.
void thin_out(std::vector<double>& values, long long step) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(step)) kept.push_back(values[i]);
  values = std::move(kept);
}

// The sweep with the axes of the map alone; those further are settings. A parameter among them has its value in the
// model.
Sweep over_map(const Sweep& sweep) {
  Sweep result = sweep;
  while (result.axes.size() > 2) {
    result.settings.push_back({result.axes.back().variable, result.axes.back().values.front()});
    result.axes.pop_back();
  }
  return result;
}

}  // namespace

std::vector<std::vector<Pose>> sweep_configurations(const Sweep& sweep) {
  Sweep places = sweep;
  std::size_t num_links = 0;
  {
    std::vector<double> parameters;
    for (const SweepAxis& axis : sweep.axes)
      if (axis.variable.kind == SweepVariable::Kind::parameter) parameters.push_back(axis.values.front());
    num_links = sweep.make_analysis(parameters)->model().links.size();
  }
  places.columns.assign(num_links * numbers_per_pose, {"pose", ""});
  places.make_analysis = [&sweep](const std::vector<double>& parameters) -> std::unique_ptr<PointAnalysis> {
    return std::make_unique<LinkPoses>(sweep.make_analysis(parameters));
  };
  PoseStore store(sweep.num_points());
  run_sweep(places, store, {});
  return std::move(store.poses);
}

std::vector<Pose> home_poses(const Model& model) {
  const Mechanism mechanism(model);
  KinematicState state(mechanism);
  update_position(mechanism, initial_configuration(mechanism, model), state);
  std::vector<Pose> poses;
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
    poses.push_back(state.pose(mechanism.frame_of_link(link)));
  return poses;
}

ReportMap sweep_map(const Sweep& sweep, const std::vector<std::size_t>& columns,
                    const std::function<std::vector<double>(long long index)>& values) {
  ReportMap map;
  map.x = report_axis(sweep.axes[0]);
  if (sweep.axes.size() > 1) map.y = report_axis(sweep.axes[1]);
  const long long nx = static_cast<long long>(map.x.values.size());
  const long long ny = std::max<long long>(1, static_cast<long long>(map.y.values.size()));
  const long long inner = sweep.num_points() / (nx * ny);  // points per step of the second axis
  long long step_x = 1, step_y = 1;
  while (num_steps(nx, step_x) * num_steps(ny, step_y) > most_places)
    ++(num_steps(nx, step_x) >= num_steps(ny, step_y) ? step_x : step_y);
  thin_out(map.x.values, step_x);
  thin_out(map.y.values, step_y);
  // The grid's last axis runs fastest, the map's first one.
  const auto each_point = [&](const auto& action) {
    for (long long j = 0; j < ny; j += step_y)
      for (long long i = 0; i < nx; i += step_x) action(i * ny + j);
  };
  for (const std::size_t column : columns)
    map.quantities.push_back({sweep.columns[column].name, sweep.columns[column].unit, {}, false});
  each_point([&](long long point) {
    const std::vector<double> found = values(point * inner);
    for (std::size_t k = 0; k < columns.size(); ++k)
      map.quantities[k].values.push_back(columns[k] < found.size() ? found[columns[k]]
                                                                   : std::numeric_limits<double>::quiet_NaN());
  });
  if (nx * ny > most_configurations || sweep.has_parameters()) return map;
  std::vector<std::vector<Pose>> found = sweep_configurations(over_map(sweep));
  each_point([&](long long point) { map.configurations.push_back(std::move(found[static_cast<std::size_t>(point)])); });
  return map;
}

}  // namespace lithe
