// Mass and stiffness matrices as finite-element programs write them. One source file per family of formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

// A row of a matrix: which motion of which node it is.
struct MatrixUnknown {
  std::int64_t node = 0;  // number in the file
  int component = 0;      // 0 to 5: ux uy uz and the rotations
  bool operator==(const MatrixUnknown&) const = default;
};

struct BodyMatrix {
  SparseMatrix entries;                 // both halves of a symmetric matrix
  std::vector<MatrixUnknown> unknowns;  // one per row; empty: the file does not say
};

enum class MatrixRole { mass, stiffness };

struct MatrixFile {
  std::string_view text;
  std::string name;            // decides the format where the content does not, and stands in messages
  MatrixRole role;             // which one is meant where a file holds several: its name begins with M or K
  bool quotes_content = true;  // whether messages may show what is in the file
};

// Matrix Market; CalculiX .sti and .mas; Abaqus .mtx (COORDINATE, LABELS, MATRIX INPUT); Nastran DMIG and OUTPUT4, text
// or binary; Harwell-Boeing; NumPy. Nothing where the text is no such matrix; the first error then goes to
// `diagnostics` with its line.
std::optional<BodyMatrix> read_body_matrix(const MatrixFile& file, Diagnostics& diagnostics);

// What each row is, from a file of its own: CalculiX .dof ("12.3"), Ansys .mapping ("4 12 UX"), or CSV (node,
// direction 1 to 6).
std::optional<std::vector<MatrixUnknown>> read_matrix_unknowns(const MatrixFile& file, Diagnostics& diagnostics);

// By family; they throw MatrixFileError.
struct MatrixFileError {
  int line = 0;  // 0: of a binary file
  std::string message;
};
BodyMatrix read_triplets(const MatrixFile& file);
BodyMatrix read_labelled_triplets(const MatrixFile& file);
BodyMatrix read_dmig(const MatrixFile& file);
BodyMatrix read_output4(const MatrixFile& file);
BodyMatrix read_harwell_boeing(const MatrixFile& file);
bool is_binary_output4(std::string_view text);
BodyMatrix read_binary_output4(const MatrixFile& file);
bool is_numpy(std::string_view text);  // .npy or .npz
BodyMatrix read_numpy(const MatrixFile& file);

}  // namespace lithe
