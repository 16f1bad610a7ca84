#include "lithe/read/surface/surface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "lithe/base/text.h"
#include "lithe/read/urdf/words.h"

namespace lithe {
namespace {

std::nullopt_t refuse(std::string& problem, std::string why) {
  problem = std::move(why);
  return std::nullopt;
}

std::uint32_t little_endian(std::string_view text, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + k])) << (8 * k);
  return word;
}

constexpr std::size_t header_size = 84, facet_size = 50;  // bytes of binary STL

// The count of facets tells a binary file from a text, whatever its first word is.
bool is_binary_stl(std::string_view text) {
  return text.size() >= header_size && text.size() == header_size + facet_size * std::size_t{little_endian(text, 80)};
}

std::optional<TriangleMesh> read_binary_stl(std::string_view text, std::string& problem) {
  TriangleMesh mesh;
  const std::size_t facets = (text.size() - header_size) / facet_size;
  if (3 * facets > most_corners) return refuse(problem, cat("it has ", facets, " triangles"));
  for (std::size_t facet = 0; facet < facets; ++facet)
    for (std::size_t corner = 0; corner < 3; ++corner) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t at = header_size + facet * facet_size + 12 + 12 * corner + 4 * axis;
        const float value = std::bit_cast<float>(little_endian(text, at));
        if (!std::isfinite(value)) return refuse(problem, cat("triangle ", facet + 1, " is not finite"));
        mesh.corners.push_back(value);
      }
      mesh.triangles.push_back(static_cast<int>(mesh.triangles.size()));
    }
  return mesh;
}

}  // namespace

std::optional<TriangleMesh> read_stl(std::string_view text, std::string& problem) {
  if (is_binary_stl(text)) return read_binary_stl(text, problem);
  Words words(text);
  if (words.next() != "solid") return refuse(problem, "this is no STL file");
  TriangleMesh mesh;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != "vertex") continue;
    for (int axis = 0; axis < 3; ++axis) {
      double value = 0;
      if (!words.number(value)) return refuse(problem, "a vertex needs three numbers");
      mesh.corners.push_back(static_cast<float>(value));
    }
    mesh.triangles.push_back(static_cast<int>(mesh.triangles.size()));
    if (mesh.triangles.size() > most_corners) return refuse(problem, "it has too many triangles");
  }
  if (mesh.triangles.empty() || mesh.triangles.size() % 3 != 0) return refuse(problem, "it holds no whole triangles");
  return mesh;
}

std::optional<TriangleMesh> read_obj(std::string_view text, std::string& problem) {
  TriangleMesh mesh;
  Words words(text);
  while (!words.done()) {
    const std::string_view word = words.next();
    Words line(words.rest_of_line());
    if (word == "v") {
      for (int axis = 0; axis < 3; ++axis) {
        double value = 0;
        if (!line.number(value)) return refuse(problem, "a vertex needs three numbers");
        mesh.corners.push_back(static_cast<float>(value));
      }
      if (mesh.corners.size() > 3 * most_corners) return refuse(problem, "it has too many vertices");
    } else if (word ==
               "f") {  // a fan of triangles; indices from 1, or from the end if negative; "1/2/3": the first counts
      const int known = static_cast<int>(mesh.corners.size() / 3);
      std::vector<int> face;
      for (std::string_view corner = line.next(); !corner.empty(); corner = line.next()) {
        int index = 0;
        const auto [end, status] = std::from_chars(corner.data(), corner.data() + corner.size(), index);
        index = index < 0 ? known + index : index - 1;
        if (status != std::errc() || index < 0 || index >= known)
          return refuse(problem, "a face names a vertex that does not exist");
        face.push_back(index);
      }
      for (std::size_t i = 2; i < face.size(); ++i)
        mesh.triangles.insert(mesh.triangles.end(), {face[0], face[i - 1], face[i]});
      if (mesh.triangles.size() > 3 * most_corners) return refuse(problem, "it has too many triangles");
    }
  }
  if (mesh.triangles.empty()) return refuse(problem, "it holds no triangles");
  return mesh;
}

