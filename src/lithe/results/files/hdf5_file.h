// An HDF5 file written once, from beginning to end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/results/files/table.h"

namespace lithe {

// Names are paths ("links/arm/shapes"); the groups on the way are made. Units are kept in the attribute `unit` of a
// dataset. Every function throws WriteError when the file cannot be written. Equal contents are equal files: no times.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void write(const std::string& name, const std::vector<double>& values, const std::string& unit = "");
  void write(const std::string& name, const MatrixX& values, const std::string& unit = "");  // as rows x columns
  void write(const std::string& name, const std::vector<std::string>& texts);
  // Texts of one length each, padded with zeros: no reader can be led astray by damaged pointers to them.
  void write_fixed(const std::string& name, const std::vector<std::string>& texts);
  void set_fixed_attribute(const std::string& object, const std::string& key, const std::string& text);
  void make_group(const std::string& name);
  // A table as a group: one dataset per column, notes as attributes of the group.
  void write(const Table& table);
  // Columns of equal length, piece by piece, so that they need not fit into memory: `fill` puts rows `first` to `first`
  // + `count` - 1 into one vector per column.
  struct StreamedColumn {
    std::string name, unit;
    bool matrix = false;  // of `width` numbers in a row, which stand one after the other
    std::size_t width = 1;
  };
  using Fill = std::function<void(long long first, long long count, std::vector<std::vector<double>>& columns)>;
  void write_streamed(const std::vector<StreamedColumn>& columns, long long num_rows, const Fill& fill);
  // The same for one column of texts; `text` gives a row.
  void write_streamed(const std::string& name, long long num_rows, const std::function<std::string(long long)>& text);
  // A text attribute of a group or dataset; "/" is the file.
  void set_attribute(const std::string& object, const std::string& key, const std::string& text);
  // Flushes and closes; errors of a full disk show here.
  void close();

 private:
  void write_numbers(const std::string& name, const double* values, const std::vector<std::size_t>& shape,
                     const std::string& unit);
  std::filesystem::path path_;
  long long file_;  // hid_t
};

// What reads a file back: for tests, comparisons and later analyses. Throw InputError when there is no such thing.
std::vector<double> read_hdf5_vector(const std::filesystem::path& path, const std::string& name);
MatrixX read_hdf5_matrix(const std::filesystem::path& path, const std::string& name);
std::vector<std::string> read_hdf5_texts(const std::filesystem::path& path, const std::string& name);
std::string read_hdf5_attribute(const std::filesystem::path& path, const std::string& object, const std::string& key);

}  // namespace lithe
