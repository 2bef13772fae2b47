#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolTip>
#include <QVBoxLayout>
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "tests/program.h"
#include "ui/plots/heat_map.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

using namespace strata::ui;

class TestHeatMap : public QObject {
  Q_OBJECT
 private slots:
  void theColourMapGetsLighterInEvenSteps();
  void cellsHaveTheirColours();
  void mapsShareColumnsAndDoNotOverlap();
  void everyCellIsFoundAtItsPlace();
  void aCellUnderTheMouseIsReadOut();
  void theKeyboardMovesACursorThatSpeaks();
  void theCursorIsSeenInBothThemes();
  void tabLeaves();
  void manyColumnsAskForRoom();
  void exportsPictures();
};

void TestHeatMap::theColourMapGetsLighterInEvenSteps() {
  double before = lightnessOf(mapColour(0));
  QVERIFY(before < 0.3);
  for (int i = 1; i <= 20; ++i) {
    const double now = lightnessOf(mapColour(i / 20.0));
    QVERIFY2(std::abs(now - before - 0.0355) < 0.012, qPrintable(QString::number(now - before)));
    before = now;
  }
  QCOMPARE(mapColour(7), mapColour(1));
  QCOMPARE(mapColour(NAN).alpha(), 0);
  QVERIFY(std::abs(lightnessOf(Qt::white) - 1) < 1e-6);
}

static void fill(HeatMapView& view) {
  applyTheme(ThemeChoice::kLight);
  view.resize(420, 300);
  view.setMaps({"a", "b", "c"}, {{"hop 1", {"layer 1", "embedding"}, {1, 0, 0.5f, 0, 1, 0.5f}},
                                 {"hop 2", {"layer 1", "embedding"}, {0, 0, 0, 1, 1, NAN}}});
  view.show();
}

void TestHeatMap::cellsHaveTheirColours() {
  HeatMapView view;
  fill(view);
  const QImage picture = view.grab().toImage();
  const auto colourAt = [&](int map, int row, int column) {
    // A corner of the cell, where no figure is written.
    return picture.pixelColor(
        (view.cellRect(map, row, column).topLeft() + QPointF(3, 3)).toPoint());
  };
  QCOMPARE(colourAt(0, 0, 0).rgb(), mapColour(1).rgb());
  QCOMPARE(colourAt(0, 0, 1).rgb(), mapColour(0).rgb());
  QCOMPARE(colourAt(0, 1, 2).rgb(), mapColour(0.5).rgb());
  QCOMPARE(colourAt(1, 1, 2).rgb(), theme().surface.rgb());  // NaN is left out
}

void TestHeatMap::mapsShareColumnsAndDoNotOverlap() {
  HeatMapView view;
  fill(view);
  QCOMPARE(view.cellRect(0, 0, 1).left(), view.cellRect(1, 0, 1).left());
  QVERIFY(view.cellRect(1, 0, 0).top() > view.cellRect(0, 1, 0).bottom());
  QVERIFY(view.rect().contains(view.cellRect(1, 1, 2).toRect()));
  QVERIFY(view.cellRect(2, 0, 0).isEmpty());
}

// In a picture of any size: two maps of different heights, and a block of figures next to weights.
void TestHeatMap::everyCellIsFoundAtItsPlace() {
  HeatMapContent content;
  content.columns = QStringList{"a", "b", "mean"};
  content.maps = {{"hop 1", {"x", "y", "z"}, std::vector<float>(9, 0.5f)},
                  {"hop 2", {"x"}, std::vector<float>(3, 0.5f)}};
  content.blocks = {{"source", 0, false, false, false}, {"", 2, false, true, false}};
  const QFont font = QApplication::font();
  const QSize small = HeatMapLayout::sizeFor(content, font, content.smallestCell),
              large = HeatMapLayout::sizeFor(content, font, content.largestCell);
  QVERIFY(small.width() <= large.width() && small.height() < large.height());
  for (const QSizeF size : {QSizeF(small), QSizeF(large), QSizeF(2 * large)}) {
    const HeatMapLayout layout(content, font, size);
    for (int map = 0; map < 2; ++map) {
      for (int row = 0; row < content.maps[map].rows.size(); ++row) {
        for (int column = 0; column < 3; ++column) {
          const HeatMapCell cell{map, row, column};
          const QRectF rect = layout.cellRect(cell);
          QCOMPARE(layout.cellAt(rect.center()), cell);
          QVERIFY(layout.mapRect(map).adjusted(-1, -1, 1, 1).contains(rect));
          QVERIFY(rect.right() < layout.legendLeft());
        }
      }
    }
    QVERIFY(layout.mapRect(0).bottom() < layout.mapRect(1).top());
    QVERIFY(layout.showsValues(2) || size == QSizeF(small));
    QVERIFY(layout.cellRect({1, 1, 0}).isEmpty());
    QCOMPARE(layout.cellAt({0, 0}), HeatMapCell{});
  }
}

