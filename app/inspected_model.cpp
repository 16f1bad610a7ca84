#include "app/inspected_model.h"

#include "lithe/base/text.h"
#include "lithe/read/partial_model.h"

namespace lithe::app {

namespace {

// Later stages know where a link stands, the reader where its keys do.
std::vector<InputMistake> at_their_keys(std::vector<InputMistake> mistakes, const PartialModel& read) {
  for (InputMistake& mistake : mistakes) {
    const auto found = read.key_places.find(mistake.path);
    if (found == read.key_places.end()) continue;
    mistake.line = found->second.line;
    mistake.column = found->second.column;
  }
  return mistakes;
}

MechanismInfo inspect_read(const PartialModel& read, const std::string& path) {
  try {
    return inspect(read.model);
  } catch (const InputError& error) {
    throw InputError(in_file_order(at_their_keys(error.mistakes(), read), path));
  }
}

}  // namespace

InspectedModel inspect_file(const std::string& path) {
  PartialModel read = read_partly(path);
  if (read.mistakes.empty()) {
    MechanismInfo info = inspect_read(read, path);
    return {std::move(read.model), std::move(info)};
  }
  const InspectionStages stages{.connections = read.connections_hold, .posture = read.postures_hold};
  for (const InputMistake& mistake : at_their_keys(find_mistakes(read.model, stages), read))
    read.mistakes.push_back(mistake);
  throw InputError(in_file_order(std::move(read.mistakes), path));
}

std::string explain(const Model& model, EvaluationStatus status) {
  const std::string meaning = describe(status);
  if (status == EvaluationStatus::ok || status == EvaluationStatus::not_finite) return meaning;
  const MechanismInfo info = inspect(model);
  return info.singular ? cat(meaning, "; ", info.warning) : meaning;
}

}  // namespace lithe::app
