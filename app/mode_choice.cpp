#include "app/mode_choice.h"

#include <optional>

#include "lithe/analyse/inspect/reduction_check.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

std::optional<ModeChoice>& told() {
  static std::optional<ModeChoice> choice;
  return choice;
}

}  // namespace

void tell_mode_choice(const ModeChoice& choice) {
  told().reset();
  if (!choice.links.empty() || !choice.problem.empty()) told() = choice;
}

void forget_mode_choice() { told().reset(); }

void forget_mode_choice_of(const std::string& formulation) {
  if (!uses_reduction(formulation)) forget_mode_choice();
}

const ModeChoice* told_mode_choice() { return told() ? &*told() : nullptr; }

std::string mode_choice_text(const ModeChoice& choice, bool named) {
  const std::string name = named ? "modes of links: " : "";
  if (!choice.problem.empty()) return cat(name, "as many as without \"auto\"; no estimate: ", choice.problem);
  std::string text = cat(name, choice.num_dynamic(), " of ", choice.num_available(),
                         " fixed-interface modes beside the static shapes; ");
  if (choice.num_dynamic() == choice.num_available()) return text + "nothing is left out";
  text += cat("estimated error ", number(choice.error, 2), " (", choice.worst(), ", over ", number(choice.duration, 4),
              " s)");
  if (choice.good_up_to > 0) text += cat("; good up to ", number(choice.good_up_to, 4), " Hz");
  if (choice.error > choice.tolerance) text += cat("; the tolerance ", number(choice.tolerance, 2), " is not met");
  return text;
}

nlohmann::json mode_choice_json(const ModeChoice& choice) {
  if (!choice.problem.empty()) return {{"problem", choice.problem}};
  nlohmann::json links = nlohmann::json::array(), sensors = nlohmann::json::array();
  for (const LinkModeChoice& link : choice.links)
    links.push_back({{"link", choice.model.links.at(static_cast<std::size_t>(link.link)).name},
                     {"internal_modes", link.num_dynamic},
                     {"available", link.num_available}});
  for (const ReadingError& reading : choice.readings)
    sensors.push_back({{"name", reading.name}, {"estimated_error", json_number(reading.error)}});
  return {{"internal_modes", choice.num_dynamic()},
          {"available", choice.num_available()},
          {"tolerance", choice.tolerance},
          {"estimated_error", json_number(choice.error)},
          {"worst", choice.worst()},
          {"duration_s", choice.duration},
          {"good_up_to_hz", choice.good_up_to},
          {"frequency_error", json_number(choice.frequency_error)},
          {"sensors", sensors},
          {"links", links}};
}

}  // namespace lithe::app
