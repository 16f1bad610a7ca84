// M0, C0, K0, G0 and transfer functions of `linearise` as JSON and as entries of files.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/analyse/linear/transfer_matrices.h"

namespace lithe::app {

// Name, unit and matrix of each: "M0", "J s^2/(u_i u_j)".
struct NamedMatrix {
  std::string name, unit;
  const MatrixX* matrix;
};
std::vector<NamedMatrix> matrices_of(const TransferMatrices& transfer);
// "crank [rad]"
std::vector<std::string> coordinate_labels(const TransferMatrices& transfer);
nlohmann::json transfer_json(const TransferMatrices& transfer);

}  // namespace lithe::app
