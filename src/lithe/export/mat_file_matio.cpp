#include <matio.h>

#include <cstdint>
#include <fstream>
#include <memory>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/export/mat_file.h"
#include "lithe/results/files/mark.h"

namespace lithe {
namespace {

struct Closer {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using File = std::unique_ptr<mat_t, Closer>;
using Variable = std::unique_ptr<matvar_t, Closer>;

Variable make(const char* name, const MatrixX& matrix) {
  std::size_t size[2] = {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
  return Variable(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, const_cast<double*>(matrix.data()), 0));
}

Variable make(const char* name, const std::string& text) {
  std::size_t size[2] = {1, text.size()};
  return Variable(Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, size, const_cast<char*>(text.data()), 0));
}

Variable make(const char* name, const std::vector<std::string>& texts) {
  std::size_t size[2] = {texts.size(), 1};
  Variable cell(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, nullptr, 0));
  for (std::size_t i = 0; cell && i < texts.size(); ++i)
    Mat_VarSetCell(cell.get(), static_cast<int>(i), make(nullptr, texts[i]).release());
  return cell;
}

// The library does not notice a full disk. A file of version 5 has a header of 128 bytes and then one element for each
// variable: a tag of two 32-bit words, kind and length, and that many bytes. A whole file ends where the last one does.
bool is_whole(const std::filesystem::path& path, std::size_t num_variables) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  std::uintmax_t end = 128;
  for (std::size_t k = 0; k < num_variables; ++k) {
    std::uint32_t tag[2] = {0, 0};
    in.seekg(static_cast<std::streamoff>(end));
    if (!in.read(reinterpret_cast<char*>(tag), sizeof tag)) return false;
    end += sizeof tag + tag[1];
  }
  return !error && end == size;
}

void write_variables(const std::filesystem::path& path, const std::vector<MatVariable>& variables) {
  // The library's own heading has the time in it, and equal results shall be equal files.
  const File file(Mat_CreateVer(path.c_str(), cat("MATLAB 5.0 MAT-file, ", program_mark).c_str(), MAT_FT_MAT5));
  if (!file) throw WriteError(cat("cannot write '", path.string(), "'"));
  for (const MatVariable& named : variables) {
    const std::string& name = named.first;
    const Variable variable = std::visit([&](const auto& value) { return make(name.c_str(), value); }, named.second);
    if (!variable || Mat_VarWrite(file.get(), variable.get(), MAT_COMPRESSION_NONE) != 0)
      throw WriteError(cat("cannot write ", name, " to '", path.string(), "'"));
  }
}

}  // namespace

void write_mat(const std::filesystem::path& path, const std::vector<MatVariable>& variables) {
  write_variables(path, variables);
  if (!is_whole(path, variables.size())) throw WriteError(cat("cannot write '", path.string(), "'"));
}

MatrixX read_mat_matrix(const std::filesystem::path& path, const std::string& name) {
  const File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw InputError(cat("cannot read ", path.string()));
  const Variable variable(Mat_VarRead(file.get(), name.c_str()));
  if (!variable || variable->class_type != MAT_C_DOUBLE || variable->rank != 2)
    throw InputError(cat(path.string(), ": there is no matrix '", name, "'"));
  return Eigen::Map<const MatrixX>(static_cast<const double*>(variable->data),
                                   static_cast<Eigen::Index>(variable->dims[0]),
                                   static_cast<Eigen::Index>(variable->dims[1]));
}

}  // namespace lithe
