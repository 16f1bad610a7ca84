// COLLADA 1.4 as robot descriptions use it: <geometry> meshes of triangles, polylist or polygons, placed by the nodes
// of the visual scene. Materials and controllers are passed over.
#include <map>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"
#include "lithe/base/text.h"
#include "lithe/read/surface/surface.h"
#include "lithe/read/urdf/words.h"
#include "lithe/read/xml/xml.h"

namespace lithe {
namespace {

using Matrix4 = Eigen::Matrix4d;

struct Failure {
  std::string why;
};

std::string reference(const XmlElement& element, const char* attribute) {
  const XmlAttribute* found = element.find(attribute);
  if (!found) return {};
  return found->value.starts_with('#') ? found->value.substr(1) : found->value;
}

std::vector<double> numbers_of(const std::string& text, std::size_t most) {
  std::vector<double> values;
  Words words(text);
  while (!words.done()) {
    double value = 0;
    if (!words.number(value)) throw Failure{"a list of numbers holds something else"};
    values.push_back(value);
    if (values.size() > most) throw Failure{"it has too many corners"};
  }
  return values;
}

class ColladaReader {
 public:
  explicit ColladaReader(const XmlElement& root) {
    if (root.name != "COLLADA") throw Failure{"this is no COLLADA file"};
    if (const XmlElement* library = root.child("library_geometries"))
      for (const XmlElement* geometry : library->all("geometry")) read_geometry(*geometry);
    Matrix4 start = Matrix4::Identity();
    if (const XmlElement* asset = root.child("asset")) start = unit_of(*asset);
    if (const XmlElement* library = root.child("library_nodes"))
      for (const XmlElement* node : library->all("node")) nodes_[reference(*node, "id")] = node;
    if (const XmlElement* library = root.child("library_visual_scenes"))
      for (const XmlElement* scene : library->all("visual_scene"))
        for (const XmlElement* node : scene->all("node")) place(*node, start, 0);
    if (mesh_.triangles.empty())  // no scene: the geometries as they are
      for (const auto& [name, geometry] : geometries_) add(geometry, start);
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  // <unit meter>. The up axis is passed over, as the tools that show URDF files do: link frames are those of the file.
  static Matrix4 unit_of(const XmlElement& asset) {
    Matrix4 result = Matrix4::Identity();
    if (const XmlElement* unit = asset.child("unit"))
      if (const XmlAttribute* metre = unit->find("meter")) {
        double factor = 1;
        if (Words(metre->value).number(factor) && factor > 0) result.topLeftCorner<3, 3>() *= factor;
      }
    return result;
  }

  void read_geometry(const XmlElement& geometry) {
    const XmlElement* mesh = geometry.child("mesh");
    if (!mesh) return;
    std::map<std::string, std::vector<double>> sources;
    for (const XmlElement* source : mesh->all("source"))
      if (const XmlElement* array = source->child("float_array"))
        sources[reference(*source, "id")] = numbers_of(array->text, 3 * most_corners);
    if (const XmlElement* vertices = mesh->child("vertices"))
      for (const XmlElement* input : vertices->all("input"))
        if (reference(*input, "semantic") == "POSITION")
          sources[reference(*vertices, "id")] = sources[reference(*input, "source")];
    TriangleMesh& result = geometries_[reference(geometry, "id")];
    for (const XmlElement& primitive : mesh->children)
      if (primitive.name == "triangles" || primitive.name == "polylist" || primitive.name == "polygons")
        add_primitive(primitive, sources, result);
  }

  void add_primitive(const XmlElement& primitive, const std::map<std::string, std::vector<double>>& sources,
                     TriangleMesh& mesh) {
    std::size_t stride = 1, offset = 0;
    const std::vector<double>* positions = nullptr;
    for (const XmlElement* input : primitive.all("input")) {
      double at = 0;
      const XmlAttribute* given = input->find("offset");
      if (given && (!Words(given->value).number(at) || at < 0 || at > 64)) throw Failure{"an offset is no index"};
      stride = std::max(stride, static_cast<std::size_t>(at) + 1);
      if (reference(*input, "semantic") != "VERTEX") continue;
      offset = static_cast<std::size_t>(at);
      const auto found = sources.find(reference(*input, "source"));
      if (found != sources.end()) positions = &found->second;
    }
    if (!positions) throw Failure{"a list of triangles names no positions"};
    const int first = static_cast<int>(mesh.corners.size() / 3);
    const std::size_t known = positions->size() / 3;
    if (mesh.corners.size() + 3 * known > 3 * most_corners) throw Failure{"it has too many corners"};
    for (std::size_t i = 0; i < 3 * known; ++i) mesh.corners.push_back(static_cast<float>((*positions)[i]));
    std::vector<double> counts;
    if (const XmlElement* vcount = primitive.child("vcount")) counts = numbers_of(vcount->text, most_corners);
    for (const XmlElement* p : primitive.all("p")) {
      const std::vector<double> indices = numbers_of(p->text, 64 * most_corners);
      const auto corner = [&](std::size_t k) {
        const double index = indices[k * stride + offset];
        if (!(index >= 0) || index >= static_cast<double>(known)) throw Failure{"a corner does not exist"};
        return first + static_cast<int>(index);
      };
      const std::size_t corners = indices.size() / stride;
      const auto fan = [&](std::size_t start, std::size_t size) {
        for (std::size_t i = 2; i < size; ++i)
          mesh.triangles.insert(mesh.triangles.end(), {corner(start), corner(start + i - 1), corner(start + i)});
      };
      if (primitive.name == "triangles") {
        for (std::size_t start = 0; start + 2 < corners; start += 3) fan(start, 3);
      } else if (primitive.name == "polygons") {
        fan(0, corners);
      } else {
        std::size_t start = 0;
        for (const double count : counts) {
          if (!(count >= 0) || count > static_cast<double>(corners - start)) throw Failure{"a polygon is not whole"};
          fan(start, static_cast<std::size_t>(count));
          start += static_cast<std::size_t>(count);
        }
      }
    }
  }

  static Matrix4 transform_of(const XmlElement& node) {
    Matrix4 result = Matrix4::Identity();
    for (const XmlElement& step : node.children) {
      const bool known =
          step.name == "matrix" || step.name == "translate" || step.name == "rotate" || step.name == "scale";
      if (!known) continue;
      const std::vector<double> v = numbers_of(step.text, 16);
      const std::size_t wanted = step.name == "matrix" ? 16 : step.name == "rotate" ? 4 : 3;
      if (v.size() != wanted) throw Failure{cat("<", step.name, "> needs ", wanted, " numbers")};
      Matrix4 own = Matrix4::Identity();
      if (step.name == "matrix")
        for (int i = 0; i < 16; ++i) own(i / 4, i % 4) = v[static_cast<std::size_t>(i)];
      const Vector3 vector(v[0], v[1], v[2]);
      if (step.name == "translate") own.topRightCorner<3, 1>() = vector;
      if (step.name == "scale") own.topLeftCorner<3, 3>() = vector.asDiagonal();
      if (step.name == "rotate" && vector.norm() > 0)
        own.topLeftCorner<3, 3>() =
            Eigen::AngleAxisd(v[3] * std::numbers::pi / 180, vector.normalized()).toRotationMatrix();
      result = result * own;
    }
    return result;
  }

  void place(const XmlElement& node, const Matrix4& above, int depth) {
    constexpr int deepest = 64, most_nodes = 100000;
    if (depth > deepest || ++num_nodes_ > most_nodes) throw Failure{"its scene is nested too deep"};
    const Matrix4 here = above * transform_of(node);
    for (const XmlElement& child : node.children) {
      if (child.name == "node") place(child, here, depth + 1);
      if (child.name == "instance_node")
        if (const auto found = nodes_.find(reference(child, "url")); found != nodes_.end())
          place(*found->second, here, depth + 1);
      if (child.name == "instance_geometry")
        if (const auto found = geometries_.find(reference(child, "url")); found != geometries_.end())
          add(found->second, here);
    }
  }

  void add(const TriangleMesh& geometry, const Matrix4& transform) {
    if (mesh_.corners.size() + geometry.corners.size() > 3 * most_corners ||
        mesh_.triangles.size() + geometry.triangles.size() > 6 * most_corners)
      throw Failure{"it has too many corners"};
    const int first = static_cast<int>(mesh_.corners.size() / 3);
    for (std::size_t i = 0; i < geometry.corners.size(); i += 3) {
      const Eigen::Vector4d corner =
          transform * Eigen::Vector4d(geometry.corners[i], geometry.corners[i + 1], geometry.corners[i + 2], 1);
      for (int k = 0; k < 3; ++k) mesh_.corners.push_back(static_cast<float>(corner[k]));
    }
    for (const int corner : geometry.triangles) mesh_.triangles.push_back(first + corner);
  }

  std::map<std::string, TriangleMesh> geometries_;
  std::map<std::string, const XmlElement*> nodes_;
  TriangleMesh mesh_;
  int num_nodes_ = 0;
};

}  // namespace

std::optional<TriangleMesh> read_collada(std::string_view text, std::string& problem) {
  try {
    const XmlElement root = parse_xml(text, "");
    TriangleMesh mesh = ColladaReader(root).take();
    if (!mesh.triangles.empty()) return mesh;
    problem = "it holds no triangles";
  } catch (const InputError& error) {
    problem = error.errors().front().message;
  } catch (const Failure& failure) {
    problem = failure.why;
  }
  return std::nullopt;
}

}  // namespace lithe
