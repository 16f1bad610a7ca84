// A parsed XML file as a plain tree with line numbers, so that the rest of read/ knows nothing of the XML library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lithe {

struct XmlAttribute {
  std::string name, value;
  int line = 0;
};

struct XmlElement {
  std::string name;
  int line = 0;
  std::string text;  // of the element itself, its children's left out
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  const XmlAttribute* find(std::string_view attribute) const;
  // The first child of that name, or nothing.
  const XmlElement* child(std::string_view child_name) const;
  std::vector<const XmlElement*> all(std::string_view child_name) const;
};

// The root element. Throws InputError for what is no XML (the parser stops at the first error), and for document types
// and entities, which are never expanded.
XmlElement parse_xml(std::string_view text, const std::string& file_name);

}  // namespace lithe
