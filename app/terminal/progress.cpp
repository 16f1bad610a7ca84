#include "app/terminal/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/terminal/output.h"

namespace lithe::app {

std::string time_to_go(double seconds) {
  const long whole = std::lround(std::ceil(std::min(seconds, 359999.0)));
  char text[48];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%ld s to go", whole);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld min to go", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld h to go", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return text;
}

Progress::Progress(std::string label) : label_(std::move(label)), shown_(is_terminal(STDERR_FILENO)) {}

void Progress::update(double fraction) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100) && fraction < 1) return;
  last_ = now;
  draw(std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0));
}

void Progress::draw(double fraction) {
  constexpr int width = 30;
  const int full = static_cast<int>(std::lround(fraction * width));
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string rest = fraction > 0 ? time_to_go(elapsed * (1 - fraction) / fraction) : std::string();
  std::fprintf(stderr, "\r\033[K%s %s %3.0f %%  %s", label_.c_str(), bar.c_str(), 100 * fraction, rest.c_str());
  std::fflush(stderr);
  on_line_ = true;
}

void Progress::finish() {
  if (!on_line_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  on_line_ = false;
}

}  // namespace lithe::app
