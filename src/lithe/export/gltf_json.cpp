#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/gltf.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/mark.h"
#include "lithe/results/files/text_file.h"

namespace lithe {
namespace {

using Json = nlohmann::json;
constexpr int float_type = 5126, index_type = 5125;

// Corners of a section in its y and z.
std::vector<Eigen::Vector2d> outline(const Scene& scene, const ScenePiece& piece) {
  const Section* section = piece.section < 0 ? nullptr : &scene.sections[static_cast<std::size_t>(piece.section)];
  const auto box = [](double y, double z) -> std::vector<Eigen::Vector2d> {
    return {{-y, -z}, {y, -z}, {y, z}, {-y, z}};
  };
  if (section && section->shape == SectionShape::rectangle)
    return box(section->dimensions[0] / 2, section->dimensions[1] / 2);
  if (section && (section->shape == SectionShape::general || section->shape == SectionShape::i_beam)) {
    const double ratio = std::sqrt(section->second_moment_z / section->second_moment_y);
    const double height =
        section->shape == SectionShape::i_beam ? section->dimensions[1] : std::sqrt(section->area / ratio);
    const double width = section->shape == SectionShape::i_beam ? section->dimensions[0] : height * ratio;
    return box(width / 2, height / 2);
  }
  const double radius = section ? section->dimensions[0] : 0.006 * scene_size(scene);
  std::vector<Eigen::Vector2d> corners;
  constexpr int sides = 20;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    corners.push_back(radius * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  return corners;
}

// Vertices of one link at rest, and how each moves with the displacements of its nodes.
struct LinkMesh {
  std::vector<Vector3> positions;
  struct Ring {
    const ScenePiece* piece;
    double xi;
    Vector3 offset;
  };
  std::vector<Ring> rings;  // one entry per vertex
  std::vector<std::uint32_t> triangles;
};

void add_piece(const Scene& scene, const SceneLink& link, const ScenePiece& piece, LinkMesh& mesh) {
  constexpr int cuts = 3;
  const std::vector<Eigen::Vector2d> corners = outline(scene, piece);
  const auto sides = static_cast<std::uint32_t>(corners.size());
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  const Vector3 a = link.nodes[static_cast<std::size_t>(piece.from)].position;
  const Vector3 b = link.nodes[static_cast<std::size_t>(piece.to)].position;
  for (int c = 0; c <= cuts; ++c)
    for (const Eigen::Vector2d& corner : corners) {
      const Vector3 offset = piece.axes.col(1) * corner.x() + piece.axes.col(2) * corner.y();
      const double xi = static_cast<double>(c) / cuts;
      mesh.positions.push_back(a + xi * (b - a) + offset);
      mesh.rings.push_back({&piece, xi, offset});
    }
  for (std::uint32_t c = 0; c < cuts; ++c)
    for (std::uint32_t i = 0; i < sides; ++i) {
      const std::uint32_t j = (i + 1) % sides, low = first + c * sides, high = low + sides;
      mesh.triangles.insert(mesh.triangles.end(), {low + i, low + j, high + j, low + i, high + j, high + i});
    }
  for (std::uint32_t i = 1; i + 1 < sides; ++i) {  // both ends
    const std::uint32_t last = first + cuts * sides;
    mesh.triangles.insert(mesh.triangles.end(), {first, first + i + 1, first + i, last, last + i, last + i + 1});
  }
}

LinkMesh link_mesh(const Scene& scene, const SceneLink& link) {
  LinkMesh mesh;
  for (const SceneNode& node : link.nodes)
    if (!link.triangles.empty()) mesh.positions.push_back(node.position);
  for (const std::array<int, 3>& triangle : link.triangles)
    for (const int node : triangle) mesh.triangles.push_back(static_cast<std::uint32_t>(node));
  for (const ScenePiece& piece : link.pieces) add_piece(scene, link, piece, mesh);
  return mesh;
}

// Displacement of every vertex for displacements and rotations of the nodes: a cubic along each piece, plane sections.
std::vector<Vector3> moved(const SceneLink& link, const LinkMesh& mesh, const VectorX& values) {
  const auto n = static_cast<Eigen::Index>(link.nodes.size());
  std::vector<Vector3> result;
  for (Eigen::Index i = 0; i < n && !link.triangles.empty(); ++i) result.push_back(values.segment<3>(3 * i));
  for (const LinkMesh::Ring& ring : mesh.rings) {
    const ScenePiece& piece = *ring.piece;
    const Vector3 chord = link.nodes[static_cast<std::size_t>(piece.to)].position -
                          link.nodes[static_cast<std::size_t>(piece.from)].position;
    const Vector3 ua = values.segment<3>(3 * piece.from), ub = values.segment<3>(3 * piece.to);
    const Vector3 ra = values.segment<3>(3 * (n + piece.from)), rb = values.segment<3>(3 * (n + piece.to));
    const double s = ring.xi, t = 1 - s;
    const Vector3 bend =
        (1 + 2 * s) * t * t * ua + s * s * (3 - 2 * s) * ub + s * t * t * ra.cross(chord) - s * s * t * rb.cross(chord);
    result.push_back(bend + (t * ra + s * rb).cross(ring.offset));
  }
  return result;
}

// The JSON part and the binary part of the file, as they grow.
class File {
 public:
  File() {
    json_ = {{"scene", 0},
             {"scenes", {{{"nodes", {0}}}}},
             {"accessors", Json::array()},
             {"bufferViews", Json::array()},
             {"meshes", Json::array()},
             {"materials", Json::array()}};
    // z upwards in Lithe, y upwards in glTF
    const double half = std::sqrt(0.5);
    json_["nodes"] = {{{"name", "lithe"}, {"rotation", {-half, 0, 0, half}}, {"children", Json::array()}}};
    json_["animations"] = {{{"name", "motion"}, {"samplers", Json::array()}, {"channels", Json::array()}}};
  }

  int add_points(const std::vector<Vector3>& points) {
    std::vector<float> numbers;
    Vector3 low = Vector3::Constant(INFINITY), high = -low;
    for (const Vector3& p : points) {
      const Vector3 rounded = p.cast<float>().cast<double>();
      for (int k = 0; k < 3; ++k) numbers.push_back(static_cast<float>(p(k)));
      low = low.cwiseMin(rounded);
      high = high.cwiseMax(rounded);
    }
    const int accessor = add_numbers(numbers, "VEC3", points.size());
    json_["accessors"][static_cast<std::size_t>(accessor)]["min"] = {low.x(), low.y(), low.z()};
    json_["accessors"][static_cast<std::size_t>(accessor)]["max"] = {high.x(), high.y(), high.z()};
    return accessor;
  }
  int add_numbers(const std::vector<float>& numbers, const char* type, std::size_t count) {
    const std::size_t begin = binary_.size();
    for (const float number : numbers) add_word(std::bit_cast<std::uint32_t>(number));
    return add_accessor(begin, float_type, type, count);
  }
  int add_indices(const std::vector<std::uint32_t>& indices) {
    const std::size_t begin = binary_.size();
    for (const std::uint32_t index : indices) add_word(index);
    return add_accessor(begin, index_type, "SCALAR", indices.size());
  }
  int add_times(const std::vector<double>& times) {
    const std::vector<float> numbers(times.begin(), times.end());
    const int accessor = add_numbers(numbers, "SCALAR", numbers.size());
    json_["accessors"][static_cast<std::size_t>(accessor)]["min"] = {numbers.front()};
    json_["accessors"][static_cast<std::size_t>(accessor)]["max"] = {numbers.back()};
    return accessor;
  }

  // A link with its shapes as morph targets; its number among the nodes.
  int add_link(const Scene& scene, std::size_t index, const MatrixX& shapes, double scale) {
    static constexpr double colours[][3] = {{0.13, 0.30, 0.57}, {0.65, 0.32, 0.12}, {0.17, 0.43, 0.27},
                                            {0.39, 0.23, 0.49}, {0.54, 0.45, 0.12}, {0.15, 0.39, 0.49}};
    const SceneLink& link = scene.links[index];
    const LinkMesh mesh = link_mesh(scene, link);
    const auto& colour = colours[index % std::size(colours)];
    json_["materials"].push_back({{"name", link.name},
                                  {"doubleSided", true},
                                  {"pbrMetallicRoughness",
                                   {{"baseColorFactor", {colour[0], colour[1], colour[2], 1}},
                                    {"metallicFactor", 0.2},
                                    {"roughnessFactor", 0.5}}}});
    Json primitive = {{"attributes", {{"POSITION", add_points(mesh.positions)}}},
                      {"indices", add_indices(mesh.triangles)},
                      {"material", json_["materials"].size() - 1}};
    for (Eigen::Index k = 0; k < shapes.cols(); ++k)
      primitive["targets"].push_back({{"POSITION", add_points(moved(link, mesh, scale * shapes.col(k)))}});
    Json body = {{"name", link.name}, {"primitives", {primitive}}};
    if (shapes.cols() > 0) body["weights"] = std::vector<double>(static_cast<std::size_t>(shapes.cols()), 0.0);
    json_["meshes"].push_back(std::move(body));
    json_["nodes"].push_back({{"name", link.name}, {"mesh", json_["meshes"].size() - 1}});
    const int node = static_cast<int>(json_["nodes"].size()) - 1;
    json_["nodes"][0]["children"].push_back(node);
    return node;
  }
  void place(int node, const Pose& pose) {
    const Quaternion q(pose.rotation);
    Json& data = json_["nodes"][static_cast<std::size_t>(node)];
    data["translation"] = {pose.position.x(), pose.position.y(), pose.position.z()};
    data["rotation"] = {q.x(), q.y(), q.z(), q.w()};
  }
  void animate(int node, const char* path, int times, int values) {
    Json& animation = json_["animations"][0];
    animation["samplers"].push_back({{"input", times}, {"output", values}, {"interpolation", "LINEAR"}});
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  std::string text() {
    json_["buffers"] = {{{"byteLength", binary_.size()}}};
    // The mark stands before all else (mark.h).
    const Json asset = {{"version", "2.0"}, {"generator", "Lithe"}, {"extras", {{"origin", program_mark}}}};
    std::string json = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.insert(1, cat("\"asset\":", asset.dump(), ","));
    json.resize((json.size() + 3) / 4 * 4, ' ');
    std::string result;
    const auto word = [&](std::uint32_t value) {
      for (int k = 0; k < 4; ++k) result += static_cast<char>(value >> (8 * k) & 255);
    };
    word(0x46546C67);  // "glTF"
    word(2);
    word(static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + binary_.size()));
    word(static_cast<std::uint32_t>(json.size()));
    word(0x4E4F534A);  // "JSON"
    result += json;
    word(static_cast<std::uint32_t>(binary_.size()));
    word(0x004E4942);  // "BIN"
    return result + binary_;
  }

 private:
  void add_word(std::uint32_t value) {
    for (int k = 0; k < 4; ++k) binary_ += static_cast<char>(value >> (8 * k) & 255);
  }
  int add_accessor(std::size_t begin, int component, const char* type, std::size_t count) {
    json_["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", begin}, {"byteLength", binary_.size() - begin}});
    json_["accessors"].push_back({{"bufferView", json_["bufferViews"].size() - 1},
                                  {"componentType", component},
                                  {"count", count},
                                  {"type", type}});
    return static_cast<int>(json_["accessors"].size()) - 1;
  }

