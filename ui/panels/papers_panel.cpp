#include "ui/panels/papers_panel.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "core/base/text_limits.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/xy_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/chart_grid.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {
constexpr int kSettleMs = 300;  // after the last change, before it is measured again
constexpr int kStateColumn = 1, kButtonColumn = 2, kButtonWidth = 104,
              kTitleRoom = 14;  // of the shown table
constexpr int kLongestArc = 3;  // words; as in the papers

QString listHtml(const QString& title, const QStringList& items) {
  if (items.isEmpty()) return {};
  QString html = QStringLiteral("<p><b>%1</b></p><ul>").arg(title.toHtmlEscaped());
  for (const QString& item : items) html += QStringLiteral("<li>%1</li>").arg(item.toHtmlEscaped());
  return html + QStringLiteral("</ul>");
}

}  // namespace

PapersPanel::PapersPanel(QWidget* parent)
    : Panel({QStringLiteral("papers"), QStringLiteral("papers"), tr("Papers")}, parent) {
  setObjectName(QStringLiteral("papersPanel"));
  auto* layout = makeLayout<QVBoxLayout>(this);
  layout->addWidget(makeChoices());
  layout->addWidget(makeTools());
  heading_ = named(new QLabel(this), "papersHeading");
  heading_->setContentsMargins(12, 2, 12, 4);
  heading_->setWordWrap(true);
  heading_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(heading_);
  problem_ = named(new QLabel(this), "papersProblem");
  problem_->setContentsMargins(12, 2, 12, 4);
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->hide();
  layout->addWidget(problem_);
  pages_ = new QStackedWidget(this);
  pages_->addWidget(makeTablePage());
  pages_->addWidget(makeFigurePage());
  layout->addWidget(pages_, 1);
  timer_.setSingleShot(true);
  timer_.setInterval(kSettleMs);
  connect(&timer_, &QTimer::timeout, this, &PapersPanel::measure);
  fillDatasets();
  showState();
}

QWidget* PapersPanel::makeChoices() {
  auto* bar = makeBar(this);
  items_ = named(new QComboBox(this), "papersItem", tr("Table or figure"));
  items_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  items_->setMinimumContentsLength(30);
  items_->setMaxVisibleItems(24);
  bar->addWidget(items_, 1);
  const auto add = [&](const QString& text, QWidget* field) {
    auto* label = styled(new QLabel(text, this), "muted");
    label->setBuddy(field);
    bar->addWidget(label);
    bar->addWidget(field);
  };
  datasets_ = named(new QComboBox(this), "papersDataset", tr("Dataset"));
  datasets_->setToolTip(
      tr("Train and score on this dataset in the place of the paper's. Only on the paper's own "
         "dataset and test set the difference from the printed figure is shown."));
  add(tr("dataset"), datasets_);
  suffix_ = named(new QComboBox(this), "papersSuffix", tr("Suffix of the presets"));
  suffix_->addItem(tr("full size"), QString());
  suffix_->addItem(tr("small (cpu)"), QStringLiteral("cpu"));
  suffix_->setToolTip(tr("cpu: uses PRESET-cpu, a small model, in the place of each preset"));
  add(tr("size"), suffix_);
  seeds_ = named(new QSpinBox(this), "papersSeeds", tr("Seeds"));
  seeds_->setRange(1, 99);
  seeds_->setValue(3);
  seeds_->setToolTip(tr("Runs per row; a verdict needs at least three on either side"));
  add(tr("seeds"), seeds_);
  connect(items_, &QComboBox::currentIndexChanged, this, [this] {
    fillDatasets();
    choose();
  });
  connect(datasets_, &QComboBox::currentIndexChanged, this, [this] {
    dataset_ = datasets_->currentData().toString();
    choose();
  });
  connect(suffix_, &QComboBox::currentIndexChanged, this, &PapersPanel::choose);
  connect(seeds_, &QSpinBox::valueChanged, this, &PapersPanel::choose);
  return bar->parentWidget();
}

