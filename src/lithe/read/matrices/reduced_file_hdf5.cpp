#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "lithe/base/checksum.h"
#include "lithe/base/closing_handle.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/matrices/reduced_file.h"

namespace lithe {
namespace {

constexpr std::size_t longest_text = 4096;

using Handle = ClosingHandle<hid_t, herr_t, InputError>;

// A file in memory, so that nothing but its bytes is ever read: links to other files lead nowhere.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes)
      : access_(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "HDF5: no memory"),
        file_(open(access_, bytes), H5Fclose, no_file) {}

  std::string attribute(const std::string& key) const {
    const std::string problem = cat("attribute '", key, "' is missing, or no text");
    if (H5Aexists(file_, key.c_str()) <= 0) throw InputError(problem);
    const Handle attribute(H5Aopen(file_, key.c_str(), H5P_DEFAULT), H5Aclose, problem);
    const Handle space(H5Aget_space(attribute), H5Sclose, problem), type(H5Aget_type(attribute), H5Tclose, problem);
    if (H5Sget_simple_extent_npoints(space) != 1) throw InputError(problem);
    return texts(type, 1, problem, [&](hid_t memory, void* to) { return H5Aread(attribute, memory, to); })[0];
  }

  std::vector<hsize_t> shape(const std::string& name) const {
    const Handle dataset = open_dataset(name);
    const Handle space(H5Dget_space(dataset), H5Sclose, cat("'", name, "' has no shape"));
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2) throw InputError(cat("'", name, "' must be a row of numbers or a matrix"));
    std::vector<hsize_t> result(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, result.data(), nullptr);
    return result;
  }

  // Rows by columns; a row of numbers is a column. Nothing is allocated before the shape is as wanted.
  MatrixX matrix(const std::string& name, Eigen::Index rows, Eigen::Index columns) const {
    const std::vector<hsize_t> found = shape(name);
    const hsize_t wide = found.size() == 2 ? found[1] : 1;
    if (found[0] != static_cast<hsize_t>(rows) || wide != static_cast<hsize_t>(columns))
      throw InputError(cat("'", name, "' is ", found[0], " x ", wide, ", not ", rows, " x ", columns));
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values(rows, columns);
    const Handle dataset = open_dataset(name);
    const Handle type(H5Dget_type(dataset), H5Tclose, cat("'", name, "' has no type"));
    if (const H5T_class_t kind = H5Tget_class(type); kind != H5T_FLOAT && kind != H5T_INTEGER)
      throw InputError(cat("'", name, "' is not of numbers"));
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      throw InputError(cat("'", name, "' cannot be read: the file is damaged, or these are no numbers"));
    return values;
  }

  std::vector<std::string> texts(const std::string& name, std::size_t count) const {
    const Handle dataset = open_dataset(name);
    const std::string problem = cat("'", name, "' cannot be read: the file is damaged, or these are no texts");
    const Handle type(H5Dget_type(dataset), H5Tclose, problem);
    return texts(type, count, problem,
                 [&](hid_t memory, void* to) { return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
  }

 private:
  static constexpr const char* no_file = "this is no HDF5 file, or a damaged one";

  static hid_t open(hid_t access, std::string_view bytes) {
    constexpr std::size_t block = std::size_t{1} << 16;
    if (bytes.empty() || H5Pset_fapl_core(access, block, false) < 0 ||
        H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size()) < 0)  // copied by the library
      return -1;
    return H5Fopen("reduced body", H5F_ACC_RDONLY, access);
  }

  // Datasets of this file in one piece: no links to other files, nor data in them.
  Handle open_dataset(const std::string& name) const {
    const std::string missing = cat("'", name, "' is missing");
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
      H5L_info_t link;
      const std::string part = name.substr(0, end);
      if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) throw InputError(missing);
      if (H5Lget_info(file_, part.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        throw InputError(cat("'", part, "' is a link to somewhere else"));
      if (end == name.npos) break;
    }
    Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, missing);
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose, missing);
    const H5D_layout_t layout = H5Pget_layout(creation);
    if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) || H5Pget_external_count(creation) != 0)
      throw InputError(cat("'", name, "' must lie in the file in one piece, not in chunks or elsewhere"));
    return dataset;
  }

  // Of fixed length. Texts of variable length lie in a heap, in which the library follows damaged pointers.
  template <class Read>
  static std::vector<std::string> texts(hid_t type, std::size_t count, const std::string& problem, const Read& read) {
    if (H5Tget_class(type) != H5T_STRING) throw InputError(problem);
    if (H5Tis_variable_str(type) != 0) throw InputError(cat(problem, "; texts must have a fixed length"));
    const std::size_t size = H5Tget_size(type);
    if (size < 1 || size > longest_text) throw InputError(problem);
    std::vector<char> all(count * size);
    if (read(type, static_cast<void*>(all.data())) < 0) throw InputError(problem);
    std::vector<std::string> result;
    for (std::size_t k = 0; k < count; ++k) {
      const std::string text(all.data() + k * size, size);
      result.push_back(text.substr(0, std::min(text.find('\0'), text.find_last_not_of(' ') + 1)));
    }
    return result;
  }

  Handle access_, file_;
};

