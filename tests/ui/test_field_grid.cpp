#include <QCheckBox>
#include <QLabel>
#include <QSpinBox>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/cut_texts.h"
#include "ui/style/theme.h"
#include "ui/widgets/field_grid.h"

using namespace strata;
using namespace strata::ui;

class TestFieldGrid : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { applyTheme(ThemeChoice::kLight); }
  void asManyFieldsStandInARowAsThereIsRoomFor();
};

// The left edges of its fields, without repetition.
static QSet<int> columnsOf(const QVector<QWidget*>& fields) {
  QSet<int> columns;
  for (const QWidget* field : fields) columns << field->x();
  return columns;
}

void TestFieldGrid::asManyFieldsStandInARowAsThereIsRoomFor() {
  QWidget window;
  FieldGrid grid(4, &window);
  QVector<QWidget*> fields;
  for (int i = 0; i < 7; ++i) {
    fields << new QSpinBox(&grid);
    grid.add(QString("a field of seven, number %1").arg(i + 1), fields.last());
  }
  grid.add(new QCheckBox("ignore case", &grid));
  window.show();
  int before = 5;
  for (const int width : {1400, 800, 600, 300}) {
    grid.resize(width, 300);
    QTest::qWait(1);
    QVERIFY2(grid.columns() < before, qPrintable(QString::number(width)));
    before = grid.columns();
    QCOMPARE(columnsOf(fields).size(), grid.columns());
    QCOMPARE(cutTexts(&window), QStringList());
    for (const QWidget* field : fields) QVERIFY(field->geometry().right() <= width);
  }
  QCOMPARE(grid.columns(), 1);
  QVERIFY(grid.minimumSizeHint().width() <= 300);
  grid.resize(1400, 300);
  QCOMPARE(grid.columns(), 4);
}

STRATA_TEST(TestFieldGrid)
#include "test_field_grid.moc"
