// What `linearise` and `run` share: from linear models to text, files and a page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/analyse/analyses.h"
#include "lithe/view/report.h"

namespace lithe::app {

// linearise() with progress, Ctrl-C and the user's consent to programs.
LineariseResult run_linearise(const Model& model, const LineariseSpec& spec);

std::string linearise_text(const LineariseResult& result, const LineariseSpec& spec, const Style& style);
nlohmann::json linearise_json(const LineariseResult& result, const LineariseSpec& spec);
// <stem>.h5, .mat, .json, .h and .py, and .csv of the Campbell diagram and the frequency response.
std::vector<std::filesystem::path> write_linear(const LineariseResult& result, const LineariseSpec& spec,
                                                const std::filesystem::path& directory, const std::string& stem);
// Poles, Campbell diagram, frequency response and tables, added to a page.
void add_to_page(const LineariseResult& result, const LineariseSpec& spec, Report& report);

}  // namespace lithe::app
