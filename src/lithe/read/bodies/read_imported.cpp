// Links given by the matrices of a finite-element program, or by the file of a reduced body.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lithe/base/text.h"
#include "lithe/read/bodies/select_nodes.h"
#include "lithe/read/matrices/body_matrix.h"
#include "lithe/read/matrices/reduced_file.h"
#include "lithe/read/matrices/sid_file.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/mesh_units.h"
#include "lithe/read/parts.h"
#include "lithe/read/tables/csv_table.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/tables/matrix_market.h"

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
  std::vector<MatrixUnknown> unknowns;  // one per row, where the file says
  bool outside = false;                 // its file lies outside the model's folder: entries appear in no message
};

// Errors inside the file go to the reading with their own lines.
std::optional<ImportedMatrix> read_matrix(const TableReader& reader, std::string_view key) {
  const std::optional<NamedFile> file = open(reader, key);
  if (!file) return std::nullopt;
  const MatrixRole role = key == "mass_matrix" ? MatrixRole::mass : MatrixRole::stiffness;
  std::optional<BodyMatrix> matrix =
      read_body_matrix({file->text, file->name, role, !file->outside}, reader.reading().diagnostics);
  if (!matrix) reader.reading().affected.push_back(reader.path_of(key));
  if (!matrix) return std::nullopt;
  return ImportedMatrix{std::move(matrix->entries), std::move(matrix->unknowns), file->outside};
}

// Nodes with the numbers that unknowns name them by.
struct ImportedNodes {
  std::vector<Vector3> positions;
  std::vector<std::int64_t> numbers;
  std::vector<int> unknowns{};  // 3 or 6 of each, once that is known

  // The first unknown of each node and, at the end, their number.
  std::vector<int> starts() const {
    std::vector<int> result{0};
    for (const int count : unknowns) result.push_back(result.back() + count);
    return result;
  }
};

std::optional<ImportedNodes> nodes_of_mesh(const TableReader& reader, const NamedFile& file, MeshFormat format) {
  Diagnostics& diagnostics = reader.reading().diagnostics;
  std::optional<Mesh> mesh = read_mesh(file.text, file.name, format, diagnostics, {.quotes_content = !file.outside});
  if (!mesh) reader.reading().affected.push_back(reader.path_of("node_coordinates"));
  if (!mesh) return std::nullopt;
  return ImportedNodes{std::move(mesh->positions), std::move(mesh->node_labels), {}};
}

// x, y, z or number, x, y, z in each row.
std::optional<ImportedNodes> nodes_of_columns(const TableReader& reader,
                                              const std::vector<std::vector<double>>& columns) {
  if (columns.size() != 3 && columns.size() != 4) {
    reader.error(
        "node_coordinates",
        cat("node coordinates need 3 columns (x, y, z) or 4 (number, x, y, z), the file has ", columns.size()));
    return std::nullopt;
  }
  ImportedNodes nodes;
  const std::size_t x = columns.size() - 3;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    nodes.positions.emplace_back(columns[x][i], columns[x + 1][i], columns[x + 2][i]);
    const double number = x > 0 ? columns[0][i] : static_cast<double>(i + 1);
    if (!(number >= 0 && number < 1e15) || number != std::floor(number)) {
      reader.error("node_coordinates", cat("the number of node ", i + 1, " is no whole number"));
      return std::nullopt;
    }
    nodes.numbers.push_back(static_cast<std::int64_t>(number));
  }
  return nodes;
}

