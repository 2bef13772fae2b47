#include "ui/window/inspector.h"

#include <QAction>
#include <QCheckBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/store/imported.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
namespace {

constexpr int kNoteHeight = 80, kStepRole = Qt::UserRole, kPinnedRole = Qt::UserRole + 1,
              kAverageRole = Qt::UserRole + 2;
constexpr int kSamplesShown = 3;
constexpr int kSettingsTab = 1;

QString timeText(double seconds) {
  return QLocale().toString(QDateTime::fromSecsSinceEpoch(qint64(seconds)), QLocale::ShortFormat);
}

QLabel* makeText(const QString& name, QWidget* parent) {
  auto* label = named(new QLabel(parent), name);
  label->setWordWrap(true);
  label->setTextFormat(Qt::RichText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  return label;
}

QTreeWidget* makeTable(const QString& name, const QString& accessible, const QStringList& columns,
                       QWidget* parent) {
  auto* table = named(new QTreeWidget(parent), name, accessible);
  table->setRootIsDecorated(false);
  table->setUniformRowHeights(true);
  table->setHeaderLabels(columns);
  table->setTextElideMode(Qt::ElideMiddle);
  table->setTabKeyNavigation(false);
  return table;
}

// A line "name  value" of a table; nothing if there is no value.
QString factRow(const QString& name, const QString& value) {
  if (value.isEmpty()) return {};
  return QStringLiteral("<tr><td style='padding-right:10px; color:%1'>%2</td><td>%3</td></tr>")
      .arg(theme().muted.name(), name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString diskText(const DiskUse& disk) {
  return Inspector::tr("%1 (checkpoints %2, recordings %3, translations %4)")
      .arg(bytesText(double(disk.all())), bytesText(double(disk.checkpoints)),
           bytesText(double(disk.recordings)), bytesText(double(disk.outputs)));
}

// As `runs show` says it.
QString trainedRow(const RunStart& start) {
  return factRow(Inspector::tr("trained on"), qs(textOf(start.trained)));
}

// Columns of the table of checkpoints.
enum SavedColumn { kSavedStep, kSavedScore, kSavedNotes };

QString lineageText(const RunInspection& seen) {
  QStringList parts;
  if (!seen.from.empty())
    parts << Inspector::tr("began with the parameters of %1").arg(qs(seen.from));
  for (std::size_t i = 1; i < seen.starts.size(); ++i)
    parts << Inspector::tr("resumed from step %1").arg(countText(seen.starts[i].fromStep));
  if (!seen.averages.empty())
    parts << Inspector::tr("averaged into %n model(s)", nullptr, int(seen.averages.size()));
  return parts.join(QStringLiteral("; "));
}

}  // namespace

Inspector::Inspector(QWidget* parent) : QFrame(parent), tabs_(new Tabs(this)) {
  setObjectName(QStringLiteral("inspector"));
  setAutoFillBackground(true);
  auto* layout = makeLayout<QVBoxLayout>(this);
  layout->addWidget(makeHead());
  tabs_->setObjectName(QStringLiteral("inspectorTabs"));
  tabs_->addTab(makeFacts(), tr("Run"));
  tabs_->addTab(makeSettings(), tr("Settings"));
  tabs_->addTab(makeCheckpoints(), tr("Saved"));
  tabs_->setTabToolTip(2, tr("The run's checkpoints"));
  tabs_->addTab(makeStarts(), tr("Starts"));
  tabs_->setTabToolTip(3, tr("With what program, on what computer, by what command"));
  layout->addWidget(tabs_, 1);
  clear();
}

QWidget* Inspector::makeHead() {
  auto* bar = makeBar(this);
  title_ = named(styled(new QLabel(this), "heading"), QStringLiteral("inspectorTitle"));
  bar->addWidget(title_, 1);
  auto* close = new QAction(themedIcon(QStringLiteral("close")), tr("Close (F4)"), this);
  close->setObjectName(QStringLiteral("closeInspector"));
  connect(close, &QAction::triggered, this, &Inspector::closeRequested);
  addTool(bar, close);
  return bar->parentWidget();
}

QWidget* Inspector::makeFacts() {
  auto* scroll = makeScrollArea(this);
  auto* page = styled(new QWidget(scroll), "panel");
  auto* layout = makeLayout<QVBoxLayout>(page, {10, 8, 10, 8}, 8);
  facts_ = makeText(QStringLiteral("inspectorFacts"), page);
  layout->addWidget(facts_);
  layout->addWidget(styled(new QLabel(tr("Note"), page), "heading"));
  note_ = named(new QPlainTextEdit(page), QStringLiteral("inspectorNote"), tr("Note"));
  note_->setPlaceholderText(tr("What this run is for, and what came of it"));
  note_->setFixedHeight(kNoteHeight);
  note_->setTabChangesFocus(true);
  note_->installEventFilter(this);
  layout->addWidget(note_);
  samples_ = makeText(QStringLiteral("inspectorSamples"), page);
  layout->addWidget(samples_);
  layout->addStretch();
  scroll->setWidget(page);
  return scroll;
}

QWidget* Inspector::makeSettings() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page, {8, 8, 8, 8}, 6);
  filter_ =
      named(new QLineEdit(page), QStringLiteral("inspectorFilter"), tr("Filter of the settings"));
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, this, &Inspector::showSettings);
  layout->addWidget(filter_);
  onlyDifferences_ =
      named(new QCheckBox(page), QStringLiteral("onlyDifferences"), tr("Only differences"));
  connect(onlyDifferences_, &QCheckBox::toggled, this, &Inspector::showSettings);
  layout->addWidget(onlyDifferences_);
  settings_ = makeTable(QStringLiteral("inspectorSettings"), tr("Settings"), {}, page);
  layout->addWidget(settings_, 1);
  return page;
}