QWidget* PapersPanel::makeTools() {
  auto* bar = makeBar(this);
  const auto button = [&](QAction* action) {
    auto* made = addTool(bar, action);
    made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  };
  queueAll_ = named(new QAction(themedIcon(QStringLiteral("launch")), {}, this), "papersQueueAll");
  queueAll_->setToolTip(tr("Queue every run that this table or figure lacks and train them"));
  connect(queueAll_, &QAction::triggered, this, [this] { queue({}); });
  button(queueAll_);
  score_ = named(new QAction(themedIcon(QStringLiteral("translate")), {}, this), "papersScore");
  score_->setToolTip(
      tr("Translate and score the sets with each finished run's best checkpoint. Every scoring of "
         "a test set is counted."));
  connect(score_, &QAction::triggered, this,
          [this] { emit scoreRequested(choice().id, choice().command("score")); });
  button(score_);
  progress_ = named(new QProgressBar(this), "papersProgress", tr("Progress of scoring"));
  progress_->setMaximumWidth(160);
  bar->addWidget(progress_);
  cancel_ = named(new QPushButton(tr("Cancel"), this), "papersCancel");
  connect(cancel_, &QPushButton::clicked, this, &PapersPanel::scoreCancelled);
  bar->addWidget(cancel_);
  progress_->hide();
  cancel_->hide();
  bar->addStretch();
  refresh_ = named(new QAction(themedIcon(QStringLiteral("refresh")), tr("Measure again"), this),
                   "papersRefresh");
  connect(refresh_, &QAction::triggered, this, &PapersPanel::measure);
  addTool(bar, refresh_);
  addExports(bar);
  addCommands(bar);
  for (QAction* action : {queueAll_, score_, refresh_}) addAction(action);
  return bar->parentWidget();
}

