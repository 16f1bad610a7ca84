#include "app/distributed/reduction_report.h"

#include "app/terminal/table.h"
#include "lithe/base/text.h"

namespace lithe::app {

std::string text_of(const std::vector<RankUse>& ranks, const StageTimes& times, const Style& style) {
  constexpr double megabyte = 1e6;
  TextTable table({{"process"}, {"elements"}, {"unknowns"}, {"factor MB"}, {"peak memory MB"}});
  for (std::size_t k = 0; k < ranks.size(); ++k)
    table.add_row({cat(k), cat(ranks[k].num_elements), cat(ranks[k].num_unknowns),
                   fixed(ranks[k].factor_size / megabyte, 1), fixed(ranks[k].peak_memory / megabyte, 0)});
  std::string text = table.text(style) + "\n";
  for (std::size_t k = 0; k < times.size(); ++k)
    text += cat(k == 0 ? "" : ", ", times[k].first, " ", fixed(times[k].second, 1), " s");
  return text + "\n";
}

nlohmann::json json_of(const std::vector<RankUse>& ranks) {
  nlohmann::json list = nlohmann::json::array();
  for (const RankUse& use : ranks)
    list.push_back({{"elements", use.num_elements},
                    {"unknowns", use.num_unknowns},
                    {"factor_bytes", use.factor_size},
                    {"peak_bytes", use.peak_memory}});
  return list;
}

nlohmann::json json_of(const StageTimes& times) {
  nlohmann::json value = nlohmann::json::object();
  for (const auto& [stage, seconds] : times) value[stage] = seconds;
  return value;
}

}  // namespace lithe::app