QWidget* Inspector::makeCheckpoints() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  auto* bar = makeBar(page);
  const auto action = [&](const QString& name, const QString& icon, const QString& text) {
    auto* made = named(new QAction(themedIcon(icon), text, this), name);
    addTool(bar, made);
    return made;
  };
  pin_ = action(QStringLiteral("pinCheckpoint"), QStringLiteral("pin"),
                tr("Pin the checkpoint: training does not remove it"));
  pin_->setCheckable(true);
  average_ = action(QStringLiteral("averageCheckpoints"), QStringLiteral("average"),
                    tr("Average the selected checkpoints into one model"));
  copyAverage_ = action(QStringLiteral("copyAverage"), QStringLiteral("copy"),
                        tr("Copy the command line that averages the selected checkpoints"));
  fork_ = action(QStringLiteral("forkCheckpoint"), QStringLiteral("launch"),
                 tr("Set up a new run that starts from its parameters"));
  open_ = action(QStringLiteral("openCheckpoint"), QStringLiteral("folder"),
                 tr("Open the folder of the checkpoint or average"));
  remove_ = action(QStringLiteral("removeCheckpoint"), QStringLiteral("trash"),
                   tr("Delete the checkpoint or average…"));
  bar->addStretch();
  layout->addWidget(bar->parentWidget());
  checkpoints_ = makeTable(QStringLiteral("inspectorCheckpoints"), tr("Checkpoints"), {}, page);
  checkpoints_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  layout->addWidget(checkpoints_, 1);
  connectCheckpoints();
  return page;
}

void Inspector::connectCheckpoints() {
  connect(checkpoints_, &QTreeWidget::itemSelectionChanged, this,
          &Inspector::updateCheckpointActions);
  connect(checkpoints_, &QTreeWidget::currentItemChanged, this,
          &Inspector::updateCheckpointActions);
  connect(checkpoints_, &QTreeWidget::itemActivated, this, [this] {
    if (checkpoint() >= 0) emit chosen({.run = run_, .step = checkpoint()});
  });
  connect(pin_, &QAction::triggered, this,
          [this](bool on) { emit pinRequested(run_, checkpoint(), on); });
  connect(average_, &QAction::triggered, this,
          [this] { emit averageRequested(run_, title_->text(), selectedSteps()); });
  connect(copyAverage_, &QAction::triggered, this,
          [this] { emit averageCommandCopied(run_, selectedSteps()); });
  connect(fork_, &QAction::triggered, this, [this] {
    const QString step = QStringLiteral("%1@%2").arg(title_->text()).arg(checkpoint());
    emit forkRequested(run_, average().isEmpty() ? step : average());
  });
  connect(open_, &QAction::triggered, this, [this] {
    const auto folder = checkpointsFolder(seen_->run.folder) / checkpointName(checkpoint());
    emit openFolderRequested(average().isEmpty() ? qs(folder.string()) : average());
  });
  connect(remove_, &QAction::triggered, this, &Inspector::confirmRemoval);
}

