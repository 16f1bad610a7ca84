// An analysis over a grid of configurations or of parameters. Every point is independent of how many threads work and
// of which points were computed before.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/condense/condensed.h"

namespace lithe {

struct CondenseOptions;  // analyse/condense/topology.h
struct Configuration;
class Mechanism;

// What changes along an axis of the grid.
struct SweepVariable {
  enum class Kind { tool, joint, speed, parameter };  // speed: of the freedom that an analysis turns steadily
  Kind kind = Kind::parameter;
  std::string name;   // as the user wrote it: "tool.x"
  std::string unit;   // of the values
  int component = 0;  // tool: x, y, z, then rotations about world x, y, z from the orientation at home
  int joint = -1, freedom = 0;
};

// A variable and the values that it takes.
struct SweepAxis {
  SweepVariable variable;
  std::vector<double> values;  // SI
};

// A variable that is the same at all points.
struct SweepSetting {
  SweepVariable variable;
  double value = 0;
};

// Where a quantity is shown beside the files, which have all of them.
enum class SweepShow { files, page, picture };  // page: there and in the summary; picture: in all three

// A number that every point has, and where it is shown.
struct SweepColumn {
  std::string name, unit;
  SweepShow show = SweepShow::files;
};

enum class PointStatus { ok = 0, unreachable = 1, unconstrained = 2, failed = 3 };

// What became of a point.
struct PointResult {
  PointResult(PointStatus given = PointStatus::ok, std::string why = {}) : status(given), reason(std::move(why)) {}
  PointStatus status;
  std::string reason;  // where the point is not ok, or its motion has a warning: a sentence
};

// Where a point of the grid is.
struct PointPlace {
  const Configuration& configuration;
  double speed = 0;                           // of the axis of that kind
  const std::atomic<bool>* cancel = nullptr;  // long analyses look at it and may end with any result
};

// An analysis of one model, in any configuration. Shared by threads; what changes is in the work that each of them
// makes.
class PointAnalysis {
 public:
  struct Work {
    virtual ~Work() = default;
  };
  virtual ~PointAnalysis() = default;
  virtual const Model& model() const = 0;
  virtual const Mechanism& mechanism() const = 0;
  virtual std::optional<NodeOfLink> tool() const = 0;
  virtual std::unique_ptr<Work> make_work() const = 0;
  // One number per column; those that are not there stay NaN.
  virtual PointResult evaluate(const PointPlace& place, Work& work, double* values) const = 0;
};

// Condensation: frequencies; where there is a tool its stiffness (upper half), the condition number of that, sag under
// gravity and displacement under loads.
std::vector<SweepColumn> condense_columns(int num_frequencies, bool with_tool);
std::unique_ptr<PointAnalysis> condense_analysis(Model model, const CondenseOptions& options, int num_frequencies);

enum class ToolOrientation {
  automatic,  // kept where the tool can turn apart from its position
  keep,
  free
};

// A grid over one model, or over models that differ in parameters.
struct Sweep {
  std::vector<SweepAxis> axes;  // the last runs fastest
  std::vector<SweepSetting> settings;
  std::vector<SweepColumn> columns;
  ToolOrientation orientation = ToolOrientation::automatic;
  // The analysis for given values of the parameter axes, in their order.
  std::function<std::unique_ptr<PointAnalysis>(const std::vector<double>& parameters)> make_analysis;

  long long num_points() const;
  std::vector<double> point(long long index) const;  // a value per axis
  bool has_parameters() const;
  bool moves_configuration() const;  // by an axis or a setting
};

// Keeps what is found. Called by several threads.
class SweepStore {
 public:
  virtual ~SweepStore() = default;
  virtual bool is_done(long long index) const = 0;
  // `values`: one per column.
  virtual void put(long long index, const PointResult& result, const std::vector<double>& values) = 0;
};

// Threads, progress and the flag that ends a sweep.
struct SweepOptions {
  int num_threads = 0;  // 0: as many as there are processors
  const std::atomic<bool>* stop = nullptr;
  std::function<void(long long num_done)> progress;  // from the calling thread, now and then
};

// Computes all points that the store does not have. Returns the number computed; fewer than wanted when stopped. Throws
// InputError for what is wrong with the sweep as a whole (the initial configuration of the unchanged model).
long long run_sweep(const Sweep& sweep, SweepStore& store, const SweepOptions& options);

}  // namespace lithe