void PapersPanel::addExports(QLayout* bar) {
  auto* action =
      named(new QAction(themedIcon(QStringLiteral("export")), tr("Export…"), this), "papersExport");
  action->setToolTip(tr("Write the table as CSV or LaTeX, the figure as pictures or CSV"));
  connect(action, &QAction::triggered, this, [this] {
    if (!result_.isTable) {
      return askForExport(this, {tr("Export the figure"), tr("All points"),
                                 [this](const QString& path) { exportPictures(path); },
                                 std::bind_front(&PapersPanel::failed, this)});
    }
    auto* dialog = new QFileDialog(this, tr("Export the table"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("LaTeX (*.tex)"), tr("All cells (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("tex"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
      dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    connect(dialog, &QFileDialog::fileSelected, this, &PapersPanel::exportTable);
    dialog->open();
  });
  addAction(action);
  addTool(bar, action);
}

void PapersPanel::exportTable(const QString& path) {
  const bool csv = path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
  emit exportRequested(
      measured_.command("show") +
          QStringList{csv ? QStringLiteral("--csv") : QStringLiteral("--latex"), path},
      path);
}

// The values are those of `paper show`; several pictures lie next to each other.
void PapersPanel::exportPictures(const QString& path) {
  if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
    return emit exportRequested(
        measured_.command("show") + QStringList{QStringLiteral("--csv"), path}, path);
  for (qsizetype i = 0; i < drawn_.size(); ++i)
    drawn_[i]->exportTo(i == 0 ? path : siblingPath(path, QString::number(i + 1)));
  emit notice(tr("Written: %1").arg(path));
}

void PapersPanel::addCommands(QLayout* bar) {
  auto* menu = new QMenu(this);
  const auto add = [&](const QString& name, const QString& text, const char* verb) {
    auto* action = named(menu->addAction(text), name);
    connect(action, &QAction::triggered, this,
            [this, verb] { emit commandCopied(choice().command(verb)); });
  };
  add(QStringLiteral("copyShow"), tr("Show this (paper show)"), "show");
  add(QStringLiteral("copyRun"), tr("Queue what is missing (paper run)"), "run");
  add(QStringLiteral("copyScore"), tr("Score what is trained (paper score)"), "score");
  auto* button = named(styled(new QToolButton(this), "flat"), "copyCommands", tr("Copy command"));
  button->setIcon(themedIcon(QStringLiteral("copy")));
  button->setToolTip(tr("Copy the command line that does the same without the window"));
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(menu);
  bar->addWidget(button);
}

QWidget* PapersPanel::makeTablePage() {
  table_ = named(new ReportTable(this), "papersTable", tr("Table of the paper"));
  table_->setSortingEnabled(false);  // the paper's order
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &PapersPanel::showRow);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { openRuns(runsOfRow(index.row())); });
  cells_ = named(new ReportTable(this), "papersCells", tr("Runs of the table"));
  connect(cells_, &QTableView::activated, this, [this](const QModelIndex& index) {
    openRuns({cells_->model()->index(index.row(), 0).data().toString()});
  });
  notes_ = named(styled(new QTextBrowser(this), "flat"), "papersNotes", tr("Notes"));
  notes_->setOpenLinks(false);
  auto* below = makeSplitter(Qt::Horizontal, this, {{cells_, 600, 1}, {notes_, 400, 1}});
  return makeSplitter(Qt::Vertical, this, {{table_, 400, 1}, {below, 190}});
}

QWidget* PapersPanel::makeFigurePage() {
  drawings_ = makeScrollArea(this);
  figureNotes_ = named(styled(new QTextBrowser(this), "flat"), "papersFigureNotes", tr("Notes"));
  figureNotes_->setOpenLinks(false);
  return makeSplitter(Qt::Vertical, this, {{drawings_, 440, 1}, {figureNotes_, 150}});
}

PaperChoice PapersPanel::choice() const {
  return {.id = items_->currentData().toString(),
          .dataset = datasets_->currentData().toString(),
          .suffix = suffix_->currentData().toString(),
          .seeds = seeds_->value()};
}

QString PapersPanel::recipe() const {
  const QString id = items_->currentData().toString();
  const auto found = std::ranges::find(list_, id, &PaperItem::id);
  return found == list_.end() ? QString() : found->recipe;
}

void PapersPanel::fillDatasets() {
  const QSignalBlocker blocker(datasets_);
  datasets_->clear();
  const QString own = recipe();
  datasets_->addItem(own.isEmpty() ? tr("the paper's") : tr("the paper's (%1)").arg(own),
                     QString());
  for (const DatasetRow& dataset : known_) {
    if (dataset.name != own) datasets_->addItem(dataset.name, dataset.name);
  }
  selectData(datasets_, dataset_);
}

void PapersPanel::setDatasets(const QVector<DatasetRow>& datasets) {
  known_ = datasets;
  fillDatasets();
  choose();
}

void PapersPanel::setItems(const QByteArray& json) {
  try {
    list_ = paperItemsFrom(json);
  } catch (const std::exception& error) {
    return setError(QString::fromUtf8(error.what()));
  }
  listed_ = true;
  {
    const QSignalBlocker blocker(items_);
    items_->clear();
    for (const PaperItem& item : list_)
      items_->addItem(QStringLiteral("%1 · %2").arg(item.id, item.title), item.id);
    selectData(items_, restoredItem_.isEmpty() ? QStringLiteral("mlrf/table2") : restoredItem_);
  }
  fillDatasets();
  if (example_) showExample();
  choose();
}

void PapersPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  if (!listed_ && error_.isEmpty() && !asked_) {
    asked_ = true;
    return emit listRequested(
        {QStringLiteral("--json"), QStringLiteral("paper"), QStringLiteral("list")});
  }
  if (stale_) refresh();
}

void PapersPanel::choose() {
  if (listed_ && (choice() != measured_ || result_.id.isEmpty())) refresh();
}

// Measures soon, once for many changes; when hidden, as soon as it is shown.
void PapersPanel::refresh() {
  stale_ = true;
  if (isVisible()) timer_.start();
}

