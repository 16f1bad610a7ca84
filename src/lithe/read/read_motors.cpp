// [[motors]]: rotor, gear ratio and gearbox of a joint. An elastic gearbox makes two joints of one: the joint itself
// turns the rotor (its value is the motor's angle over the ratio), and a sprung joint carries the link on from there.
#include <algorithm>
#include <limits>

#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/joint_law.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

// What a motor's table says of its gearbox; units are those of the joint's freedom.
class MotorReader {
 public:
  MotorReader(const TableReader& reader, int index)
      : reader_(reader),
        reading_(reader.reading()),
        index_(index),
        turns_(is_rotation(joint().type, 0)),
        ratio_(value("ratio").value_or(1)),
        inertia_(reader.number("rotor_inertia").value_or(0)) {}

  void read() {
    const std::vector<double> stiffness = values("stiffness");
    read_friction();
    DriveTrain train = read_train();
    if (!stiffness.empty()) train.gear = static_cast<int>(reading_.model.joints.size());
    take_described(train);
    reading_.drive_trains.push_back(train);
    if (!train.gyroscopic) joint().inertia[0] += train.inertia;
    if (train.gyroscopic && !(inertia_ > 0)) reader_.error("gyroscopic", "a gyroscopic rotor needs 'rotor_inertia'");
    for (const std::string_view key : {"damping", "backlash", "stiffness_torques"})
      if (reader_.has(key) && !reader_.has_or_means("stiffness"))
        reader_.error(key, cat("'", key, "' is that of an elastic gearbox, which needs 'stiffness'"));
    if (!stiffness.empty()) {
      if (joint().stiffness[0] != 0) reader_.error("stiffness", "the joint has a spring of its own");
      if (!(inertia_ > 0 || joint().inertia[0] > 0))
        reader_.error("stiffness",
                      "an elastic gearbox needs 'rotor_inertia': without it nothing turns on its motor side");
      insert_gearbox(stiffness);
    }
    if (train.gyroscopic) insert_rotor();
  }

 private:
  Joint& joint() const { return reading_.model.joints[static_cast<std::size_t>(index_)]; }
  std::string_view unit(std::string_view key) const { return unit_of_freedom(motor_table().find(key)->unit, turns_); }
  std::optional<double> value(std::string_view key) const { return reader_.number(key, unit(key)); }
  // A number or an array of them; nothing where the key is absent.
  std::vector<double> values(std::string_view key) const {
    const Value* found = reader_.find(key);
    if (!found) return {};
    const std::size_t count = found->kind == ValueKind::array ? found->items.size() : 1;
    if (count == 0) reader_.error(key, cat("'", key, "' must not be empty"));
    return reader_.numbers(key, std::vector<std::string_view>(count, unit(key)));
  }

  // Coulomb, viscous and static friction, warm or cold.
  void read_friction() {
    const double factor = reader_.number("friction_factor").value_or(1), coulomb = value("friction").value_or(0);
    joint().friction[0] += factor * coulomb;
    joint().damping[0] += factor * value("viscous_friction").value_or(0);
    const std::optional<double> breakaway = value("static_friction"), speed = value("stribeck_speed");
    if (reader_.has("static_friction") != reader_.has("stribeck_speed"))
      reader_.error(reader_.has("static_friction") ? "static_friction" : "stribeck_speed",
                    "the Stribeck effect needs both 'static_friction' and 'stribeck_speed'");
    if (!breakaway || !speed) return;
    if (*breakaway < coulomb)
      reader_.error("static_friction", cat("static friction must not be less than 'friction', got ",
                                           display(*reader_.find("static_friction"))));
    JointLaw law;
    law.breakaway = factor * (*breakaway - coulomb);
    law.stribeck_speed = *speed;
    joint().law = std::make_shared<const JointLaw>(law);
  }

