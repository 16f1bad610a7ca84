// How the links of a model look: shapes of its robots' descriptions and of its own links, for pages. They carry no
// physics: what cannot be read is a note, never an error.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lithe/model/link_shape.h"
#include "lithe/read/read_model.h"
#include "lithe/read/surface/surface.h"

namespace lithe {

class TableReader;

struct DrawnShape {
  std::string link;
  std::string from;  // the file that names a mesh
  LinkShape shape;
  std::shared_ptr<const TriangleMesh> mesh;  // of a mesh, in its own units: `shape.size` is the scale
};

struct DrawnShapes {
  std::vector<DrawnShape> shapes;
  std::vector<std::string> notes;  // meshes that are missing
};

// Those of a model file. Contact shapes count where a link has no others. Links that bend have none: their sections are
// drawn. Empty where the file cannot be read.
DrawnShapes drawn_shapes(const std::filesystem::path& model_file, const ReadOptions& options);

// The [[links.shapes]] of a link.
std::vector<LinkShape> read_shapes(const TableReader& link);

}  // namespace lithe
