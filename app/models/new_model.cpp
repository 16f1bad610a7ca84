#include "app/models/new_model.h"

#include "app/terminal/output.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

struct Preset {
  const char *name, *density, *young_modulus, *poisson_ratio;
};
constexpr Preset presets[] = {{"aluminium", "2700 kg/m^3", "70 GPa", "0.33"},
                              {"steel", "7850 kg/m^3", "210 GPa", "0.3"},
                              {"titanium", "4430 kg/m^3", "114 GPa", "0.34"},
                              {"carbon", "1600 kg/m^3", "70 GPa", "0.1"}};

std::string length(double metres) { return cat("\"", number(1000 * metres, 4), " mm\""); }

// A basic string of TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return result + "\"";
}

std::string head(const NewModel& model, const std::string& what, const std::string& gravity) {
  const std::string file = model.name + ".toml";
  return cat("# ", what, "\n#   lithe check ", file, "     find errors\n#   lithe modes ", file,
             "     natural frequencies and mode shapes\n#   lithe run ", file,
             "       everything that [[analyses]] lists at the end\n#   lithe watch ", file,
             "     the same at every save, in the browser\n# Numbers are in SI units; a text may carry another unit. "
             "`lithe reference` lists all keys.\n\nlithe = 1 # version of the file format\nname = ",
             quoted(model.name), "\ngravity = ", gravity, " # m/s^2\n\n");
}

std::string material(const NewModel& model) {
  for (const Preset& preset : presets) {
    if (model.material != preset.name) continue;
    return cat("[materials.", preset.name, "]\ndensity = \"", preset.density, "\"\nyoung_modulus = \"",
               preset.young_modulus, "\"\npoisson_ratio = ", preset.poisson_ratio, "\n\n");
  }
  return {};
}

std::string arm_link(const NewModel& model, int i) {
  const std::string name = cat("link ", i + 1);
  const bool last = i + 1 == model.num_links;
  return cat("[[links]]\nname = \"", name, "\"\nnodes = {root = [0, 0, 0], tip = [",
             length(model.size / model.num_links), ", 0, 0]} # in the link's own axes\npath = [\"root\", \"tip\"]\n",
             "material = \"", model.material, "\"\nsection = \"tube\"\nmasses = [{node = \"tip\", mass = \"",
             last ? "1 kg\"}] # the payload" : "0.5 kg\"}] # the next motor", "\n\n");
}

std::string arm_joint(int i) {
  const std::string parent = i == 0 ? "" : cat("parent = \"link ", i, "\"\nparent_node = \"tip\"\n");
  return cat("[[joints]]\nname = \"joint ", i + 1, "\"\n", parent, "child = \"link ", i + 1,
             "\"\nchild_node = \"root\"\naxis = [0, 1, 0] # turns in the vertical plane x-z\n\n");
}

std::string arm_drive(int i) {
  return cat("[[drives]]\njoint = \"joint ", i + 1, "\"\nmotion = {move = {end_time = \"0.5 s\", end_value = \"",
             i % 2 == 0 ? "-45" : "30", " deg\"}} # from rest to rest\n\n");
}

std::string arm(const NewModel& model) {
  const std::string count = model.num_links == 1 ? "one flexible link" : cat(model.num_links, " flexible links");
  std::string text = head(model, cat("An arm with ", count, " that moves in a vertical plane."), "[0, 0, -9.81]");
  text += material(model);
  text += cat("[sections.tube]\nshape = \"tube\"\ndiameter = ", length(0.04 * model.size),
              "\nthickness = ", length(0.0025 * model.size), "\n\n");
  for (int i = 0; i < model.num_links; ++i) text += arm_link(model, i);
  for (int i = 0; i < model.num_links; ++i) text += arm_joint(i);
  text += "# Prescribed motions. `torque = ...` instead of `motion = ...` leaves the joint free.\n";
  for (int i = 0; i < model.num_links; ++i) text += arm_drive(i);
  const std::string last = cat("link ", model.num_links);
  return text + cat("# What is recorded.\n[[sensors]]\nname = \"tip position\"\nquantity = \"position\"\nlink = \"",
                    last,
                    "\"\nnode = \"tip\"\n\n[[sensors]]\nname = \"torque at the base\"\nquantity = "
                    "\"joint_force\"\njoint = \"joint 1\"\n\n[[analyses]]\nkind = \"modes\"\ncount = 6\n\n"
                    "[[analyses]]\nkind = \"simulate\"\nend_time = \"1 s\"\n");
}

