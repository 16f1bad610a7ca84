// Denavit-Hartenberg rows, expanded into links and joints. schema_dh.cpp defines the two conventions.
#include <limits>

#include "lithe/base/text.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

struct DhRow {
  double a, alpha, d, theta;
};

Matrix3 about_x(double angle) { return Eigen::AngleAxisd(angle, Vector3::UnitX()).toRotationMatrix(); }
Matrix3 about_z(double angle) { return Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix(); }

// Where a link's nodes are, in its DH frame.
struct LinkPoints {
  Vector3 inboard, corner, outboard;
};

// Everything of one link that the rows fix.
struct ChainLink {
  LinkPoints points;
  Pose parent_frame;  // X_PF in the previous link's frame (in the world for the first)
  Pose child_frame;   // X_CM
};

// Rz(θ) Tz(d) Tx(a) Rx(α): the link ends at its frame's origin, which the steps a and d lead to from frame i-1.
ChainLink standard_link(const DhRow& row) {
  const Matrix3 untwist = about_x(-row.alpha);
  ChainLink link;
  link.points = {untwist * Vector3(-row.a, 0, -row.d), Vector3(-row.a, 0, 0), Vector3::Zero()};
  link.child_frame = {untwist * about_z(-row.theta), link.points.inboard};
  return link;
}

// Rx(α) Tx(a) Rz(θ) Tz(d): the link starts at its frame's origin; the next row's α, a and d lead on.
ChainLink modified_link(const DhRow& row, const std::optional<DhRow>& next, const Vector3& tool) {
  ChainLink link;
  link.points = {Vector3::Zero(), Vector3::Zero(), tool};
  if (next) {
    link.points.corner = Vector3(next->a, 0, 0);
    link.points.outboard = link.points.corner + about_x(next->alpha) * Vector3(0, 0, next->d);
  }
  const Matrix3 twist = about_x(row.alpha);
  link.parent_frame = {twist, Vector3(row.a, 0, 0) + twist * Vector3(0, 0, row.d)};
  link.child_frame.rotation = about_z(-row.theta);
  return link;
}

DhRow read_row_numbers(const TableReader& reader) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  // reported already
  return {reader.number("a").value_or(unknown), reader.number("alpha").value_or(unknown),
          reader.number("d").value_or(unknown), reader.number("theta").value_or(unknown)};
}

constexpr double same_point = 1e-12;  // m

// Beams from inboard to outboard, through the corner where asked for and where there is one.
void add_beams(const TableReader& reader, const LinkPoints& points, Link& link) {
  BeamSegment segment = segment_defaults(reader);
  const std::vector<int> elements = reader.integers("elements");
  if (elements.size() > 1) reader.error("elements", "elements must be one number in a DH row");
  if (!elements.empty()) segment.num_elements = elements[0];
  const auto connect = [&](int from, int to) {
    segment.from = from;
    segment.to = to;
    link.segments.push_back(segment);
  };
  const bool has_corner = reader.choice("route").value_or(0) == 1 &&
                          (points.corner - points.inboard).norm() > same_point &&
                          (points.corner - points.outboard).norm() > same_point;
  if (has_corner) {
    link.nodes.push_back({"corner", points.corner});
    connect(0, 2);
    connect(2, 1);
  } else if ((points.outboard - points.inboard).norm() > same_point) {
    connect(0, 1);
  } else if (!link.rigid && points.outboard.allFinite() && points.inboard.allFinite()) {
    reader.error("the link has no length (a and d are zero); give it type = \"rigid\"");
  }
  if (link.rigid) return;
  if (!reader.has("material")) reader.error("key 'material' is missing (type beams)");
  if (!reader.has("section")) reader.error("key 'section' is missing (type beams)");
}

void add_chain_link(const TableReader& reader, const ChainLink& chain) {
  Link link;
  link.place = reader.place();
  link.rigid = reader.choice("type").value_or(0) == 1;
  link.nodes = {{"inboard", chain.points.inboard}, {"outboard", chain.points.outboard}};
  add_beams(reader, chain.points, link);
  NameList nodes;
  for (const Node& node : link.nodes) nodes.add(node.name);
  for (const std::string_view key : {"material", "elements", "theory", "mass_model", "damping", "reduction"}) {
    if (link.rigid && reader.has(key)) reader.error(key, cat("'", key, "' is for links of type beams"));
  }
  for (const std::string_view key : {"mass", "centre", "inertia"}) {
    if (!link.rigid && reader.has(key)) reader.error(key, cat("'", key, "' is for rigid links"));
  }
  read_lumped_masses(reader, nodes, link);
  if (link.rigid) {
    read_rigid_inertia(reader, link);
  } else {
    read_damping(reader, link);
    read_reduction(reader, nodes, link);
  }
  add_link(reader.reading(), reader, std::move(link), std::move(nodes));
}

void add_chain_joint(const TableReader& row, const ChainLink& chain, bool first) {
  static const Value empty;
  Reading& reading = row.reading();
  const Value* table = row.find("joint");
  if (table && !expect_table(reading, *table, row.path_of("joint"))) table = nullptr;
  const TableReader reader(reading, dh_joint_table(), table ? *table : empty, row.path_of("joint"),
                           row.owner() + ", joint");
  Joint joint;
  joint.place = table ? reader.place() : row.place();
  joint.name = reader.has("name") ? reader.text("name").value_or("") : reading.model.links.back().name;
  joint.set_type(reader.choice("type").value_or(0) == 1 ? JointType::prismatic : JointType::revolute);
  joint.child = static_cast<int>(reading.model.links.size()) - 1;
  joint.child_node = 0;
  joint.parent = first ? -1 : joint.child - 1;
  joint.parent_node = first ? -1 : 1;
  joint.parent_frame = chain.parent_frame;
  joint.child_frame = chain.child_frame;
  read_freedoms(reader, joint);
  joint.independent = reader.boolean("independent");
  add_joint(reading, reader, std::move(joint));
}

}  // namespace

void read_dh_chain(Reading& reading, const TableReader& file) {
  const Value* table = file.find("dh");
  if (!table || !expect_table(reading, *table, "dh")) return;
  const TableReader dh(reading, dh_table(), *table, "dh", "dh");
  const bool modified = dh.choice("convention").value_or(0) == 1;
  const Pose base{dh.orientation("base_orientation").value_or(Matrix3::Identity()),
                  dh.vector("base_position").value_or(Vector3::Zero())};
  if (dh.has("tool") && !modified) dh.error("tool", "'tool' is for the modified convention");
  const Vector3 tool = dh.vector("tool").value_or(Vector3::Zero());
  const std::vector<Value>& tables = dh.tables("rows");
  if (dh.has("rows") && tables.empty()) dh.error("rows", "rows must not be empty");
  std::vector<TableReader> readers;
  std::vector<DhRow> rows;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    readers.emplace_back(reading, dh_row_table(), tables[i], cat("dh.rows[", i, "]"),
                         owner_name("dh row", tables[i], static_cast<int>(i)));
    rows.push_back(read_row_numbers(readers.back()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<DhRow> next = i + 1 < rows.size() ? std::optional(rows[i + 1]) : std::nullopt;
    ChainLink chain = modified ? modified_link(rows[i], next, tool) : standard_link(rows[i]);
    if (i == 0) chain.parent_frame = base * chain.parent_frame;
    add_chain_link(readers[i], chain);
    add_chain_joint(readers[i], chain, i == 0);
  }
}

}  // namespace lithe
