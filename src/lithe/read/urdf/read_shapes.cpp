#include <algorithm>
#include <map>

#include "lithe/base/text.h"
#include "lithe/read/files_of_run.h"
#include "lithe/read/input_file.h"
#include "lithe/read/schema.h"
#include "lithe/read/surface/surface.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

// "package://name/path" below the folder, or beside one of the folders above it, one of which may be the package.
std::filesystem::path mesh_path(const std::string& name, const std::filesystem::path& folder) {
  constexpr std::string_view file = "file://", package = "package://", model = "model://";
  if (name.starts_with(file)) return name.substr(file.size());
  const std::string_view scheme = name.starts_with(package) ? package : name.starts_with(model) ? model : "";
  if (scheme.empty()) return folder / name;
  const std::filesystem::path inside = name.substr(scheme.size());
  if (inside.empty()) return folder / "?";
  const std::filesystem::path rest = inside.lexically_relative(*inside.begin());
  std::error_code status;
  std::filesystem::path at = std::filesystem::absolute(folder.empty() ? "." : folder, status);
  for (int level = 0; level < 8; ++level, at = at.parent_path()) {
    for (const std::filesystem::path& candidate : {at / inside, at / rest})
      if (std::filesystem::is_regular_file(candidate, status)) return candidate;
    if (at == at.parent_path()) break;
  }
  return folder / rest;
}

constexpr std::size_t most_drawn_corners = 4000;  // of one mesh: a page with ten of them stays below 2 MB

std::shared_ptr<const TriangleMesh> read_mesh(Reading& reading, const std::string& name,
                                              const std::filesystem::path& folder, std::string& problem) {
  if (name.find('\0') != std::string::npos) {
    problem = "its name holds a zero byte";
    return nullptr;
  }
  const std::filesystem::path path = mesh_path(name, folder);
  if (!reading.options.outside_files && !lies_in(path, reading.folder)) {
    problem = "it lies outside the model's folder; --allow-outside-files allows it";
    return nullptr;
  }
  std::optional<std::string> text = read_regular_file(path, largest_surface_file, problem);
  if (!text) return nullptr;
  const std::optional<TriangleMesh> mesh = read_surface(*text, path.filename().string(), problem);
  return mesh ? std::make_shared<const TriangleMesh>(simplified(*mesh, most_drawn_corners)) : nullptr;
}

}  // namespace

std::vector<LinkShape> read_shapes(const TableReader& link) {
  std::vector<LinkShape> shapes;
  const std::vector<Value>& tables = link.tables("shapes");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableReader reader(link.reading(), shape_table(), tables[i], cat(link.path(), ".shapes[", i, "]"),
                             cat(link.owner(), ", shape ", i + 1));
    LinkShape shape;
    shape.kind = static_cast<ShapeKind>(reader.choice("kind").value_or(0));
    shape.line = tables[i].line;
    const auto need = [&](std::string_view key) {
      if (!reader.has_or_means(key)) reader.error(cat("key '", key, "' is missing"));
    };
    const bool round = shape.kind != ShapeKind::box && shape.kind != ShapeKind::mesh;
    const bool long_one = shape.kind == ShapeKind::cylinder || shape.kind == ShapeKind::capsule;
    if (round) need("radius");
    if (long_one) need("length");
    if (shape.kind == ShapeKind::box) need("size");
    if (shape.kind == ShapeKind::mesh) need("file");
    for (const auto& [key, fits] : {std::pair("radius", round), std::pair("length", long_one),
                                    std::pair("size", shape.kind == ShapeKind::box),
                                    std::pair("file", shape.kind == ShapeKind::mesh),
                                    std::pair("scale", shape.kind == ShapeKind::mesh)})
      if (!fits && reader.has(key)) reader.error(key, cat("'", key, "' is not for this kind of shape"));
    if (shape.kind == ShapeKind::box) shape.size = reader.vector("size").value_or(Vector3::Zero());
    if (shape.kind == ShapeKind::mesh) shape.size = reader.vector("scale").value_or(Vector3::Ones());
    if (round) shape.size = Vector3(reader.number("radius").value_or(0), reader.number("length").value_or(0), 0);
    if (shape.kind == ShapeKind::mesh) shape.file = reader.text("file").value_or("");
    shape.pose.position = reader.vector("position").value_or(Vector3::Zero());
    shape.pose.rotation = reader.orientation("orientation").value_or(Matrix3::Identity());
    const std::vector<double> colour = reader.numbers("colour");
    if (colour.size() == 3 || colour.size() == 4)
      shape.colour = {colour[0], colour[1], colour[2], colour.size() == 4 ? colour[3] : 1};
    else if (reader.has("colour"))
      reader.error("colour", "colour must be [red, green, blue] or [red, green, blue, opacity]");
    shape.collision = reader.boolean("collision").value_or(false);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

void set_shapes(Reading& reading, int link, std::vector<LinkShape> shapes, const std::filesystem::path& folder) {
  if (shapes.empty()) return;
  // Contact shapes where there is nothing else to see; a drawn mesh that is missing counts as nothing.
  for (LinkShape& shape : shapes) {
    if (shape.kind != ShapeKind::mesh) continue;
    std::string problem;
    shape.mesh = read_mesh(reading, shape.file, folder, problem);
    if (!shape.mesh) reading.missing_meshes.push_back({shape.file, problem});
  }
  const auto is_seen = [](const LinkShape& shape) {
    return !shape.collision && (shape.kind != ShapeKind::mesh || shape.mesh);
  };
  const bool any_seen = std::any_of(shapes.begin(), shapes.end(), is_seen);
  std::erase_if(shapes, [&](const LinkShape& shape) {
    return (shape.kind == ShapeKind::mesh && !shape.mesh) || (any_seen && shape.collision);
  });
  std::vector<std::vector<LinkShape>>& all = reading.robot.shapes;
  if (all.size() <= static_cast<std::size_t>(link)) all.resize(static_cast<std::size_t>(link) + 1);
  all[static_cast<std::size_t>(link)] = std::move(shapes);
}

}  // namespace lithe
