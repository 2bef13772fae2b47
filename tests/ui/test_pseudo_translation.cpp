#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTextEdit>
#include <QToolButton>
#include <QTranslator>
#include <QtTest>

#include "tests/ui/window_fixture.h"
#include "ui/data/plurals.h"
#include "ui/data/text.h"
#include "ui/window/stage.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// Makes every text 40 % longer, with accents, between brackets: "[Ŕúñ ~~]". Places of values, tags,
// entities and the letters after & stay.
class LongTexts : public QTranslator {
 public:
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* text, const char*, int) const override {
    const QString source = QString::fromUtf8(text);
    static const QRegularExpression keys("^((Ctrl|Alt|Shift|Meta)\\+\\S+|F\\d+|Del)$");
    if (source.trimmed().isEmpty() || keys.match(source).hasMatch()) return source;
    static const QRegularExpression kept("%n|%L?\\d+|<[^>]*>|&\\w+;|&\\w");
    QString made;
    qsizetype at = 0;
    for (auto match = kept.globalMatch(source); match.hasNext();) {
      const auto found = match.next();
      made += accented(source.mid(at, found.capturedStart() - at)) + found.captured();
      at = found.capturedEnd();
    }
    made += accented(source.mid(at));
    QString longer = "[" + made;
    for (qsizetype more = qMax<qsizetype>(2, source.size() * 2 / 5); more > 0; more -= 6)
      longer += " " + QString("~").repeated(qMin<qsizetype>(5, more));
    return longer + "]";
  }

 private:
  static QString accented(QString text) {
    static const QString plain = "aeiouncAEIOUNC", with = "áéíóúñçÁÉÍÓÚÑÇ";
    for (QChar& c : text) {
      if (const qsizetype at = plain.indexOf(c); at >= 0) c = with[at];
    }
    return text;
  }
};

// The window in a language with long words.
class TestPseudoTranslation : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void initTestCase();
  void cleanupTestCase();
  void everyTextIsTranslated();
  void nothingIsCut_data();
  void nothingIsCut();
  void theWindowFitsASmallScreen();

 private:
  QString labelOf(const QWidget* widget) const;
  LongTexts translator_;
};

void TestPseudoTranslation::initTestCase() {
  writePlurals();  // a language has its own, and comes later
  QCoreApplication::installTranslator(&translator_);
  makeWorkspace();
  for (const char* name : {"r1", "r2"}) {
    const RunSummary run = fixture::makeRun(*workspace_, name);
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 200);
    SentenceRecordings sentence = fixture::gateSentence();
    sentence.recordings.push_back(fixture::sentence(0, 1).recordings[0]);
    writeRecordings(session.folder() / "recordings/step-100", {sentence});
    session.recording({run.id, 100, "recordings/step-100"});
    session.end({run.id, 200, RunOutcome::kFinished, ""});
  }
  open();
  window_->resize(1280, 800);
  QTRY_COMPARE(window_->rows().size(), 2);
}

void TestPseudoTranslation::cleanupTestCase() {
  removeWorkspace();
  QCoreApplication::removeTranslator(&translator_);
}

QString TestPseudoTranslation::labelOf(const QWidget* widget) const {
  QStringList path;
  for (const QWidget* at = widget; at && at != window_.get(); at = at->parentWidget()) {
    if (!at->objectName().isEmpty() && !at->objectName().startsWith("qt_"))
      path.prepend(at->objectName());
  }
  return QString("%1 %2").arg(widget->metaObject()->className(), path.join('/'));
}

// Words of a text that a translator never saw: no names, numbers, keys or paths.
static bool isUntranslated(const QString& text) {
  if (text.contains('[') || text.contains('~')) return false;
  // Metrics and tokenizers are names, files of resources/help are English.
  static const QRegularExpression word("[a-z]{3,}"), data("^[\\w./:@+-]*[\\d_./:][\\w./:@+-]*$");
  static const QSet<QString> names{"multi-bleu", "BLEU (mteval-v13a)", "NIST (mteval-v13a)"};
  if (names.contains(text)) return false;
  return word.match(text).hasMatch() && !data.match(text.trimmed()).hasMatch();
}

