// Shared by the tests of waits: real presets of every family, with small batches and vocabularies.
#pragma once
#include "device/device_fixture.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "train/training_fixture.h"

namespace strata::testing {

constexpr std::int64_t kLogEvery = 3;

struct System {
  const char* preset;
  std::int64_t sinusoids;  // uploads of the first pass: tables of positions
  std::vector<std::string> widths;
};
// Widths change no wait; those of the papers would take minutes, and checkpoints of gigabytes.
inline const std::vector<std::string> kNarrowFused{"model.embed_dim=64", "model.ffn_dim=128",
                                                   "model.fusion_attn_dim=64",
                                                   "model.fusion_ffn_dim=64"};
inline const std::vector<std::string> kNarrowDense{"model.embed_dim=64", "model.token_embed_dim=64",
                                                   "model.out_embed_dim=64", "model.hidden=64",
                                                   "model.growth=32"};
inline const std::vector<std::string> kNarrow{"model.embed_dim=64", "model.hidden=64"};
inline const std::vector<std::string> kNarrowHistory{"model.hidden=64"};
// One preset or more a family; between them they hold every layer that a family has.
inline const System kSystems[] = {
    {"mlrf/both-fnn-sa4", 1, kNarrowFused}, {"densenmt/4l-2", 0, kNarrowDense},
    {"baseline/fconv-iwslt", 0, kNarrow},   {"deepatt/att-2-2", 0, kNarrow},
    {"deepatt/ed-9-7-uni", 0, kNarrow},     {"dhea/gate-stable", 0, kNarrowHistory},
    {"dhea/hybrid", 0, kNarrowHistory}};

inline void addSystems() {
  QTest::addColumn<int>("system");
  for (std::size_t i = 0; i < std::size(kSystems); ++i)
    QTest::newRow(kSystems[i].preset) << static_cast<int>(i);
}

inline ExperimentSpec specOf(const System& system, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(), system.widths.begin(), system.widths.end());
  const Json config = resolveConfig({.file = "", .preset = system.preset, .overrides = overrides},
                                    builtInSources());
  ExperimentSpec spec = parseExperiment(config);
  const ExperimentSpec quiet = quietSpec();
  spec.validation = quiet.validation;
  spec.checkpoint = quiet.checkpoint;
  spec.recording = quiet.recording;
  spec.training.logEvery = kLogEvery;
  for (PhaseSpec& phase : spec.training.phases) phase.batch = quiet.training.phases.front().batch;
  return spec;
}

inline std::shared_ptr<TranslationModel> modelFor(const ExperimentSpec& spec, bool onDevice = true,
                                                  torch::ScalarType type = torch::kFloat32) {
  auto model = createModel(
      modelConfig(spec.model, kVocabulary, kVocabulary),
      {.device = onDevice ? countingDevice() : torch::Device(torch::kCPU), .type = type});
  model->setDropout(dropoutRatesOf(spec.training));
  model->initialise(spec.training.init, 1);
  return model;
}

}  // namespace strata::testing
