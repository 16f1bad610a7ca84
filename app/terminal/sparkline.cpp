#include "app/terminal/sparkline.h"

#include <algorithm>
#include <cmath>

namespace lithe::app {
namespace {

constexpr const char* levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

double mean(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

}  // namespace

std::string sparkline(const std::vector<double>& values, int width) {
  const std::size_t count = values.size(), columns = std::min(count, static_cast<std::size_t>(std::max(1, width)));
  std::vector<double> means;
  double least = INFINITY, most = -INFINITY, size = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    means.push_back(mean(values, k * count / columns, (k + 1) * count / columns));
    if (!std::isfinite(means.back())) continue;
    least = std::min(least, means.back());
    most = std::max(most, means.back());
    size = std::max(size, std::abs(means.back()));
  }
  const bool constant = !(most - least > 1e-12 * size);
  std::string text;
  for (const double value : means) {
    if (!std::isfinite(value)) {
      text += ' ';
    } else {
      const double share = constant ? 0 : (value - least) / (most - least);
      text += levels[std::clamp(static_cast<int>(std::floor(8 * share)), 0, 7)];
    }
  }
  return text;
}

std::string bar(double share, int width) {
  const int eighth =
      static_cast<int>(std::lround(8 * width * std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0)));
  std::string text;
  for (int i = 0; i < eighth / 8; ++i) text += "█";
  return text + eighths[eighth % 8];
}

}  // namespace lithe::app
