#include "app/linear/floquet_report.h"

#include <cmath>
#include <numbers>

#include "app/terminal/table.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

// ln μ / T: growth rate, and the frequency up to multiples of 1/T.
double growth_rate(const std::complex<double>& multiplier, double period) {
  return std::log(std::abs(multiplier)) / period;
}
double frequency_of(const std::complex<double>& multiplier, double period) {
  return std::abs(std::arg(multiplier)) / (2 * std::numbers::pi * period);
}

}  // namespace

std::string floquet_verdict(const FloquetResult& result) {
  switch (result.verdict()) {
    case FloquetVerdict::unstable:
      return cat("Unstable: the largest multiplier has the size ", number(result.largest(), 8), ", a motion grows by ",
                 number(result.growth(), 4), " 1/s.");
    case FloquetVerdict::neutral:
      return cat("Neutrally stable: no multiplier is larger than 1 within the accuracy of ", number(result.accuracy, 2),
                 "; without damping vibrations neither grow nor decay.");
    case FloquetVerdict::stable:
      break;
  }
  return cat("Stable: the largest multiplier has the size ", number(result.largest(), 8), ", margin ",
             number(result.margin(), 4), ".");
}

std::string floquet_text(const FloquetResult& result, int count, const Style& style) {
  TextTable table({{"multiplier"}, {"size"}, {"real"}, {"imaginary"}, {"growth rate 1/s"}, {"frequency Hz"}});
  for (std::size_t k = 0; k < result.multipliers.size() && static_cast<int>(k) < count; ++k) {
    const std::complex<double>& value = result.multipliers[k];
    table.add_row({cat(k + 1), number(std::abs(value), 8), number(value.real(), 8), number(value.imag(), 8),
                   number(growth_rate(value, result.period), 4), number(frequency_of(value, result.period), 6)});
  }
  const std::string verdict = floquet_verdict(result);
  return cat("\nFloquet multipliers of the periodic motion from ", number(result.start.time), " s on, period ",
             number(result.period, 8), " s (frequencies up to multiples of 1/period)\n\n", table.text(style),
             result.verdict() == FloquetVerdict::unstable ? style.bad(verdict) : verdict, "\n");
}

nlohmann::json floquet_json(const FloquetResult& result) {
  static const char* verdicts[] = {"stable", "neutral", "unstable"};
  nlohmann::json values = nlohmann::json::array();
  for (const std::complex<double>& value : result.multipliers)
    values.push_back({{"real", json_number(value.real())},
                      {"imaginary", json_number(value.imag())},
                      {"size", json_number(std::abs(value))},
                      {"growth_rate_per_s", json_number(growth_rate(value, result.period))},
                      {"frequency_hz", json_number(frequency_of(value, result.period))}});
  return {{"period_s", result.period},
          {"start_s", result.start.time},
          {"multipliers", values},
          {"largest", json_number(result.largest())},
          {"margin", json_number(result.margin())},
          {"growth_rate_per_s", json_number(result.growth())},
          {"accuracy", json_number(result.accuracy)},
          {"closure", json_number(result.closure)},
          {"verdict", verdicts[static_cast<int>(result.verdict())]},
          {"message", floquet_verdict(result)}};
}

ReportTable floquet_table(const FloquetResult& result, int count) {
  ReportTable table{.title = "Floquet multipliers",
                    .columns = {{"multiplier", ""},
                                {"size", ""},
                                {"real", ""},
                                {"imaginary", ""},
                                {"growth rate", "1/s"},
                                {"frequency", "Hz"}},
                    .rows = {}};
  for (std::size_t k = 0; k < result.multipliers.size() && static_cast<int>(k) < count; ++k) {
    const std::complex<double>& value = result.multipliers[k];
    table.rows.push_back({static_cast<double>(k + 1), std::abs(value), value.real(), value.imag(),
                          growth_rate(value, result.period), frequency_of(value, result.period)});
  }
  return table;
}

}  // namespace lithe::app