QWidget* Inspector::makeStarts() {
  auto* scroll = makeScrollArea(this);
  auto* page = styled(new QWidget(scroll), "panel");
  auto* layout = makeLayout<QVBoxLayout>(page, {10, 8, 10, 8});
  starts_ = makeText(QStringLiteral("inspectorStarts"), page);
  layout->addWidget(starts_);
  layout->addStretch();
  scroll->setWidget(page);
  return scroll;
}

void Inspector::setRuns(const QVector<RunRow>& runs) {
  const RunRow* row = findRun(runs, run_);
  if (!row || (*row == row_ && seen_)) return;
  row_ = *row;
  request();
}

void Inspector::setSelection(const Selection& selection) {
  const qint64 run = selection.run.value_or(0), other = selection.other.value_or(0);
  const QString system = selection.system.value_or(QString());
  if (run == run_ && other == other_ && system == system_) return;
  writeNote();
  system_ = system;
  run_ = run;
  other_ = other;
  clear();
  request();
}

void Inspector::showDifferences() {
  tabs_->setCurrentIndex(kSettingsTab);
  onlyDifferences_->setChecked(true);
}

void Inspector::request() {
  if (run_ != 0 && isVisible()) emit requested(run_, other_);
}

void Inspector::showEvent(QShowEvent* event) {
  QFrame::showEvent(event);
  request();
}

void Inspector::clear() {
  seen_.reset();
  title_->setText(!system_.isEmpty() ? system_ : run_ == 0 ? tr("No run is chosen") : QString());
  facts_->setText(!system_.isEmpty() ? tr("An imported system: Compare shows its translations.")
                  : run_ == 0        ? tr("Choose a run in the list at the left.")
                                     : QString());
  samples_->clear();
  starts_->clear();
  settings_->clear();
  checkpoints_->clear();
  tabs_->setEnabled(run_ != 0);
  const QSignalBlocker blocker(note_);
  note_->clear();
  updateCheckpointActions();
}

void Inspector::show(const RunInspection& seen) {
  if (seen.run.id != run_ || seen.other != (other_ == run_ ? 0 : other_)) return;  // too late
  const bool first = !seen_;
  seen_ = seen;
  title_->setText(qs(seen.run.name));
  showFacts(seen);
  if (first || !note_->hasFocus()) note_->setPlainText(qs(seen.run.note));
  const QSignalBlocker blocker(onlyDifferences_);
  onlyDifferences_->setEnabled(seen.other != 0);
  onlyDifferences_->setText(
      seen.other != 0
          ? tr("only the %n difference(s) from %1", nullptr, int(seen.differences.size()))
                .arg(seen.otherName)
          : tr("only differences (choose another run with Shift)"));
  showSettings();
  showCheckpoints(seen);
  showStarts(seen);
}

