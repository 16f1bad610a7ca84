#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "lithe/base/closing_handle.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/results/files/mark.h"

namespace lithe {
namespace {

static_assert(sizeof(hid_t) == sizeof(long long));

// `what` completes the sentence.
struct CannotWrite : WriteError {
  explicit CannotWrite(const std::string& what) : WriteError("HDF5: cannot " + what) {}
};
using Handle = ClosingHandle<hid_t, herr_t, CannotWrite>;

void require(herr_t status, const std::string& what) {
  if (status < 0) throw CannotWrite(what);
}

// The library prints a stack of its own errors by default: ours say it in one sentence. A file that could not be
// closed, because the disk is full, stays in its cache; what it does with that when the program exits is a crash. Every
// handle here closes itself, so nothing is left for it to do there. It must be told before it is used at all.
void silence_library() {
  [[maybe_unused]] static const herr_t leaves_at_exit = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t make_text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

hid_t make_fixed_type(std::size_t length) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length);
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

hid_t make_parents() {
  const hid_t properties = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(properties, 1);
  return properties;
}

// Without the time at which it was made: equal results shall be equal files.
Handle make_dataset(hid_t file, const std::string& name, hid_t type, hid_t space, const std::string& what) {
  const Handle parents(make_parents(), H5Pclose, "make properties");
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  require(H5Pset_obj_track_times(creation, false), "leave out times");
  return Handle(H5Dcreate2(file, name.c_str(), type, space, parents, creation, H5P_DEFAULT), H5Dclose, what);
}

// What cannot be read is bad input, what cannot be written is not.
template <class Action>
auto reading(const Action& action) {
  try {
    return action();
  } catch (const WriteError& error) {
    throw InputError(error.what());
  }
}

Handle open_file(const std::filesystem::path& path) {
  silence_library();
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, cat("open '", path.string(), "'"));
}

std::vector<hsize_t> shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "read a shape");
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

std::pair<std::vector<double>, std::vector<hsize_t>> read_numbers(const std::filesystem::path& path,
                                                                  const std::string& name) {
  const Handle file = open_file(path);
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose,
                       cat("find '", name, "' in '", path.string(), "'"));
  const std::vector<hsize_t> shape = shape_of(dataset);
  std::size_t count = 1;
  for (const hsize_t extent : shape) count *= extent;
  std::vector<double> values(count);
  require(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), cat("read '", name, "'"));
  return {std::move(values), shape};
}

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Hdf5File::Hdf5File(const std::filesystem::path& path) : path_(path) {
  silence_library();
  file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file_ < 0) throw WriteError(cat("cannot write '", path.string(), "'"));
  set_fixed_attribute("/", "origin",
                      std::string(program_mark));  // the first of all, so that it stands at the beginning
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::close() {
  const herr_t flushed = H5Fflush(file_, H5F_SCOPE_GLOBAL);
  const herr_t closed = H5Fclose(std::exchange(file_, -1));
  if (flushed < 0 || closed < 0) throw WriteError(cat("cannot write '", path_.string(), "'"));
}

void Hdf5File::write_numbers(const std::string& name, const double* values, const std::vector<std::size_t>& shape,
                             const std::string& unit) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  {
    const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose,
                       "make a shape");
    const Handle dataset =
        make_dataset(file_, name, H5T_IEEE_F64LE, space, cat("make '", name, "' in '", path_.string(), "'"));
    const bool empty = std::find(extents.begin(), extents.end(), hsize_t(0)) != extents.end();
    if (!empty) {
      require(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
              cat("write '", name, "' to '", path_.string(), "'"));
    }
  }
  if (!unit.empty()) set_attribute(name, "unit", unit);
}

void Hdf5File::write(const std::string& name, const std::vector<double>& values, const std::string& unit) {
  write_numbers(name, values.data(), {values.size()}, unit);
}

