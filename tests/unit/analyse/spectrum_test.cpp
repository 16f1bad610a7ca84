#include "lithe/analyse/motion/spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

using Complex = std::complex<double>;

struct Samples {
  std::vector<double> times, values;
};
template <class F>
Samples sample(F f, double rate, double duration) {
  Samples s;
  const int n = static_cast<int>(std::lround(rate * duration));
  for (int i = 0; i < n; ++i) {
    s.times.push_back(i / rate);
    s.values.push_back(f(i / rate));
  }
  return s;
}

TEST(FourierTransform, EqualsItsDefinitionForAnyLength) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const int n : {1, 2, 3, 7, 8, 12, 64, 97, 100}) {
    std::vector<Complex> x(n);
    for (Complex& v : x) v = {normal(random), normal(random)};
    const std::vector<Complex> fast = fourier_transform(x);
    for (int k = 0; k < n; ++k) {
      Complex slow = 0;
      for (int i = 0; i < n; ++i) slow += x[i] * std::polar(1.0, -2 * M_PI * ((k * i) % n) / n);
      EXPECT_NEAR(std::abs(fast[k] - slow), 0, 50 * n * 2.2e-16) << n;
    }
  }
}

TEST(FourierTransform, ObeysParseval) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const int n : {1024, 1000, 997}) {
    std::vector<Complex> x(n);
    double energy = 0, spectral = 0;
    for (Complex& v : x) energy += std::norm(v = normal(random));
    for (const Complex& v : fourier_transform(x)) spectral += std::norm(v);
    EXPECT_NEAR(spectral / n / energy, 1, 1e-13);
  }
}

TEST(Spectrum, DensityIntegratesToTheMeanSquare) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const Samples s = sample([&](double) { return normal(random); }, 1000, 2.0);
  SpectrumOptions options;
  options.window = Window::rectangular;
  options.scale = SpectrumScale::density;
  options.remove_mean = false;
  const Spectrum result = spectrum(s.times, s.values, options);
  double integral = 0, mean_square = 0;
  for (const double value : result.values) integral += value * result.line_spacing;
  for (const double value : s.values) mean_square += value * value / static_cast<double>(s.values.size());
  EXPECT_NEAR(integral, mean_square, 1e-12);
}

TEST(Spectrum, FindsASineBetweenTheLines) {
  for (const Window window : {Window::hann, Window::hamming, Window::blackman})
    for (const double frequency : {40.0, 40.13, 40.25, 40.5}) {
      const Samples s = sample([=](double t) { return 1.7 * std::sin(2 * M_PI * frequency * t + 0.4); }, 1000, 2.0);
      SpectrumOptions options;
      options.window = window;
      options.resolution = 0.02;  // 25 lines per bin of 0.5 Hz
      const Spectrum result = spectrum(s.times, s.values, options);
      const std::vector<Peak> peaks = find_peaks(result.frequencies, result.values, 1, 0.5);
      ASSERT_EQ(peaks.size(), 1u);
      EXPECT_NEAR(peaks[0].frequency, frequency, 1e-3 * 0.5);  // a thousandth of a bin
      EXPECT_NEAR(peaks[0].value, 1.7, 0.002);
    }
}

// Peaks are those of the continuous spectrum: one line per bin is enough. What is left is the sine's mirror image at
// negative frequencies, 160 bins away, as far as the window's side lobes reach: 1/(π 160) of the rectangular one.
TEST(Spectrum, PeaksAreRightWhateverTheLines) {
  for (const Window window : {Window::rectangular, Window::hann, Window::hamming, Window::blackman, Window::flat_top})
    for (const double frequency : {40.0, 40.13, 40.25, 40.37}) {
      const Samples s = sample([=](double t) { return 1.7 * std::sin(2 * M_PI * frequency * t + 0.4); }, 1000, 2.0);
      SpectrumOptions options;
      options.window = window;
      options.num_peaks = 1;
      const Spectrum result = spectrum(s.times, s.values, options);
      ASSERT_EQ(result.peaks.size(), 1u);
      const double leak = window == Window::rectangular ? 2e-3 : 1e-3;
      EXPECT_NEAR(result.peaks[0].frequency, frequency, leak * 0.5) << static_cast<int>(window);
      EXPECT_NEAR(result.peaks[0].value, 1.7, leak * 1.7) << static_cast<int>(window);
    }
}

