// Gains, margins and zeros from one input to one output of a system whose integrators are split off, by poles and
// residues: a frequency costs as much as there are poles. docs/theory/control.md.
#pragma once

#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/separated_system.h"

namespace lithe {

// Analyses channels of one system, sampled and delayed as asked for.
class ChannelAnalysis {
 public:
  // `system` is continuous; what is asked for is that system sampled, with inputs that act `delay` samples late.
  ChannelAnalysis(const SeparatedSystem& system, Sampling sampling, double sample_time, int delay);

  std::vector<ModeFigures> modes() const;  // integrators first, then by modulus; one of each complex pair
  ChannelFigures figures(Eigen::Index output, Eigen::Index input) const;
  std::complex<double> response(Eigen::Index output, Eigen::Index input, double angular_frequency) const;
  bool has_undamped() const;  // a pole of the rest on the imaginary axis
  bool is_stable() const;     // no integrator, and all other poles left of the axis

 private:
  struct Channel;
  Channel channel(Eigen::Index output, Eigen::Index input) const;
  std::complex<double> response_of(const Channel& channel, double w) const;
  std::vector<double> frequencies(const Channel& channel, const ComplexVector& zeros) const;
  StateSpace realised(const Channel& channel) const;
  void find_gains(const Channel& channel, const std::vector<double>& grid, ChannelFigures& result) const;
  void find_margins(const Channel& channel, const std::vector<double>& grid, Margins& result) const;
  std::complex<double> mapped(std::complex<double> rate) const;  // to the z plane
  std::complex<double> rate_of(std::complex<double> point) const;
  bool is_undamped(std::complex<double> rate) const;

  Sampling sampling_;
  double sample_time_;
  int delay_;
  MatrixX direct_;
  ComplexVector poles_;
  ComplexMatrix seen_, reached_;  // C V, V⁻¹ B
  MatrixX squared_, simple_;      // of 1/s² and 1/s, outputs x inputs
  MatrixX integrator_b_, integrator_c_, integrator_speed_c_;
  Eigen::Index num_double_ = 0, num_single_ = 0;
  double fastest_ = 0;
};

}  // namespace lithe
