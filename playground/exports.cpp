// What the page calls.
#include <string>

#include "playground/bridge.h"

// Text in UTF-8; the answer stays until the next call.
extern "C" const char* lithe_ask(const char* request) {
  static std::string text;
  const nlohmann::json asked = nlohmann::json::parse(request, nullptr, false);
  const nlohmann::json answer =
      asked.is_object() ? lithe::playground::answer(asked)
                        : nlohmann::json{{"errors", {{{"line", 0}, {"column", 0}, {"message", "no question"}}}}};
  text = answer.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.c_str();
}
