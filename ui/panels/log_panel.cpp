#include "ui/panels/log_panel.h"

#include <QAction>
#include <QComboBox>
#include <QDateTime>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSet>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"

namespace strata::ui {
namespace {
constexpr int kLines = 20000;  // kept in the view; the file has all
}

LogPanel::LogPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("log"), QStringLiteral("log"), tr("Log")}, parent) {
  setObjectName(QStringLiteral("logPanel"));
  auto* empty = new EmptyState(QStringLiteral("log"), tr("No log yet"),
                               tr("The log of a run is shown here while it trains."));
  empty->addAction(runDemo);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  runs_ = new QComboBox(content);
  runs_->setObjectName(QStringLiteral("logRun"));
  runs_->setAccessibleName(tr("Run"));
  runs_->setMinimumWidth(150);
  filter_ = new QLineEdit(content);
  filter_->setObjectName(QStringLiteral("logFilter"));
  filter_->setPlaceholderText(tr("Filter lines"));
  filter_->setAccessibleName(tr("Log filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(320);
  bar->addWidget(runs_);
  bar->addWidget(filter_, 1);
  bar->addStretch();
  layout->addLayout(bar);
  text_ = new QPlainTextEdit(content);
  text_->setObjectName(QStringLiteral("logText"));
  text_->setAccessibleName(tr("Log"));
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setMaximumBlockCount(kLines);
  text_->setProperty("flat", true);
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  text_->setFont(font);
  layout->addWidget(text_, 1);
  setContent(empty, content);
  connect(runs_, &QComboBox::currentIndexChanged, this, &LogPanel::choose);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = run()}); });
  connect(filter_, &QLineEdit::textChanged, this, &LogPanel::refill);
}

void LogPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<RunRow> shown;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(shown),
               [](const RunRow& r) { return !r.trashed; });
  std::sort(shown.begin(), shown.end(),
            [](const RunRow& a, const RunRow& b) { return a.id > b.id; });
  setEmpty(shown.isEmpty());
  const qint64 chosen = run();
  const bool restores =
      chosen == 0 && std::any_of(shown.begin(), shown.end(),
                                 [this](const RunRow& row) { return row.id == restored_; });
  qint64 wanted = restores ? restored_ : chosen;
  bool same = runs_->count() == shown.size();
  QSet<qint64> active;
  for (int i = 0; i < shown.size(); ++i) {
    same = same && runs_->itemData(i).toLongLong() == shown[i].id &&
           runs_->itemText(i) == shown[i].name;
    if (!shown[i].isActive()) continue;
    active.insert(shown[i].id);
    if (!restores && !active_.contains(shown[i].id)) wanted = shown[i].id;
  }
  active_ = active;
  {
    const QSignalBlocker blocker(runs_);
    if (!same) {
      runs_->clear();
      for (const RunRow& run : shown) runs_->addItem(run.name, run.id);
    }
    runs_->setCurrentIndex(shown.isEmpty() ? -1 : std::max(0, runs_->findData(wanted)));
  }
  if (run() != chosen) choose();
}

qint64 LogPanel::run() const {
  return runs_->currentData().toLongLong();
}

void LogPanel::follow(const Selection& choice) {
  if (choice.run) showRun(*choice.run);
}

Json LogPanel::saveState() const {
  return {{"run", run() > 0 ? run() : restored_}, {"filter", toStd(filter_->text())}};
}

void LogPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.number("run").value_or(0);
  saved.line("filter", filter_);
}

void LogPanel::showRun(qint64 run) {
  if (const int index = runs_->findData(run); index >= 0) runs_->setCurrentIndex(index);
}

void LogPanel::choose() {
  lines_.clear();
  text_->clear();
  arrived_ = false;
  emit runChosen(run());
}

void LogPanel::addLines(qint64 run, const QVector<LogLine>& lines) {
  if (run != this->run()) return;
  arrived_ = true;
  lines_ += lines;
  if (lines_.size() > kLines) lines_.remove(0, lines_.size() - kLines);
  for (const LogLine& line : lines) append(line);
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
  for (const LogLine& line : lines_) append(line);
}

void LogPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refill();
}

QString LogPanel::text() const {
  return text_->toPlainText();
}

}  // namespace strata::ui
