// Matrices in the Matrix Market exchange format (NIST): coordinate or array, real or integer, general or symmetric.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lithe/base/diagnostics.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

bool is_matrix_market(std::string_view text);

// Nothing when the text is no such matrix; the first error then goes to `diagnostics` with the file's own line. The
// other half of a symmetric matrix is filled in. `quotes_content`: whether messages may show what is in the file; not
// where a model reads a file elsewhere.
std::optional<SparseMatrix> parse_matrix_market(std::string_view text, const std::string& file_name,
                                                Diagnostics& diagnostics, bool quotes_content = true);

}  // namespace lithe
