#pragma once

#include <string>

namespace lithe::app {

// True when a program took the address.
bool open_in_browser(const std::string& address);

}  // namespace lithe::app
