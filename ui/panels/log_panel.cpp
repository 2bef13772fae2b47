#include "ui/panels/log_panel.h"

#include <QAction>
#include <QComboBox>
#include <QDateTime>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {
constexpr int kLines = 20000;  // kept in the view; the file has all
}

LogPanel::LogPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("log"), QStringLiteral("log"), tr("Log")}, parent) {
  setObjectName(QStringLiteral("logPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  auto* bar = makeLayout<QHBoxLayout>(nullptr, {8, 6, 8, 6}, kUsualSpacing);
  runs_ = named(new RunBox(content), "logRun", tr("Run"));
  filter_ = named(new QLineEdit(content), "logFilter", tr("Log filter"));
  filter_->setPlaceholderText(tr("Filter lines"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(320);
  bar->addWidget(runs_);
  bar->addWidget(filter_, 1);
  bar->addStretch();
  layout->addLayout(bar);
  text_ = named(new QPlainTextEdit(content), "logText", tr("Log"));
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setMaximumBlockCount(kLines);
  text_->setProperty("flat", true);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  layout->addWidget(text_, 1);
  setContent({tr("No log yet"), tr("The log of a run is shown here while it trains."), {runDemo}},
             content);
  connect(runs_, &QComboBox::currentIndexChanged, this, &LogPanel::choose);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = run()}); });
  connect(filter_, &QLineEdit::textChanged, this, &LogPanel::refill);
}

void LogPanel::setRuns(const QVector<RunRow>& runs) {
  const QVector<RunRow> shown = newestFirst(runs);
  setEmpty(shown.isEmpty());
  const qint64 chosen = run();
  const bool restores = chosen == 0 && findRun(shown, restored_);
  qint64 wanted = restores ? restored_ : chosen;
  QSet<qint64> active;
  for (const RunRow& row : shown) {
    if (!row.isActive()) continue;
    active.insert(row.id);
    if (!restores && !active_.contains(row.id)) wanted = row.id;
  }
  active_ = active;
  runs_->setRuns(shown, wanted);
  if (run() != chosen) choose();
  if (runs_->problem() != problem_) refill();
}

qint64 LogPanel::run() const {
  return runs_->run();
}

void LogPanel::follow(const Selection& choice) {
  if (choice.run) runs_->showRun(*choice.run);
}

Json LogPanel::saveState() const {
  return {{"run", run() > 0 ? run() : restored_}, {"filter", toStd(filter_->text())}};
}

void LogPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.number("run").value_or(0);
  saved.line("filter", filter_);
}

void LogPanel::choose() {
  lines_.clear();
  arrived_ = false;
  refill();
  emit runChosen(run());
}

void LogPanel::addLines(qint64 run, const QVector<LogLine>& lines) {
  if (run != this->run()) return;
  arrived_ = true;
  lines_ += lines;
  if (lines_.size() > kLines) lines_.remove(0, lines_.size() - kLines);
  for (const LogLine& line : lines) append(line);
  sayWhyEmpty();
}

// Words in the place of the lines, which are not part of the text.
void LogPanel::sayWhyEmpty() {
  const QString filter = filter_->text();
  text_->setPlaceholderText(!arrived_          ? QString()
                            : lines_.isEmpty() ? tr("This run has logged nothing yet.")
                            : filter.isEmpty() ? QString()
                                               : tr("No line contains “%1”.").arg(filter));
}

// appendPlainText scrolls to the end only if the view was there.
void LogPanel::append(const LogLine& line) {
  if (!line.text.contains(filter_->text(), Qt::CaseInsensitive)) return;
  const QString time =
      QDateTime::fromMSecsSinceEpoch(qint64(line.time * 1000)).toString(QStringLiteral("hh:mm:ss"));
  const Theme& t = theme();
  QColor colour = t.text;
  if (line.level == QLatin1String("warning")) colour = t.warning;
  if (line.level == QLatin1String("error") || line.level == QLatin1String("critical"))
    colour = t.bad;
  QTextCharFormat format;
  format.setForeground(colour);
  text_->setCurrentCharFormat(format);
  text_->appendPlainText(QStringLiteral("%1  %2").arg(time, line.text));
}

void LogPanel::refill() {
  text_->clear();
  problem_ = runs_->problem();
  if (!problem_.isEmpty()) text_->appendPlainText(problem_);
  for (const LogLine& line : lines_) append(line);
  sayWhyEmpty();
}

void LogPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refill();
}

QString LogPanel::text() const {
  return text_->toPlainText();
}

}  // namespace strata::ui