  Json json_;
  std::string binary_;
};

void animate_frames(File& file, int node, int times, const std::vector<Pose>& frames) {
  std::vector<float> places, turns;
  Quaternion previous(1, 0, 0, 0);
  for (const Pose& pose : frames) {
    Quaternion q(pose.rotation);
    if (q.dot(previous) < 0) q.coeffs() = -q.coeffs();  // the short way from frame to frame
    previous = q;
    for (int k = 0; k < 3; ++k) places.push_back(static_cast<float>(pose.position(k)));
    for (const double c : {q.x(), q.y(), q.z(), q.w()}) turns.push_back(static_cast<float>(c));
  }
  file.animate(node, "translation", times, file.add_numbers(places, "VEC3", frames.size()));
  file.animate(node, "rotation", times, file.add_numbers(turns, "VEC4", frames.size()));
}

void animate_weights(File& file, int node, int times, const MatrixX& coefficients) {
  if (coefficients.rows() == 0) return;
  std::vector<float> weights;
  for (Eigen::Index i = 0; i < coefficients.size(); ++i)
    weights.push_back(static_cast<float>(coefficients.data()[i]));  // column by column: time by time
  file.animate(node, "weights", times, file.add_numbers(weights, "SCALAR", weights.size()));
}

}  // namespace

