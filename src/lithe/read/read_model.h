// From a model file to a Model. docs/model_file.md describes the format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lithe/model/model.h"

namespace lithe {

// What a model file may do.
struct ReadOptions {
  // Whether tables and matrices may lie outside the folder of the model file (by their real paths): a model from
  // elsewhere could name any file that its user may read. Their content appears in no message.
  bool outside_files = false;
};

// Throws InputError with every error in the file at once.
Model read_model(const std::filesystem::path& path, const ReadOptions& options = {});

// The same from text; `file_name` stands in messages, and its folder is where CSV tables are looked for.
Model read_model_text(std::string_view text, const std::string& file_name, const ReadOptions& options = {});

// The reference page of the format, made from the tables that drive the reader.
std::string model_file_reference();

}  // namespace lithe