void PapersPanel::measure() {
  if (!listed_ || items_->currentIndex() < 0) {
    if (listed_ || asked_) return;
    asked_ = true;
    return emit listRequested(
        {QStringLiteral("--json"), QStringLiteral("paper"), QStringLiteral("list")});
  }
  stale_ = false;
  asked_ = true;
  measured_ = choice();
  emit resultRequested(QStringList{QStringLiteral("--json")} + measured_.command("show"));
}

void PapersPanel::setResult(const QByteArray& json) {
  asked_ = false;
  try {
    result_ = paperResultFrom(json);
  } catch (const std::exception& error) {
    return setError(QString::fromUtf8(error.what()));
  }
  error_.clear();
  statuses_ = statusesNow();
  // A run may have changed while it was measured.
  repeated_ = !repeated_ && statuses_ != statusesMeasured();
  if (repeated_) refresh();
  showResult();
}

void PapersPanel::setError(const QString& message) {
  asked_ = false;
  stale_ = false;
  error_ = message;
  showState();
}

void PapersPanel::setRuns(const QVector<RunRow>& runs) {
  runs_ = runs;
  const QStringList now = statusesNow();
  if (now != statuses_) {
    statuses_ = now;
    refresh();
  }
  if (result_.id.isEmpty()) return;
  showState();
  if (!result_.isTable) return;
  if (statesOfRows() != states_) showTable();
  showRow();
}

QStringList PapersPanel::statesOfRows() const {
  QStringList states;
  for (int row = 0; row < result_.rows.size(); ++row) states << stateOfRow(row);
  return states;
}

QStringList PapersPanel::statusesNow() const {
  QStringList statuses;
  for (const PaperRunState& run : result_.runs) {
    const RunRow* found = runNamed(run.name);
    statuses << (found ? qs(nameOf(found->status)) : QString());
  }
  return statuses;
}

QStringList PapersPanel::statusesMeasured() const {
  QStringList statuses;
  for (const PaperRunState& run : result_.runs) statuses << run.status;
  return statuses;
}

const RunRow* PapersPanel::runNamed(const QString& name) const {
  const auto found = std::ranges::find_if(
      runs_, [&](const RunRow& run) { return !run.trashed && run.name == name; });
  return found == runs_.end() ? nullptr : &*found;
}

QString PapersPanel::statusOf(const QString& name) const {
  const RunRow* run = runNamed(name);
  if (!run) return tr("missing");
  if (run->status == RunStatus::kFinished) return tr("trained, not scored");
  if (run->status != RunStatus::kRunning) return qs(nameOf(run->status));
  const auto planned = std::ranges::find(result_.runs, name, &PaperRunState::name);
  const qint64 last = planned == result_.runs.end() ? 0 : planned->maxUpdates;
  if (last <= 0) return tr("running, step %1").arg(countText(run->step));
  return tr("running %1 %").arg(std::min<qint64>(100, 100 * run->step / last));
}

QStringList PapersPanel::runsOfRow(int row) const {
  QStringList names;
  if (row < 0 || row >= result_.rows.size()) return names;
  for (const PaperRunState& run : result_.runs) {
    if (run.rows.contains(result_.rows[row].name)) names << run.name;
  }
  return names;
}

int PapersPanel::missingOf(const QString& row) const {
  return int(std::ranges::count_if(result_.runs, [&](const PaperRunState& run) {
    if (!row.isEmpty() && !run.rows.contains(row)) return false;
    const RunRow* found = runNamed(run.name);
    return !found || found->status == RunStatus::kCreated ||
           found->status == RunStatus::kInterrupted;
  }));
}

