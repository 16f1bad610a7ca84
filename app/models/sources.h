// What results were made of: this program, the model file, and every table and matrix that it names.
#pragma once

#include "lithe/model/model.h"
#include "lithe/results/recording/signature.h"

namespace lithe::app {

void add_sources(const Model& model, Signature& signature);

}  // namespace lithe::app
