# Writes a C++ source with the texts of files, so that the installed program needs none of them.
#   cmake -D "ROOT=..." -D "OUTPUT=..." -D "FILES=a;b" -P embed.cmake
set(entries "")
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" text)
  string(APPEND entries "      {R\"lithe(${file})lithe\", R\"lithe(${text})lithe\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed.cmake.
#include \"app/program/embedded.h\"

namespace lithe::app {

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files = {
${entries}  };
  return files;
}

}  // namespace lithe::app
")
