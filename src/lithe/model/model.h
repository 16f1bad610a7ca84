// What the user describes: a mechanism of links, joints, drives, loads and sensors. Plain data in SI units, checked by
// the reader (read/) or by `check_model` and never changed afterwards.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"

namespace lithe {

struct FiniteElementBody;  // model/finite_element_body.h
struct MeshPart;           // model/mesh/mesh.h
struct ControlSetup;       // model/control_setup.h
struct CoordinateChoice;   // model/coordinate_choice.h
struct JointLaw;           // model/joint_law.h

// Where in the input file an item stands, so that later stages (kinematics, reduction) can still point at it.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
};

// Isotropic and linear elastic.
struct Material {
  std::string name;
  double density = 0;        // kg/m^3
  double young_modulus = 0;  // Pa
  double shear_modulus = 0;  // Pa; from Poisson's ratio when that is given
};

// Outline of a section, for drawing and for stresses. Rectangle: width along the section's y axis, height along z.
enum class SectionShape { rectangle, circle, tube, i_beam, general };

// Section properties in the beam's local frame: x along the beam, y and z principal axes of the section.
struct Section {
  std::string name;
  SectionShape shape = SectionShape::general;
  std::vector<double> dimensions;  // rectangle: width, height; circle: radius; tube: outer and inner radius; i_beam:
                                   // width, height, flange, web
  double area = 0;                 // A, m^2
  double second_moment_y = 0;      // Iy = ∫ z² dA, resists bending in the x-z plane
  double second_moment_z = 0;      // Iz = ∫ y² dA, resists bending in the x-y plane
  double torsion_constant = 0;     // J of Saint-Venant
  double shear_factor_y = 5.0 / 6.0;
  double shear_factor_z = 5.0 / 6.0;
  double slenderness_factor = 0;  // of linear_timoshenko: softens the shear of elements by L² A / 12 I
};

// How beam elements deform.
enum class BeamTheory {
  euler_bernoulli,
  timoshenko,         // exact static shape functions
  linear_timoshenko,  // 2-node linear, one-point shear integration; Section::slenderness_factor
  truss,              // carries axial force alone: formulation transfer-functions
};
enum class MassModel { consistent, lumped };

// A point of a link.
struct Node {
  std::string name;                    // empty for nodes inside a segment
  Vector3 position = Vector3::Zero();  // in the link frame
};

// A straight run of `num_elements` beam elements between two named nodes of the link.
struct BeamSegment {
  int from = 0;  // index into Link::nodes
  int to = 0;
  int num_elements = 4;
  int material = 0;  // index into Model::materials; -1: a line of a rigid link, to draw
  int section = 0;   // index into Model::sections; likewise
  BeamTheory theory = BeamTheory::timoshenko;
  MassModel mass_model = MassModel::consistent;
  // A vector in the link frame; the section's z axis is its part normal to the beam. Zero: the link z axis, or link y
  // where that is parallel.
  Vector3 section_z = Vector3::Zero();
};

// A point mass, or a small body, at a node.
struct LumpedMass {
  int node = 0;
  double mass = 0;
  Matrix3 inertia = Matrix3::Zero();  // about the node, link axes, kg m^2
};

// Damping of a link.
struct Damping {
  double mass_factor = 0;  // Rayleigh: C = mass_factor M + stiffness_factor K
  double stiffness_factor = 0;
  std::vector<double> modal_ratios;  // of elastic mode k; the last value holds for all further modes; empty: none
};

enum class ReductionMethod { none, guyan, craig_bampton, rubin };
enum class ModeRanking { frequency, interface_energy };

// Which modes of a link are kept. `none` starts from all free modes of the link.
struct ReductionChoice {
  ReductionMethod method = ReductionMethod::none;
  std::vector<int> interface_nodes;       // indices into Link::nodes; empty: the nodes at which joints attach
  std::optional<int> num_internal_modes;  // Craig-Bampton: fixed-interface modes, Rubin: free modes; unset: all
  // After orthonormalisation: keep so many elastic modes, or those up to a frequency (Hz); unset: all.
  std::optional<int> num_kept_modes;
  std::optional<double> max_frequency;
  ModeRanking ranking = ModeRanking::frequency;
};