  DriveTrain read_train() const {
    DriveTrain train;
    train.place = reader_.place();
    train.joint = index_;
    train.ratio = ratio_;
    train.inertia = ratio_ * ratio_ * inertia_;
    train.gyroscopic = reader_.boolean("gyroscopic").value_or(false);
    train.efficiency = value("efficiency").value_or(1);
    train.max_torque = value("max_torque");
    train.rated_torque = value("rated_torque");
    train.max_speed = value("max_speed");
    train.stall_torque = value("stall_torque");
    train.no_load_speed = value("no_load_speed");
    if (reader_.has("stall_torque") != reader_.has("no_load_speed"))
      reader_.error(reader_.has("stall_torque") ? "stall_torque" : "no_load_speed",
                    "the torque-speed line needs both 'stall_torque' and 'no_load_speed'");
    train.gear_max_torque = value("gear_max_torque");
    train.gear_rated_torque = value("gear_rated_torque");
    train.torque_constant = value("torque_constant");
    train.winding_resistance = value("winding_resistance");
    if (reader_.has("winding_resistance") && !reader_.has_or_means("torque_constant"))
      reader_.error("winding_resistance", "the heat of the winding needs 'torque_constant' as well");
    return train;
  }

  // A robot's description says what the motor leaves out.
  void take_described(DriveTrain& train) {
    const auto known = std::find_if(reading_.drive_trains.begin(), reading_.drive_trains.end(),
                                    [&](const DriveTrain& other) { return other.described && other.joint == index_; });
    if (known == reading_.drive_trains.end()) return;
    if (!train.gear_max_torque) train.gear_max_torque = known->gear_max_torque;
    if (!train.max_speed && known->max_speed) train.max_speed = *known->max_speed * ratio_;
    reading_.drive_trains.erase(known);
  }

  // Play, then the slopes K1, K2, K3 up to the torques T1, T2. Corners are rounded over a small part of their
  // deflection.
  std::shared_ptr<const JointLaw> gear_law(const std::vector<double>& stiffness) const {
    constexpr double rounded_part = 0.02;
    JointLaw law;
    double at = 0.5 * value("backlash").value_or(0), torque = 0;
    if (at > 0) {
      law.offset_stiffness = -stiffness[0];
      law.corners.push_back({at, stiffness[0], rounded_part * at});
    }
    const std::vector<double> torques = values("stiffness_torques");
    if (torques.size() + 1 != stiffness.size()) {
      reader_.error(torques.empty() ? "stiffness" : "stiffness_torques",
                    cat("a curve of ", stiffness.size(), stiffness.size() == 1 ? " slope" : " slopes", " has ",
                        stiffness.size() - 1, " torques between them in 'stiffness_torques', got ", torques.size()));
      return nullptr;
    }
    for (std::size_t i = 0; i < torques.size(); ++i) {
      if (!(torques[i] > torque)) {
        reader_.error("stiffness_torques",
                      cat("the torques must increase, got ", display(*reader_.find("stiffness_torques"))));
        return nullptr;
      }
      if (!(stiffness[i] > 0)) return nullptr;  // reported
      const double wide = (torques[i] - torque) / stiffness[i];
      at += wide;
      torque = torques[i];
      law.corners.push_back({at, stiffness[i + 1] - stiffness[i], rounded_part * wide});
    }
    return law.corners.empty() ? nullptr : std::make_shared<const JointLaw>(std::move(law));
  }

  void add_named(Link link, Joint joint, const std::string& node) {
    NameList nodes;
    nodes.add(node);
    for (const auto& [names, name] : {std::pair(&reading_.links, link.name), std::pair(&reading_.joints, joint.name)})
      if (!names->add(name)) {
        reader_.error("joint", cat("the name '", name, "', which the drive train needs, is used already"));
        names->add_unnamed();
      }
    reading_.link_nodes.push_back(std::move(nodes));
    reading_.model.links.push_back(std::move(link));
    reading_.model.joints.push_back(std::move(joint));
  }

  Link small_link(const std::string& name) const {
    Link link;
    link.name = name;
    link.place = reader_.place();
    link.rigid = true;
    link.nodes = {{joint().name, Vector3::Zero()}};
    return link;
  }

  // Spong's model: the rotor's kinetic energy is that of its spin relative to the link that carries the motor, so that
  // the link between both joints has no mass, and the spin has the inertia ratio² J on the joint's coordinate.
  void insert_gearbox(const std::vector<double>& stiffness) {
    Joint& motor = joint();
    const Link rotor = small_link(cat(motor.name, " rotor"));
    const std::string node = motor.name;
    Joint gear;
    gear.name = cat(motor.name, " gear");
    gear.place = reader_.place();
    gear.set_type(motor.type);
    gear.parent = static_cast<int>(reading_.model.links.size());
    gear.parent_node = 0;
    gear.child = motor.child;
    gear.child_node = motor.child_node;
    gear.child_frame = motor.child_frame;
    gear.stiffness = {stiffness.empty() ? 0.0 : stiffness[0]};
    gear.damping = {value("damping").value_or(0)};
    gear.law = gear_law(stiffness);
    motor.child = gear.parent;
    motor.child_node = 0;
    motor.child_frame = {};
    follow_link_side(static_cast<int>(reading_.model.joints.size()));
    add_named(rotor, std::move(gear), node);
  }

