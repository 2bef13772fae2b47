#include "models/catalogue.h"

#include "models/deepatt/model.h"
#include "models/densenmt/model.h"
#include "models/dhea/model.h"
#include "models/mlrf/model.h"

namespace strata {
namespace {

std::vector<ModelFamily>& known() {
  static std::vector<ModelFamily> families{
      densenmt::family(),
      deepatt::family(),
      dhea::family(),
      mlrf::family(),
  };
  return families;
}

std::vector<std::string>& added() {
  static std::vector<std::string> presets;
  return presets;
}

}  // namespace

const std::vector<ModelFamily>& modelFamilies() {
  return known();
}

void registerModels() {
  for (const ModelFamily& family : known()) registerFamily(family);
}

void addPaper(const ModelFamily& family, std::string_view presets) {
  known().push_back(family);
  added().emplace_back(presets);
}

const std::vector<std::string>& addedPresets() {
  return added();
}

}  // namespace strata