QString PapersPanel::stateOfRow(int row) const {
  const PaperRowState& shown = result_.rows[row];
  if (!shown.quoted.isEmpty()) return tr("quoted");
  QStringList order;
  QHash<QString, int> counts;
  for (const QString& name : runsOfRow(row)) {
    QString state = statusOf(name);
    for (const PaperCellState& cell : shown.cells) {
      for (const PaperCellState::Run& run : cell.runs) {
        if (run.name == name && !run.text.isEmpty()) state = tr("scored");
      }
    }
    if (counts[state]++ == 0) order << state;
  }
  for (QString& state : order) state = QStringLiteral("%1 %2").arg(counts[state]).arg(state);
  return order.isEmpty() ? tr("cannot be run here") : order.join(QStringLiteral(", "));
}

void PapersPanel::showResult() {
  heading_->setText(result_.isTable ? qs(result_.shown.caption)
                                    : QStringLiteral("%1: %2").arg(result_.id, result_.title));
  pages_->setCurrentIndex(result_.isTable ? 0 : 1);
  result_.isTable ? showTable() : showFigure();
  showState();
}

// The table as `paper show` prints it, with each row's state and button next to its name.
void PapersPanel::showTable() {
  int current = table_->currentIndex().row();
  if (current < 0) {  // the first that can be run
    const auto first = std::ranges::find_if(
        result_.rows, [](const PaperRowState& row) { return row.quoted.isEmpty(); });
    current = int(first - result_.rows.begin());
  }
  const int across = table_->horizontalScrollBar()->value();
  const int down = table_->verticalScrollBar()->value();
  states_ = statesOfRows();
  Table shown = result_.shown;
  shown.columns.insert(shown.columns.begin() + kStateColumn, {{toStd(tr("state"))}, {""}});
  for (std::size_t row = 0; row < shown.rows.size(); ++row)
    shown.rows[row].insert(shown.rows[row].begin() + kStateColumn,
                           {Cell(toStd(states_.value(qsizetype(row)))), Cell("")});
  table_->setTable(std::move(shown));
  // Titles are bold: they need more than the cells' font says.
  for (int column = 0; column < table_->model()->columnCount(); ++column)
    table_->setColumnWidth(column, table_->columnWidth(column) + kTitleRoom);
  table_->setColumnWidth(kButtonColumn, kButtonWidth);
  for (int row = 0; row < result_.rows.size(); ++row) addButton(row);
  table_->setCurrentIndex(
      table_->model()->index(std::min(current, int(result_.rows.size()) - 1), 0));
  table_->horizontalScrollBar()->setValue(across);
  table_->verticalScrollBar()->setValue(down);
  notes_->setHtml(notesHtml());
  showRow();
}

// An empty cell queues what is missing, a full one opens its runs.
void PapersPanel::addButton(int row) {
  const QModelIndex place = table_->model()->index(row, kButtonColumn);
  const QString name = result_.rows[row].name;
  const int missing = missingOf(name);
  QStringList existing = runsOfRow(row);
  existing.removeIf([this](const QString& run) { return !runNamed(run); });
  const QString text = missing > 0          ? tr("Queue %1").arg(missing)
                       : existing.isEmpty() ? QString()
                                            : tr("Open runs");
  auto* button = qobject_cast<QPushButton*>(table_->indexWidget(place));
  if (text.isEmpty()) return table_->setIndexWidget(place, nullptr);
  if (!button) {
    button = named(new QPushButton(table_), QStringLiteral("papersRow%1").arg(row));
    table_->setIndexWidget(place, button);
    connect(button, &QPushButton::clicked, this, [this, row] {
      const QString chosen = result_.rows[row].name;
      missingOf(chosen) > 0 ? queue({chosen}) : openRuns(runsOfRow(row));
    });
  }
  button->setText(text);
  button->setAccessibleName(QStringLiteral("%1: %2").arg(name, text));
}

