#include "lithe/analyse/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

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

double check_samples(const std::vector<double>& times, const std::vector<double>& values) {
  if (times.size() != values.size() || times.size() < 4)
    throw InputError(cat("a spectrum needs at least 4 samples, got ", std::min(times.size(), values.size())));
  const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  if (!(step > 0)) throw InputError("a spectrum needs samples at ascending times");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(values[i])) throw InputError(cat("the sample at ", times[i], " s is not finite"));
    const double expected = times.front() + static_cast<double>(i) * step;
    if (std::abs(times[i] - expected) > 1e-6 * step)
      throw InputError(cat("samples are not at constant steps: ", times[i], " s where ", expected, " s was expected"));
  }
  return step;
}

// |X_k|² of one windowed segment, summed into `power`.
void add_segment(const double* values, const std::vector<double>& window, double mean, std::size_t length,
                 std::vector<double>& power) {
  std::vector<Complex> x(length);
  for (std::size_t i = 0; i < window.size(); ++i) x[i] = (values[i] - mean) * window[i];
  const std::vector<Complex> transformed = fourier_transform(x);
  for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::norm(transformed[k]);
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
  const double step = check_samples(times, values);
  const std::size_t total = values.size();
  const std::size_t segments = static_cast<std::size_t>(std::max(1, options.segments));
  const std::size_t size = segments == 1 ? total : 2 * total / (segments + 1);
  if (size < 4) throw InputError(cat("too many segments: ", segments, " of ", total, " samples"));
  std::size_t length = size;
  if (options.resolution > 0)
    length = std::max(size, static_cast<std::size_t>(std::ceil(1 / (options.resolution * step) - 1e-9)));

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
    for (const double value : values) mean += value;
    mean /= static_cast<double>(total);
  }
  std::vector<double> power(length / 2 + 1);
  for (std::size_t s = 0; s < segments; ++s)
    add_segment(values.data() + (segments == 1 ? 0 : s * (total - size) / (segments - 1)), window, mean, length, power);

  for (std::size_t k = 0; k < power.size(); ++k) {
    const double frequency = static_cast<double>(k) * result.line_spacing;
    if (options.max_frequency > 0 && frequency > options.max_frequency * (1 + 1e-12)) break;
    const bool alone = k == 0 || 2 * k == length;  // no mirror image at negative frequencies
    const double mean_power = power[k] / static_cast<double>(segments);
    result.frequencies.push_back(frequency);
    result.values.push_back(options.scale == SpectrumScale::amplitude
                                ? (alone ? 1 : 2) * std::sqrt(mean_power) / sum
                                : (alone ? 1 : 2) * mean_power * step / sum_of_squares);
  }
  result.peaks = find_peaks(result.frequencies, result.values, options.num_peaks, options.prominence);
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