void Hdf5File::write(const std::string& name, const MatrixX& values, const std::string& unit) {
  const RowMajorMatrix by_rows = values;
  write_numbers(name, by_rows.data(),
                {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())}, unit);
}

void Hdf5File::write(const std::string& name, const std::vector<std::string>& texts) {
  const hsize_t count = texts.size();
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const Handle type(make_text_type(), H5Tclose, "make a text type");
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
  const Handle dataset = make_dataset(file_, name, type, space, cat("make '", name, "' in '", path_.string(), "'"));
  if (count > 0) {
    require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
            cat("write '", name, "' to '", path_.string(), "'"));
  }
}

void Hdf5File::write_fixed(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string all;
  for (std::string text : texts) {
    text.resize(length, '\0');
    all += text;
  }
  const hsize_t count = texts.size();
  const Handle type(make_fixed_type(length), H5Tclose, "make a text type");
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
  const Handle dataset = make_dataset(file_, name, type, space, cat("make '", name, "' in '", path_.string(), "'"));
  if (count > 0)
    require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()),
            cat("write '", name, "' to '", path_.string(), "'"));
}

void Hdf5File::set_fixed_attribute(const std::string& object, const std::string& key, const std::string& text) {
  const Handle type(make_fixed_type(std::max<std::size_t>(1, text.size())), H5Tclose, "make a text type");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a shape");
  const Handle attribute(
      H5Acreate_by_name(file_, object.c_str(), key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, cat("make attribute '", key, "' of '", object, "'"));
  require(H5Awrite(attribute, type, text.c_str()),
          cat("write attribute '", key, "' of '", object, "' to '", path_.string(), "'"));
}

void Hdf5File::make_group(const std::string& name) {
  const Handle parents(make_parents(), H5Pclose, "make properties");
  const Handle group(H5Gcreate2(file_, name.c_str(), parents, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                     cat("make '", name, "' in '", path_.string(), "'"));
}

void Hdf5File::write(const Table& table) {
  table.check();
  make_group(table.name);
  for (const Column& column : table.columns) write(table.name + "/" + column.name, column.values, column.unit);
  for (const auto& [key, text] : table.notes) set_attribute(table.name, key, text);
}

void Hdf5File::write_streamed(const std::vector<StreamedColumn>& columns, long long num_rows, const Fill& fill) {
  std::vector<Handle> datasets;
  std::size_t total = 1;
  for (const StreamedColumn& column : columns) {
    const hsize_t shape[] = {static_cast<hsize_t>(num_rows), static_cast<hsize_t>(column.width)};
    const Handle space(H5Screate_simple(column.matrix ? 2 : 1, shape, nullptr), H5Sclose, "make a shape");
    datasets.push_back(make_dataset(file_, column.name, H5T_IEEE_F64LE, space,
                                    cat("make '", column.name, "' in '", path_.string(), "'")));
    total += column.width;
  }
  constexpr std::size_t numbers_at_once = 1 << 18;
  const auto piece = static_cast<long long>(std::clamp<std::size_t>(numbers_at_once / total, 16, 4096));
  std::vector<std::vector<double>> values(columns.size());
  for (long long first = 0; first < num_rows; first += piece) {
    const hsize_t rows = static_cast<hsize_t>(std::min(piece, num_rows - first));
    for (std::size_t c = 0; c < columns.size(); ++c) values[c].resize(rows * columns[c].width);
    fill(first, static_cast<long long>(rows), values);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].width == 0) continue;
      const int rank = columns[c].matrix ? 2 : 1;
      const hsize_t start[] = {static_cast<hsize_t>(first), 0}, count[] = {rows, columns[c].width};
      const Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose, "make a shape");
      const Handle space(H5Dget_space(datasets[c]), H5Sclose, "read a shape");
      require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr), "choose rows");
      require(H5Dwrite(datasets[c], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values[c].data()),
              cat("write '", columns[c].name, "' to '", path_.string(), "'"));
    }
  }
  datasets.clear();
  for (const StreamedColumn& column : columns)
    if (!column.unit.empty()) set_attribute(column.name, "unit", column.unit);
}

