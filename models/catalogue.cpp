#include "models/catalogue.h"

#include "core/nn/translation_model.h"
#include "models/deepatt/model.h"
#include "models/densenmt/model.h"
#include "models/dhea/model.h"
#include "models/mlrf/model.h"

namespace strata {
namespace {

template <typename Model, typename Config>
void add(const char* name) {
  registerFamily({name, [](const Json& config) -> std::shared_ptr<TranslationModel> {
                    return std::make_shared<Model>(Config::parse(config));
                  }});
}

}  // namespace

void registerModels() {
  add<densenmt::DenseModel, densenmt::DenseConfig>("densenmt");
  add<deepatt::DeepAttModel, deepatt::DeepAttConfig>("deepatt");
  add<dhea::DheaModel, dhea::DheaConfig>("dhea");
  add<mlrf::MlrfModel, mlrf::MlrfConfig>("transformer");
}

}  // namespace strata
