#include "lithe/read/urdf/drawn_shapes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "lithe/base/text.h"
#include "lithe/read/parts.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/urdf/description_files.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

constexpr std::size_t most_drawn_corners = 2000;            // of one mesh: a page with ten of them stays below 2 MB
constexpr std::size_t most_bytes = std::size_t{512} << 20;  // of all meshes of a model

class ShapeCollector {
 public:
  explicit ShapeCollector(const std::filesystem::path& file, const ReadOptions& options) {
    reading_.options = options;
    reading_.file = file.string();
    reading_.folder = file.parent_path();
  }

  DrawnShapes collect(const Value& document) {
    if (const Value* links = document.find("links")) collect_links(*links);
    const Value* robot = document.find("robot");
    if (robot && robot->kind == ValueKind::table) collect_robot(*robot, document);
    if (robot && robot->kind == ValueKind::array)
      for (const Value& one : robot->items)
        if (one.kind == ValueKind::table) collect_robot(one, document);
    constexpr std::size_t most_notes = 3;
    if (result_.notes.size() > most_notes) {
      const std::size_t more = result_.notes.size() - most_notes;
      result_.notes.resize(most_notes);
      result_.notes.push_back(cat(more, more == 1 ? " more mesh is" : " more meshes are", " not drawn"));
    }
    return std::move(result_);
  }

 private:
  void collect_links(const Value& links) {
    if (links.kind != ValueKind::array) return;
    for (const Value& link : links.items) {
      const Value* name = link.find("name");
      if (link.kind != ValueKind::table || !name || name->kind != ValueKind::text || !link.find("shapes")) continue;
      const TableReader reader(reading_, link_table(), link, "", "");
      add(name->text, read_shapes(reader), reader, reading_.file);
    }
  }

  static bool bends(const Value& document, const std::string& link) {
    const Value* links = document.find("links");
    const Value* own = links && links->kind == ValueKind::table ? links->find(link) : nullptr;
    return own && own->find("flexible");
  }

  void collect_robot(const Value& table, const Value& document) {
    const TableReader reader(reading_, robot_table(), table, "robot", "robot");
    const std::optional<NamedFile> file = read_named_file(reader, "file", largest_description);
    if (!file) return;
    bool outside = file->outside;
    const DescriptionChoices choices = choices_of(reader, *file, outside);
    const std::string prefix = reader.text("prefix").value_or("");
    for (DescribedLink& link : read_description(file->text, file->name, choices).links)
      if (!bends(document, prefix + link.name)) add(prefix + link.name, std::move(link.shapes), reader, file->name);
  }

  void add(const std::string& link, std::vector<LinkShape> shapes, const TableReader& reader, const std::string& from) {
    std::vector<DrawnShape> seen, contacts;
    for (LinkShape& shape : shapes) {
      DrawnShape drawn{link, from, std::move(shape), nullptr};
      if (drawn.shape.kind == ShapeKind::mesh && !(drawn.mesh = mesh(drawn.shape.file, reader, from))) continue;
      (drawn.shape.collision ? contacts : seen).push_back(std::move(drawn));
    }
    for (DrawnShape& drawn : seen.empty() ? contacts : seen) result_.shapes.push_back(std::move(drawn));
  }

  // Read once, whatever number of links has it.
  std::shared_ptr<const TriangleMesh> mesh(const std::string& name, const TableReader& reader,
                                           const std::string& from) {
    const auto [at, is_new] = meshes_.try_emplace(std::pair(from, name), nullptr);
    if (!is_new) return at->second;
    std::string problem = "it has no name";
    for (const std::string& place : places_of_mesh(name)) {
      std::string why;
      const std::optional<NamedFile> file = read_file_beside(reader, place, from, largest_surface_file, why);
      if (problem == "it has no name") problem = why;  // of the first place
      if (!file) continue;
      bytes_ += file->text.size();
      std::optional<TriangleMesh> found;
      if (bytes_ <= most_bytes) found = read_surface(file->text, place, problem = "");
      if (bytes_ > most_bytes) problem = cat("the meshes of the model have more than ", most_bytes >> 20, " MB");
      if (found) at->second = std::make_shared<const TriangleMesh>(simplified(*found, most_drawn_corners));
      break;
    }
    if (!at->second) result_.notes.push_back(cat("the mesh '", name, "' is not drawn: ", problem));
    return at->second;
  }

  Reading reading_;
  DrawnShapes result_;
  std::size_t bytes_ = 0;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const TriangleMesh>> meshes_;
};

}  // namespace

DrawnShapes drawn_shapes(const std::filesystem::path& model_file, const ReadOptions& options) {
  try {
    std::string problem;
    std::optional<std::string> text = text_in_run(model_file);
    if (!text) text = read_regular_file(model_file, largest_model_file, problem);
    if (text) return ShapeCollector(model_file, options).collect(parse_toml(*text, model_file.string()));
  } catch (const InputError&) {  // whoever reads the model says so
  }
  return {};
}

std::vector<LinkShape> read_shapes(const TableReader& link) {
  std::vector<LinkShape> shapes;
  const std::vector<Value>& tables = link.tables("shapes");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableReader reader(link.reading(), shape_table(), tables[i], cat(link.path(), ".shapes[", i, "]"),
                             cat(link.owner(), ", shape ", i + 1));
    LinkShape shape;
    static constexpr const char* kind_words[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    const auto kind = static_cast<std::size_t>(reader.choice("kind").value_or(0));
    shape.kind = static_cast<ShapeKind>(kind);
    shape.line = tables[i].line;
    const bool box = shape.kind == ShapeKind::box, mesh = shape.kind == ShapeKind::mesh;
    const bool lengthy = shape.kind == ShapeKind::cylinder || shape.kind == ShapeKind::capsule;
    for (const auto& [key, fits, needed] :
         {std::tuple("radius", !box && !mesh, true), std::tuple("length", lengthy, true), std::tuple("size", box, true),
          std::tuple("file", mesh, true), std::tuple("scale", mesh, false)}) {
      if (fits && needed && !reader.has_or_means(key))
        reader.error(cat("key '", key, "' is missing (kind ", kind_words[kind], ")"));
      if (!fits && reader.has(key)) reader.error(key, cat("'", key, "' is not for this kind of shape"));
    }
    if (box) shape.size = reader.vector("size").value_or(Vector3::Zero());
    if (box && shape.size.minCoeff() < 0) reader.error("size", "size must not be negative");
    if (mesh) shape.size = reader.has("scale") ? reader.vector("scale").value_or(Vector3::Ones()) : Vector3::Ones();
    if (!box && !mesh)
      shape.size = Vector3(reader.number("radius").value_or(0), reader.number("length").value_or(0), 0);
    if (mesh) shape.file = reader.text("file").value_or("");
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

}  // namespace lithe