void Hdf5File::write_streamed(const std::string& name, long long num_rows,
                              const std::function<std::string(long long)>& text) {
  constexpr long long piece = 4096;
  const auto rows = static_cast<hsize_t>(num_rows);
  const Handle type(make_text_type(), H5Tclose, "make a text type");
  const Handle whole(H5Screate_simple(1, &rows, nullptr), H5Sclose, "make a shape");
  const Handle dataset = make_dataset(file_, name, type, whole, cat("make '", name, "' in '", path_.string(), "'"));
  for (long long first = 0; first < num_rows; first += piece) {
    const hsize_t start = static_cast<hsize_t>(first), count = static_cast<hsize_t>(std::min(piece, num_rows - first));
    std::vector<std::string> texts;
    std::vector<const char*> pointers;
    for (hsize_t k = 0; k < count; ++k) texts.push_back(text(first + static_cast<long long>(k)));
    for (const std::string& entry : texts) pointers.push_back(entry.c_str());
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
    require(H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, nullptr, &count, nullptr), "choose rows");
    require(H5Dwrite(dataset, type, memory, whole, H5P_DEFAULT, pointers.data()),
            cat("write '", name, "' to '", path_.string(), "'"));
  }
}

void Hdf5File::set_attribute(const std::string& object, const std::string& key, const std::string& text) {
  const Handle type(make_text_type(), H5Tclose, "make a text type");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a shape");
  const Handle attribute(
      H5Acreate_by_name(file_, object.c_str(), key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, cat("make attribute '", key, "' of '", object, "'"));
  const char* pointer = text.c_str();
  require(H5Awrite(attribute, type, &pointer),
          cat("write attribute '", key, "' of '", object, "' to '", path_.string(), "'"));
}

std::vector<double> read_hdf5_vector(const std::filesystem::path& path, const std::string& name) {
  return reading([&] { return read_numbers(path, name).first; });
}

MatrixX read_hdf5_matrix(const std::filesystem::path& path, const std::string& name) {
  const auto [values, shape] = reading([&] { return read_numbers(path, name); });
  if (shape.size() != 2) throw InputError(cat("'", name, "' in '", path.string(), "' is not a matrix"));
  return Eigen::Map<const RowMajorMatrix>(values.data(), static_cast<Eigen::Index>(shape[0]),
                                          static_cast<Eigen::Index>(shape[1]));
}

std::vector<std::string> read_hdf5_texts(const std::filesystem::path& path, const std::string& name) {
  return reading([&] {
    const Handle file = open_file(path);
    const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose,
                         cat("find '", name, "' in '", path.string(), "'"));
    const std::vector<hsize_t> shape = shape_of(dataset);
    const Handle type(make_text_type(), H5Tclose, "make a text type");
    const Handle space(H5Dget_space(dataset), H5Sclose, "read a shape");
    std::vector<char*> pointers(shape.empty() ? 0 : shape[0]);
    if (pointers.empty()) return std::vector<std::string>();
    require(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), cat("read '", name, "'"));
    std::vector<std::string> result(pointers.begin(), pointers.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return result;
  });
}

std::string read_hdf5_attribute(const std::filesystem::path& path, const std::string& object, const std::string& key) {
  return reading([&] {
    const Handle file = open_file(path);
    const Handle attribute(H5Aopen_by_name(file, object.c_str(), key.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                           cat("find attribute '", key, "' of '", object, "' in '", path.string(), "'"));
    const Handle type(make_text_type(), H5Tclose, "make a text type");
    char* pointer = nullptr;
    require(H5Aread(attribute, type, &pointer), cat("read attribute '", key, "'"));
    const std::string text = pointer == nullptr ? "" : pointer;
    H5free_memory(pointer);
    return text;
  });
}

}  // namespace lithe
