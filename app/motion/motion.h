// What commands that compute motions share: hooks of the terminal, and text of a motion.
#pragma once

#include <string>

#include "app/terminal/interrupt.h"
#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "lithe/analyse/analyses.h"

namespace lithe::app {

// Progress on the terminal, Ctrl-C, the user's consent to programs and all integrators, for an analysis that may take a
// while.
class TerminalHooks {
 public:
  explicit TerminalHooks(const std::string& label);
  operator const RunHooks&() const { return hooks_; }
  operator const SimulateHooks&() const { return hooks_; }
  SimulateHooks& hooks() { return hooks_; }

 private:
  InterruptGuard guard_;
  Progress progress_;
  SimulateHooks hooks_;
};

// On stderr: why there are no figures, of a motion that was interrupted or failed.
void warn_on_early_end(const Trajectory& motion);

// Lines of what a motion has to say of itself. `run`: its name where there are several.
std::string notes_text(const Trajectory& motion, const std::string& run = {});
std::string motion_text(const Trajectory& motion, const Style& style);
nlohmann::json motion_json(const Trajectory& motion);
std::string peaks_text(const Spectrum& spectrum, const std::string& unit, const Style& style);
nlohmann::json spectrum_json(const Spectrum& spectrum, const std::string& sensor, const std::string& unit);

}  // namespace lithe::app
