#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "tests/program.h"
#include "ui/panels/config_model.h"
#include "ui/panels/config_view.h"

using namespace strata;
using namespace strata::ui;

static Json schema(int size = 4096) {
  return {{"keys",
           {{{"path", "seed"},
             {"type", "int"},
             {"default", 1},
             {"minimum", 0},
             {"help", "Of every random choice."}},
            {{"path", "training.batch.size"},
             {"type", "int"},
             {"default", 4096},
             {"minimum", 1},
             {"unit", "tokens"},
             {"help", "Of a batch."}},
            {{"path", "training.batch.unit"},
             {"type", "choice"},
             {"default", "tokens"},
             {"choices", {"tokens", "sentences"}},
             {"help", ""}},
            {{"path", "training.dropout"},
             {"type", "number"},
             {"default", 0.1},
             {"minimum", 0},
             {"maximum", 1},
             {"help", ""}},
            {{"path", "validation.metrics"},
             {"type", "string-list"},
             {"default", {"nll"}},
             {"help", ""}},
            {{"path", "model.decoder_fusion"},
             {"type", "object"},
             {"default", {{"type", "none"}}},
             {"help", ""}},
            {{"path", "model.hidden"},
             {"type", "int-or-list"},
             {"default", 256},
             {"minimum", 1},
             {"help", ""}},
            {{"path", "checkpoint.metric"},
             {"type", "string"},
             {"default", "valid/nll"},
             {"help", ""}}}},
          {"config",
           {{"seed", 1},
            {"training", {{"batch", {{"size", size}, {"unit", "tokens"}}}, {"dropout", 0.3}}},
            {"model", {{"decoder_fusion", {{"type", "sa"}}}}}}}};
}

class TestConfigModel : public QObject {
  Q_OBJECT
 private slots:
  void isASoundTreeOfSections();
  void anEditIsAnOverrideAndThePresetsValueTakesItBack();
  void refusesWhatIsNotAValue_data();
  void refusesWhatIsNotAValue();
  void takesANumberOrAList();
  void overridesSurviveAnotherPreset();
  void theFilterFindsKeysAndChanges();
};

void TestConfigModel::isASoundTreeOfSections() {
  ConfigModel model;
  QAbstractItemModelTester tester(&model);
  model.setSchema(schema());
  QCOMPARE(model.rowCount(), 5);  // general, training, validation, model, checkpoint
  const QModelIndex training = model.index(1, 0);
  QCOMPARE(training.data().toString(), QString("training"));
  QCOMPARE(model.rowCount(training), 3);
  QCOMPARE(model.index(2, ConfigModel::kValue, training).data().toString(),
           QString("0.3"));  // the preset's, not the default
  QCOMPARE(model.index(0, ConfigModel::kUnit, training).data().toString(), QString("tokens"));
  QCOMPARE(model.index(1, 0, training).data(ConfigModel::kChoicesRole).toStringList().size(), 2);
  QVERIFY(model.overrides().isEmpty());
}

void TestConfigModel::anEditIsAnOverrideAndThePresetsValueTakesItBack() {
  ConfigModel model;
  model.setSchema(schema());
  QSignalSpy changed(&model, &ConfigModel::overridesChanged);
  model.setOverride("training.batch.size", "64");
  model.setOverride("model.decoder_fusion", R"({"type":"sa","hops":4})");
  model.setOverride("checkpoint.metric", "valid/multi-bleu");
  model.setOverride("training.batch.unit", "sentences");
  QCOMPARE(changed.count(), 4);
  QCOMPARE(model.overrides(),
           QStringList({"training.batch.size=64", "training.batch.unit=sentences",
                        R"(model.decoder_fusion={"type":"sa","hops":4})",
                        "checkpoint.metric=valid/multi-bleu"}));
  const QModelIndex size = model.index(0, ConfigModel::kPreset, model.index(1, 0));
  QCOMPARE(size.data().toString(), QString("4096"));  // next to the changed value
  model.setOverride("training.batch.size", "4096");
  QCOMPARE(model.overrides().size(), 3);
  model.clearOverrides();
  QVERIFY(model.overrides().isEmpty());
}

void TestConfigModel::refusesWhatIsNotAValue_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::newRow("no number") << "training.batch.size"
                             << "many";
  QTest::newRow("a fraction") << "training.batch.size"
                              << "1.5";
  QTest::newRow("too small") << "training.batch.size"
                             << "0";
  QTest::newRow("too large") << "training.dropout"
                             << "1.01";
  QTest::newRow("no choice") << "training.batch.unit"
                             << "lines";
  QTest::newRow("no list") << "validation.metrics"
                           << "nll";
  QTest::newRow("no number and no list") << "model.hidden"
                                         << "wide";
  QTest::newRow("an empty list") << "model.hidden"
                                 << "[]";
  QTest::newRow("a list with a number too small") << "model.hidden"
                                                  << "[8, 0]";
  QTest::newRow("no object") << "model.decoder_fusion"
                             << "sa";
}

void TestConfigModel::refusesWhatIsNotAValue() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  ConfigModel model;
  model.setSchema(schema());
  QSignalSpy refused(&model, &ConfigModel::refused);
  model.setOverride(path, text);
  QVERIFY(model.overrides().isEmpty());
  QCOMPARE(refused.count(), 1);
  QVERIFY(refused[0][0].toString().contains(path));
}

void TestConfigModel::takesANumberOrAList() {
  ConfigModel model;
  model.setSchema(schema());
  model.setOverride("model.hidden", "128");
  QCOMPARE(model.overrides(), QStringList{"model.hidden=128"});
  model.setOverride("model.hidden", "[512, 512, 1024]");
  QCOMPARE(model.overrides(), QStringList{"model.hidden=[512,512,1024]"});
}

void TestConfigModel::overridesSurviveAnotherPreset() {
  ConfigModel model;
  model.setSchema(schema());
  model.setOverride("training.batch.size", "64");
  model.setOverride("training.dropout", "0.2");
  model.setSchema(schema(64));  // this preset has 64 itself
  QCOMPARE(model.overrides(), QStringList{"training.dropout=0.2"});
}

void TestConfigModel::theFilterFindsKeysAndChanges() {
  ConfigModel model;
  ConfigFilter filter;
  filter.setSourceModel(&model);
  model.setSchema(schema());
  filter.setText("batch");
  QCOMPARE(filter.rowCount(), 1);
  QCOMPARE(filter.rowCount(filter.index(0, 0)), 2);
  filter.setText({});
  filter.setOnlyChanged(true);
  QCOMPARE(filter.rowCount(), 0);
  model.setOverride("seed", "7");
  filter.setOnlyChanged(true);
  QCOMPARE(filter.rowCount(), 1);
}

STRATA_GUILESS_TEST(TestConfigModel)
#include "test_config_model.moc"
