#include "models/catalogue.h"

#include "core/nn/translation_model.h"
#include "models/densenmt/model.h"
#include "models/mlrf/model.h"

namespace strata {

void registerModels() {
  registerFamily({"transformer", [](const Json& config) -> std::shared_ptr<TranslationModel> {
                    return std::make_shared<mlrf::MlrfModel>(mlrf::MlrfConfig::parse(config));
                  }});
  registerFamily({"densenmt", [](const Json& config) -> std::shared_ptr<TranslationModel> {
                    return std::make_shared<densenmt::DenseModel>(
                        densenmt::DenseConfig::parse(config));
                  }});
}

}  // namespace strata
