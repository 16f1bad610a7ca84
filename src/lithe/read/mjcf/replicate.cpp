#include "lithe/read/mjcf/replicate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/urdf/words.h"

namespace lithe {
namespace {

constexpr std::size_t most_elements = 100000;  // of all copies together

// What one <replicate> has copied: names within it, and what was appended to them.
struct Copied {
  std::set<std::string> names;
  std::vector<std::string> suffixes;
};

std::size_t count(const XmlElement& element) {
  std::size_t result = 1;
  for (const XmlElement& child : element.children) result += count(child);
  return result;
}

std::string written(std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g ", value);
    text += digits;
  }
  return text;
}

void collect_names(const XmlElement& element, std::set<std::string>& names) {
  if (const XmlAttribute* name = element.find("name")) names.insert(name->value);
  for (const XmlElement& child : element.children) collect_names(child, names);
}

void append_to_names(XmlElement& element, const std::string& suffix) {
  for (XmlAttribute& attribute : element.attributes)
    if (attribute.name == "name") attribute.value += suffix;
  for (XmlElement& child : element.children) append_to_names(child, suffix);
}

class Expansion {
 public:
  explicit Expansion(const ReplicateReader& reader) : reader_(reader) {}

  void expand(XmlElement& element) {
    std::vector<XmlElement> children;
    for (XmlElement& child : element.children) {
      expand(child);
      if (child.name == "replicate")
        copy(child, children);
      else
        children.push_back(std::move(child));
    }
    element.children = std::move(children);
  }

  // Those that name what was copied, once per copy.
  void expand_references(XmlElement& section) {
    for (const Copied& copied : copied_) {
      std::vector<XmlElement> children;
      for (XmlElement& child : section.children) {
        if (!refers(child, copied)) {
          children.push_back(std::move(child));
          continue;
        }
        elements_ += copied.suffixes.size() * count(child);
        if (elements_ > most_elements) {
          too_many(child);
          section.children.clear();
          return;
        }
        for (const std::string& suffix : copied.suffixes) {
          children.push_back(child);
          for (XmlAttribute& attribute : children.back().attributes)
            if (attribute.name == "name" || is_reference(attribute, copied)) attribute.value += suffix;
        }
      }
      section.children = std::move(children);
    }
  }

 private:
  void too_many(const XmlElement& element) const {
    reader_.error(element, cat("<replicate> makes more than ", most_elements, " elements"));
  }
  static bool is_reference(const XmlAttribute& attribute, const Copied& copied) {
    static const std::set<std::string> keys{"joint", "joint1", "joint2", "body1", "body2", "site1", "site2"};
    return keys.count(attribute.name) > 0 && copied.names.count(attribute.value) > 0;
  }
  static bool refers(const XmlElement& element, const Copied& copied) {
    return std::any_of(element.attributes.begin(), element.attributes.end(),
                       [&](const XmlAttribute& attribute) { return is_reference(attribute, copied); });
  }

  void copy(const XmlElement& element, std::vector<XmlElement>& into) {
    const XmlAttribute* given = element.find("count");
    double number = 0;
    Words words(given ? given->value : "");
    if (!given || !words.number(number) || !words.done() || !(number >= 1) || number != std::floor(number))
      return reader_.error(element, cat("<replicate>: count must be a whole number from 1 on, got ",
                                        in_quotes(given ? given->value : "")));
    if (number > most_elements) return too_many(element);
    const auto copies = static_cast<std::size_t>(number);
    elements_ += copies * count(element);
    if (elements_ > most_elements) return too_many(element);
    const XmlAttribute* separator = element.find("sep");
    const std::size_t digits = std::to_string(copies).size();
    Copied copied;
    for (const XmlElement& child : element.children) collect_names(child, copied.names);
    const Pose step = reader_.step(element);
    Pose at;
    for (std::size_t i = 0; i < copies; ++i, at = at * step) {
      std::string index = std::to_string(i);
      index.insert(0, digits - index.size(), '0');
      copied.suffixes.push_back((separator ? separator->value : "") + index);
      XmlElement frame;
      frame.name = "frame";
      frame.line = element.line;
      const Quaternion turn(at.rotation);
      frame.attributes = {{"pos", written({at.position.x(), at.position.y(), at.position.z()}), element.line},
                          {"quat", written({turn.w(), turn.x(), turn.y(), turn.z()}), element.line}};
      frame.children = element.children;
      for (XmlElement& child : frame.children) append_to_names(child, copied.suffixes.back());
      into.push_back(std::move(frame));
    }
    copied_.push_back(std::move(copied));
  }

  const ReplicateReader& reader_;
  std::size_t elements_ = 0;
  std::vector<Copied> copied_;  // inner ones first
};

}  // namespace

void expand_replicates(XmlElement& root, const ReplicateReader& reader) {
  Expansion expansion(reader);
  for (XmlElement& section : root.children)
    if (section.name == "worldbody") expansion.expand(section);
  for (XmlElement& section : root.children)
    if (section.name == "actuator" || section.name == "equality") expansion.expand_references(section);
}

}  // namespace lithe