std::string bar(const NewModel& model, const char* name, const char* first, const char* second, double bar_length) {
  return cat("[[links]]\nname = \"", name, "\"\nnodes = {", first, " = [0, 0, 0], ", second, " = [", length(bar_length),
             ", 0, 0]}\npath = [\"", first, "\", \"", second, "\"]\nmaterial = \"", model.material,
             "\"\nsection = \"bar\"\nreduction = {internal_modes = 2} # static shapes and two dynamic modes\n\n");
}

std::string four_bar(const NewModel& model) {
  const double ground = model.size;
  return head(model, "A four-bar: crank, coupler and rocker bend while the crank turns.", "[0, -9.81, 0]") +
         material(model) +
         cat("[sections.bar]\nshape = \"rectangle\"\nwidth = ", length(0.02 * ground),
             " # in the plane of the mechanism\nheight = ", length(0.05 * ground), "\n\n") +
         bar(model, "crank", "bearing", "pin", 0.25 * ground) +
         bar(model, "coupler", "crank", "rocker", 0.875 * ground) +
         bar(model, "rocker", "bearing", "pin", 0.625 * ground) +
         cat("# All joints turn about z, the default axis.\n[[joints]]\nname = \"crank bearing\"\nchild = \"crank\"\n"
             "child_node = \"bearing\"\nvalue = \"60 deg\" # where it starts\nindependent = true\n\n"
             "[[joints]]\nname = \"crank pin\"\nparent = \"crank\"\nparent_node = \"pin\"\nchild = \"coupler\"\n"
             "child_node = \"crank\"\nguess = \"-33 deg\" # the loop decides; the search starts here\n\n"
             "[[joints]]\nname = \"rocker bearing\"\nparent_point = [",
             length(ground),
             ", 0, 0]\nchild = \"rocker\"\nchild_node = \"bearing\"\nguess = \"99 deg\"\n\n"
             "[[joints]]\nname = \"rocker pin\" # closes the loop\nparent = \"coupler\"\nparent_node = \"rocker\"\n"
             "child = \"rocker\"\nchild_node = \"pin\"\nguess = \"72 deg\"\ncut = true\n\n"
             "[[drives]]\njoint = \"crank bearing\"\nmotion = {move = {end_time = \"2 s\", start_value = \"60 deg\", "
             "end_value = \"420 deg\"}} # one turn\n\n"
             "[[sensors]]\nname = \"rocker angle\"\nquantity = \"joint_value\"\njoint = \"rocker bearing\"\n\n"
             "[[sensors]]\nname = \"crank torque\"\nquantity = \"joint_force\"\njoint = \"crank bearing\"\n\n"
             "[[analyses]]\nkind = \"modes\"\ncount = 6\n\n[[analyses]]\nkind = \"simulate\"\nend_time = \"2 s\"\n");
}

std::string rotor(const NewModel& model) {
  return head(model, "A blade that turns about z. Rotation raises its frequencies.", "[0, 0, 0]") + material(model) +
         cat("[sections.blade]\nshape = \"rectangle\"\nwidth = ", length(0.05 * model.size),
             " # in the plane of rotation\nheight = ", length(0.01 * model.size),
             "\n\n[[links]]\nname = \"blade\"\nnodes = {hub = [0, 0, 0], tip = [", length(model.size),
             ", 0, 0]}\npath = [\"hub\", \"tip\"]\nmaterial = \"", model.material,
             "\"\nsection = \"blade\"\nelements = 6\n\n[[joints]]\nname = \"hub\"\nchild = \"blade\"\n"
             "child_node = \"hub\"\naxis = [0, 0, 1]\n\n[[drives]]\njoint = \"hub\"\nmotion = {ramp = {end_time = "
             "1000, "
             "end_value = 10000}} # the speed comes from the analysis\n\n[[sensors]]\nname = \"tip\"\n"
             "quantity = \"displacement\"\nlink = \"blade\"\nnode = \"tip\"\n\n[[analyses]]\nkind = \"modes\" # at "
             "rest\n"
             "count = 6\n\n[[analyses]]\nkind = \"linearise\" # frequencies over speed: the Campbell diagram\n"
             "formulation = \"transfer_functions\" # has the stiffening by rotation\nspin = \"hub\"\n"
             "speeds = \"0:100:21\" # rad/s\ncount = 6\n");
}

}  // namespace

const std::vector<std::string>& new_mechanisms() {
  static const std::vector<std::string> names = {"arm", "four_bar", "rotor"};
  return names;
}

const std::vector<std::string>& new_materials() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Preset& preset : presets) list.emplace_back(preset.name);
    return list;
  }();
  return names;
}

std::string new_model_text(const NewModel& model) {
  if (model.mechanism == "four_bar") return four_bar(model);
  return model.mechanism == "rotor" ? rotor(model) : arm(model);
}

}  // namespace lithe::app
