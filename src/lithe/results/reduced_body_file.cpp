#include "lithe/results/reduced_body_file.h"

#include <fstream>
#include <sstream>

#include "lithe/base/checksum.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/read/matrices/reduced_file.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"

namespace lithe {
namespace {

void append_checksum(const std::filesystem::path& path) {
  std::ostringstream bytes;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  bytes << file.rdbuf();
  file.clear();
  file.seekp(0, std::ios::end);
  file << reduced_file_mark << checksum_text(bytes.view()) << '\n';
  file.close();
  if (!file || !bytes) throw WriteError(cat("cannot write '", path.string(), "'"));
}

}  // namespace

void write_reduced_body(const PortableBody& part, const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  FileSet files(folder.empty() ? "." : folder);
  const std::filesystem::path temporary = files.add(path.filename().string());
  Hdf5File file(temporary);
  file.set_fixed_attribute("/", "format", std::string(reduced_file_format));
  file.set_fixed_attribute("/", "version", cat(reduced_file_version));
  file.set_fixed_attribute("/", "name", part.name);
  file.set_fixed_attribute("/", "unknowns", cat(part.num_unknowns));
  std::vector<std::string> names;
  MatrixX positions(static_cast<Eigen::Index>(part.nodes.size()), 3);
  for (std::size_t k = 0; k < part.nodes.size(); ++k) {
    names.push_back(part.nodes[k].name);
    positions.row(static_cast<Eigen::Index>(k)) = part.nodes[k].position.transpose();
  }
  file.write_fixed("node_names", names);
  file.write("node_positions", positions, "m");
  file.write("node_dofs", std::vector<double>(part.node_dofs.begin(), part.node_dofs.end()));
  file.write("stiffness", part.stiffness);
  file.write("mass", part.mass);
  const InertiaInvariants& inertia = part.inertia;
  const Eigen::Index size = part.stiffness.rows();
  MatrixX position(9, size), products(9 * size, size);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      position.row(3 * a + b) = inertia.position_mode[a][b].transpose();
      products.middleRows((3 * a + b) * size, size) = inertia.mode_mode[a][b];
    }
  file.write("inertia/mass", std::vector<double>{inertia.mass}, "kg");
  file.write("inertia/first_moment", MatrixX(inertia.first_moment), "kg m");
  file.write("inertia/second_moment", MatrixX(inertia.second_moment), "kg m^2");
  file.write("inertia/momentum", MatrixX(inertia.mode_momentum));
  file.write("inertia/position", position);
  file.write("inertia/products", products);
  file.close();
  append_checksum(temporary);
  files.commit();
}

}  // namespace lithe