// Mass and inertia of a rigid body.
struct RigidInertia {
  double mass = 0;
  Vector3 centre = Vector3::Zero();   // centre of mass, link frame
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, link axes
};

// Rigid: the nodes move with the reference as one body (RBE2). Averaging: the reference follows the mean translation
// and rotation of the nodes (RBE3).
enum class SpiderKind { rigid, averaging };

// A node of a link, with rotations, that holds nodes without them: a bearing, a flange, a bolt.
struct Spider {
  SpiderKind kind = SpiderKind::rigid;
  SourcePlace place;
  std::vector<int> nodes;  // of the mesh, or of the imported body
};

// A body of the mechanism: rigid, of beams, of a mesh, or of given matrices.
struct Link {
  std::string name;
  SourcePlace place;
  bool rigid = false;
  RigidInertia rigid_inertia;         // of a rigid link; a beam link has none
  std::vector<Node> nodes;            // named nodes
  std::vector<BeamSegment> segments;  // of a flexible link (a rigid one may have them for drawing)
  // Mass and stiffness from elsewhere, instead of segments. Its first nodes are `nodes`, in that order, without those
  // of the spiders.
  std::shared_ptr<const FiniteElementBody> imported;
  std::shared_ptr<const MeshPart> mesh;  // solid elements, instead of segments
  std::vector<Spider> spiders;           // of an imported body or a mesh; their references are the last of `nodes`
  std::vector<LumpedMass> lumped_masses;
  Damping damping;
  ReductionChoice reduction;

  // Beams are what is neither rigid nor from elsewhere.
  bool from_elsewhere() const { return imported || mesh; }
  int num_plain_nodes() const { return static_cast<int>(nodes.size() - spiders.size()); }
};
// Whether a named node has rotations of its own; nodes of solid elements have none.
bool has_rotation(const Link& link, int node);

enum class JointType { fixed, revolute, prismatic, cylindrical, universal, spherical, planar, free };

// Freedoms of a joint in the order of its coordinates:
//   revolute: rotation about z; prismatic: translation along z; cylindrical: translation along z, rotation about z;
//   universal: rotation about the parent's z, then about the child's x; spherical: three angles about x, y, z (a chart
//   that may move, see kinematics/mechanism.h); planar: translations along x and y, rotation about z; free: three
//   translations x, y, z, then as spherical.
// All axes are those of the joint frame F on the parent (and M on the child); the two coincide when all coordinates are
// zero.
int num_freedoms(JointType type);
// Whether a freedom is a rotation (rad) or a translation (m).
bool is_rotation(JointType type, int freedom);

// Connects two links, or a link and the ground, at a node of each.
struct Joint {
  std::string name;
  SourcePlace place;
  JointType type = JointType::revolute;
  int parent = -1;  // index into Model::links; -1 is the ground
  int child = -1;
  int parent_node = -1;  // index into Link::nodes; -1 for the ground, whose joint point is parent_frame.position
  int child_node = -1;
  Pose parent_frame;  // X_PF: joint frame F in the parent's link frame; its position equals the parent node's
  Pose child_frame;   // X_CM: joint frame M in the child's link frame; its position equals the child node's
  // One entry per freedom:
  std::vector<double> initial_value;
  std::vector<double> initial_speed;
  std::vector<double> inertia;    // of a motor on this freedom, kg m^2 or kg
  std::vector<double> stiffness;  // about rest_value
  std::vector<double> rest_value;
  std::vector<double> damping;
  std::vector<double> friction;  // Coulomb torque or force, smoothed over friction_speed
  double friction_speed = 1e-3;
  std::vector<std::optional<std::pair<double, double>>> limits;
  std::vector<bool> initial_value_given;  // configuration solving may move the others
  bool prefer_cut = false;                // cut this joint, not another of its loop
  std::optional<bool> independent;        // user's choice of independent coordinates; unset: automatic
  // What the linear spring and the Coulomb friction of a joint of one freedom leave out; none: nothing.
  std::shared_ptr<const JointLaw> law;

