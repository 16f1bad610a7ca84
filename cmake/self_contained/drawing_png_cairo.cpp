// In place of cairo, whose libraries of windows and fonts a bare machine does not have.
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/view/drawing.h"

namespace lithe {

void write_drawing_png(const Drawing&, const std::filesystem::path& path, double) {
  throw InputError(cat("'", path.string(), "': this build of Lithe draws no .png; name a file that ends in .svg"));
}

}  // namespace lithe
