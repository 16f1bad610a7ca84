#include "lithe/export/vtk.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/stress_measure.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/mark.h"
#include "lithe/results/files/text_file.h"

namespace lithe {
namespace {

// Numbers of one array, as text that reads back to the same float.
class DataArray {
 public:
  DataArray(std::string name, int components) : name_(std::move(name)), components_(components) {}
  void add(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g ", std::isfinite(value) ? value : 0.0);
    numbers_ += text;
  }
  void add(const Vector3& v) {
    for (int k = 0; k < 3; ++k) add(v(k));
  }
  std::string text() const {
    return cat("<DataArray type=\"Float64\" Name=\"", name_, "\" NumberOfComponents=\"", components_,
               "\" format=\"ascii\">", numbers_, "</DataArray>\n");
  }

 private:
  std::string name_, numbers_;
  int components_;
};

struct PolyData {
  DataArray points{"points", 3};
  std::vector<DataArray> point_arrays, cell_arrays;
  int num_points = 0;
  std::string connectivity, offsets;
  int num_lines = 0;
  std::string corners, corner_offsets;
  int num_triangles = 0;

  void add_triangle(int a, int b, int c) {
    corners += cat(a, " ", b, " ", c, " ");
    corner_offsets += cat(3 * ++num_triangles, " ");
  }
  void add_line(int from, int to) {
    connectivity += cat(from, " ", to, " ");
    offsets += cat(2 * ++num_lines, " ");
  }
};

std::string texts(const std::vector<DataArray>& arrays) {
  std::string result;
  for (const DataArray& array : arrays) result += array.text();
  return result;
}

std::string file_text(const PolyData& data) {
  std::ostringstream out;
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
         "byte_order=\"LittleEndian\">\n<PolyData>\n"
      << "<Piece NumberOfPoints=\"" << data.num_points << "\" NumberOfVerts=\"0\" NumberOfLines=\"" << data.num_lines
      << "\" NumberOfStrips=\"0\" NumberOfPolys=\"" << data.num_triangles << "\">\n<PointData>\n"
      << texts(data.point_arrays) << "</PointData>\n<CellData>\n"
      << texts(data.cell_arrays) << "</CellData>\n<Points>\n"
      << data.points.text() << "</Points>\n<Lines>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">"
      << data.connectivity << "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">"
      << data.offsets
      << "</DataArray>\n</Lines>\n<Polys>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">"
      << data.corners << "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">"
      << data.corner_offsets << "</DataArray>\n</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  return out.str();
}

// Of a circle with the same area.
double radius_of(const Scene& scene, const ScenePiece& piece) {
  if (piece.section < 0) return 0.006 * scene_size(scene);
  const Section& section = scene.sections[static_cast<std::size_t>(piece.section)];
  if (section.shape == SectionShape::circle || section.shape == SectionShape::tube) return section.dimensions[0];
  return std::sqrt(section.area / 3.14159265358979323846);
}

void add_link_lines(const Scene& scene, const SceneLink& link, int first_point, PolyData& data) {
  for (const ScenePiece& piece : link.pieces) {
    data.add_line(first_point + piece.from, first_point + piece.to);
    data.cell_arrays[0].add(radius_of(scene, piece));
  }
}

void add_link_triangles(const SceneLink& link, int first_point, PolyData& data) {
  for (const std::array<int, 3>& triangle : link.triangles)
    data.add_triangle(first_point + triangle[0], first_point + triangle[1], first_point + triangle[2]);
}

// Lines come first among the cells: triangles have none of their values.
void fill_triangles(PolyData& data) {
  for (int k = 0; k < data.num_triangles; ++k)
    for (DataArray& array : data.cell_arrays) array.add(0.0);
}

PolyData frame_data(const Scene& scene, const SceneMotion& motion, std::size_t frame) {
  PolyData data;
  data.point_arrays = {{"displacement", 3}, {"rotation", 3}, {"link", 1}, {"von_mises_of_solids", 1}};
  data.cell_arrays = {{"radius", 1}, {"normal_force", 1}, {"torque", 1}, {"bending_moment", 1}};
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    const SceneLink& link = scene.links[l];
    const LinkMotion& moving = motion.links[l];
    const VectorX values = moving.shapes * moving.coefficients.col(static_cast<Eigen::Index>(frame));
    const auto n = static_cast<Eigen::Index>(link.nodes.size());
    const Pose& pose = moving.frames[frame];
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vector3 u = values.segment<3>(3 * i), psi = values.segment<3>(3 * (n + i));
      data.points.add(pose * Vector3(link.nodes[static_cast<std::size_t>(i)].position + u));
      data.point_arrays[0].add(pose.rotation * u);
      data.point_arrays[1].add(pose.rotation * psi);
      data.point_arrays[2].add(static_cast<double>(l));
      const bool stressed = moving.strained && !link.triangles.empty();
      data.point_arrays[3].add(stressed ? measure_of(values.segment<6>(6 * (n + i)), StressMeasure::von_mises) : 0.0);
    }
    add_link_lines(scene, link, data.num_points, data);
    add_link_triangles(link, data.num_points, data);
    for (std::size_t p = 0; p < link.pieces.size(); ++p) {
      Vector6 load = Vector6::Zero();
      if (moving.strained) load = values.segment<6>(6 * n + 6 * static_cast<Eigen::Index>(p));
      data.cell_arrays[1].add(load(0));
      data.cell_arrays[2].add(load(1));
      data.cell_arrays[3].add(std::max(std::hypot(load(2), load(3)), std::hypot(load(4), load(5))));
    }
    data.num_points += static_cast<int>(n);
  }
  fill_triangles(data);
  return data;
}