  // Sets the type and gives every property one entry per freedom: zero, no limits, value not given.
  void set_type(JointType new_type);
};

// A freedom of a joint and a factor.
struct CoupledFreedom {
  int joint = 0;
  int freedom = 0;
  double factor = 1;
};

// Belts, gears, differentials, mimic joints: the freedom of one joint is Σ factor · (freedom of another) + offset. Its
// forces do no work.
struct Coupling {
  std::string name;
  SourcePlace place;
  int joint = 0;
  int freedom = 0;
  std::vector<CoupledFreedom> terms;
  double offset = 0;
};

// A scalar function of time with its first two derivatives (prescribed motion needs them).
struct SignalConstant {
  double value = 0;
};
// Constant between instants.
struct SignalSteps {
  std::vector<double> times, values;
};  // value[i] holds from time[i]; 0 before the first
// From one value to another at constant rate.
struct SignalRamp {
  double start_time = 0, end_time = 1, start_value = 0, end_value = 0;
};
// A harmonic that begins at a time.
struct SignalSine {
  double amplitude = 0, frequency = 0, phase = 0, offset = 0, start_time = 0;
};  // Hz, rad
// A harmonic whose frequency rises or falls evenly.
struct SignalChirp {
  double amplitude = 0, start_frequency = 0, end_frequency = 0, start_time = 0, end_time = 1;
};
// From rest to rest by a polynomial.
struct SignalSmoothMove {
  double start_time = 0, end_time = 1, start_value = 0, end_value = 0;
};  // quintic, at rest at both ends
// Values at instants, and between them.
struct SignalTable {
  std::vector<double> times, values;
  bool smooth = false;
  std::vector<double> second_derivatives{};  // of the spline at the times; a smooth table needs them
};  // linear, or a natural cubic spline (made by `smooth_table`); held before the first time and after the last
SignalTable smooth_table(std::vector<double> times, std::vector<double> values);
using Signal =
    std::variant<SignalConstant, SignalSteps, SignalRamp, SignalSine, SignalChirp, SignalSmoothMove, SignalTable>;

// A signal and its derivatives at a time.
struct SignalValue {
  double value = 0, rate = 0, acceleration = 0;
};
// Exact derivatives, those to the right at a jump. Never allocates.
SignalValue evaluate(const Signal& signal, double time);
// Times at which the signal or its first two derivatives jump: integrators step onto them.
std::vector<double> break_times(const Signal& signal);

// Torque or force on one freedom of a joint, or (prescribed) its motion.
struct Drive {
  std::string name;
  SourcePlace place;
  int joint = 0;
  int freedom = 0;
  bool prescribes_motion = false;
  Signal signal;
};

// Force or torque on a node: direction times signal; in world axes, or in link axes (follower).
struct Load {
  std::string name;
  SourcePlace place;
  int link = 0;
  int node = 0;
  bool torque = false;
  bool follows_link = false;
  Vector3 direction = Vector3::UnitX();
  Signal signal;
};

// What a sensor reads.
enum class Quantity {
  position,
  velocity,
  acceleration,
  displacement,
  rotation,  // of a node, world axes; displacement: from the rigid mechanism
  joint_value,
  joint_speed,
  joint_acceleration,
  joint_force,  // joint_force: drive torque incl. that of a prescribed motion
  kinetic_energy,
  gravity_energy,
  elastic_energy,
  total_energy,  // of the mechanism
  reaction_force,
  reaction_torque,  // that the parent exerts on the child at a joint, world axes
  section_force,
  section_moment,  // in a beam element next to a node, beam axes
  stress,          // von Mises, largest of that section (model/sections/section_stress.h)
};