std::optional<ImportedNodes> read_coordinates(const TableReader& reader) {
  const std::optional<NamedFile> file = open(reader, "node_coordinates");
  if (!file) return std::nullopt;
  const auto format = mesh_format(file->text, file->name);
  const bool is_mesh = format && (format != MeshFormat::nastran || file->text.find("GRID") != std::string::npos);
  if (is_mesh) return nodes_of_mesh(reader, *file, *format);  // a .dat may be a table as well
  Diagnostics& diagnostics = reader.reading().diagnostics;
  const std::size_t errors = diagnostics.errors().size();
  std::vector<std::vector<double>> columns;
  if (is_matrix_market(file->text)) {
    if (const auto table = parse_matrix_market(file->text, file->name, diagnostics, !file->outside))
      for (int j = 0; j < std::min<Eigen::Index>(table->cols(), 5); ++j) {
        columns.emplace_back();
        for (int i = 0; i < table->rows(); ++i) columns.back().push_back(table->coeff(i, j));
      }
  } else {
    columns = parse_csv(file->text, file->name, diagnostics, {.quotes_content = !file->outside}).columns;
  }
  if (diagnostics.errors().size() > errors) {
    reader.reading().affected.push_back(reader.path_of("node_coordinates"));
    return std::nullopt;
  }
  return nodes_of_columns(reader, columns);
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
  const double size = std::max(size_of(body.node_positions), 1e-300);
  const VectorX level = [&] {
    VectorX sum = VectorX::Zero(body.num_dofs());
    for (int k = 0; k < body.stiffness.outerSize(); ++k)
      for (SparseMatrix::InnerIterator entry(body.stiffness, k); entry; ++entry)
        sum[entry.row()] += std::abs(entry.value()) * (body.component(k) >= 3 ? 1 / size : 1.0);
    return sum;
  }();
  for (int motion = 0; motion < 6; ++motion) {
    const Vector3 axis = Vector3::Unit(motion % 3);
    VectorX u = VectorX::Zero(body.num_dofs());
    for (int node = 0; node < body.num_nodes(); ++node) {
      const Vector3 arm = (body.node_positions[node] - body.node_positions[0]) / size;
      u.segment<3>(body.first_dof(node)) = motion < 3 ? axis : Vector3(axis.cross(arm));
      if (motion >= 3 && body.has_rotation(node)) u.segment<3>(body.first_dof(node) + 3) = axis / size;
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

// Symmetric, with the unknowns of the nodes in another order; `place` has the new number of each unknown.
SparseMatrix reordered(const SparseMatrix& matrix, const std::vector<int>& place) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(2 * static_cast<std::size_t>(matrix.nonZeros()));
  const auto moved = [&](auto k) { return place[static_cast<std::size_t>(k)]; };
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry) {
      triplets.emplace_back(moved(entry.row()), moved(entry.col()), 0.5 * entry.value());
      triplets.emplace_back(moved(entry.col()), moved(entry.row()), 0.5 * entry.value());
    }
  SparseMatrix result(matrix.rows(), matrix.cols());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

// Nodes, the named ones first, with their unknowns; returns the new number of every unknown. Where all nodes are alike,
// the body says so in one word.
std::vector<int> set_nodes(const ImportedNodes& nodes, const std::vector<int>& order, FiniteElementBody& body) {
  const std::vector<int> starts = nodes.starts();
  std::vector<int> place(static_cast<std::size_t>(starts.back()));
  int next = 0;
  const auto rotating = std::count(nodes.unknowns.begin(), nodes.unknowns.end(), 6);
  const bool mixed = rotating > 0 && rotating < std::ssize(nodes.unknowns);
  body.nodes_have_rotations = rotating > 0 && !mixed;
  for (const int i : order) {
    const auto node = static_cast<std::size_t>(i);
    body.node_positions.push_back(nodes.positions[node]);
    if (mixed) body.dof_starts.push_back(next);
    for (int c = 0; c < nodes.unknowns[node]; ++c, ++next) {
      place[static_cast<std::size_t>(starts[node] + c)] = next;
      if (mixed) body.dof_components.push_back(c);
    }
  }
  if (mixed) body.dof_starts.push_back(next);
  return place;
}

// What the rows are: by a file of its own, by the matrix files, or 3 or 6 for every node in turn.
std::optional<std::vector<MatrixUnknown>> unknowns_of(const TableReader& reader, const ImportedMatrix& matrix,
                                                      const ImportedNodes& nodes, std::string_view key) {
  const auto rows = static_cast<std::size_t>(matrix.entries.rows());
  if (!matrix.unknowns.empty()) {
    if (reader.has("unknowns")) reader.error("unknowns", cat("the file of '", key, "' names its unknowns itself"));
    return matrix.unknowns;
  }
  if (reader.has("unknowns")) {
    const std::optional<NamedFile> file = read_named_file(reader, "unknowns", largest_matrix_file);
    if (!file) return std::nullopt;
    std::optional<std::vector<MatrixUnknown>> unknowns = read_matrix_unknowns(
        {file->text, file->name, MatrixRole::stiffness, !file->outside}, reader.reading().diagnostics);
    if (!unknowns) reader.reading().affected.push_back(reader.path_of("unknowns"));
    if (unknowns && unknowns->size() != rows) {
      reader.error(key, cat("the matrix is ", rows, " x ", rows, ", but 'unknowns' names ", unknowns->size()));
      return std::nullopt;
    }
    return unknowns;
  }
  const std::size_t n = nodes.positions.size();
  if (rows != 3 * n && rows != 6 * n) {
    reader.error(
        key, cat("the matrix is ", rows, " x ", rows, ", but ", n, " nodes need ", 3 * n, " or ", 6 * n, " unknowns"));
    return std::nullopt;
  }
  std::vector<MatrixUnknown> unknowns;
  const std::size_t per_node = rows / n;
  for (std::size_t i = 0; i < rows; ++i)
    unknowns.push_back({nodes.numbers[i / per_node], static_cast<int>(i % per_node)});
  return unknowns;
}

// Place of every unknown: 3 or 6 of each node, in the order of the nodes. Nodes of the file that have none are dropped.
std::optional<std::vector<int>> places_of(const TableReader& reader, const std::vector<MatrixUnknown>& unknowns,
                                          ImportedNodes& nodes, std::string_view key) {
  std::unordered_map<std::int64_t, std::size_t> index;
  for (std::size_t k = 0; k < nodes.numbers.size(); ++k)
    if (!index.emplace(nodes.numbers[k], k).second) {
      reader.error("node_coordinates", cat("node ", nodes.numbers[k], " is there twice"));
      return std::nullopt;
    }
  std::vector<unsigned> components(nodes.numbers.size(), 0);  // bits
  for (const MatrixUnknown& unknown : unknowns) {
    const auto found = index.find(unknown.node);
    if (found == index.end()) {
      reader.error(key,
                   cat("the matrix has unknowns of node ", unknown.node, ", which 'node_coordinates' does not have"));
      return std::nullopt;
    }
    const unsigned bit = 1u << unknown.component;
    if (components[found->second] & bit) {
      reader.error(key, cat("unknown ", unknown.component + 1, " of node ", unknown.node, " is there twice"));
      return std::nullopt;
    }
    components[found->second] |= bit;
  }
  constexpr unsigned translations = 7, all = 63;
  std::vector<int> place(nodes.numbers.size(), -1);
  ImportedNodes kept;
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (components[k] == 0) continue;
    if (components[k] != translations && components[k] != all) {
      std::string list;
      for (int c = 0; c < 6; ++c)
        if (components[k] >> c & 1u) list += cat(list.empty() ? "" : ", ", c + 1);
      reader.error(key, cat("node ", nodes.numbers[k], " has the unknowns ", list,
                            "; a node needs three translations (1, 2, 3), or all three translations and three "
                            "rotations (1 to 6): export the free body without supports"));
      return std::nullopt;
    }
    place[k] = static_cast<int>(kept.positions.size());
    kept.positions.push_back(nodes.positions[k]);
    kept.numbers.push_back(nodes.numbers[k]);
    kept.unknowns.push_back(components[k] == all ? 6 : 3);
  }
  nodes = std::move(kept);
  const std::vector<int> starts = nodes.starts();
  std::vector<int> places;
  for (const MatrixUnknown& unknown : unknowns)
    places.push_back(starts[static_cast<std::size_t>(place[index.at(unknown.node)])] + unknown.component);
  return places;
}

// Row and column i go to places[i].
SparseMatrix permuted(const SparseMatrix& matrix, const std::vector<int>& places) {
  bool in_order = true;
  for (std::size_t i = 0; i < places.size(); ++i) in_order = in_order && places[i] == static_cast<int>(i);
  if (in_order) return matrix;
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(static_cast<std::size_t>(matrix.nonZeros()));
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)
      triplets.emplace_back(places[static_cast<std::size_t>(entry.row())], places[static_cast<std::size_t>(k)],
                            entry.value());
  SparseMatrix result(matrix.rows(), matrix.cols());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

// Rows of rotations are moments, their columns angles: a length more for each.
void convert_units(SparseMatrix& matrix, double unit, double length, const ImportedNodes& nodes) {
  std::vector<bool> turns;
  for (const int count : nodes.unknowns)
    for (int c = 0; c < count; ++c) turns.push_back(c >= 3);
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry) {
      const int lengths = turns[static_cast<std::size_t>(entry.row())] + turns[static_cast<std::size_t>(k)];
      entry.valueRef() *= unit * std::pow(length, lengths);
    }
}