  // Mimic joints of a description speak of the link's angle, which is the sum of both joints' values.
  void follow_link_side(int gear) {
    for (Coupling& coupling : reading_.model.couplings) {
      double factor = coupling.joint == index_ ? -1 : 0;
      for (const CoupledFreedom& term : coupling.terms)
        if (term.joint == index_) factor = term.factor;
      if (factor != 0) coupling.terms.push_back({gear, 0, factor});
    }
  }

  // The rotor as a body of its own, geared to the joint: what it does to the link that carries it follows.
  void insert_rotor() {
    const Joint motor = joint();
    Link body = small_link(cat(motor.name, " spinning rotor"));
    body.rigid_inertia.inertia(2, 2) = inertia_;
    Joint spin;
    spin.name = cat(motor.name, " spin");
    spin.place = reader_.place();
    spin.set_type(JointType::revolute);
    spin.parent = motor.parent;
    spin.parent_node = motor.parent_node;
    spin.parent_frame = motor.parent_frame;
    spin.child = static_cast<int>(reading_.model.links.size());
    spin.child_node = 0;
    Coupling gearing;
    gearing.name = spin.name;
    gearing.place = spin.place;
    gearing.joint = static_cast<int>(reading_.model.joints.size());
    gearing.terms = {{index_, 0, ratio_}};
    reading_.model.couplings.push_back(std::move(gearing));
    add_named(std::move(body), std::move(spin), motor.name);
  }

  const TableReader& reader_;
  Reading& reading_;
  int index_;
  bool turns_;
  double ratio_, inertia_;
};

void read_motor(Reading& reading, const Value& table, std::size_t number, std::vector<int>& driven) {
  const TableReader reader(reading, motor_table(), table, cat("motors[", number, "]"), cat("motor ", number + 1));
  const std::optional<int> index = reader.reference("joint", reading.joints, "joint");
  if (!index) return;
  if (std::find(driven.begin(), driven.end(), *index) != driven.end()) {
    reader.error("joint", "the joint has a motor already");
    return;
  }
  driven.push_back(*index);
  if (num_freedoms(reading.model.joints[static_cast<std::size_t>(*index)].type) != 1) {
    reader.error("joint", "a motor moves a joint of one degree of freedom");
    return;
  }
  MotorReader(reader, *index).read();
}

}  // namespace

void read_motors(Reading& reading, const TableReader& file) {
  const std::vector<Value>& tables = file.tables("motors");
  std::vector<int> driven;
  for (std::size_t i = 0; i < tables.size(); ++i) read_motor(reading, tables[i], i, driven);
}

void limit_controllers_by_motors(Reading& reading) {
  if (!reading.model.control) return;
  ControlSetup setup = *reading.model.control;
  for (ControllerSetup& controller : setup.controllers) {
    std::vector<MotorLimit> limits(controller.actuators.size());
    for (std::size_t i = 0; i < limits.size(); ++i)
      for (const DriveTrain& train : reading.drive_trains) {
        if (train.joint != controller.actuators[i].joint || train.described) continue;
        if (train.max_torque) limits[i].max_torque = *train.max_torque * train.ratio;
        if (train.stall_torque) limits[i].stall_torque = *train.stall_torque * train.ratio;
        if (train.no_load_speed) limits[i].no_load_speed = *train.no_load_speed / train.ratio;
      }
    if (std::none_of(limits.begin(), limits.end(), [](const MotorLimit& limit) { return limit.any(); })) continue;
    if (std::all_of(limits.begin(), limits.end(), [](const MotorLimit& limit) { return !!limit.max_torque; })) {
      controller.limits.resize(limits.size(), std::numeric_limits<double>::infinity());  // designs count on them
      for (std::size_t i = 0; i < limits.size(); ++i)
        controller.limits[i] = std::min(controller.limits[i], *limits[i].max_torque);
    }
    controller.motor_limits = std::move(limits);
  }
  reading.model.control = std::make_shared<const ControlSetup>(std::move(setup));
}

}  // namespace lithe
