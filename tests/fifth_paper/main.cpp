// strata-engine with one more paper.
#include "app/engine/run_engine.h"
#include "embedded/fifthPresets.h"
#include "models/catalogue.h"
#include "tests/fifth_paper/model.h"

int main(int argc, char** argv) {
  strata::addPaper(strata::fifth::family(), strata::embedded::fifthPresets()[0].second);
  return strata::runEngine(argc, argv);
}