struct ImportedBody {
  ImportedNodes nodes;
  ImportedMatrix mass, stiffness;
};

// Matrices in the order of the nodes and in SI units.
std::optional<ImportedBody> read_body(const TableReader& reader) {
  std::optional<ImportedMatrix> mass = read_matrix(reader, "mass_matrix");
  std::optional<ImportedMatrix> stiffness = read_matrix(reader, "stiffness_matrix");
  std::optional<ImportedNodes> nodes = read_coordinates(reader);
  if (!mass || !stiffness || !nodes || nodes->positions.empty()) return std::nullopt;
  for (const auto& [key, matrix] : {std::pair{"mass_matrix", &*mass}, std::pair{"stiffness_matrix", &*stiffness}})
    if (matrix->entries.rows() != matrix->entries.cols()) {
      reader.error(key, cat("the matrix is ", matrix->entries.rows(), " x ", matrix->entries.cols(), ", not square"));
      return std::nullopt;
    }
  ImportedNodes of_mass = *nodes;
  const auto stiffness_unknowns = unknowns_of(reader, *stiffness, *nodes, "stiffness_matrix");
  const auto mass_unknowns = unknowns_of(reader, *mass, *nodes, "mass_matrix");
  if (!stiffness_unknowns || !mass_unknowns) return std::nullopt;
  const auto stiffness_places = places_of(reader, *stiffness_unknowns, *nodes, "stiffness_matrix");
  const auto mass_places = places_of(reader, *mass_unknowns, of_mass, "mass_matrix");
  if (!stiffness_places || !mass_places) return std::nullopt;
  if (stiffness_places->size() != mass_places->size() || of_mass.numbers != nodes->numbers ||
      of_mass.unknowns != nodes->unknowns) {
    reader.error("mass_matrix", "mass and stiffness matrix differ in their unknowns");
    return std::nullopt;
  }
  stiffness->entries = permuted(stiffness->entries, *stiffness_places);
  mass->entries = permuted(mass->entries, *mass_places);
  if (reader.has("units")) {
    const std::optional<MeshUnits> units = parse_mesh_units(reader.text("units").value_or(""));
    if (!units) {
      reader.error("units", cat("units must be a length, a mass and a time such as \"mm t s\", got '",
                                reader.text("units").value_or(""), "'"));
      return std::nullopt;
    }
    for (Vector3& position : nodes->positions) position *= units->length;
    convert_units(mass->entries, units->mass, units->length, *nodes);
    convert_units(stiffness->entries, units->mass / (units->time * units->time), units->length, *nodes);
  }
  return ImportedBody{*std::move(nodes), *std::move(mass), *std::move(stiffness)};
}

}  // namespace