std::string gltf_binary(const Scene& scene, const SceneMotion& motion, double scale) {
  File file;
  const int times = file.add_times(motion.times);
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    if (scene.links[l].pieces.empty() && scene.links[l].triangles.empty()) continue;
    const LinkMotion& link = motion.links[l];
    const int node = file.add_link(scene, l, link.shapes, scale);
    animate_frames(file, node, times, link.frames);
    animate_weights(file, node, times, link.coefficients);
  }
  return file.text();
}

std::string gltf_binary(const Scene& scene, const ModeSet& modes, int mode) {
  constexpr int num_frames = 33;
  std::vector<double> seconds;
  MatrixX swing(2, num_frames);
  for (int i = 0; i < num_frames; ++i) {
    seconds.push_back(i / (num_frames - 1.0));
    swing.col(i) << 1, std::sin(2 * std::numbers::pi * seconds.back());
  }
  double largest = 1e-300;
  for (std::size_t l = 0; l < scene.links.size(); ++l)
    for (std::size_t i = 0; modes.modes[l].size() > 0 && i < scene.links[l].nodes.size(); ++i)
      largest = std::max(largest, modes.modes[l].block<3, 1>(3 * static_cast<Eigen::Index>(i), mode).norm());
  File file;
  const int times = file.add_times(seconds);
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    if (modes.modes[l].size() == 0 || (scene.links[l].pieces.empty() && scene.links[l].triangles.empty())) continue;
    MatrixX shapes(modes.modes[l].rows(), 2);
    shapes << modes.displacements[l], 0.1 * scene_size(scene) / largest * modes.modes[l].col(mode);
    const int node = file.add_link(scene, l, shapes, 1);
    file.place(node, modes.link_poses[l]);
    animate_weights(file, node, times, swing);
  }
  return file.text();
}

std::filesystem::path write_gltf(const std::string& binary, const std::filesystem::path& directory,
                                 const std::string& name) {
  FileSet files(directory);
  write_text_file(binary, files.add(name));
  files.commit();
  return files.paths().front();
}

}  // namespace lithe