Table PapersPanel::cellsOf(const PaperRowState& row) const {
  Table shown{.columns = {{toStd(tr("run"))}, {toStd(tr("state"))}}};
  QStringList names;
  for (const PaperCellState& cell : row.cells) {
    shown.addColumn(toStd(cell.column));
    for (const PaperCellState::Run& run : cell.runs) {
      if (!names.contains(run.name)) names << run.name;
    }
  }
  for (const QString& name : names) {
    const QString status = statusOf(name);
    std::vector<Cell> cells{Cell(toStd(name)), Cell()};
    bool scored = false;
    for (const PaperCellState& cell : row.cells) {
      const auto run = std::ranges::find(cell.runs, name, &PaperCellState::Run::name);
      const bool here = run != cell.runs.end();
      scored = scored || (here && !run->text.isEmpty());
      cells.emplace_back(!here ? std::string(kNoValue)
                               : toStd(run->text.isEmpty() ? status : run->text));
    }
    cells[1] = Cell(toStd(scored ? tr("scored") : status));
    shown.rows.push_back(std::move(cells));
  }
  return shown;
}

void PapersPanel::showRow() {
  const int row = table_->currentIndex().row();
  Table cells = row < 0 || row >= result_.rows.size() ? Table() : cellsOf(result_.rows[row]);
  if (tsvTable(cells) != tsvTable(cells_->table())) cells_->setTable(std::move(cells));
}

QString PapersPanel::notesHtml() const {
  QString html = listHtml(tr("Cannot be run here"), result_.missing);
  if (!result_.missing.isEmpty())
    html += QStringLiteral("<p>%1</p>")
                .arg(tr("Choose another dataset or size above, or prepare the dataset.")
                         .toHtmlEscaped());
  html += listHtml(tr("Lacks"), result_.lacks);
  for (const QString& note : result_.notes)
    html += QStringLiteral("<p>%1</p>").arg(note.toHtmlEscaped());
  return html;
}

void PapersPanel::showFigure() {
  auto* grid = new ChartGrid(drawings_);
  drawn_.clear();
  const auto add = [&](Chart* chart) {
    chart->setObjectName(QStringLiteral("papersChart%1").arg(drawn_.size()));
    drawn_ << chart;
    grid->add(chart);
  };
  for (const LineChart& chart : result_.charts) {
    auto* plot = new XyPlot(grid);
    plot->setChart(chart);
    plot->setAccessibleName(plot->title());
    add(plot);
  }
  for (const PaperResult::Map& map : result_.maps) {
    auto* view = new HeatMapView(grid);
    view->setMaps(map.columns, {map.map});
    view->setAccessibleName(map.title);
    add(view);
  }
  for (const PaperArcs& arcs : result_.arcs) {
    auto* view = new ArcView(grid);
    view->setSentence(arcs.words, {{arcs.title, arcs.arcs}});
    view->setLongest(kLongestArc);
    view->setAccessibleName(arcs.title);
    add(view);
  }
  drawings_->setWidget(grid);
  figureNotes_->setHtml(notesHtml());
}

void PapersPanel::showState() {
  problem_->setText(error_);
  problem_->setVisible(!error_.isEmpty());
  problem_->setStyleSheet(QStringLiteral("color: %1").arg(theme().bad.name()));
  const int missing = missingOf({});
  queueAll_->setText(tr("Queue all missing (%1)").arg(missing));
  queueAll_->setEnabled(missing > 0);
  const bool scoring = !progress_->isHidden();
  score_->setText(tr("Score (%1)").arg(result_.toScore));
  score_->setEnabled(result_.toScore > 0 && !scoring);
  if (result_.id.isEmpty() && error_.isEmpty())
    heading_->setText(tr("Reading the papers' tables…"));
}

void PapersPanel::queue(const QStringList& rows) {
  emit queueRequested(QStringList{QStringLiteral("--json")} + choice().command("run", rows));
}

void PapersPanel::setQueued(const QByteArray& json) {
  const auto printed = tryParseJson(json.toStdString());
  if (!printed || !printed->contains("runs")) return;
  int queued = 0;
  for (const Json& run : printed->at("runs")) {
    const std::string outcome = run.value("outcome", std::string());
    queued += outcome == "queued" || outcome == "resumed" ? 1 : 0;
  }
  emit notice(tr("%n run(s) queued.", nullptr, queued));
  refresh();
}