void read_imported(const TableReader& reader, NameList& names, Link& link) {
  const std::optional<ImportedBody> read = read_body(reader);
  if (!read) return;
  const std::vector<Vector3>& points = read->nodes.positions;
  const SparseMatrix &mass = read->mass.entries, &stiffness = read->stiffness.entries;
  if (!is_good_matrix(reader, "mass_matrix", read->mass) ||
      !is_good_matrix(reader, "stiffness_matrix", read->stiffness))
    return;
  std::optional<std::vector<int>> named = named_nodes(reader, link, points);
  if (!named) return;
  if (std::count(read->nodes.unknowns.begin(), read->nodes.unknowns.end(), 6) > 0 && reader.has("interfaces"))
    return reader.error("interfaces",
                        "these nodes have rotations of their own; joints attach to them without a spider");
  read_interfaces(reader, choice_of(points, nullptr), *named, names, link);
  if (link.nodes.empty()) return;
  const std::vector<int> order = named_first(*named, points.size());
  if (order.size() != points.size()) return reader.error("interfaces", "a node is named twice");
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  for (Spider& spider : link.spiders)
    for (int& node : spider.nodes) node = place[static_cast<std::size_t>(node)];
  auto body = std::make_shared<FiniteElementBody>();
  const std::vector<int> place_of_unknown = set_nodes(read->nodes, order, *body);
  body->mass = reordered(mass, place_of_unknown);
  body->stiffness = reordered(stiffness, place_of_unknown);
  check_rigid_motion(reader, *body);
  link.imported = std::move(body);
}

void read_reduced_link(const TableReader& reader, NameList& names, Link& link) {
  if (reader.reading().model.space == Space::planar)
    reader.error("type", "links of type reduced are for models in space");
  if (reader.has("nodes")) reader.error("nodes", "'nodes' does not belong to type reduced: the file names them");
  if (!reader.has("file")) return reader.error("key 'file' is missing (type reduced)");
  const std::optional<NamedFile> file = read_named_file(reader, "file", largest_matrix_file);
  if (!file) return;
  const auto take = [&](const std::vector<Node>& nodes, FiniteElementBody body) {
    for (const Node& node : nodes) {
      if (!names.add(node.name)) return reader.error("file", cat("its node '", node.name, "' is there twice"));
      link.nodes.push_back(node);
    }
    link.imported = std::make_shared<const FiniteElementBody>(std::move(body));
  };
  try {
    if (is_sid_file(file->text)) {
      SidBody part = parse_sid_file(file->text, !file->outside);
      for (const std::string& warning : part.warnings)
        reader.reading().notes.push_back(cat(reader.owner(), ", '", file->name, "': ", warning));
      return take(part.nodes, std::move(part.body));
    }
    const PortableBody part = parse_reduced_file(file->text);
    take(part.nodes, body_of(part));
  } catch (const InputError& error) {
    reader.error("file", cat("this is no reduced body: ",
                             error.errors().empty() ? error.what() : error.errors().front().message));
  }
}

}  // namespace lithe
