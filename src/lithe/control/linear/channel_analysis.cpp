#include "lithe/control/linear/channel_analysis.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/decompositions.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/infinite.h"

namespace lithe {
namespace {

constexpr double pi_of_channel = std::numbers::pi;
constexpr double negligible = 1e-9;     // of a residue next to the largest
constexpr double rounding = 1e-10;      // of a residue over its pole next to the direct part
constexpr double smallest_gain = 1e-9;  // of which the phase is worth looking at

// Where f has its largest value near a point of a grid, by golden section.
template <class F>
double highest_point(F&& f, double from, double to) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double a = to - golden * (to - from), b = from + golden * (to - from), fa = f(a), fb = f(b);
  for (int i = 0; i < 60 && to - from > 1e-13 * to; ++i) {
    if (fa > fb) {
      to = b;
      b = a;
      fb = fa;
      a = to - golden * (to - from);
      fa = f(a);
    } else {
      from = a;
      a = b;
      fa = fb;
      b = from + golden * (to - from);
      fb = f(b);
    }
  }
  return 0.5 * (from + to);
}

template <class F>
double sign_change(F&& f, double from, double to) {
  const bool begins_positive = f(from) > 0;
  for (int i = 0; i < 60 && to - from > 1e-14 * to; ++i) {
    const double middle = 0.5 * (from + to);
    ((f(middle) > 0) == begins_positive ? from : to) = middle;
  }
  return 0.5 * (from + to);
}

// Whether an output is the direct part of its inputs, and the rest rounding.
bool sees_nothing(const ComplexVector& poles, const ComplexMatrix& seen, const ComplexMatrix& reached,
                  const MatrixX& direct) {
  if (seen.cols() == 0 || reached.cols() == 0) return false;
  const double bound = 10 * rounding * direct.cwiseAbs().maxCoeff() / std::max(1e-300, reached.cwiseAbs().maxCoeff());
  for (Eigen::Index k = 0; k < poles.size(); ++k)
    if (std::abs(seen(0, k)) > bound * std::abs(poles[k])) return false;
  return true;
}

}  // namespace

// Direct part, poles with their residues, α/s² + β/s.
struct ChannelAnalysis::Channel {
  double direct = 0, squared = 0, simple = 0;
  std::vector<std::complex<double>> poles, residues;
};

ChannelAnalysis::ChannelAnalysis(const SeparatedSystem& system, Sampling sampling, double sample_time, int delay)
    : sampling_(sampling),
      sample_time_(sample_time),
      delay_(delay),
      direct_(system.rest.d),
      num_double_(system.num_double),
      num_single_(system.num_single) {
  const StateSpace& rest = system.rest;
  if (rest.num_states() > 0) {
    const ComplexPairs pairs = complex_pairs(rest.a);
    poles_ = pairs.values;
    seen_ = rest.c.cast<std::complex<double>>() * pairs.vectors;
    reached_ = pairs.vectors.partialPivLu().solve(rest.b.cast<std::complex<double>>());
    fastest_ = poles_.cwiseAbs().maxCoeff();
  } else {
    seen_.resize(rest.num_outputs(), 0);
    reached_.resize(0, rest.num_inputs());
  }
  const StateSpace& in = system.integrators;
  integrator_b_.resize(num_double_ + num_single_, in.num_inputs());
  integrator_b_ << in.b.middleRows(num_double_, num_double_), in.b.bottomRows(num_single_);
  integrator_c_.resize(in.num_outputs(), num_double_ + num_single_);
  integrator_c_ << in.c.leftCols(num_double_), in.c.rightCols(num_single_);
  integrator_speed_c_ = in.c.middleCols(num_double_, num_double_);
  squared_ = integrator_c_.leftCols(num_double_) * integrator_b_.topRows(num_double_);
  simple_ = integrator_speed_c_ * integrator_b_.topRows(num_double_) +
            integrator_c_.rightCols(num_single_) * integrator_b_.bottomRows(num_single_);
}

std::complex<double> ChannelAnalysis::mapped(std::complex<double> rate) const {
  if (sampling_ == Sampling::none) return rate;
  if (sampling_ == Sampling::hold) return std::exp(rate * sample_time_);
  return (1.0 + 0.5 * sample_time_ * rate) / (1.0 - 0.5 * sample_time_ * rate);
}

std::complex<double> ChannelAnalysis::rate_of(std::complex<double> point) const {
  if (sampling_ == Sampling::none) return point;
  return std::log(std::abs(point) > 0 ? point : std::complex<double>(1e-300, 0)) / sample_time_;
}

