// [[payloads]]: what a robot takes and puts down, at times or when a move has ended.
#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/error_at.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

class PayloadReader {
 public:
  PayloadReader(Reading& reading, const Value& table, int index)
      : reading_(reading),
        reader_(reading, payload_table(), table, cat("payloads[", index, "]"), owner_name("payload", table, index)),
        index_(index) {
    payload_.place = reader_.place();
    payload_.name = reader_.text("name").value_or(cat("payload ", index + 1));
  }

  Payload read() {
    read_node();
    for (const char* key : {"link", "node", "mass"})
      if (!reader_.has_or_means(key)) reader_.error(cat("key '", key, "' is missing"));
    payload_.mass.mass = reader_.number("mass").value_or(0);
    payload_.mass.inertia = reader_.inertia("inertia", true).value_or(Matrix3::Zero());
    PayloadMoves moves{index_, read_time("taken", payload_.taken), read_time("put_down", payload_.put_down)};
    if (moves.taken_after >= 0 || moves.put_down_after >= 0) reading_.payload_moves.push_back(moves);
    return payload_;
  }

 private:
  void read_node() {
    const std::optional<int> link = reader_.reference("link", reading_.links, "link");
    if (!link) return;
    const Link& of = reading_.model.links[static_cast<std::size_t>(*link)];
    if (!of.rigid)
      reader_.error("link", cat("link '", of.name,
                                "' bends; a payload needs a node of a rigid link, such as one fixed to its end"));
    const std::optional<int> node = reader_.reference("node", reading_.link_nodes[static_cast<std::size_t>(*link)],
                                                      "node", cat(" of link '", of.name, "'"));
    payload_.link = *link;
    payload_.mass.node = node.value_or(0);
  }

  // A time, or the move at whose end; returns the move, -1: none.
  int read_time(const std::string& key, double& time) {
    const std::string after = key + "_after";
    if (const std::optional<double> given = reader_.number(key)) time = *given;
    if (!reader_.has(after)) return -1;
    if (reader_.has(key)) reader_.error(after, cat("either '", key, "' or '", after, "' is needed, not both"));
    const std::string name = reader_.text(after).value_or("");
    const auto move =
        std::find_if(reading_.moves.begin(), reading_.moves.end(), [&](const Move& each) { return each.name == name; });
    if (move == reading_.moves.end()) {
      if (!reading_.diagnostics.any()) reader_.error(after, cat("there is no move '", name, "'"));
      return -1;
    }
    time = std::numeric_limits<double>::infinity();  // until the move is planned
    return static_cast<int>(move - reading_.moves.begin());
  }

  Reading& reading_;
  TableReader reader_;
  int index_;
  Payload payload_;
};

}  // namespace

void read_payloads(Reading& reading, const TableReader& file) {
  const std::vector<Value>& tables = file.tables("payloads");
  if (tables.empty()) return;
  ControlSetup setup = reading.model.control ? *reading.model.control : ControlSetup{};
  for (std::size_t i = 0; i < tables.size(); ++i)
    setup.payloads.push_back(PayloadReader(reading, tables[i], static_cast<int>(i)).read());
  reading.model.control = std::make_shared<const ControlSetup>(std::move(setup));
}

void check_payload_times(Reading& reading) {
  if (!reading.model.control) return;
  for (const Payload& payload : reading.model.control->payloads)
    if (!(payload.put_down > payload.taken))
      reading.diagnostics.error(
          error_at(payload.place, cat("payload '", payload.name, "' is put down at ", payload.put_down,
                                      " s, but taken at ", payload.taken, " s")));
}

}  // namespace lithe
