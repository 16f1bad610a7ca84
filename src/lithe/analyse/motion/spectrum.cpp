#include "lithe/analyse/motion/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr int most_lines = 1 << 24;  // that zero padding may give: 16 bytes each, several times over

// Radix-2, in place; the length is a power of two. `sign` -1: forward, +1: backward without the factor 1/N.
void transform_power_of_two(std::vector<Complex>& x, int sign) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Complex> roots(n / 2 + 1);
  for (std::size_t k = 0; k < roots.size(); ++k)
    roots[k] = std::polar(1.0, sign * 2 * pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t block = 0; block < n; block += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const Complex odd = roots[k * (n / (2 * half))] * x[block + k + half], even = x[block + k];
        x[block + k] = even + odd;
        x[block + k + half] = even - odd;
      }
}

// Bluestein: kn = (k² + n² - (k-n)²)/2 turns the transform into a convolution, done with powers of two.
std::vector<Complex> bluestein(const std::vector<Complex>& x) {
  const std::size_t n = x.size();
  std::size_t length = 1;
  while (length < 2 * n - 1) length *= 2;
  std::vector<Complex> chirp(n), a(length), b(length);
  for (std::size_t k = 0; k < n; ++k)  // k² modulo 2n keeps the angle exact for long signals
    chirp[k] = std::polar(1.0, -pi * static_cast<double>((k * k) % (2 * n)) / static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = x[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k > 0) b[length - k] = b[k];
  }
  transform_power_of_two(a, -1);
  transform_power_of_two(b, -1);
  for (std::size_t k = 0; k < length; ++k) a[k] *= b[k];
  transform_power_of_two(a, 1);
  std::vector<Complex> result(n);
  for (std::size_t k = 0; k < n; ++k) result[k] = a[k] / static_cast<double>(length) * chirp[k];
  return result;
}

// The step of the samples, of which there are `count`: a last one that comes early (a run's end is recorded, too, where
// it is no multiple of the output step) does not count.
double check_samples(const std::vector<double>& times, const std::vector<double>& values, std::size_t& count) {
  count = std::min(times.size(), values.size());
  if (times.size() != values.size() || count < 4)
    throw InputError(cat("a spectrum needs at least 4 samples, got ", count));
  const double first_step = times[1] - times[0];
  if (times.back() - times[count - 2] < (1 - 1e-3) * first_step) --count;
  const double step = (times[count - 1] - times.front()) / static_cast<double>(count - 1);
  if (!(step > 0)) throw InputError("a spectrum needs samples at ascending times");
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) throw InputError(cat("the sample at ", times[i], " s is not finite"));
    const double expected = times.front() + static_cast<double>(i) * step;
    if (std::abs(times[i] - expected) > 1e-6 * step)
      throw InputError(cat("samples are not at constant steps: ", times[i], " s where ", expected, " s was expected"));
  }
  return step;
}

// Windowed segments of a signal, and the sum of their |X|² at the lines and between them.
class Segments {
 public:
  Segments(const std::vector<double>& values, std::size_t total, std::size_t count, const std::vector<double>& window,
           double mean) {
    const std::size_t size = window.size();
    for (std::size_t s = 0; s < count; ++s) {
      const double* begin = values.data() + (count == 1 ? 0 : s * (total - size) / (count - 1));
      std::vector<double>& segment = segments_.emplace_back(size);
      for (std::size_t i = 0; i < size; ++i) segment[i] = (begin[i] - mean) * window[i];
    }
  }
  std::vector<double> lines(std::size_t length) const {
    std::vector<double> power(length / 2 + 1);
    for (const std::vector<double>& segment : segments_) {
      std::vector<Complex> x(length);
      std::copy(segment.begin(), segment.end(), x.begin());
      const std::vector<Complex> transformed = fourier_transform(x);
      for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::norm(transformed[k]);
    }
    return power;
  }
  // At any angle per sample, by Goertzel's recursion.
  double at(double angle) const {
    const double twice = 2 * std::cos(angle);
    double power = 0;
    for (const std::vector<double>& segment : segments_) {
      double last = 0, before = 0;
      for (const double value : segment) {
        const double now = value + twice * last - before;
        before = last;
        last = now;
      }
      power += last * last + before * before - twice * last * before;
    }
    return power;
  }

 private:
  std::vector<std::vector<double>> segments_;
};

// The top of the continuous spectrum next to a peak between lines: parabolas through logarithms, ever closer to it.
// The flat top shows its middle by its flanks alone. False where there is no top.
bool refine(const Segments& segments, Window window, double bin, double step, double& frequency, double& power) {
  const double aside = (window == Window::flat_top ? 2.5 : 0.1) * bin;
  const auto logarithm = [&](double f) { return std::log(std::max(segments.at(2 * pi * f * step), 1e-300)); };
  constexpr int most = 30;  // of the flat top, others need three
  double top = frequency;
  for (int i = 0; i < most; ++i) {
    const double a = logarithm(top - aside), b = logarithm(top), c = logarithm(top + aside);
    const double curvature = a - 2 * b + c;
    if (!(curvature < 0)) return false;
    const double shift = 0.5 * (a - c) / curvature * aside;
    top += shift;
    if (!(std::abs(top - frequency) <= bin && top > aside)) return false;
    if (std::abs(shift) < 1e-5 * bin) break;
  }
  frequency = top;
  power = segments.at(2 * pi * frequency * step);
  return true;
}

}  // namespace

