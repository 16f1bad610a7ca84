// The parts of the model-file reader, in the order in which they run.
#pragma once

#include <string>
#include <vector>

#include "lithe/read/tables/table_reader.h"

namespace lithe {

// The model that a parsed file describes; throws InputError with every error.
Model read_model_document(const Value& document, const std::string& file_name, const ReadOptions& options);

void read_materials(Reading& reading, const TableReader& file);
void read_sections(Reading& reading, const TableReader& file);
void read_links(Reading& reading, const TableReader& file);
void read_joints(Reading& reading, const TableReader& file);
void read_dh_chain(Reading& reading, const TableReader& file);
void read_motors(Reading& reading, const TableReader& file);
void read_couplings(Reading& reading, const TableReader& file);
void read_drives(Reading& reading, const TableReader& file);
void read_loads(Reading& reading, const TableReader& file);
void read_moves(Reading& reading, const TableReader& file);
void read_initial_configuration(Reading& reading, const TableReader& file);
void read_coordinates(Reading& reading, const TableReader& file);
void read_sensors(Reading& reading, const TableReader& file);
void read_control(Reading& reading, const TableReader& file);
// Controllers give no more torque than the motors of their joints can.
void limit_controllers_by_motors(Reading& reading);
void read_payloads(Reading& reading, const TableReader& file);
// When moves are planned, and with them when payloads are taken.
void check_payload_times(Reading& reading);
void read_analyses(Reading& reading, const TableReader& file);
// Joints, nodes and analyses that an analysis names must be there. `spec`: its table; `analyses`: all of the file.
void check_names_of_analysis(const TableReader& reader, const TableSpec& spec, const std::vector<Value>& analyses);

// Puts a link or joint into the model with its name, which must be new: the one it has, or that of the table.
void add_link(Reading& reading, const TableReader& reader, Link link, NameList nodes);
void add_joint(Reading& reading, const TableReader& reader, Joint joint);

// Material, section, theory ... of the segments of a link, from the keys that a link and a DH row share.
BeamSegment segment_defaults(const TableReader& reader);
void read_rigid_inertia(const TableReader& reader, Link& link);
// Matrices of a link of type matrices, with its named nodes first.
void read_imported(const TableReader& reader, NameList& nodes, Link& link);
// Mesh, materials and interfaces of a link of type mesh.
void read_mesh_link(const TableReader& reader, NameList& nodes, Link& link);
// A body that was reduced before, with the nodes of its file.
void read_reduced_link(const TableReader& reader, NameList& nodes, Link& link);
// Materials, shells and frames of the elements of a mesh.
void read_element_materials(const TableReader& reader, MeshPart& part);
void read_damping(const TableReader& reader, Link& link);
void read_reduction(const TableReader& reader, const NameList& nodes, Link& link);
void read_lumped_masses(const TableReader& reader, const NameList& nodes, Link& link);
// [[...layers]] of a section or of shells: material, thickness and angle of each.
struct ReadLayer {
  int material = 0;  // index into Model::materials
  double thickness = 0, angle = 0;
};
std::optional<std::vector<ReadLayer>> read_layers(const TableReader& reader, const TableSpec& spec);
// Value, speed, inertia ... of the freedoms of a joint, whose type is set.
void read_freedoms(const TableReader& reader, Joint& joint);

// A signal whose values have `unit`; `what` begins messages: "drive 'm': torque".
std::optional<Signal> read_signal(Reading& reading, const Value& value, std::string_view unit, const std::string& path,
                                  const std::string& what);

// "link 'arm'", or "link 3" when item 3 has no usable name.
std::string owner_name(std::string_view kind, const Value& table, int index);

// Rotation whose z axis is `axis`: the shortest turn from the identity, so that axis = z gives the identity and axis =
// -z a half turn about x.
Matrix3 shortest_turn(const Vector3& axis);

// Whether a key holds [KEY.NAME] tables beside [robot], instead of [[KEY]].
bool is_named_tables(const TableReader& file, std::string_view key);

// "rad" or "m" of "rad|m", by freedom.
std::string_view unit_of_freedom(std::string_view units, bool rotation);

}  // namespace lithe