bool ChannelAnalysis::is_undamped(std::complex<double> rate) const {
  return std::abs(rate.real()) <= std::max(1e-9 * std::abs(rate), 1e-13 * fastest_);
}

bool ChannelAnalysis::has_undamped() const {
  return std::any_of(poles_.begin(), poles_.end(), [this](const auto& rate) { return is_undamped(rate); });
}

bool ChannelAnalysis::is_stable() const {
  return num_double_ + num_single_ == 0 && std::all_of(poles_.begin(), poles_.end(), [this](const auto& rate) {
           return rate.real() < 0 && !is_undamped(rate);
         });
}

std::vector<ModeFigures> ChannelAnalysis::modes() const {
  std::vector<ModeFigures> result;
  for (Eigen::Index k = 0; k < num_double_ + num_single_; ++k) {
    ModeFigures mode;
    mode.pole = mapped(0.0);
    mode.integrator = k < num_double_ ? 2 : 1;
    mode.controllability = integrator_b_.row(k).cwiseAbs().transpose();
    mode.observability = integrator_c_.col(k).cwiseAbs();
    if (k < num_double_) mode.observability = mode.observability.cwiseMax(integrator_speed_c_.col(k).cwiseAbs());
    result.push_back(std::move(mode));
  }
  const auto integrators = static_cast<std::ptrdiff_t>(result.size());
  for (Eigen::Index k = 0; k < poles_.size(); ++k) {
    if (poles_[k].imag() < 0) continue;
    ModeFigures mode;
    mode.rate = is_undamped(poles_[k]) ? std::complex<double>(0, poles_[k].imag()) : poles_[k];
    mode.pole = mapped(mode.rate);
    mode.controllability = reached_.row(k).cwiseAbs().transpose();
    mode.observability = seen_.col(k).cwiseAbs();
    result.push_back(std::move(mode));
  }
  std::sort(result.begin() + integrators, result.end(),
            [](const ModeFigures& p, const ModeFigures& q) { return std::abs(p.rate) < std::abs(q.rate); });
  // What is rounding next to the largest of its input or output.
  const auto clear = [&](auto member) {
    VectorX largest;
    for (const ModeFigures& mode : result)
      largest = largest.size() == 0 ? mode.*member : VectorX(largest.cwiseMax(mode.*member));
    for (ModeFigures& mode : result)
      for (Eigen::Index i = 0; i < largest.size(); ++i)
        if ((mode.*member)[i] <= 1e-10 * largest[i]) (mode.*member)[i] = 0;
  };
  clear(&ModeFigures::controllability);
  clear(&ModeFigures::observability);
  for (Eigen::Index i = 0; i < seen_.rows(); ++i)
    if (sees_nothing(poles_, seen_.row(i), reached_, direct_.row(i)) && integrator_c_.row(i).isZero(0))
      for (ModeFigures& mode : result) mode.observability[i] = 0;
  return result;
}

// Without poles that the input does not reach or the output does not see: a moment beside a motor is the motor's, and
// what the links do to it is rounding.
ChannelAnalysis::Channel ChannelAnalysis::channel(Eigen::Index output, Eigen::Index input) const {
  Channel result;
  result.direct = direct_(output, input);
  result.squared = squared_(output, input);
  result.simple = simple_(output, input);
  const ComplexVector residues = seen_.row(output).transpose().cwiseProduct(reached_.col(input));
  const double largest = residues.size() > 0 ? residues.cwiseAbs().maxCoeff() : 0;
  for (Eigen::Index k = 0; k < residues.size(); ++k) {
    if (std::abs(residues[k]) <= negligible * largest) continue;
    if (std::abs(residues[k]) <= rounding * std::abs(poles_[k] * result.direct)) continue;
    result.poles.push_back(poles_[k]);
    result.residues.push_back(residues[k]);
  }
  return result;
}

