#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QProcess>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTextEdit>
#include <QToolButton>
#include <QTranslator>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/cut_texts.h"
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
  void soItIsAtTwiceTheScale();

 private:
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

// Words of a text that a translator never saw: no names, numbers, keys or paths.
static bool isUntranslated(const QString& text) {
  if (text.contains('[') || text.contains('~')) return false;
  // Metrics, tokenizers and devices are names, files of resources/help are English.
  static const QRegularExpression word("[a-z]{3,}"), data("^[\\w./:@+-]*[\\d_./:][\\w./:@+-]*$");
  static const QSet<QString> names{"multi-bleu", "BLEU (mteval-v13a)", "NIST (mteval-v13a)", "cpu"};
  if (names.contains(text)) return false;
  return word.match(text).hasMatch() && !data.match(text.trimmed()).hasMatch();
}

void TestPseudoTranslation::everyTextIsTranslated() {
  QStringList found;
  const auto check = [&](const QWidget* widget, const QString& what, const QString& text) {
    // What strata-run prints, too, is English; tokenizers and metrics are names.
    for (const char* core :
         {"import--tokenizer", "sweepsMetric", "sweepsProblem", "sweepsTable", "sweepsChart"}) {
      if (pathOf(widget).contains(core)) return;
    }
    if (isUntranslated(text))
      found << QString("%1: %2 “%3”").arg(pathOf(widget), what, text.left(60));
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

void TestPseudoTranslation::nothingIsCut() {
  QFETCH(QString, panel);
  window_->bringUp(panel);
  QCOMPARE(window_->size(), QSize(1280, 800));
  QTest::qWait(50);
  const QStringList cut = cutTexts(window_.get());
  QVERIFY2(cut.isEmpty(), qPrintable('\n' + cut.join('\n')));
}

// What is wider or higher than it may be: a panel or page, and the widgets in it that are.
static QStringList tooLarge(const QString& name, const QWidget* shown, const QSize& room) {
  const QSize least = shown->minimumSizeHint();
  QStringList found;
  if (least.width() <= room.width() && least.height() <= room.height()) return found;
  found << QString("%1: %2x%3").arg(name).arg(least.width()).arg(least.height());
  for (const QWidget* widget : shown->findChildren<QWidget*>()) {
    const QSize own = widget->minimumSize().expandedTo(widget->minimumSizeHint());
    if (widget->isVisible() && (own.width() > room.width() / 2 || own.height() > room.height() / 2))
      found << QString("  %1: %2x%3").arg(pathOf(widget)).arg(own.width()).arg(own.height());
  }
  return found;
}

void TestPseudoTranslation::theWindowFitsASmallScreen() {
  const QSize room(1008, 712);
  QStringList found;
  for (Panel* panel : window_->panels()->all()) {
    window_->bringUp(panel->name());
    found << tooLarge(panel->name(), panel, room);
  }
  for (const QAction* action : window_->stage()->actions()) {
    window_->showPerspective(action->data().toString());
    found << tooLarge(action->data().toString(), window_->stage()->currentWidget(), room);
  }
  QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  QCOMPARE(window_->size(), QSize(1280, 800));
}

// On a screen of twice the density fonts have other widths. The scale is chosen when a program
// starts: a second of this program checks the same.
void TestPseudoTranslation::soItIsAtTwiceTheScale() {
  QProcess child;
  auto variables = QProcessEnvironment::systemEnvironment();
  variables.insert("QT_SCALE_FACTOR", "2");
  child.setProcessEnvironment(variables);
  child.setProcessChannelMode(QProcess::MergedChannels);
  child.start(QCoreApplication::applicationFilePath(),
              {"test_pseudo_translation", "nothingIsCut", "theWindowFitsASmallScreen"});
  QVERIFY(child.waitForFinished(120000));
  QVERIFY2(child.exitCode() == 0, child.readAll());
}

STRATA_TEST(TestPseudoTranslation)
#include "test_pseudo_translation.moc"
