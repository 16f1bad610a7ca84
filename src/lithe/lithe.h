// The library in one header: models from files, every analysis as one call, results on disk.
//   const Model model = read_model("arm.toml");
//   const SimulatedMotion motion = simulate(model, spec_of<SimulateSpec>(model));
//   write_motion(motion, "results", "motion");
#pragma once

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/studies/elastic_feedforward.h"
#include "lithe/analyse/studies/identify.h"
#include "lithe/analyse/studies/settle_map.h"
#include "lithe/analyse/studies/shape_move.h"
#include "lithe/base/diagnostics.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/integrate/sundials.h"
#include "lithe/read/read_model.h"
#include "lithe/results/motion.h"
