#include "app/linear/transfer_report.h"

#include "lithe/base/text.h"

namespace lithe::app {

std::vector<NamedMatrix> matrices_of(const TransferMatrices& transfer) {
  return {{"M0", "J s^2/(u_i u_j)", &transfer.M0}, {"C0", "J s/(u_i u_j)", &transfer.C0},
          {"K0", "J/(u_i u_j)", &transfer.K0},     {"G0", "J/(u_i u_j)", &transfer.G0},
          {"DF", "m/u_j", &transfer.DF},           {"D2F", "m/s/u_j", &transfer.D2F},
          {"D3F", "m/s^2/u_j", &transfer.D3F}};
}

std::vector<std::string> coordinate_labels(const TransferMatrices& transfer) {
  std::vector<std::string> labels;
  for (const Channel& coordinate : transfer.coordinates)
    labels.push_back(cat(coordinate.name, " [", coordinate.unit, "]"));
  return labels;
}

nlohmann::json transfer_json(const TransferMatrices& transfer) {
  nlohmann::json coordinates = nlohmann::json::array(), units = nlohmann::json::object();
  for (std::size_t i = 0; i < transfer.coordinates.size(); ++i)
    coordinates.push_back({{"name", transfer.coordinates[i].name},
                           {"unit", transfer.coordinates[i].unit},
                           {"velocity", json_number(transfer.velocities[static_cast<Eigen::Index>(i)])}});
  nlohmann::json value{{"coordinates", coordinates}, {"rows", transfer.rows}};
  for (const NamedMatrix& entry : matrices_of(transfer)) {
    nlohmann::json rows = nlohmann::json::array();
    for (Eigen::Index i = 0; i < entry.matrix->rows(); ++i) {
      rows.push_back(nlohmann::json::array());
      for (Eigen::Index j = 0; j < entry.matrix->cols(); ++j) rows.back().push_back(json_number((*entry.matrix)(i, j)));
    }
    value[entry.name] = rows;
    units[entry.name] = entry.unit;
  }
  value["units"] = units;
  return value;
}

}  // namespace lithe::app