// The end of a run that is no multiple of the output step.
TEST(Spectrum, ALastSampleThatComesEarlyDoesNotCount) {
  const Samples whole = sample([](double t) { return std::sin(2 * M_PI * 12.3 * t); }, 200, 3.0);
  Samples longer = whole;
  longer.times.push_back(longer.times.back() + 0.002);
  longer.values.push_back(0.3);
  const Spectrum a = spectrum(whole.times, whole.values), b = spectrum(longer.times, longer.values);
  EXPECT_EQ(a.values, b.values);
}

TEST(Spectrum, FlatTopShowsTheAmplitudeOnTheNearestLine) {
  for (const double frequency : {40.0, 40.13, 40.25}) {
    const Samples s = sample([=](double t) { return 1.7 * std::sin(2 * M_PI * frequency * t + 0.4); }, 1000, 2.0);
    SpectrumOptions options;
    options.window = Window::flat_top;
    const Spectrum result = spectrum(s.times, s.values, options);
    const double scalloping = std::pow(10, 0.01 / 20) - 1;  // of this window between two lines: 0.01 dB
    EXPECT_NEAR(*std::max_element(result.values.begin(), result.values.end()), 1.7, 1.7 * scalloping);
  }
}

TEST(Spectrum, SeparatesTwoSinesAndKeepsTheirAmplitudes) {
  const Samples s = sample(
      [](double t) { return 5 + std::sin(2 * M_PI * 8.16 * t) + 0.1 * std::cos(2 * M_PI * 11.24 * t); }, 500, 8.0);
  SpectrumOptions options;
  options.resolution = 0.01;
  options.prominence = 0.05;
  options.max_frequency = 100;
  const Spectrum result = spectrum(s.times, s.values, options);
  ASSERT_EQ(result.peaks.size(), 2u);
  EXPECT_NEAR(result.peaks[0].frequency, 8.16, 1e-3);
  EXPECT_NEAR(result.peaks[0].value, 1.0, 2e-3);
  EXPECT_NEAR(result.peaks[1].frequency, 11.24, 1e-3);
  EXPECT_NEAR(result.peaks[1].value, 0.1, 2e-3);
  EXPECT_LE(result.frequencies.back(), 100.0 + 1e-9);
}

TEST(Spectrum, WelchsAverageCalmsNoise) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  const Samples s = sample([&](double) { return normal(random); }, 1000, 16.0);
  SpectrumOptions options;
  options.scale = SpectrumScale::density;
  const auto spread = [&](int segments) {
    options.segments = segments;
    const Spectrum result = spectrum(s.times, s.values, options);
    double mean = 0, square = 0;
    const double n = static_cast<double>(result.values.size());
    for (const double v : result.values) mean += v / n;
    for (const double v : result.values) square += (v - mean) * (v - mean) / n;
    EXPECT_NEAR(mean, 2e-3, 2e-4);  // one-sided density of unit white noise: 2/rate
    return std::sqrt(square) / mean;
  };
  // one segment: exponential distribution, spread 1; with m overlapped Hann segments about sqrt(11/9/m)
  EXPECT_NEAR(spread(1), 1.0, 0.1);
  EXPECT_NEAR(spread(31), std::sqrt(11.0 / 9 / 31), 0.06);
}

TEST(Spectrum, RefusesWhatIsNotASignal) {
  EXPECT_THROW(spectrum({0, 1}, {0, 1}), InputError);
  EXPECT_THROW(spectrum({0, 1, 2, 4}, {0, 1, 0, 1}), InputError);
  EXPECT_THROW(spectrum({0, 1, 2, 3}, {0, 1, std::nan(""), 1}), InputError);
  EXPECT_THROW(window_by_name("square"), InputError);
}

}  // namespace
}  // namespace lithe
