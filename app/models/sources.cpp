#include "app/models/sources.h"

#include "lithe/results/recording/sources.h"

namespace lithe::app {

void add_sources(const Model& model, Signature& signature) { lithe::add_sources(LITHE_VERSION, model.file, signature); }

}  // namespace lithe::app
