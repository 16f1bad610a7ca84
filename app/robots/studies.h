// Questions of robots for their own commands and for `lithe run`: each computes, writes its files, and hands back text,
// JSON and what the page shows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/analyse/contributions.h"
#include "lithe/analyse/settle.h"
#include "lithe/analyse/size_motors.h"
#include "lithe/analyse/studies/identify.h"
#include "lithe/analyse/studies/shape_move.h"
#include "lithe/read/partial_model.h"
#include "lithe/view/report.h"

namespace lithe::app {

// Where its files go, and how text looks.
struct StudyPlace {
  std::filesystem::path directory;
  std::string stem;  // of the files: "size"
  Style style;
};

struct StudyOutcome {
  std::string text;      // without the list of files
  nlohmann::json value;  // likewise
  std::vector<std::filesystem::path> files;
  Report page;
  bool failed = false;
};

StudyOutcome study_size(const PartialModel& robot, const SizeSpec& spec, const StudyPlace& place);
StudyOutcome study_settle(const Model& model, const SettleSpec& spec, const StudyPlace& place);
StudyOutcome study_contributions(const PartialModel& robot, const ContributionSpec& spec, const StudyPlace& place);
StudyOutcome study_shape(const Model& model, const ShapeSpec& spec, const StudyPlace& place);
StudyOutcome study_identify(const Model& model, const std::vector<MeasuredData>& data, const IdentifySpec& spec,
                            const StudyPlace& place);

// Saves the page beside the files and prints what a command says; returns its exit code.
int finish_study(StudyOutcome outcome, const StudyPlace& place, const Output& output);

// One that the model file asks for.
StudyOutcome run_study(const PartialModel& robot, const StudyRequest& request, const StudyPlace& place);
// Controllers that it lets act.
std::vector<int> controllers_of(const Model& model, const StudyRequest& request);

}  // namespace lithe::app