// With s = iω, or z = exp(iωT): inputs held give R (z_k - 1)/(λ_k (z - z_k)) for R/(s - λ_k); the bilinear rule puts
// s = 2/T (z - 1)/(z + 1).
std::complex<double> ChannelAnalysis::response_of(const Channel& channel, double w) const {
  const std::complex<double> z = std::polar(1.0, w * sample_time_);
  std::complex<double> s(0, w);
  if (sampling_ == Sampling::tustin) s = 2 / sample_time_ * (z - 1.0) / (z + 1.0);
  std::complex<double> sum = channel.direct;
  const bool held = sampling_ == Sampling::hold;
  for (std::size_t k = 0; k < channel.poles.size(); ++k) {
    const std::complex<double> pole = channel.poles[k];
    if (held) {
      const std::complex<double> x = pole * sample_time_, zk = std::exp(x);
      const std::complex<double> share = std::abs(x) < 1e-6 ? sample_time_ * (1.0 + 0.5 * x) : (zk - 1.0) / pole;
      sum += channel.residues[k] * share / (z - zk);
    } else {
      sum += channel.residues[k] / (s - pole);
    }
  }
  if (channel.squared != 0 || channel.simple != 0) {
    const double T = sample_time_;
    sum += held ? 0.5 * T * T * channel.squared * (z + 1.0) / ((z - 1.0) * (z - 1.0)) + T * channel.simple / (z - 1.0)
                : channel.squared / (s * s) + channel.simple / s;
  }
  return delay_ > 0 ? sum * std::polar(1.0, -w * sample_time_ * delay_) : sum;
}

std::complex<double> ChannelAnalysis::response(Eigen::Index output, Eigen::Index input, double w) const {
  return response_of(channel(output, input), w);
}

// Frequencies that show every resonance and notch: by decades, dense about lightly damped poles and zeros.
std::vector<double> ChannelAnalysis::frequencies(const Channel& channel, const ComplexVector& zeros) const {
  double low = 1e-2, high = 1e2;
  std::vector<double> grid;
  const auto add_near = [&](std::complex<double> rate) {
    const double size = std::abs(rate);
    if (!(size > 0) || rate.imag() < 0) return;
    low = std::min(low, 0.01 * size);
    high = std::max(high, 100 * size);
    if (rate.imag() < 0.3 * size) return;
    const double width = std::max(std::abs(rate.real()), 1e-6 * size);
    for (int k = -40; k <= 40; ++k) {
      const double offset = width * std::copysign(std::pow(2.0, std::abs(k) / 2.0) - 1, k);
      grid.push_back(rate.imag() + offset);
    }
  };
  for (const std::complex<double>& pole : channel.poles) add_near(pole);
  for (const std::complex<double>& zero : zeros) {
    const std::complex<double> rate = rate_of(zero);
    if (std::abs(rate) > 1e-9 * fastest_ && std::abs(rate) < 10 * fastest_) add_near(rate);
  }
  add_near(std::sqrt(std::abs(channel.squared)));  // where the integrators alone have the gain 1
  add_near(std::abs(channel.simple));
  const double nyquist = sampling_ == Sampling::none ? infinite : pi_of_channel / sample_time_;
  high = std::min(high, nyquist);
  const double decades = std::log10(high / low);
  const int count = static_cast<int>(std::ceil(100 * decades));
  for (int k = 0; k <= count; ++k) grid.push_back(low * std::pow(10.0, decades * k / count));
  std::erase_if(grid, [=](double w) { return !(w > 0) || w > nyquist; });
  std::sort(grid.begin(), grid.end());
  return grid;
}

// The channel as a continuous system of its own, in real blocks of its poles.
StateSpace ChannelAnalysis::realised(const Channel& channel) const {
  const bool doubly = channel.squared != 0, singly = !doubly && channel.simple != 0;
  const Eigen::Index integrators = doubly ? 2 : singly ? 1 : 0;
  const Eigen::Index n = integrators + static_cast<Eigen::Index>(channel.poles.size());
  StateSpace s;
  s.a = MatrixX::Zero(n, n);
  s.b = MatrixX::Zero(n, 1);
  s.c = MatrixX::Zero(1, n);
  s.d = MatrixX::Constant(1, 1, channel.direct);
  if (doubly) {
    s.a(0, 1) = 1;
    s.b(1, 0) = 1;
    s.c(0, 0) = channel.squared;
    s.c(0, 1) = channel.simple;
  } else if (singly) {
    s.b(0, 0) = 1;
    s.c(0, 0) = channel.simple;
  }
  Eigen::Index at = integrators;
  for (std::size_t k = 0; k < channel.poles.size(); ++k) {
    const std::complex<double> pole = channel.poles[k], residue = channel.residues[k];
    if (pole.imag() < 0) continue;
    const double size = std::sqrt(std::abs(residue));
    s.a(at, at) = pole.real();
    if (pole.imag() == 0) {
      s.b(at, 0) = size;
      s.c(0, at) = residue.real() / size;
      ++at;
      continue;
    }
    // R/(s - λ) + conj: states Re, Im of x with ẋ = λ x + u, y = 2 Re(R x)
    s.a(at + 1, at + 1) = pole.real();
    s.a(at, at + 1) = -pole.imag();
    s.a(at + 1, at) = pole.imag();
    s.b(at, 0) = size;
    s.c(0, at) = 2 * residue.real() / size;
    s.c(0, at + 1) = -2 * residue.imag() / size;
    at += 2;
  }
  s.a.conservativeResize(at, at);
  s.b.conservativeResize(at, 1);
  s.c.conservativeResize(1, at);
  return s;
}

