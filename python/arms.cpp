// What to stiffen first, moves that leave the tool at rest, torques for elastic gearboxes.
#include <cmath>

#include "answers.h"
#include "beside.h"
#include "hooks.h"
#include "lithe/read/partial_model.h"
#include "specs.h"

namespace lithe::python {
namespace {

PartialModel whole_robot(const std::string& text, const std::string& file, bool outside_files) {
  PartialModel robot = read_text_partly(text, file, {.outside_files = outside_files});
  if (!robot.errors.empty()) throw InputError(robot.errors);
  return robot;
}

nb::dict shares(const std::string& text, const std::string& file, bool outside_files, const nb::dict& given) {
  ContributionSpec spec;
  assign(given, spec);
  const ContributionResult result = computed_beside([=] {
    const PartialModel robot = whole_robot(text, file, outside_files);
    return contributions(robot.model, robot.drive_trains, spec);
  });
  nb::dict d, parts;
  for (const Contribution& part : result.parts) {
    nb::dict p;
    p["kind"] = part.is_joint ? "joint" : "link";
    p["compliance"] = array(VectorX(part.compliance));
    p["mean_compliance"] = part.mean_compliance;
    p["frequencies"] = array(part.frequencies);
    parts[part.name.c_str()] = p;
  }
  d["failure"] = result.failure;
  d["compliance"] = array(VectorX(result.compliance));
  d["compliance_matrix"] = array(MatrixX(result.compliance_matrix));
  d["frequencies"] = array(result.frequencies);
  d["parts"] = parts;
  return d;
}

nb::dict move_dict(ShapedMove move) {
  nb::dict d, columns;
  for (Column& column : move.columns) columns[column.name.c_str()] = array(std::move(column.values));
  d["impulse_times"] = array(move.shaper.times);
  d["impulse_sizes"] = array(move.shaper.sizes);
  d["stretch"] = move.stretch;
  d["move_end"] = move.move_end;
  d["predicted"] = move.predicted;
  d["residual"] = move.tool.residual;
  d["settling_time"] = move.tool.settling_time;
  d["still_after"] = move.still_after();
  d["failure"] = move.failure;
  d["time"] = array(std::move(move.times));
  d["columns"] = columns;
  return d;
}

nb::dict shaped(const Model& model, const nb::dict& given, Hooks& hooks) {
  ShapeSpec spec{.settle = {.motion = spec_of<SimulateSpec>(model)}};
  assign(given, spec);
  ShapeResult result;
  {
    const nb::gil_scoped_release released;
    result = shape_move(model, spec, hooks.run_hooks());
  }
  nb::dict d, moves;
  nb::list modes;
  for (const ExcitedMode& mode : result.modes) {
    nb::dict m;
    m["frequency"] = mode.frequency;
    m["damping_ratio"] = mode.damping_ratio;
    m["vibration"] = mode.vibration;
    modes.append(m);
  }
  d["failure"] = result.failure;
  d["best"] = result.best < result.moves.size() ? result.moves[result.best].name : std::string();
  for (ShapedMove& move : result.moves) {
    const std::string name = move.name;
    moves[name.c_str()] = move_dict(std::move(move));
  }
  d["modes"] = modes;
  d["moves"] = moves;
  d["core"] = nb::cast(std::move(result.model), nb::rv_policy::move);
  return d;
}

// Values of the joints that a model drives, over times: (joint, unit, values).
nb::list driven_values(const Model& model, const std::vector<double>& times) {
  nb::list list;
  for (const Drive& drive : model.drives) {
    if (!drive.prescribes_motion) continue;
    const Joint& joint = model.joints[static_cast<std::size_t>(drive.joint)];
    std::vector<double> values;
    for (const double time : times) values.push_back(evaluate(drive.signal, time).value);
    list.append(
        nb::make_tuple(joint.name, is_rotation(joint.type, drive.freedom) ? "rad" : "m", array(std::move(values))));
  }
  return list;
}

nb::dict feedforward(const std::string& text, const std::string& file, bool outside_files, const nb::dict& given,
                     Hooks& hooks) {
  FeedforwardSpec spec;
  assign(given, spec);
  FeedforwardResult result;
  {
    const nb::gil_scoped_release released;
    const PartialModel robot = whole_robot(text, file, outside_files);
    result = elastic_feedforward(robot.model, robot.drive_trains, spec, hooks.run_hooks());
  }
  nb::dict d, joints;
  for (FeedforwardJoint& joint : result.joints) {
    nb::dict j;
    j["elastic"] = joint.elastic;
    j["slides"] = joint.slides;
    j["ratio"] = joint.ratio;
    j["link"] = array(std::move(joint.link));
    j["gear_torque"] = array(std::move(joint.gear_torque));
    j["motor"] = array(std::move(joint.motor));
    j["motor_speed"] = array(std::move(joint.motor_speed));
    j["torque"] = array(std::move(joint.torque));
    j["error"] = joint.error;
    j["uncorrected"] = joint.uncorrected;
    joints[joint.joint.c_str()] = j;
  }
  d["failure"] = result.failure;
  d["time"] = array(std::move(result.times));
  d["joints"] = joints;
  d["warnings"] = result.warnings;
  return d;
}

}  // namespace

void bind_arms(nb::module_& module) {
  module.def("contributions", shares, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("settings"));
  module.def("shape_move", shaped, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("driven_values", driven_values, nb::arg("model"), nb::arg("times"));
  module.def("elastic_feedforward", feedforward, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("settings"), nb::arg("hooks"));
}

}  // namespace lithe::python
