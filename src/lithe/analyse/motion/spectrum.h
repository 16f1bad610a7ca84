// Spectra of recorded signals: windows, Fourier transform of any length, peaks between the lines. docs/simulate.md.
#pragma once

#include <complex>
#include <string>
#include <vector>

namespace lithe {

enum class Window { rectangular, hann, hamming, blackman, flat_top };
// Throws InputError for an unknown name; names as in the model file ("flat_top").
Window window_by_name(const std::string& name);
std::vector<double> window_values(Window window, int length);  // periodic form

// Discrete Fourier transform, X_k = sum_n x_n exp(-2πi kn/N), of any length N (Bluestein beyond powers of two).
std::vector<std::complex<double>> fourier_transform(const std::vector<std::complex<double>>& values);

enum class SpectrumScale {
  amplitude,  // of a sine: a line shows the sine's amplitude
  density,    // power spectral density, unit²/Hz
};

// Window, scale and lines of a spectrum, and which peaks are listed.
struct SpectrumOptions {
  Window window = Window::hann;
  SpectrumScale scale = SpectrumScale::amplitude;
  double resolution = 0;     // Hz between lines, by zero padding; 0: one over the duration
  double max_frequency = 0;  // 0: half the sampling rate
  bool remove_mean = true;
  int segments = 1;  // > 1: Welch's average over so many segments, overlapping by half
  int num_peaks = 10;
  double prominence = 0.01;  // of a peak above its surroundings, as a share of the highest
};

// A maximum of a spectrum.
struct Peak {
  double frequency = 0;  // Hz, interpolated between the lines
  double value = 0;      // interpolated likewise
};

// Amplitude or density over frequency.
struct Spectrum {
  std::vector<double> frequencies;  // Hz
  std::vector<double> values;       // amplitude or density
  std::vector<Peak> peaks;          // ascending in frequency; the highest num_peaks ones
  double line_spacing = 0;          // Hz
  double sampling_rate = 0;         // Hz
};

// Of samples at constant steps. Throws InputError for fewer than 4 samples, values that are not finite or steps that
// are not constant (to 1e-6 of the step).
Spectrum spectrum(const std::vector<double>& times, const std::vector<double>& values,
                  const SpectrumOptions& options = {});

// Local maxima that rise by `prominence` times the highest value above the valleys beside them, interpolated by a
// parabola through the logarithms of three lines (a Gaussian peak), which windows other than the rectangular one show.
std::vector<Peak> find_peaks(const std::vector<double>& frequencies, const std::vector<double>& values, int num_peaks,
                             double prominence);

}  // namespace lithe
