// Which preset the others are compared with by default.
#include <QTest>

#include "core/papers/paper_baselines.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestPaperBaselines : public QObject {
  Q_OBJECT

 private slots:
  void theBaselineOfATable() {
    const auto chosen = [](std::vector<std::string> presets) {
      return presets[usualBaseline(presets)];
    };
    QCOMPARE(chosen({"mlrf/dec-sa4", "mlrf/base"}), std::string("mlrf/base"));
    QCOMPARE(chosen({"mlrf/dec-sa4-cpu", "mlrf/base-cpu"}), std::string("mlrf/base-cpu"));
    QCOMPARE(chosen({"dhea/gate", "dhea/sum", "dhea/none"}), std::string("dhea/none"));
    QCOMPARE(chosen({"densenmt/4l-2", "densenmt/base-4l"}), std::string("densenmt/base-4l"));
    // Named so, without a table.
    QCOMPARE(chosen({"demo/mlrf", "demo/base"}), std::string("demo/base"));
    // Nothing is known: the first.
    QCOMPARE(chosen({"", "x/y"}), std::string());
    QCOMPARE(chosen({"dhea/gate", "densenmt/4l-2"}), std::string("dhea/gate"));
  }
};

STRATA_APPLESS_TEST(TestPaperBaselines)
#include "test_paper_baselines.moc"
