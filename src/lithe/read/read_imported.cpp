// Links given by the matrices of a finite-element program.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lithe/base/text.h"
#include "lithe/read/csv_table.h"
#include "lithe/read/input_file.h"
#include "lithe/read/matrix_market.h"
#include "lithe/read/parts.h"
#include "lithe/read/select_nodes.h"

namespace lithe {
namespace {

std::optional<NamedFile> open(const TableReader& reader, std::string_view key) {
  if (!reader.has(key)) {
    reader.error(cat("key '", key, "' is missing (type matrices)"));
    return std::nullopt;
  }
  return read_named_file(reader, key, largest_matrix_file);
}

struct ImportedMatrix {
  SparseMatrix entries;
  bool outside = false;  // its file lies outside the model's folder: entries appear in no message
};

// Errors inside the file go to the reading with their own lines.
std::optional<ImportedMatrix> read_matrix(const TableReader& reader, std::string_view key) {
  const std::optional<NamedFile> file = open(reader, key);
  if (!file) return std::nullopt;
  std::optional<SparseMatrix> matrix =
      parse_matrix_market(file->text, file->name, reader.reading().diagnostics, !file->outside);
  if (!matrix) reader.reading().affected.push_back(reader.path_of(key));
  if (!matrix) return std::nullopt;
  return ImportedMatrix{*std::move(matrix), file->outside};
}

std::optional<std::vector<Vector3>> read_coordinates(const TableReader& reader) {
  const std::optional<NamedFile> file = open(reader, "node_coordinates");
  if (!file) return std::nullopt;
  std::vector<Vector3> points;
  Diagnostics& diagnostics = reader.reading().diagnostics;
  const auto wrong_width = [&](auto columns) {
    reader.error("node_coordinates", cat("node coordinates need 3 columns (x, y, z), the file has ", columns));
    return std::nullopt;
  };
  if (is_matrix_market(file->text)) {
    const std::optional<SparseMatrix> table = parse_matrix_market(file->text, file->name, diagnostics, !file->outside);
    if (!table) reader.reading().affected.push_back(reader.path_of("node_coordinates"));
    if (!table) return std::nullopt;
    if (table->cols() != 3) return wrong_width(table->cols());
    for (int i = 0; i < table->rows(); ++i)
      points.emplace_back(table->coeff(i, 0), table->coeff(i, 1), table->coeff(i, 2));
    return points;
  }
  const std::size_t errors = diagnostics.errors().size();
  const CsvTable table = parse_csv(file->text, file->name, diagnostics, {.quotes_content = !file->outside});
  if (diagnostics.errors().size() > errors) {
    reader.reading().affected.push_back(reader.path_of("node_coordinates"));
    return std::nullopt;
  }
  if (table.columns.size() != 3) return wrong_width(table.columns.size());
  for (std::size_t i = 0; i < table.lines.size(); ++i)
    points.emplace_back(table.columns[0][i], table.columns[1][i], table.columns[2][i]);
  return points;
}

double size_of(const std::vector<Vector3>& points) {
  Vector3 low = points.front(), high = low;
  for (const Vector3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

double largest(const SparseMatrix& matrix) {
  double result = 0;
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)
      result = std::max(result, std::abs(entry.value()));
  return result;
}

// Whether x' A x >= -1e-5 x' D x for all x, D the diagonal of A: so much may rounding to six digits in a file take off
// (docs/theory/modal_body.md wants kinetic and strain energy that are never negative). A + 1e-5 D then has a Cholesky
// factor; scaled by D, so that lengths and angles count alike.
bool is_semidefinite(const SparseMatrix& matrix) {
  constexpr double slack = 1e-5;
  VectorX scale(matrix.rows());
  for (int k = 0; k < matrix.rows(); ++k) {
    const double own = matrix.coeff(k, k);
    scale[k] = own > 0 ? 1 / std::sqrt(own) : 0;
  }
  SparseMatrix scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)  // without a diagonal no other entry
      if (entry.value() != 0 && (scale[entry.row()] == 0 || scale[entry.col()] == 0)) return false;
  SparseMatrix shift(matrix.rows(), matrix.rows());
  shift.setIdentity();
  scaled += slack * shift;
  return Eigen::SimplicialLLT<SparseMatrix>(scaled).info() == Eigen::Success;
}

bool is_good_matrix(const TableReader& reader, std::string_view key, const ImportedMatrix& imported) {
  const SparseMatrix& matrix = imported.entries;
  const std::string noun = key == "mass_matrix" ? "mass" : "stiffness";
  const auto errors = [&] { return reader.reading().diagnostics.errors().size(); };
  const std::size_t before = errors();
  const SparseMatrix difference = matrix - SparseMatrix(matrix.transpose());
  if (!(largest(matrix) > 0)) reader.error(key, cat("the ", noun, " matrix is zero"));
  if (largest(difference) > 1e-6 * largest(matrix)) reader.error(key, "the matrix is not symmetric");
  for (int k = 0; k < matrix.rows(); ++k) {
    if (matrix.coeff(k, k) >= 0) continue;
    reader.error(key, cat("entry (", k + 1, ", ", k + 1, ") must not be negative",
                          imported.outside ? std::string() : cat(", got ", matrix.coeff(k, k))));
    break;
  }
  if (errors() == before && !is_semidefinite(matrix))
    reader.error(key, cat("the ", noun, " matrix is indefinite: some motion has negative ",
                          key == "mass_matrix" ? "kinetic" : "strain", " energy"));
  return errors() == before;
}

// A free body resists no rigid motion: wrong orders of unknowns, wrong units and supports left in show here.
void check_rigid_motion(const TableReader& reader, const FiniteElementBody& body) {
  const int per_node = body.nodes_have_rotations ? 6 : 3;
  const double size = std::max(size_of(body.node_positions), 1e-300);
  const VectorX level = [&] {
    VectorX sum = VectorX::Zero(body.num_dofs());
    for (int k = 0; k < body.stiffness.outerSize(); ++k)
      for (SparseMatrix::InnerIterator entry(body.stiffness, k); entry; ++entry)
        sum[entry.row()] += std::abs(entry.value()) * (per_node == 6 && entry.col() % 6 >= 3 ? 1 / size : 1.0);
    return sum;
  }();
  for (int motion = 0; motion < 6; ++motion) {
    const Vector3 axis = Vector3::Unit(motion % 3);
    VectorX u = VectorX::Zero(body.num_dofs());
    for (int node = 0; node < body.num_nodes(); ++node) {
      const Vector3 arm = (body.node_positions[node] - body.node_positions[0]) / size;
      u.segment<3>(per_node * node) = motion < 3 ? axis : Vector3(axis.cross(arm));
      if (motion >= 3 && per_node == 6) u.segment<3>(6 * node + 3) = axis / size;
    }
    const VectorX force = body.stiffness * u;
    const double worst = (force.array().abs() / level.array().max(1e-300)).maxCoeff();
    if (worst <= 1e-4) continue;
    reader.error("stiffness_matrix",
                 cat("the stiffness matrix is not that of a free body: ",
                     motion < 3 ? "moving it along " : "turning it about ", "xyz"[motion % 3], " takes force (", worst,
                     " of the largest); are supports left in, or are the "
                     "unknowns or coordinates in another order?"));
    return;
  }
}

// The mesh node of every named one.
std::optional<std::vector<int>> named_nodes(const TableReader& reader, const Link& link,
                                            const std::vector<Vector3>& points) {
  const double near = 1e-6 * std::max(size_of(points), 1e-9);
  std::vector<int> order;
  std::vector<bool> taken(points.size(), false);
  bool good = true;
  for (const Node& node : link.nodes) {
    if (!node.position.allFinite()) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if ((points[i] - node.position).norm() < (points[best] - node.position).norm()) best = i;
    const double distance = (points[best] - node.position).norm();
    if (distance > near || taken[best]) {
      reader.error("nodes", distance > near
                                ? cat("node '", node.name, "' is at no node of the mesh; the nearest, number ",
                                      best + 1, ", is ", distance, " m away")
                                : cat("node '", node.name, "' is at the place of another named node"));
      good = false;
    }
    taken[best] = true;
    order.push_back(static_cast<int>(best));
  }
  return good ? std::optional(order) : std::nullopt;
}

// Mesh nodes in the order wanted by Link::imported: the named ones first.
std::vector<int> named_first(const std::vector<int>& named, std::size_t count) {
  std::vector<int> order = named;
  std::vector<bool> taken(count, false);
  for (const int node : named) taken[static_cast<std::size_t>(node)] = true;
  for (std::size_t i = 0; i < count; ++i)
    if (!taken[i]) order.push_back(static_cast<int>(i));
  return order;
}

SparseMatrix reordered(const SparseMatrix& matrix, const std::vector<int>& order, int per_node) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(matrix.nonZeros());
  const auto moved = [&](auto k) { return per_node * place[k / per_node] + static_cast<int>(k % per_node); };
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry) {
      triplets.emplace_back(moved(entry.row()), moved(entry.col()), 0.5 * entry.value());
      triplets.emplace_back(moved(entry.col()), moved(entry.row()), 0.5 * entry.value());
    }
  SparseMatrix result(matrix.rows(), matrix.cols());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

}  // namespace