// What a sensor of this quantity refers to.
bool needs_node(Quantity quantity);
bool needs_joint(Quantity quantity);    // freedom quantities and reactions
bool needs_freedom(Quantity quantity);  // joint_value, joint_speed, joint_acceleration, joint_force
bool is_vector(Quantity quantity);      // three components

// A part of what a sensor on one side of a drive train reads: factor · quantity of a joint of one freedom.
struct SensorPart {
  enum class Kind {
    value,
    speed,
    acceleration,
    drive_force,   // as Quantity::joint_force
    spring_force,  // stiffness · deflection + damping · speed, with the joint's law
  };
  Kind kind = Kind::value;
  int joint = 0;
  double factor = 1;
};

// A number, or three, that is read from every state.
struct Sensor {
  std::string name;
  SourcePlace place;
  Quantity quantity = Quantity::position;
  int link = -1;
  int node = -1;
  int joint = -1;
  int freedom = 0;
  int component = -1;             // 0,1,2 for one component, -1 for all three
  std::vector<SensorPart> parts;  // it reads their sum; empty: the quantity itself
  bool of_motor = false;          // in the motor's units: a rotation, whatever the joint is
};

// The pose (or only the position) of a link's node that the initial configuration must reach; solved through the loops.
struct PoseTarget {
  SourcePlace place;
  int link = 0;
  int node = 0;
  Vector3 position = Vector3::Zero();
  std::optional<Matrix3> orientation;
};

// Where the mechanism starts, beside the initial values of its joints.
struct InitialConfiguration {
  std::vector<PoseTarget> targets;
  bool static_equilibrium = false;
};

// What an entry of `analyses` in a model file asks for.
enum class AnalysisKind {
  modes,
  simulate,
  equilibrium,
  inverse_dynamics,
  spectrum,
  condense,
  sweep,
  linearise,
  control
};

// A node that condensation holds at a given small displacement and rotation, world axes.
struct ImposedDisplacement {
  SourcePlace place;
  int link = 0;
  int node = 0;
  Vector3 displacement = Vector3::Zero();
  Vector3 rotation = Vector3::Zero();
};

// One analysis to run: a kind and its settings as (key, value) in SI; each analysis reads its own.
struct AnalysisRequest {
  SourcePlace place;
  AnalysisKind kind = AnalysisKind::modes;
  std::vector<std::pair<std::string, std::variant<double, std::string, bool, std::vector<std::string>>>> settings;
  std::vector<ImposedDisplacement> imposed;  // of kind condense and sweep

  // A setting, or nothing when it is absent (or of another type). The reader fills in the defaults of the reference
  // page.
  std::optional<double> number(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  std::optional<bool> flag(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;  // empty when absent
};

// Planar: everything moves in the x-y plane; beams have three freedoms per node and three rigid modes.
enum class Space { spatial, planar };

// A mechanism and what is to be computed of it.
struct Model {
  std::string name;
  std::string file;
  Space space = Space::spatial;
  Vector3 gravity = Vector3::Zero();
  std::vector<Material> materials;
  std::vector<Section> sections;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;
  std::vector<Drive> drives;
  std::vector<Load> loads;
  std::vector<Sensor> sensors;
  InitialConfiguration initial_configuration;
  std::vector<AnalysisRequest> analyses;
  std::shared_ptr<const ControlSetup> control;          // none: drives and loads alone
  std::shared_ptr<const CoordinateChoice> coordinates;  // of transfer-functions; none: chosen automatically

  // The compiler's own, compiled once: every file that holds models would have them.
  Model();
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;
  ~Model();
};

// Reports what is wrong with a model, however it was made: sizes, indices, signs, beams without length, names twice.
// The second form throws InputError with all of it.
void check_model(const Model& model, Diagnostics& diagnostics);
void check_model(const Model& model);

}  // namespace lithe
