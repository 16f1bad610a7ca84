// Input files of Abaqus and CalculiX: keyword by keyword.
#include "lithe/read/mesh/abaqus_reader.h"

namespace lithe {

Mesh AbaqusReader::read() {
  while (next_line()) {
    if (is_keyword()) {
      if (!start(read_keyword())) break;
    } else {
      data();
    }
  }
  end_element();
  deck_.resolve();
  builder_.finish(file_);
  return std::move(builder_.mesh);
}

bool AbaqusReader::next_line() {
  do {
    if (!lines_.next(line_)) return false;
  } while (trimmed(line_).empty() || line_.starts_with("**"));
  return true;
}

AbaqusKeyword AbaqusReader::read_keyword() {
  std::string whole(trimmed(line_));
  while (!whole.empty() && whole.back() == ',') {  // goes on in the next line
    if (!next_line()) break;
    whole += trimmed(line_);
  }
  return parse_abaqus_keyword(whole);
}

bool AbaqusReader::start(const AbaqusKeyword& keyword) {
  end_element();
  data_ = Data::skipped;
  keyword_ = keyword;
  builder_.set_place(lines_.file(), lines_.line());
  const std::string& name = keyword.name;
  if (scope_ == Scope::assembly && keyword.has("INSTANCE") && deck_.find_instance(upper(keyword.value("INSTANCE"))) < 0)
    lines_.fail(cat("*INSTANCE ", upper(keyword.value("INSTANCE")), " does not exist"));
  if (name == "STEP") return false;
  if (name == "INCLUDE") {
    lines_.include(keyword.value("INPUT"));
  } else if (name == "NODE") {
    start_nodes();
  } else if (name == "ELEMENT") {
    start_element();
  } else if (name == "NSET") {
    start_node_set();
  } else if (name == "ELSET") {
    data_ = Data::elset;
    set_ = new_name("ELSET");
    builder_.element_set(set_);
  } else if (name == "SURFACE") {
    start_surface();
  } else if (name == "MATERIAL") {
    ElementMaterial material;
    material.name = demanded("NAME");
    builder_.mesh.materials.push_back(material);
  } else if (name == "ELASTIC" || name == "DENSITY") {
    start_property();
  } else if (name == "SOLID SECTION") {
    deck_.sections.push_back(
        {set_of("ELSET"), demanded("MATERIAL"), own_name(upper(keyword.value("ORIENTATION"))), 0, here()});
    data_ = Data::area;
  } else if (name == "SHELL SECTION") {
    start_shell_section();
  } else if (name == "BEAM SECTION") {
    deck_.beams.push_back({set_of("ELSET"), demanded("MATERIAL"), {}, -Vector3::UnitZ(), 0, here()});
    data_ = Data::beam;
  } else if (name == "ORIENTATION") {
    start_orientation();
  } else if (name == "MASS" || name == "ROTARY INERTIA") {
    start_mass();
  } else if (name == "SPRING") {
    start_spring();
  } else if (name == "TRANSFORM") {
    has_transform_ = true;
  } else if (name == "SYSTEM") {
    system_.reset();
    data_ = Data::system;
  } else if (!start_scope()) {
    start_constraint();
  }
  if (data_ != Data::skipped && keyword.has("INPUT")) lines_.include(keyword.value("INPUT"));
  return true;
}

std::int64_t AbaqusReader::node_number(std::string_view text) const {
  std::int64_t label = 0;
  if (scope_ == Scope::flat && parse_whole(text, label)) return label;  // most nodes of large files
  return deck_.node_label(reference(text), here(), lines_.quotes_content());
}

std::string AbaqusReader::new_name(const char* key) {
  std::string name = demanded(key);
  if (scope_ != Scope::assembly) {
    name = own_name(name);
    names_of_part_.insert(name);
    return name;
  }
  return names_of_part_.contains(name) ? AbaqusDeck::of_assembly(name) : name;
}

std::string AbaqusReader::demanded(const std::string& key) {
  std::string value = upper(keyword_.value(key));
  if (value.empty()) lines_.fail(cat("*", keyword_.name, " needs ", key));
  return value;
}

std::int64_t AbaqusReader::number(std::string_view text, const char* what) {
  std::int64_t value = 0;
  if (!parse_whole(text, value)) lines_.fail(cat("a whole number expected for ", what, lines_.got(text)));
  return value;
}

double AbaqusReader::real(std::string_view text, const char* what) {
  double value = 0;
  std::string copy(text);  // Fortran's exponent
  for (char& c : copy)
    if (c == 'd' || c == 'D') c = 'E';
  if (!parse_whole(copy, value) || !std::isfinite(value))
    lines_.fail(cat("a number expected for ", what, lines_.got(text)));
  return value;
}

void AbaqusReader::data() {
  switch (data_) {
    case Data::skipped:
      break;
    case Data::node:
      node_data();
      break;
    case Data::element:
      element_data();
      break;
    case Data::nset:
    case Data::elset:
      set_data();
      break;
    case Data::surface:
      surface_data();
      break;
    case Data::elastic:
      elastic_data();
      break;
    case Data::engineering:
      engineering_data();
      break;
    case Data::shell:
      shell_data();
      break;
    case Data::beam:
      deck_.add_beam_line(all_numbers("a number"), upper(keyword_.value("SECTION")), here());
      break;
    case Data::orientation:
      orientation_data();
      break;
    case Data::density:
      builder_.mesh.materials.back().density = real(fields_of_line(line_)[0], "the density");
      data_ = Data::skipped;
      break;
    case Data::mass:
    case Data::rotary:
      mass_data();
      break;
    case Data::mpc:
      mpc_data();
      break;
    case Data::equation:
      equation_data();
      break;
    case Data::tie:
      tie_data();
      break;
    case Data::spring:
      deck_.springs.back().lines.push_back(all_numbers("a number"));
      break;
    case Data::area:
      if (!fields_of_line(line_)[0].empty()) deck_.sections.back().area = real(fields_of_line(line_)[0], "the area");
      data_ = Data::skipped;
      break;
    case Data::directions:
      direction_data();
      break;
    case Data::system:
      system_.add_line(all_numbers("a coordinate"), here());
      break;
    case Data::instance:
      if (trimmed(line_) != ",") instance_pose_.add_line(all_numbers("a number"), here());
      break;
  }
}

std::vector<double> AbaqusReader::all_numbers(const char* what) {
  std::vector<double> numbers;
  std::vector<std::string_view> fields = fields_of_line(line_);
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  for (const std::string_view field : fields) numbers.push_back(field.empty() ? 0 : real(field, what));
  return numbers;
}

std::optional<Mesh> read_abaqus(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                                const MeshReadOptions& options) {
  try {
    return AbaqusReader(text, file_name, options).read();
  } catch (const MeshFileError& error) {
    diagnostics.error({error.file, error.line, error.line > 0 ? 1 : 0, "", error.message});
    return std::nullopt;
  }
}

}  // namespace lithe