void Inspector::showFacts(const RunInspection& seen) {
  const RunSummary& run = seen.run;
  const auto score = [&](double value, qint64 step) {
    return step < 0 ? QString() : tr("%1 at step %2").arg(numberText(value), countText(step));
  };
  const std::string tool = importedFrom(run);
  QString rows =
      factRow(tr("imported"),
              tool.empty() ? QString()
                           : tr("from %1: it has curves and no model").arg(qs(titleOfTool(tool)))) +
      factRow(tr("status"), qs(nameOf(run.status))) + factRow(tr("why"), qs(run.message)) +
      factRow(tr("preset"), qs(run.preset)) + factRow(tr("dataset"), qs(run.dataset)) +
      (seen.starts.empty() ? QString() : trainedRow(seen.starts.back())) +
      factRow(tr("seed"), QString::number(run.seed)) + factRow(tr("step"), countText(run.step)) +
      factRow(tr("metric"), qs(run.metric)) + factRow(tr("best"), score(run.best, run.bestStep)) +
      factRow(tr("last"), score(run.last, run.lastStep));
  if (run.tokensPerSecond > 0)
    rows += factRow(tr("speed"), tr("%1 tokens/s").arg(countText(qRound64(run.tokensPerSecond))));
  rows += factRow(tr("training"), run.seconds > 0 ? durationText(run.seconds) : QString()) +
          factRow(tr("on disk"), diskText(seen.disk)) +
          factRow(tr("tests"), run.looks > 0
                                   ? tr("a test set was scored %n time(s)", nullptr, int(run.looks))
                                   : QString()) +
          factRow(tr("tags"), qs(run.tags).join(QStringLiteral(", "))) +
          factRow(tr("lineage"), lineageText(seen)) +
          factRow(tr("folder"), qs(run.folder.string()));
  facts_->setText(QStringLiteral("<table>%1</table>").arg(rows));
  QString samples;
  for (const StoredSample& sample : seen.samples) {
    if (&sample - seen.samples.data() >= kSamplesShown) break;
    samples += QStringLiteral("<p><span style='color:%1'>%2</span><br>%3</p>")
                   .arg(theme().muted.name(), qs(sample.reference).toHtmlEscaped(),
                        qs(sample.hypothesis).toHtmlEscaped());
  }
  if (!samples.isEmpty())
    samples.prepend(tr("<b>Samples at step %1</b> below their references")
                        .arg(countText(seen.samples.front().step)));
  samples_->setText(samples);
}

void Inspector::showSettings() {
  settings_->clear();
  if (!seen_) return;
  const bool differences = onlyDifferences_->isChecked() && seen_->other != 0;
  QStringList columns{tr("key"), qs(seen_->run.name)};
  if (differences) columns << seen_->otherName;
  settings_->setColumnCount(int(columns.size()));
  settings_->setHeaderLabels(columns);
  const auto add = [this](const QStringList& row) {
    if (!row.join(QLatin1Char(' ')).contains(filter_->text(), Qt::CaseInsensitive)) return;
    auto* item = new QTreeWidgetItem(settings_, row);
    for (int i = 0; i < row.size(); ++i) item->setToolTip(i, row[i]);
  };
  if (differences) {
    for (const QStringList& row : seen_->differences) add(row);
  } else {
    for (const Setting& each : seen_->settings) add({qs(each.key), qs(each.value)});
  }
  settings_->header()->setSectionResizeMode(QHeaderView::Stretch);
}

void Inspector::showCheckpoints(const RunInspection& seen) {
  const qint64 chosenStep = checkpoint();
  checkpoints_->clear();
  checkpoints_->setHeaderLabels({tr("step"), qs(seen.run.metric), tr("notes")});
  for (const CheckpointInfo& info : seen.checkpoints) {
    const auto score = info.scores.find(seen.run.metric);
    QStringList notes;
    if (info.step == seen.run.bestStep) notes << tr("best");
    if (info.pinned) notes << tr("pinned");
    if (!info.damage.empty()) notes << tr("damaged");
    auto* item = new QTreeWidgetItem(
        checkpoints_,
        {countText(info.step), score == info.scores.end() ? QString() : numberText(score->second),
         notes.join(QStringLiteral(", "))});
    item->setTextAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setToolTip(2, qs(info.damage));
    item->setData(0, kStepRole, qint64(info.step));
    item->setData(0, kPinnedRole, info.pinned);
    if (info.step == chosenStep) checkpoints_->setCurrentItem(item);
  }
  showAverages(seen);
  for (int column = 0; column < 2; ++column) checkpoints_->resizeColumnToContents(column);
  updateCheckpointActions();
}

void Inspector::showAverages(const RunInspection& seen) {
  for (const AveragedModel& model : seen.averages) {
    QStringList steps;
    for (const std::int64_t step : model.steps) steps << countText(step);
    const QString list = steps.join(QStringLiteral(" + "));
    auto* item = new QTreeWidgetItem(checkpoints_, {list, QString(), tr("average")});
    item->setToolTip(kSavedStep, tr("Mean of the parameters at steps %1").arg(list));
    item->setToolTip(kSavedNotes, qs(model.folder.string()));
    item->setData(kSavedStep, kStepRole, qint64(-1));
    item->setData(kSavedStep, kAverageRole, qs(model.folder.string()));
  }
}

