// Mesh files of finite-element programs. One source file per format; all give the same Mesh.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lithe/base/diagnostics.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

enum class MeshFormat { gmsh, abaqus, nastran };
std::string_view name_of(MeshFormat format);

// By content where the file says what it is, else by the ending of its name (.msh, .inp, .bdf, .nas, .dat, .fem).
std::optional<MeshFormat> mesh_format(std::string_view text, std::string_view file_name);

// A file that another includes, by the name written there; nothing and `problem` where it cannot be read.
struct IncludedFile {
  std::string name;  // where it lies: the same file has the same name
  std::string text;
};
using IncludeFile =
    std::function<std::optional<IncludedFile>(const std::string& name, const std::string& from, std::string& problem)>;

struct MeshReadOptions {
  bool quotes_content = true;  // messages may show what is in the file; not where a model reads a file elsewhere
  IncludeFile include{};       // none: included files are refused
};

// Nothing where the text is no such mesh; the first error then goes to `diagnostics` with its line, or its byte in a
// binary part. What the file has and a link has no use for (boundary conditions, steps, output) is passed over.
std::optional<Mesh> read_mesh(std::string_view text, const std::string& file_name, MeshFormat format,
                              Diagnostics& diagnostics, const MeshReadOptions& options = {});

std::optional<Mesh> read_gmsh(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                              const MeshReadOptions& options);
std::optional<Mesh> read_abaqus(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                                const MeshReadOptions& options);
std::optional<Mesh> read_nastran(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                                 const MeshReadOptions& options);

}  // namespace lithe
