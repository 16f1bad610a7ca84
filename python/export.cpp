// Files and texts for other programs.
#include "bind.h"
#include "lithe/analyse/analyses.h"
#include "lithe/base/diagnostics.h"
#include "lithe/export/gltf.h"
#include "lithe/export/robot_text.h"
#include "lithe/export/state_space_text.h"
#include "lithe/export/vtk.h"
#include "lithe/read/partial_model.h"
#include "lithe/results/scene/described_shapes.h"

namespace lithe::python {
namespace {

// The description and notes on what it does not say. Shapes are those of the model's file, where it is one.
nb::tuple robot_described(const std::string& text, const std::string& file, bool outside_files,
                          const std::string& format) {
  RobotText exported;
  {
    const nb::gil_scoped_release released;
    const ReadOptions options{.outside_files = outside_files};
    const PartialModel robot = read_text_partly(text, file, options);
    if (!robot.errors.empty()) throw InputError(robot.errors);
    DrawnShapes shapes = drawn_shapes(file, options);
    exported = robot_text(robot.model, robot.drive_trains, format == "urdf" ? RobotFormat::urdf : RobotFormat::mjcf,
                          shapes.shapes);
    for (std::string& note : shapes.notes) exported.notes.push_back(std::move(note));
  }
  return nb::make_tuple(exported.text, exported.notes);
}

Scene scene_of(const SimulatedMotion& motion) {
  Scene scene = make_scene(motion.equations->model());
  add_described_shapes(scene, {});
  return scene;
}

nb::bytes motion_gltf(const SimulatedMotion& motion, double scale) {
  std::string binary;
  {
    const nb::gil_scoped_release released;
    binary = gltf_binary(scene_of(motion), sample_motion(*motion.equations, motion), scale);
  }
  return nb::bytes(binary.data(), binary.size());
}

std::vector<std::string> motion_vtk(const SimulatedMotion& motion, const std::string& directory,
                                    const std::string& stem) {
  std::vector<std::string> paths;
  for (const std::filesystem::path& path :
       write_vtk(scene_of(motion), sample_motion(*motion.equations, motion), directory, stem))
    paths.push_back(path.string());
  return paths;
}

StateSpace system_of(const nb::dict& given) {
  using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  const auto matrix = [&](const char* name) {
    const auto numbers = nb::cast<Matrix>(given[name]);
    return MatrixX(Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        numbers.data(), static_cast<Eigen::Index>(numbers.shape(0)), static_cast<Eigen::Index>(numbers.shape(1))));
  };
  const auto signals = [&](const char* name) {
    std::vector<Channel> list;
    for (const auto& [label, unit] : nb::cast<std::vector<std::pair<std::string, std::string>>>(given[name]))
      list.push_back({label, unit});
    return list;
  };
  StateSpace system;
  system.a = matrix("a");
  system.b = matrix("b");
  system.c = matrix("c");
  system.d = matrix("d");
  system.states = signals("states");
  system.inputs = signals("inputs");
  system.outputs = signals("outputs");
  system.sample_time = nb::cast<double>(given["sample_time"]);
  return system;
}

}  // namespace

void bind_export(nb::module_& module) {
  module.def("robot_text", robot_described, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("format"));
  module.def("motion_gltf", motion_gltf, nb::arg("motion"), nb::arg("scale"));
  module.def("motion_vtk", motion_vtk, nb::arg("motion"), nb::arg("directory"), nb::arg("stem"),
             nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "c_header", [](const nb::dict& given, const std::string& name) { return c_header(system_of(given), name); },
      nb::arg("system"), nb::arg("name"));
}

}  // namespace lithe::python
