// In place of read/matrices/reduced_file_hdf5.cpp: a browser gives the engine no file.
#include "lithe/base/diagnostics.h"
#include "lithe/read/matrices/reduced_file.h"

namespace lithe {

PortableBody parse_reduced_file(std::string_view) {
  throw InputError("files of reduced bodies are not read in the browser");
}

}  // namespace lithe