// Four counts (vertices, normals, texture coordinates, triangles), then as many vectors of float and triples of int32.
std::optional<TriangleMesh> read_mujoco_mesh(std::string_view text, std::string& problem) {
  constexpr std::size_t word = 4, header = 4 * word;
  if (text.size() < header) return refuse(problem, "the file is too short");
  std::array<std::size_t, 4> counts{};
  for (std::size_t k = 0; k < 4; ++k) counts[k] = little_endian(text, word * k);
  const auto [vertices, normals, texture, triangles] = counts;
  for (const std::size_t count : counts)
    if (count > most_corners) return refuse(problem, cat("it says that it has ", count, " parts of a kind"));
  const std::size_t first_triangle = header + word * (3 * vertices + 3 * normals + 2 * texture);
  if (text.size() != first_triangle + word * 3 * triangles)
    return refuse(problem, "its size is not the one that its first four numbers say; this is no mesh of MuJoCo");
  TriangleMesh mesh;
  for (std::size_t i = 0; i < 3 * vertices; ++i) {
    mesh.corners.push_back(std::bit_cast<float>(little_endian(text, header + word * i)));
    if (!std::isfinite(mesh.corners.back())) return refuse(problem, cat("vertex ", i / 3 + 1, " is not finite"));
  }
  for (std::size_t i = 0; i < 3 * triangles; ++i) {
    const std::size_t corner = little_endian(text, first_triangle + word * i);
    if (corner >= vertices) return refuse(problem, "a triangle names a vertex that does not exist");
    mesh.triangles.push_back(static_cast<int>(corner));
  }
  return mesh;
}

std::optional<TriangleMesh> read_surface(std::string_view text, const std::string& name, std::string& problem) {
  std::string ending = name.substr(std::min(name.rfind('.'), name.size()));
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto reader = ending == ".stl"   ? read_stl
                      : ending == ".obj" ? read_obj
                      : ending == ".dae" ? read_collada
                      : ending == ".msh" ? read_mujoco_mesh
                                         : nullptr;
  if (!reader)
    return refuse(
        problem, cat("files of the kind '", ending, "' are not read; known are .stl, .obj, .dae and .msh (of MuJoCo)"));
  std::optional<TriangleMesh> mesh = reader(text, problem);
  constexpr float farthest = 1e15F;  // m; beyond, squares of distances leave the range of float
  if (mesh && !std::all_of(mesh->corners.begin(), mesh->corners.end(), [](float x) { return std::abs(x) < farthest; }))
    return refuse(problem, "a corner lies too far away");
  return mesh;
}

namespace {

struct Cell {
  std::array<std::int64_t, 3> at;
  bool operator==(const Cell& other) const { return at == other.at; }
};
struct HashOfCell {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t k : cell.at)
      hash = (hash ^ static_cast<std::uint64_t>(k)) * 0x9E3779B97F4A7C15U + (hash >> 29);
    return static_cast<std::size_t>(hash);
  }
};

// Corners that fall into the same cell of a grid become the first of them.
TriangleMesh on_grid(const TriangleMesh& mesh, const std::array<float, 3>& low, float cell) {
  std::unordered_map<Cell, int, HashOfCell> known;
  std::vector<int> index(mesh.corners.size() / 3);
  TriangleMesh result;
  for (std::size_t i = 0; i < index.size(); ++i) {
    Cell key{};
    for (std::size_t k = 0; k < 3; ++k)
      key.at[k] = static_cast<std::int64_t>(std::floor((mesh.corners[3 * i + k] - low[k]) / cell));
    const auto [at, is_new] = known.emplace(key, static_cast<int>(result.corners.size() / 3));
    if (is_new)
      for (std::size_t k = 0; k < 3; ++k) result.corners.push_back(mesh.corners[3 * i + k]);
    index[i] = at->second;
  }
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
    const auto corner = [&](std::size_t k) { return index[static_cast<std::size_t>(mesh.triangles[t + k])]; };
    const int a = corner(0), b = corner(1), c = corner(2);
    if (a != b && b != c && c != a) result.triangles.insert(result.triangles.end(), {a, b, c});
  }
  return result;
}

}  // namespace

TriangleMesh simplified(const TriangleMesh& mesh, std::size_t most) {
  if (mesh.corners.empty()) return mesh;
  std::array<float, 3> low{}, high{};
  for (std::size_t k = 0; k < 3; ++k) low[k] = high[k] = mesh.corners[k];
  for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], mesh.corners[i]);
    high[i % 3] = std::max(high[i % 3], mesh.corners[i]);
  }
  const float size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-9F});
  // The first grid is below what float can tell apart; then coarser ones, until few enough corners are left.
  TriangleMesh result = on_grid(mesh, low, size * 1e-6F);
  for (float cell = size * 1e-3F; result.corners.size() / 3 > most && cell < size; cell *= 1.5F)
    result = on_grid(result, low, cell);
  return result;
}

}  // namespace lithe
