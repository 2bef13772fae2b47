#pragma once
#include <map>
#include <memory>
#include <string>

#include "app/server/loaded_models.h"
#include "app/server/server.h"

namespace strata {

// load, translate, force and step: what a trained model can be asked (core/run/serve_protocol.h).
std::map<std::string, ServeMethod> translationMethods(std::shared_ptr<LoadedModels> models);

}  // namespace strata
