#include "lithe/plan/payloads.h"

#include <algorithm>

namespace lithe {

Model with_payloads(Model model, double time) {
  if (!model.control || model.control->payloads.empty()) return model;
  ControlSetup setup = *model.control;
  const auto masses = [&](const Payload& payload) -> std::vector<LumpedMass>& {
    return model.links[static_cast<std::size_t>(payload.link)].lumped_masses;
  };
  for (const Payload& payload : setup.payloads)
    if (payload.held) masses(payload).pop_back();
  for (Payload& payload : setup.payloads) {
    payload.held = payload.held_at(time);
    if (payload.held) masses(payload).push_back(payload.mass);
  }
  model.control = std::make_shared<const ControlSetup>(std::move(setup));
  return model;
}

std::vector<double> payload_changes(const Model& model, double start, double end) {
  std::vector<double> times;
  if (!model.control) return times;
  for (const Payload& payload : model.control->payloads)
    for (const double time : {payload.taken, payload.put_down})
      if (time > start && time < end) times.push_back(time);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace lithe
