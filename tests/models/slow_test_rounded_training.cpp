// The comparison of tests/models/rounded_gradients.h on the presets as they are.
#include <QtTest>

#include "tests/models/rounded_gradients.h"
#include "tests/program.h"

using namespace strata::testing;

class TestRoundedPresets : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void gradientsAreClose_data();
  void gradientsAreClose();
};

void TestRoundedPresets::gradientsAreClose_data() {
  QTest::addColumn<std::string>("preset");
  for (const std::string& preset : kRounded) QTest::newRow(preset.c_str()) << preset;
}

void TestRoundedPresets::gradientsAreClose() {
  QFETCH(std::string, preset);
  compareGradients(preset, {});
}

STRATA_APPLESS_TEST(TestRoundedPresets)
#include "slow_test_rounded_training.moc"