void ChannelAnalysis::find_gains(const Channel& channel, const std::vector<double>& grid,
                                 ChannelFigures& result) const {
  const bool integrates = channel.squared != 0 || channel.simple != 0;
  if (integrates) {
    result.steady = result.peak_limit = GainLimit::integrator;
    result.peak.value = infinite;
    return;
  }
  result.steady_gain = channel.direct;
  for (std::size_t k = 0; k < channel.poles.size(); ++k)
    result.steady_gain -= (channel.residues[k] / channel.poles[k]).real();
  for (const std::complex<double>& pole : channel.poles) {
    const bool undamped = is_undamped(pole);
    if (!undamped && pole.real() < 0) continue;
    const GainLimit limit = undamped ? GainLimit::undamped_pole : GainLimit::unstable_pole;
    if (result.peak_limit == GainLimit::unstable_pole) continue;
    if (result.peak_limit == limit && std::abs(pole) >= result.peak.angular_frequency) continue;
    result.peak_limit = limit;
    result.peak = {infinite, std::abs(pole)};
  }
  if (result.peak_limit != GainLimit::finite) return;
  const auto gain = [&](double w) { return std::abs(response_of(channel, w)); };
  result.peak = {std::abs(result.steady_gain), 0};
  std::size_t best = grid.size();
  for (std::size_t i = 0; i < grid.size(); ++i)
    if (const double value = gain(grid[i]); value > result.peak.value) {
      result.peak = {value, grid[i]};
      best = i;
    }
  if (sampling_ == Sampling::none && std::abs(channel.direct) > result.peak.value)
    result.peak = {std::abs(channel.direct), infinite};
  else if (best < grid.size()) {
    const double w = highest_point(gain, grid[best > 0 ? best - 1 : best], grid[std::min(best + 1, grid.size() - 1)]);
    if (const double value = gain(w); value > result.peak.value) result.peak = {value, w};
  }
}

void ChannelAnalysis::find_margins(const Channel& channel, const std::vector<double>& grid, Margins& result) const {
  const auto at = [&](double w) { return response_of(channel, w); };
  result.modulus = infinite;
  if (grid.empty()) return;  // no frequency below half the sample rate can be told from zero
  std::complex<double> last = at(grid.front());
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::complex<double> now = at(grid[i]);
    result.modulus = std::min(result.modulus, std::abs(1.0 + now));
    if (i > 0 && (std::abs(last) > 1) != (std::abs(now) > 1)) {
      const double w = sign_change([&](double x) { return std::abs(at(x)) - 1; }, grid[i - 1], grid[i]);
      double phase = std::arg(at(w)) + pi_of_channel;  // above -180 degrees
      if (phase > pi_of_channel) phase -= 2 * pi_of_channel;
      if (std::abs(phase) < std::abs(result.phase)) {
        result.phase = phase;
        result.phase_frequency = w;
      }
      result.delay = std::min(result.delay, (phase < 0 ? phase + 2 * pi_of_channel : phase) / w);
    }
    const bool turns = std::abs(last.imag()) > 1e-9 * std::abs(last) && std::abs(now.imag()) > 1e-9 * std::abs(now);
    if (i > 0 && turns && (last.imag() > 0) != (now.imag() > 0) && last.real() < 0 && now.real() < 0) {
      const double w = sign_change([&](double x) { return at(x).imag(); }, grid[i - 1], grid[i]);
      const double size = std::abs(at(w));
      // Not where a real response crosses zero.
      if (size > smallest_gain && std::abs(std::log(size)) < std::abs(std::log(result.gain))) {
        result.gain = 1 / size;
        result.gain_frequency = w;
      }
    }
    last = now;
  }
}

ChannelFigures ChannelAnalysis::figures(Eigen::Index output, Eigen::Index input) const {
  ChannelFigures result;
  const Channel one = channel(output, input);
  StateSpace system = realised(one);
  result.num_states = system.num_states();
  if (sampling_ == Sampling::hold) system = zero_order_hold(system, sample_time_);
  if (sampling_ == Sampling::tustin) system = tustin(system, sample_time_);
  result.zeros = transmission_zeros(system);
  const std::vector<double> grid = frequencies(one, result.zeros);
  find_gains(one, grid, result);
  find_margins(one, grid, result.margins);
  return result;
}

}  // namespace lithe