Window window_by_name(const std::string& name) {
  if (name == "rectangular") return Window::rectangular;
  if (name == "hann") return Window::hann;
  if (name == "hamming") return Window::hamming;
  if (name == "blackman") return Window::blackman;
  if (name == "flat_top") return Window::flat_top;
  throw InputError(cat("unknown window '", name, "': rectangular, hann, hamming, blackman or flat_top"));
}

// Sums of cosines; flat_top with the coefficients of ISO 18431-2.
std::vector<double> window_values(Window window, int length) {
  static const std::vector<double> coefficients[] = {
      {1}, {0.5, 0.5}, {0.54, 0.46}, {0.42, 0.5, 0.08}, {1, 1.933, 1.286, 0.388, 0.0322}};
  const std::vector<double>& c = coefficients[static_cast<int>(window)];
  std::vector<double> result(length);
  for (int i = 0; i < length; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < c.size(); ++j)
      sum += (j % 2 ? -1 : 1) * c[j] * std::cos(2 * pi * static_cast<double>(j) * i / length);
    result[i] = sum;
  }
  return result;
}

std::vector<Complex> fourier_transform(const std::vector<Complex>& values) {
  const std::size_t n = values.size();
  if (n <= 1) return values;
  if ((n & (n - 1)) != 0) return bluestein(values);
  std::vector<Complex> result = values;
  transform_power_of_two(result, -1);
  return result;
}

Spectrum spectrum(const std::vector<double>& times, const std::vector<double>& values, const SpectrumOptions& options) {
  std::size_t total = 0;
  const double step = check_samples(times, values, total);
  const std::size_t segments = static_cast<std::size_t>(std::max(1, options.segments));
  const std::size_t size = segments == 1 ? total : 2 * total / (segments + 1);
  if (size < 4) throw InputError(cat("too many segments: ", segments, " of ", total, " samples"));
  std::size_t length = size;
  if (options.resolution > 0) {
    const double lines = std::ceil(1 / (options.resolution * step) - 1e-9);
    if (!(lines <= most_lines))
      throw InputError(
          cat("a resolution of ", options.resolution, " Hz needs ", lines, " lines; the limit is ", most_lines));
    length = std::max(size, static_cast<std::size_t>(lines));
  }

  Spectrum result;
  result.sampling_rate = 1 / step;
  result.line_spacing = 1 / (step * static_cast<double>(length));
  const std::vector<double> window = window_values(options.window, static_cast<int>(size));
  double sum = 0, sum_of_squares = 0, mean = 0;
  for (const double w : window) {
    sum += w;
    sum_of_squares += w * w;
  }
  if (options.remove_mean) {
    for (std::size_t i = 0; i < total; ++i) mean += values[i];
    mean /= static_cast<double>(total);
  }
  const Segments parts(values, total, segments, window, mean);
  const std::vector<double> power = parts.lines(length);
  const auto value = [&](double summed, bool alone) {
    const double mean_power = summed / static_cast<double>(segments);
    return options.scale == SpectrumScale::amplitude ? (alone ? 1 : 2) * std::sqrt(mean_power) / sum
                                                     : (alone ? 1 : 2) * mean_power * step / sum_of_squares;
  };
  for (std::size_t k = 0; k < power.size(); ++k) {
    const double frequency = static_cast<double>(k) * result.line_spacing;
    if (options.max_frequency > 0 && frequency > options.max_frequency * (1 + 1e-12)) break;
    const bool alone = k == 0 || 2 * k == length;  // no mirror image at negative frequencies
    result.frequencies.push_back(frequency);
    result.values.push_back(value(power[k], alone));
  }
  result.peaks = find_peaks(result.frequencies, result.values, options.num_peaks, options.prominence);
  for (Peak& peak : result.peaks) {
    double top = 0;
    if (refine(parts, options.window, 1 / (step * static_cast<double>(size)), step, peak.frequency, top))
      peak.value = value(top, false);
  }
  return result;
}

std::vector<Peak> find_peaks(const std::vector<double>& frequencies, const std::vector<double>& values, int num_peaks,
                             double prominence) {
  std::vector<Peak> peaks;
  if (values.size() < 3 || num_peaks <= 0) return peaks;
  const double highest = *std::max_element(values.begin(), values.end());
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    if (!(values[k] > values[k - 1] && values[k] >= values[k + 1])) continue;
    // Prominence: down to the higher of the two valleys that separate it from higher ground.
    double left = values[k], right = values[k];
    for (std::size_t i = k; i-- > 0 && values[i] <= values[k];) left = std::min(left, values[i]);
    for (std::size_t i = k + 1; i < values.size() && values[i] <= values[k]; ++i) right = std::min(right, values[i]);
    if (values[k] - std::max(left, right) < prominence * highest) continue;
    const double a = std::log(std::max(values[k - 1], 1e-300)), b = std::log(values[k]),
                 c = std::log(std::max(values[k + 1], 1e-300));
    const double curvature = a - 2 * b + c, shift = curvature < 0 ? 0.5 * (a - c) / curvature : 0;
    peaks.push_back(
        {frequencies[k] + shift * (frequencies[k + 1] - frequencies[k]), std::exp(b - 0.25 * (a - c) * shift)});
  }
  std::sort(peaks.begin(), peaks.end(), [](const Peak& x, const Peak& y) { return x.value > y.value; });
  if (peaks.size() > static_cast<std::size_t>(num_peaks)) peaks.resize(num_peaks);
  std::sort(peaks.begin(), peaks.end(), [](const Peak& x, const Peak& y) { return x.frequency < y.frequency; });
  return peaks;
}

}  // namespace lithe
