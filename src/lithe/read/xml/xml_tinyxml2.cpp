// The only file that touches tinyxml2. It limits the depth of elements itself and knows no entities but the five of XML.
#include <tinyxml2.h>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/xml/xml.h"

namespace lithe {
namespace {

constexpr int most_elements = 2'000'000;

[[noreturn]] void fail(const std::string& file, int line, const std::string& message) {
  throw InputError(
      std::vector<Diagnostic>{{.file = file, .line = line, .column = 1, .path = {}, .message = message}});
}

class Converter {
 public:
  explicit Converter(const std::string& file) : file_(file) {}

  XmlElement convert(const tinyxml2::XMLElement& element) {
    if (++count_ > most_elements)
      fail(file_, element.GetLineNum(), cat("the file has more than ", most_elements, " elements"));
    XmlElement result;
    result.name = element.Name();
    result.line = element.GetLineNum();
    for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a; a = a->Next())
      result.attributes.push_back({a->Name(), a->Value(), a->GetLineNum()});
    for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
      refuse_declarations(*node);
      if (const tinyxml2::XMLElement* child = node->ToElement())
        result.children.push_back(convert(*child));
      else if (const tinyxml2::XMLText* text = node->ToText())
        result.text += text->Value();
    }
    return result;
  }

  // <!DOCTYPE ...> and <!ENTITY ...>: what they define would have to be expanded.
  void refuse_declarations(const tinyxml2::XMLNode& node) const {
    if (node.ToUnknown()) fail(file_, node.GetLineNum(), "document types and entities are not read");
  }

 private:
  const std::string& file_;
  int count_ = 0;
};

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& candidate : attributes)
    if (candidate.name == attribute) return &candidate;
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const XmlElement& candidate : children)
    if (candidate.name == child_name) return &candidate;
  return nullptr;
}

std::vector<const XmlElement*> XmlElement::all(std::string_view child_name) const {
  std::vector<const XmlElement*> result;
  for (const XmlElement& candidate : children)
    if (candidate.name == child_name) result.push_back(&candidate);
  return result;
}

XmlElement parse_xml(std::string_view text, const std::string& file_name) {
  tinyxml2::XMLDocument document;
  const tinyxml2::XMLError status = document.Parse(text.data(), text.size());
  Converter converter(file_name);
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node; node = node->NextSibling())
    converter.refuse_declarations(*node);  // before the error that the rest of a declaration leads to
  if (status == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    fail(file_name, document.ErrorLineNum(), "elements are nested too deep");
  if (status != tinyxml2::XML_SUCCESS)
    fail(file_name, std::max(1, document.ErrorLineNum()), cat("XML syntax: ", document.ErrorName()));
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root) fail(file_name, 1, "the file holds no XML element");
  return converter.convert(*root);
}

}  // namespace lithe
