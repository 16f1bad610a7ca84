// In place of read/xml/xml_tinyxml2.cpp: a browser gives the engine no file to read a robot from.
#include "lithe/base/diagnostics.h"
#include "lithe/read/xml/xml.h"

namespace lithe {

const XmlAttribute* XmlElement::find(std::string_view) const { return nullptr; }
const XmlElement* XmlElement::child(std::string_view) const { return nullptr; }
std::vector<const XmlElement*> XmlElement::all(std::string_view) const { return {}; }

XmlElement parse_xml(std::string_view, const std::string& file_name) {
  throw InputError(std::vector<Diagnostic>{
      {.file = file_name,
       .line = 0,
       .column = 0,
       .path = {},
       .message = "robot descriptions are not read in the browser; `lithe import` makes a model file of them"}});
}

}  // namespace lithe
