// A model file with errors, as far as it could be read: what later stages may still be asked about it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/model/drive_train.h"
#include "lithe/model/model.h"
#include "lithe/model/move.h"
#include "lithe/read/read_model.h"
#include "lithe/read/study_request.h"

namespace lithe {

struct PartialModel {
  Model model;  // a link that errors touch stands as a rigid one, so that later stages find no follow-up errors
  std::vector<Diagnostic> errors;  // in the order of the file
  // With errors: whether they leave alone which links the joints connect, and where the joints are and start.
  bool connections_hold = true;
  bool configurations_hold = true;
  // Where keys stand that later stages may find wrong, by the path of their errors: "links.arm.reduction.kept_modes".
  std::map<std::string, SourcePlace> key_places;
  std::vector<std::string> notes;  // for the user, on what was read
  std::vector<DriveTrain> drive_trains;
  std::vector<PlannedMove> moves;
  std::vector<StudyRequest> studies;
};

// Throws InputError where nothing can be read: no file, no TOML, another version of the format, or hundreds of errors.
PartialModel read_partly(const std::filesystem::path& path, const ReadOptions& options = {});
PartialModel read_text_partly(std::string_view text, const std::string& file_name, const ReadOptions& options = {});

// By place, so that the list reads down the file; other files (tables) come last.
std::vector<Diagnostic> in_file_order(std::vector<Diagnostic> errors, const std::string& file);

}  // namespace lithe