std::string frame_name(const std::string& stem, std::size_t frame) {
  char number[16];
  std::snprintf(number, sizeof number, "_%05zu.vtp", frame);
  return stem + number;
}

PolyData mode_data(const Scene& scene, const ModeSet& modes) {
  PolyData data;
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k)
    data.point_arrays.push_back({cat("mode ", modes.numbers[k], ", ", modes.frequencies[k], " Hz"), 3});
  data.cell_arrays = {{"radius", 1}};
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    if (modes.modes[l].size() == 0) continue;
    const SceneLink& link = scene.links[l];
    const Pose& pose = modes.link_poses[l];
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(link.nodes.size()); ++i) {
      const Vector3 at_rest =
          link.nodes[static_cast<std::size_t>(i)].position + modes.displacements[l].block<3, 1>(3 * i, 0);
      data.points.add(pose * at_rest);
      for (std::size_t k = 0; k < modes.frequencies.size(); ++k)
        data.point_arrays[k].add(pose.rotation * modes.modes[l].block<3, 1>(3 * i, static_cast<Eigen::Index>(k)));
    }
    add_link_lines(scene, link, data.num_points, data);
    add_link_triangles(link, data.num_points, data);
    data.num_points += static_cast<int>(link.nodes.size());
  }
  fill_triangles(data);
  return data;
}

}  // namespace

std::vector<std::filesystem::path> write_vtk(const Scene& scene, const SceneMotion& motion,
                                             const std::filesystem::path& directory, const std::string& stem,
                                             int max_frames) {
  FileSet files(directory);
  const std::size_t count = motion.times.size(), most = static_cast<std::size_t>(std::max(2, max_frames));
  const std::size_t shown = std::min(count, most);
  std::string collection;
  const std::string list = cat(stem, ".pvd");
  const std::filesystem::path index = files.add(list);  // the first of the paths
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t frame = shown < 2 ? 0 : k * (count - 1) / (shown - 1);
    files.write(frame_name(stem, k), file_text(frame_data(scene, motion, frame)));
    collection +=
        cat("<DataSet timestep=\"", motion.times[frame], "\" part=\"0\" file=\"", frame_name(stem, k), "\"/>\n");
  }
  const std::string text =
      cat("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          collection, "</Collection>\n</VTKFile>\n");
  write_text_file(with_mark(text, list), index);
  files.commit();
  return files.paths();
}

std::vector<std::filesystem::path> write_vtk(const Scene& scene, const ModeSet& modes,
                                             const std::filesystem::path& directory, const std::string& stem) {
  FileSet files(directory);
  files.write(cat(stem, ".vtp"), file_text(mode_data(scene, modes)));
  files.commit();
  return files.paths();
}

}  // namespace lithe