void read_imported(const TableReader& reader, NameList& names, Link& link) {
  const std::optional<ImportedMatrix> mass_file = read_matrix(reader, "mass_matrix");
  const std::optional<ImportedMatrix> stiffness_file = read_matrix(reader, "stiffness_matrix");
  const std::optional<std::vector<Vector3>> points = read_coordinates(reader);
  if (!mass_file || !stiffness_file || !points || points->empty()) return;
  const SparseMatrix &mass = mass_file->entries, &stiffness = stiffness_file->entries;
  const auto n = static_cast<Eigen::Index>(points->size());
  for (const auto& [key, matrix] : {std::pair{"mass_matrix", &mass}, std::pair{"stiffness_matrix", &stiffness}})
    if (matrix->rows() != matrix->cols() || (matrix->rows() != 3 * n && matrix->rows() != 6 * n))
      return reader.error(key, cat("the matrix is ", matrix->rows(), " x ", matrix->cols(), ", but ", n, " nodes need ",
                                   3 * n, " or ", 6 * n, " unknowns"));
  if (mass.rows() != stiffness.rows()) return reader.error("mass_matrix", "mass and stiffness matrix differ in size");
  if (!is_good_matrix(reader, "mass_matrix", *mass_file) ||
      !is_good_matrix(reader, "stiffness_matrix", *stiffness_file))
    return;
  std::optional<std::vector<int>> named = named_nodes(reader, link, *points);
  if (!named) return;
  const bool rotations = mass.rows() == 6 * n;
  if (rotations && reader.has("interfaces"))
    return reader.error("interfaces",
                        "these nodes have rotations of their own; joints attach to them without a spider");
  read_interfaces(reader, choice_of(*points, nullptr), *named, names, link);
  if (link.nodes.empty()) return;
  const std::vector<int> order = named_first(*named, points->size());
  if (order.size() != points->size()) return reader.error("interfaces", "a node is named twice");
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  for (Spider& spider : link.spiders)
    for (int& node : spider.nodes) node = place[static_cast<std::size_t>(node)];
  auto body = std::make_shared<FiniteElementBody>();
  body->nodes_have_rotations = rotations;
  for (const int i : order) body->node_positions.push_back((*points)[static_cast<std::size_t>(i)]);
  body->mass = reordered(mass, order, rotations ? 6 : 3);
  body->stiffness = reordered(stiffness, order, rotations ? 6 : 3);
  check_rigid_motion(reader, *body);
  link.imported = std::move(body);
}

}  // namespace lithe
