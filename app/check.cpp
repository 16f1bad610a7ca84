#include "app/inspected_model.h"
#include "app/verb.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

std::string counted(std::size_t count, const std::string& noun) { return cat(count, " ", noun, count == 1 ? "" : "s"); }

int check(const std::string& path, const Output& output) {
  const auto [model, info] = inspect_file(path);
  if (output.json()) {
    output.print(nlohmann::json{{"ok", true},
                                {"file", path},
                                {"name", model.name},
                                {"links", model.links.size()},
                                {"joints", model.joints.size()},
                                {"loops", info.loops.size()},
                                {"freedoms", info.mobility},
                                {"elastic_modes", info.num_elastic},
                                {"drives", model.drives.size()},
                                {"loads", model.loads.size()},
                                {"sensors", model.sensors.size()},
                                {"remarks", remarks(info)}});
    return exit_ok;
  }
  std::string text = cat(path, ": ", output.style().good("no mistakes"), "\n", counted(model.links.size(), "link"),
                         ", ", counted(model.joints.size(), "joint"), ", ", counted(info.loops.size(), "loop"), ", ",
                         counted(static_cast<std::size_t>(info.mobility), "rigid freedom"), ", ",
                         counted(static_cast<std::size_t>(info.num_elastic), "elastic mode"), ", ",
                         counted(model.drives.size(), "drive"), ", ", counted(model.loads.size(), "load"), ", ",
                         counted(model.sensors.size(), "sensor"), "\n");
  for (const std::string& remark : remarks(info)) text += cat("note: ", remark, "\n");
  output.print(text);
  return exit_ok;
}

const VerbRegistration registration({.name = "check",
                                     .rank = 10,
                                     .summary = "Check a model file and report every mistake in it",
                                     .examples = "  lithe check arm.toml\n  lithe check arm.toml --json\n",
                                     .set_up = [](Command& command) -> Action {
                                       auto path = std::make_shared<std::string>();
                                       command.add_option("FILE", *path, "Model file (TOML)").required();
                                       return [path](const Output& output) { return check(*path, output); };
                                     }});

}  // namespace
}  // namespace lithe::app
