#include "models/catalogue.h"

#include "core/nn/translation_model.h"
#include "models/deepatt/model.h"
#include "models/dhea/model.h"
#include "models/mlrf/model.h"

namespace strata {

void registerModels() {
  registerFamily({"transformer", [](const Json& config) -> std::shared_ptr<TranslationModel> {
                    return std::make_shared<mlrf::MlrfModel>(mlrf::MlrfConfig::parse(config));
                  }});
  registerFamily({"deepatt", [](const Json& config) -> std::shared_ptr<TranslationModel> {
                    return std::make_shared<deepatt::DeepAttModel>(
                        deepatt::DeepAttConfig::parse(config));
                  }});
  registerFamily({"dhea", [](const Json& config) -> std::shared_ptr<TranslationModel> {
                    return std::make_shared<dhea::DheaModel>(dhea::DheaConfig::parse(config));
                  }});
}

}  // namespace strata