void PapersPanel::openRuns(const QStringList& names) {
  QVector<qint64> runs;
  for (const QString& name : names) {
    if (const RunRow* run = runNamed(name)) runs << run->id;
  }
  if (runs.isEmpty()) return;
  share({.drawn = runs, .run = runs.first()});
  emit showRequested(QStringLiteral("curves"));
}

void PapersPanel::setScoring(bool on) {
  progress_->setRange(0, std::max(1, result_.toScore));
  progress_->setValue(0);
  progress_->setVisible(on);
  cancel_->setVisible(on);
  showState();
  if (!on) refresh();
}

void PapersPanel::showScoring(qint64 done, qint64 total) {
  const bool news = done != progress_->value();
  progress_->setRange(0, int(std::max<qint64>(1, total)));
  progress_->setValue(int(done));
  if (news) refresh();
}

void PapersPanel::setScored(const QString& id) {
  emit notice(tr("%1 is scored.").arg(id));
  setScoring(false);
}

void PapersPanel::setScoringError(const QString& message) {
  setScoring(false);
  emit failed(message);
}

void PapersPanel::follow(const Selection& choice) {
  const RunRow* run = choice.run ? findRun(runs_, *choice.run) : nullptr;
  if (!run || !result_.isTable) return;
  for (int row = 0; row < result_.rows.size(); ++row) {
    if (runsOfRow(row).contains(run->name))
      return table_->setCurrentIndex(table_->model()->index(row, 0));
  }
}

void PapersPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && problem_) showState();
}

void PapersPanel::showExample() {
  example_ = !listed_;  // as soon as the list is there
  for (const RunRow& run : newestFirst(runs_)) {
    const QString paper = run.preset.section(QLatin1Char('/'), 0, 0) + QLatin1Char('/');
    const auto item = std::ranges::find_if(
        list_, [&](const PaperItem& each) { return each.isTable && each.id.startsWith(paper); });
    if (item == list_.end()) continue;
    selectData(items_, item->id);
    selectData(datasets_, run.dataset);
    const bool small = run.preset.endsWith(QStringLiteral("-cpu"));
    selectData(suffix_, small ? QStringLiteral("cpu") : QString());
    return;
  }
}

bool PapersPanel::isUpToDate() const {
  return !error_.isEmpty() || (listed_ && !asked_ && !stale_ && !timer_.isActive());
}

// Of the row: its first column of results, and its gains.
Here PapersPanel::here() const {
  Here here = Panel::here();
  if (!result_.isTable || !table_->currentIndex().isValid()) return here;
  here.place = table_->readout();
  QString printed, ours;
  for (const TableColumn& column : table_->table().columns) {
    const QString title = qs(column.title);
    if (printed.isEmpty() && title.endsWith(QLatin1String(" paper"))) printed = title;
    if (ours.isEmpty() && title.endsWith(QLatin1String(" ours"))) ours = title;
  }
  here.add(QStringLiteral("x"), table_->cell(printed));
  here.add(QStringLiteral("m"), table_->cell(ours));
  here.add(QStringLiteral("Δ"), table_->cell(QStringLiteral("gain ours [95 %]")));
  here.add(QStringLiteral("Δ'"), table_->cell(QStringLiteral("gain paper")));
  return here;
}

Json PapersPanel::saveState() const {
  const PaperChoice now = choice();
  return {{"item", toStd(listed_ ? now.id : restoredItem_)},
          {"dataset", toStd(dataset_)},
          {"suffix", toStd(now.suffix)},
          {"seeds", now.seeds}};
}

void PapersPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredItem_ = saved.text("item").value_or(QString());
  dataset_ = saved.text("dataset").value_or(QString());
  if (listed_) selectData(items_, restoredItem_);
  fillDatasets();
  if (const auto suffix = saved.text("suffix")) selectData(suffix_, *suffix);
  saved.value("seeds", seeds_);
  choose();
}

}  // namespace strata::ui
