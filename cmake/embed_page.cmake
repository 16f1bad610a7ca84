# Writes a C++ source with the text of the report page.
#   cmake -D "PAGE=viewer/dist/page.html" -D "OUTPUT=..." -P embed_page.cmake
file(READ "${PAGE}" text)
file(WRITE "${OUTPUT}" "// Made by cmake/embed_page.cmake.
#include \"lithe/view/page_template.h\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace lithe {

std::string_view page_template() { return R\"lithe(${text})lithe\"; }

}  // namespace lithe
")
