// The comparison of tests/models/rounded_gradients.h on small models.
#include <QtTest>

#include "tests/models/rounded_gradients.h"
#include "tests/program.h"

using namespace strata::testing;

namespace {

// A processor without instructions for bf16 needs minutes for the presets as they are.
std::vector<std::string> smallerThan(const std::string& preset) {
  if (preset.starts_with("dhea/"))
    return {"model.hidden=128", "model.encoder_layers=2", "model.decoder_layers=2"};
  if (preset.starts_with("deepatt/")) return {"model.hidden=96"};
  if (preset.starts_with("densenmt/") || preset == "baseline/fconv-iwslt")
    return {"model.encoder_layers=2", "model.decoder_layers=2"};
  return {"model.embed_dim=128", "model.ffn_dim=256", "model.encoder_layers=2",
          "model.decoder_layers=2"};
}

}  // namespace

class TestRoundedTraining : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void gradientsAreClose_data();
  void gradientsAreClose();
};

void TestRoundedTraining::gradientsAreClose_data() {
  QTest::addColumn<std::string>("preset");
  for (const std::string& preset : kRounded) QTest::newRow(preset.c_str()) << preset;
}

void TestRoundedTraining::gradientsAreClose() {
  QFETCH(std::string, preset);
  compareGradients(preset, smallerThan(preset));
}

STRATA_APPLESS_TEST(TestRoundedTraining)
#include "test_rounded_training.moc"