int number_of(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != text.npos) return -1;
  return std::stoi(text);
}

void check_format(const MemoryFile& file) {
  if (const std::string format = file.attribute("format"); format != reduced_file_format)
    throw InputError(cat("its format is '", format, "', not '", reduced_file_format, "'"));
  const std::string version = file.attribute("version");
  if (number_of(version) < 1) throw InputError(cat("its version is '", version, "', not a number"));
  if (number_of(version) > reduced_file_version)
    throw InputError(
        cat("it has version ", version, ", this program reads up to ", reduced_file_version, "; a newer one does"));
}

void read_nodes(const MemoryFile& file, PortableBody& part) {
  const std::vector<hsize_t> shape = file.shape("node_names");
  if (shape.size() != 1 || shape[0] < 1 || shape[0] > most_reduced_coordinates / 3)
    throw InputError(cat("it has ", shape[0], " nodes; possible are 1 to ", most_reduced_coordinates / 3));
  const auto count = static_cast<Eigen::Index>(shape[0]);
  const std::vector<std::string> names = file.texts("node_names", shape[0]);
  const MatrixX positions = file.matrix("node_positions", count, 3), dofs = file.matrix("node_dofs", count, 1);
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::string& name = names[static_cast<std::size_t>(k)];
    if (name.empty()) throw InputError(cat("node ", k + 1, " has no name"));
    if (dofs(k) != 3 && dofs(k) != 6) throw InputError(cat("node '", name, "' must have 3 or 6 dofs, got ", dofs(k)));
    part.nodes.push_back({name, positions.row(k).transpose()});
    part.node_dofs.push_back(static_cast<int>(dofs(k)));
  }
}

void read_inertia(const MemoryFile& file, Eigen::Index size, InertiaInvariants& inertia) {
  inertia.mass = file.matrix("inertia/mass", 1, 1)(0, 0);
  inertia.first_moment = file.matrix("inertia/first_moment", 3, 1);
  inertia.second_moment = file.matrix("inertia/second_moment", 3, 3);
  inertia.mode_momentum = file.matrix("inertia/momentum", 3, size);
  const MatrixX position = file.matrix("inertia/position", 9, size);
  const MatrixX products = file.matrix("inertia/products", 9 * size, size);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      inertia.position_mode[a][b] = position.row(3 * a + b).transpose();
      inertia.mode_mode[a][b] = products.middleRows((3 * a + b) * size, size);
    }
}

// The library prints a stack of its own errors by default, and must be told before it is used at all.
void silence_library() {
  [[maybe_unused]] static const herr_t leaves_at_exit = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// Looked at before the library sees a byte: it follows damaged pointers. Files of other programs have no checksum.
std::string_view checked(std::string_view bytes) {
  if (bytes.size() < reduced_file_tail) return bytes;
  const std::string_view body = bytes.substr(0, bytes.size() - reduced_file_tail), tail = bytes.substr(body.size());
  if (!tail.starts_with(reduced_file_mark)) return bytes;
  if (tail.substr(reduced_file_mark.size(), 16) != checksum_text(body))
    throw InputError("the file is damaged: its checksum is another one");
  return body;
}

}  // namespace

PortableBody parse_reduced_file(std::string_view given) {
  const std::string_view bytes = checked(given);
  silence_library();
  const MemoryFile file(bytes);
  check_format(file);
  PortableBody part;
  part.name = file.attribute("name");
  part.num_unknowns = std::max(0, number_of(file.attribute("unknowns")));
  read_nodes(file, part);
  const hsize_t size = file.shape("stiffness")[0];
  if (size < static_cast<hsize_t>(part.num_node_coordinates()) || size > most_reduced_coordinates)
    throw InputError(cat("it has ", size, " coordinates; its nodes have ", part.num_node_coordinates(),
                         ", and at most ", most_reduced_coordinates, " are possible"));
  const auto s = static_cast<Eigen::Index>(size);
  part.stiffness = file.matrix("stiffness", s, s);
  part.mass = file.matrix("mass", s, s);
  read_inertia(file, s, part.inertia);
  if (const std::string fault = fault_of(part); !fault.empty()) throw InputError(fault);
  return part;
}

}  // namespace lithe