void TestPseudoTranslation::everyTextIsTranslated() {
  QStringList found;
  const auto check = [&](const QWidget* widget, const QString& what, const QString& text) {
    // What strata-run prints, too, is English; tokenizers and metrics are names.
    for (const char* core :
         {"import--tokenizer", "sweepsMetric", "sweepsProblem", "sweepsTable", "sweepsChart"}) {
      if (labelOf(widget).contains(core)) return;
    }
    if (isUntranslated(text))
      found << QString("%1: %2 “%3”").arg(labelOf(widget), what, text.left(60));
  };
  for (const Panel* panel : window_->panels()->all()) window_->bringUp(panel->name());
  QTest::qWait(300);
  for (const QAction* action : window_->findChildren<QAction*>()) {
    const auto* owner = qobject_cast<const QWidget*>(action->parent());
    if (action->objectName().startsWith("help:")) continue;
    if (!action->isSeparator() && owner && !owner->inherits("QLineEdit") &&
        !owner->inherits("QTextEdit"))
      check(owner, "action " + action->objectName(), action->text());
  }
  for (const QWidget* widget : window_->findChildren<QWidget*>()) {
    check(widget, "tooltip", widget->toolTip());
    check(widget, "name", widget->accessibleName());
    if (const auto* label = qobject_cast<const QLabel*>(widget))
      check(widget, "label", label->text());
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
      check(widget, "button", button->text());
    if (const auto* edit = qobject_cast<const QLineEdit*>(widget))
      check(widget, "hint", edit->placeholderText());
    if (const auto* edit = qobject_cast<const QPlainTextEdit*>(widget))
      check(widget, "hint", edit->placeholderText());
    if (const auto* spin = qobject_cast<const QSpinBox*>(widget)) {
      check(widget, "suffix", spin->suffix());
      check(widget, "special", spin->specialValueText());
    }
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
      for (int i = 0; i < tabs->count(); ++i) check(widget, "tab", tabs->tabText(i));
    }
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
      for (int i = 0; i < box->count(); ++i) check(widget, "choice", box->itemText(i));
    }
    if (const auto* header = qobject_cast<const QHeaderView*>(widget); header && header->model()) {
      for (int i = 0; i < header->count(); ++i)
        check(widget, "column", header->model()->headerData(i, header->orientation()).toString());
    }
  }
  found.removeDuplicates();
  for (const QString& each : found) qWarning("%s", qPrintable(each));
  QVERIFY(found.isEmpty());
}

void TestPseudoTranslation::nothingIsCut_data() {
  QTest::addColumn<QString>("panel");
  for (const Panel* panel : window_->panels()->all())
    QTest::newRow(qPrintable(panel->name())) << panel->name();
}

// A button or label on one line is as wide as its text, unless it shows an ellipsis.
void TestPseudoTranslation::nothingIsCut() {
  QFETCH(QString, panel);
  window_->bringUp(panel);
  QCOMPARE(window_->size(), QSize(1280, 800));
  QTest::qWait(50);
  QStringList cut;
  for (const QWidget* widget : window_->findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    int needed = 0;
    if (const auto* label = qobject_cast<const QLabel*>(widget)) {
      const bool plain = !label->wordWrap() && !label->text().isEmpty() && label->pixmap().isNull();
      needed = plain && !label->text().endsWith("…") ? label->sizeHint().width() : 0;
    } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
      if (!button->text().isEmpty() && !button->text().endsWith("…"))
        needed = button->sizeHint().width();
      const auto* tool = qobject_cast<const QToolButton*>(widget);
      if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull())
        needed = 0;
    }
    if (needed > widget->width() + 1)
      cut << QString("%1: %2 of %3").arg(labelOf(widget)).arg(widget->width()).arg(needed);
  }
  QVERIFY2(cut.isEmpty(), qPrintable('\n' + cut.join('\n')));
}

void TestPseudoTranslation::theWindowFitsASmallScreen() {
  QStringList wide, known;
  const auto isKnown = [](const QString& name) {
    return QStringList{"data", "prepare", "compare"}.contains(name);
  };
  const auto explain = [&](const QWidget* within) {
    for (const QWidget* widget : within->findChildren<QWidget*>()) {
      const int least = std::max(widget->minimumWidth(), widget->minimumSizeHint().width());
      if (widget->isVisible() && least > 500)
        wide << QString("  %1: %2").arg(labelOf(widget)).arg(least);
    }
  };
  for (Panel* panel : window_->panels()->all()) {
    window_->bringUp(panel->name());
    const int least = panel->minimumSizeHint().width();
    if (least <= 1008) continue;
    (isKnown(panel->name()) ? known : wide) << QString("%1: %2").arg(panel->name()).arg(least);
    if (isKnown(panel->name())) continue;
    explain(panel);
  }
  for (const QAction* action : window_->stage()->actions()) {
    window_->showPerspective(action->data().toString());
    const int least = window_->stage()->currentWidget()->minimumSizeHint().width();
    if (least <= 1008) continue;
    const QString name = action->data().toString();
    (isKnown(name) ? known : wide) << QString("%1: %2").arg(name).arg(least);
    if (!isKnown(name)) explain(window_->stage()->currentWidget());
  }
  for (const QString& each : wide) qWarning("%s", qPrintable(each));
  QVERIFY(wide.isEmpty());
  QEXPECT_FAIL("", "Import and Compare are wider with words 40 % longer than English ones",
               Continue);
  QVERIFY2(known.isEmpty(), qPrintable(known.join('|')));
  QCOMPARE(window_->size(), QSize(1280, 800));
}

QTEST_MAIN(TestPseudoTranslation)
#include "test_pseudo_translation.moc"
