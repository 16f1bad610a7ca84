// What a model file describes, for looking: names and numbers in SI units.
#include "lithe/model/model.h"

#include "bind.h"
#include "lithe/analyse/inspect/inspect.h"
#include "lithe/analyse/inspect/reduction_check.h"
#include "lithe/analyse/inspect/redundancy.h"

namespace lithe::python {
namespace {

template <class Items>
nb::list names_of(const Items& items) {
  nb::list list;
  for (const auto& item : items) list.append(item.name);
  return list;
}

nb::dict link_dict(const LinkInfo& link) {
  nb::dict d;
  d["name"] = link.name;
  d["rigid"] = link.rigid;
  d["mass"] = link.mass;
  d["centre"] = array(VectorX(link.centre));
  d["inertia"] = array(MatrixX(link.inertia));
  d["num_nodes"] = link.num_nodes;
  d["num_dofs"] = link.num_dofs;
  d["num_modes"] = link.num_modes;
  d["lowest"] = link.lowest;
  d["highest"] = link.highest;
  return d;
}

nb::dict inspected(const Model& model) {
  MechanismInfo info;
  {
    const nb::gil_scoped_release released;
    info = inspect(model);
  }
  nb::dict d;
  nb::list links, joints, loops;
  for (const LinkInfo& link : info.links) links.append(link_dict(link));
  for (const JointInfo& joint : info.joints) {
    nb::dict j;
    j["name"] = joint.name;
    j["type"] = name_of(joint.type);
    j["parent"] = joint.parent;
    j["child"] = joint.child;
    j["values"] = array(joint.values);
    j["cut"] = joint.cut;
    joints.append(j);
  }
  for (const LoopInfo& loop : info.loops) loops.append(loop.joints);
  d["links"] = links;
  d["joints"] = joints;
  d["loops"] = loops;
  d["mobility"] = info.mobility;
  d["gruebler"] = info.gruebler;
  d["redundancy"] = info.redundancy;
  d["independent"] = info.independent;
  d["singular"] = info.singular;
  d["num_elastic"] = info.num_elastic;
  d["notes"] = notes(info);
  return d;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "CoreModel", "A model as the engine has it: checked, in SI units, never changed.")
      .def_ro("name", &Model::name)
      .def_ro("file", &Model::file)
      .def_prop_ro("planar", [](const Model& model) { return model.space == Space::planar; })
      .def_prop_ro("gravity", [](const Model& model) { return array(VectorX(model.gravity)); })
      .def_prop_ro("links", [](const Model& model) { return names_of(model.links); })
      .def_prop_ro("joints", [](const Model& model) { return names_of(model.joints); })
      .def_prop_ro("drives", [](const Model& model) { return names_of(model.drives); })
      .def_prop_ro("loads", [](const Model& model) { return names_of(model.loads); })
      .def_prop_ro("sensors", [](const Model& model) { return names_of(model.sensors); });
  module.def("inspect", inspected, nb::arg("model"));
  module.def(
      "reduction_warnings", [](const Model& model) { return reduction_warnings(model); }, nb::arg("model"),
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace lithe::python