void TestHeatMap::aCellUnderTheMouseIsReadOut() {
  HeatMapView view;
  fill(view);
  const QPoint at = view.cellRect(0, 1, 1).center().toPoint();
  QHelpEvent help(QEvent::ToolTip, at, view.mapToGlobal(at));
  QCoreApplication::sendEvent(&view, &help);
  QTRY_COMPARE(QToolTip::text(), QString("hop 1 · embedding · b: 1.000"));
}

void TestHeatMap::theKeyboardMovesACursorThatSpeaks() {
  HeatMapView view;
  fill(view);
  view.setFocus();
  QSignalSpy chosen(&view, &HeatMapView::chosen);
  const auto press = [&view](Qt::Key key, Qt::KeyboardModifiers with = {}) {
    QTest::keyClick(&view, key, with);
    return view.cursor();
  };
  QCOMPARE(press(Qt::Key_Right), (HeatMapCell{0, 0, 0}));
  QCOMPARE(press(Qt::Key_Right), (HeatMapCell{0, 0, 1}));
  QCOMPARE(press(Qt::Key_End), (HeatMapCell{0, 0, 2}));
  QCOMPARE(view.accessibleDescription(), QString("hop 1 · layer 1 · c: 0.500"));
  QCOMPARE(press(Qt::Key_Down), (HeatMapCell{0, 1, 2}));
  QCOMPARE(press(Qt::Key_Down), (HeatMapCell{1, 0, 2}));  // into the next map
  QCOMPARE(press(Qt::Key_Home), (HeatMapCell{1, 0, 0}));
  press(Qt::Key_Return);
  QCOMPARE(chosen.takeFirst(), QVariantList({1, 0, 0}));
  QCOMPARE(press(Qt::Key_End, Qt::ControlModifier), (HeatMapCell{1, 1, 2}));
  QCOMPARE(press(Qt::Key_Home, Qt::ControlModifier), (HeatMapCell{0, 0, 0}));
  QCOMPARE(view.accessibleDescription(), QString("hop 1 · layer 1 · a: 1.000"));
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect(1, 0, 1).center().toPoint());
  QCOMPARE(chosen.takeFirst(), QVariantList({1, 0, 1}));
}

void TestHeatMap::theCursorIsSeenInBothThemes() {
  for (const ThemeChoice choice : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    HeatMapView view;
    fill(view);
    applyTheme(choice);
    view.activateWindow();
    view.setFocus();
    QTRY_VERIFY(view.hasFocus());
    QTest::keyClick(&view, Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(&view, Qt::Key_Down);
    const QImage picture = view.grab().toImage();
    const QRectF cell = view.cellRect(0, 1, 0);
    bool black = false, white = false;
    for (int dx = -5; dx < 3; ++dx) {
      const QColor colour = picture.pixelColor(int(cell.left()) + dx, int(cell.center().y()));
      black = black || colour == Qt::black;
      white = white || colour == Qt::white;
    }
    QVERIFY(black && white);
    view.clearFocus();
    QVERIFY(view.grab().toImage() != picture);
  }
  applyTheme(ThemeChoice::kLight);
}

void TestHeatMap::tabLeaves() {
  QWidget window;
  QVBoxLayout layout(&window);
  auto *before = new QLineEdit, *after = new QLineEdit;
  auto* view = new HeatMapView;
  layout.addWidget(before);
  layout.addWidget(view);
  layout.addWidget(after);
  fill(*view);
  window.show();
  window.activateWindow();
  view->setFocus();
  QTRY_VERIFY(view->hasFocus());
  QTest::keyClick(view, Qt::Key_Right);
  QTest::keyClick(view, Qt::Key_Tab);
  QVERIFY(after->hasFocus());
  QTest::keyClick(after, Qt::Key_Tab, Qt::ShiftModifier);
  QVERIFY(view->hasFocus());
  QTest::keyClick(view, Qt::Key_Tab, Qt::ShiftModifier);
  QVERIFY(before->hasFocus());
}

void TestHeatMap::manyColumnsAskForRoom() {
  HeatMapView view;
  QStringList columns;
  for (int i = 0; i < 100; ++i) columns << QString("read%1 → said%1").arg(i);
  view.setMaps(columns, {{"hop 1", {"x"}, std::vector<float>(100, 0.1f)}});
  QVERIFY(view.minimumSizeHint().width() > 1600);
  QVERIFY(view.minimumSizeHint().height() > 60);  // slanted labels
}

void TestHeatMap::exportsPictures() {
  HeatMapView view;
  fill(view);
  QTemporaryDir folder;
  for (const char* name : {"h.png", "h.svg", "h.pdf"}) {
    view.exportTo(folder.filePath(name));
    QVERIFY(QFileInfo(folder.filePath(name)).size() > 500);
  }
  QVERIFY_EXCEPTION_THROWN(view.exportTo(folder.filePath("nowhere/h.png")), strata::Error);
}

STRATA_TEST(TestHeatMap)
#include "test_heat_map.moc"