void Inspector::showStarts(const RunInspection& seen) {
  QString text;
  for (const RunStart& start : seen.starts) {
    text += QStringLiteral("<p><b>%1</b><table>%2</table></p>")
                .arg(timeText(start.time).toHtmlEscaped(),
                     factRow(tr("from step"), countText(start.fromStep)) +
                         factRow(tr("program"), qs(start.program)) +
                         factRow(tr("libtorch"), qs(start.libtorch)) +
                         factRow(tr("device"), qs(start.device)) +
                         (start.processes > 1
                              ? factRow(tr("processes"), QString::number(start.processes))
                              : QString()) +
                         factRow(tr("threads"), QString::number(start.threads)) +
                         factRow(tr("host"), qs(start.host)) +
                         factRow(tr("dataset"), qs(start.datasetDigest)) + trainedRow(start) +
                         factRow(tr("command"), qs(start.command)));
  }
  starts_->setText(text);
}

qint64 Inspector::checkpoint() const {
  const QTreeWidgetItem* item = checkpoints_->currentItem();
  return item ? item->data(0, kStepRole).toLongLong() : -1;
}

QString Inspector::average() const {
  const QTreeWidgetItem* item = checkpoints_->currentItem();
  return item ? item->data(0, kAverageRole).toString() : QString();
}

QVector<qint64> Inspector::selectedSteps() const {
  QVector<qint64> steps;
  for (const QTreeWidgetItem* item : checkpoints_->selectedItems()) {
    if (const qint64 step = item->data(0, kStepRole).toLongLong(); step >= 0) steps << step;
  }
  std::ranges::sort(steps);
  return steps;
}

void Inspector::updateCheckpointActions() {
  const QTreeWidgetItem* item = checkpoints_->currentItem();
  const bool single = item && checkpoints_->selectedItems().size() < 2;
  const bool isAverage = !average().isEmpty();
  for (QAction* action : {average_, copyAverage_}) action->setEnabled(selectedSteps().size() > 1);
  open_->setEnabled(single);
  fork_->setEnabled(single);
  pin_->setEnabled(single && !isAverage);
  remove_->setEnabled(single && (isAverage || !row_.isActive()));
  pin_->setChecked(item && item->data(0, kPinnedRole).toBool());
}

void Inspector::confirmRemoval() {
  const qint64 run = run_, step = checkpoint();
  if (const QString folder = average(); !folder.isEmpty()) {
    confirm(tr("Delete an average"),
            tr("The average of %1 in %2 is deleted for good.").arg(title_->text(), folder),
            [this, run, folder] { emit removeAverageRequested(run, folder); });
    return;
  }
  confirm(tr("Delete a checkpoint"),
          tr("The checkpoint of %1 at step %2 is deleted for good.")
              .arg(title_->text(), countText(step)),
          [this, run, step] { emit removeRequested(run, step); });
}

void Inspector::confirm(const QString& title, const QString& text,
                        const std::function<void()>& remove) {
  auto* box = new QMessageBox(QMessageBox::Warning, title, text, QMessageBox::Cancel, this);
  box->setObjectName(QStringLiteral("removeCheckpointBox"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* button = box->addButton(tr("Delete"), QMessageBox::DestructiveRole);
  connect(button, &QAbstractButton::clicked, this, remove);
  box->open();
}

void Inspector::writeNote() {
  if (!seen_ || note_->toPlainText() == qs(seen_->run.note)) return;
  seen_->run.note = toStd(note_->toPlainText());
  emit noteWritten(run_, note_->toPlainText());
}

bool Inspector::eventFilter(QObject* watched, QEvent* event) {
  if (watched == note_ && event->type() == QEvent::FocusOut) writeNote();
  return QFrame::eventFilter(watched, event);
}

Json Inspector::saveState() const {
  return {{"tab", tabs_->currentIndex()}, {"differences", onlyDifferences_->isChecked()}};
}

void Inspector::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.index("tab", tabs_);
  saved.check("differences", onlyDifferences_);
}

}  // namespace strata::ui
