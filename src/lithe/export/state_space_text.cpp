#include "lithe/export/state_space_text.h"

#include <array>
#include <cctype>
#include <cstdio>

#include "lithe/base/text.h"

namespace lithe {
namespace {

// All digits that a double has.
std::string exact(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  return buffer.data();
}

std::string identifier(const std::string& name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) ? "m_" + text : text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string rows(const MatrixX& matrix, const char* open, const char* close, const char* indent) {
  std::string text;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    text += cat(indent, open);
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) text += (j > 0 ? ", " : "") + exact(matrix(i, j));
    text += cat(close, i + 1 < matrix.rows() ? ",\n" : "\n");
  }
  return text;
}

// Names of signals are text of the model file: nothing in them may end a comment or a string.
std::string harmless(const std::string& name) {
  std::string text;
  for (const char c : name)
    text +=
        c == '*' || c == '/' || c == '\\' || c == '"' || c == '\'' || c == '?' || static_cast<unsigned char>(c) < ' '
            ? '_'
            : c;
  return text;
}

std::string signal_list(const std::vector<Channel>& signals) {
  std::string text;
  for (const Channel& signal : signals)
    text +=
        cat(text.empty() ? "" : ", ", harmless(signal.name), signal.unit.empty() ? "" : cat(" [", signal.unit, "]"));
  return text;
}

std::string signal_tuple(const std::vector<Channel>& signals) {
  std::string text = "[";
  for (const Channel& signal : signals) text += cat(text.size() > 1 ? ", " : "", "\"", harmless(signal.name), "\"");
  return text + "]";
}

// C forbids arrays without elements.
std::string c_array(const std::string& type, const std::string& name, const MatrixX& matrix) {
  if (matrix.size() == 0) return "";
  std::string text = cat("static const ", type, " ", name, "[", matrix.rows(), "][", matrix.cols(), "] = {\n");
  text += rows(matrix, "{", "}", "    ");
  return text + "};\n";
}

}  // namespace

std::string c_header(const StateSpace& system, const std::string& name) {
  const std::string id = identifier(name), guard = upper(id) + "_H";
  std::string text =
      cat("/* ", harmless(name), ": ", system.is_continuous() ? "dx/dt = A x + B u" : "x[k+1] = A x[k] + B u[k]",
          ", y = C x + D u\n", "   u: ", signal_list(system.inputs), "\n   y: ", signal_list(system.outputs), " */\n");
  text += cat("#ifndef ", guard, "\n#define ", guard, "\n\n");
  text += cat("#ifndef ", upper(id), "_REAL\n#define ", upper(id), "_REAL double\n#endif\n\n");
  text += cat("enum { ", id, "_states = ", system.num_states(), ", ", id, "_inputs = ", system.num_inputs(), ", ", id,
              "_outputs = ", system.num_outputs(), " };\n");
  text += cat("static const double ", id, "_sample_time = ", exact(system.sample_time), "; /* s; 0: continuous */\n");
  const std::string type = upper(id) + "_REAL";
  text += c_array(type, id + "_A", system.a);
  text += c_array(type, id + "_B", system.b);
  text += c_array(type, id + "_C", system.c);
  text += c_array(type, id + "_D", system.d);
  return text + "\n#endif\n";
}

std::string python_module(const StateSpace& system, const std::string& name) {
  std::string text =
      cat("\"\"\"", harmless(name), ": ", system.is_continuous() ? "dx/dt = A x + B u" : "x[k+1] = A x[k] + B u[k]",
          ", y = C x + D u\"\"\"\n");
  // Without numpy the matrices are lists of rows.
  text +=
      "try:\n"
      "    import numpy as np\n\n"
      "    def _matrix(rows, *shape):\n"
      "        return np.array(rows, dtype=float).reshape(shape)\n"
      "except ImportError:\n"
      "    def _matrix(rows, *shape):\n"
      "        return [[float(value) for value in row] for row in rows]\n\n";
  const auto array = [&](const char* symbol, const MatrixX& matrix) {
    text += cat(symbol, " = _matrix([\n");
    text += rows(matrix, "[", "]", "    ");
    text += cat("], ", matrix.rows(), ", ", matrix.cols(), ")\n");
  };
  array("A", system.a);
  array("B", system.b);
  array("C", system.c);
  array("D", system.d);
  text += cat("sample_time = ", exact(system.sample_time), "  # s; 0: continuous\n");
  text += cat("inputs = ", signal_tuple(system.inputs), "\noutputs = ", signal_tuple(system.outputs),
              "\nstates = ", signal_tuple(system.states), "\n");
  return text;
}

}  // namespace lithe
