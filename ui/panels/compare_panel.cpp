#include "ui/panels/compare_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStyle>
#include <QTabWidget>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/sentence_view.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/import_dialogs.h"
#include "ui/widgets/system_list.h"
#include "ui/widgets/translate_set_dialog.h"

namespace strata::ui {
namespace {

bool sameSystems(const std::vector<StoredSystem>& a, const std::vector<StoredSystem>& b) {
  return std::ranges::equal(a, b, [](const StoredSystem& x, const StoredSystem& y) {
    return x.id == y.id && x.name == y.name && x.testSet == y.testSet && x.created == y.created;
  });
}

}  // namespace

void ComparePanel::refresh() {
  stale_ = true;
  if (!isVisible()) return;
  stale_ = false;
  service_->list();
}

void ComparePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) refresh();
}

void ComparePanel::receiveList(const SystemsList& list) {
  const QStringList before = known_.problems;
  // The list arrives whenever a run progresses: refill only if something changed.
  const bool same = listed_ && sameSystems(known_.systems, list.systems);
  known_ = list;
  listed_ = true;
  stack_->setEmpty(known_.systems.empty());
  if (known_.problems != before && !known_.problems.isEmpty()) {
    emit failed(
        tr("%n stored translation(s) cannot be opened: %1", nullptr, int(known_.problems.size()))
            .arg(known_.problems.first()));
  }
  if (!same) fillSets();
}

// Sets with systems, the one with the newest system first; the selection is kept.
void ComparePanel::fillSets() {
  struct Counted {
    QString id;
    int systems = 0;
    double newest = 0;
  };
  QVector<Counted> sets;
  for (const StoredSystem& system : known_.systems) {
    const QString id = qs(system.testSet);
    auto found =
        std::find_if(sets.begin(), sets.end(), [&](const Counted& set) { return set.id == id; });
    if (found == sets.end()) found = sets.insert(sets.end(), {id});
    ++found->systems;
    found->newest = std::max(found->newest, system.created);
  }
  std::stable_sort(sets.begin(), sets.end(), [](const Counted& a, const Counted& b) {
    return std::pair(a.systems > 1, a.newest) > std::pair(b.systems > 1, b.newest);
  });
  const QString before = set_->count() == 0 ? restoredSet_ : chosenSet();
  {
    const QSignalBlocker blocker(set_);
    set_->clear();
    for (const Counted& set : sets)
      set_->addItem(set.systems == 1 ? tr("%1 · one system").arg(set.id)
                                     : tr("%1 · %2 systems").arg(set.id, countText(set.systems)),
                    set.id);
    set_->setCurrentIndex(std::max(0, set_->findData(before)));
  }
  showSystems();
}

QString ComparePanel::chosenSet() const {
  return set_->currentData().toString();
}

TextState ComparePanel::chosenState() const {
  return TextState(state_->currentData().toInt());
}

void ComparePanel::showSystems() {
  std::vector<StoredSystem> systems;
  for (const StoredSystem& system : known_.systems) {
    if (qs(system.testSet) == chosenSet()) systems.push_back(system);
  }
  list_->setSystems(systems);
  if (!restored_.isEmpty() && chosenSet() == restoredSet_) {
    const QStringList wanted = std::exchange(restored_, {});
    const auto known = [this](const QString& id) { return list_->system(id) != nullptr; };
    if (std::any_of(wanted.begin(), wanted.end(), known)) list_->choose(wanted, wanted.first());
  }
  choiceChanged();
}

void ComparePanel::setMainMetric(TextState state) {
  const QSignalBlocker blocker(metric_);
  metric_->setCurrentIndex(metric_->findData(
      state == TextState::kRaw ? QStringLiteral("bleu") : QStringLiteral("multi-bleu")));
}

std::vector<std::string> ComparePanel::chosenMetrics() const {
  std::vector<std::string> metrics{toStd(metric_->currentData().toString())};
  for (const QAction* action : further_) {
    const std::string name = toStd(action->data().toString());
    if (action->isChecked() && name != metrics.front()) metrics.push_back(name);
  }
  return metrics;
}

// Leaves out every edge that is not a number greater than the one before; the field is marked then.
std::vector<double> ComparePanel::chosenEdges() const {
  std::vector<double> edges;
  bool sound = true;
  static const QRegularExpression between(QStringLiteral("[,;\\s]+"));
  for (const QString& word : edges_->text().split(between, Qt::SkipEmptyParts)) {
    bool number = false;
    const double edge = word.toDouble(&number);
    number = number && std::isfinite(edge) && edge > (edges.empty() ? 0 : edges.back());
    sound = sound && number;
    if (number) edges.push_back(edge);
  }
  const QString tip =
      sound ? tr("Lower edges of the buckets by reference length in words, e.g. 10, 20, 30")
            : tr("Edges must be increasing numbers, e.g. 10, 20, 30");
  if (edges_->toolTip() != tip) {
    edges_->setToolTip(tip);
    edges_->setProperty("invalid", !sound);
    edges_->style()->polish(edges_);
  }
  return edges;
}

CompareRequest ComparePanel::request() const {
  const QString baseline = list_->baseline();
  QStringList systems = list_->chosen();
  if (systems.removeOne(baseline)) systems.prepend(baseline);  // the others are compared with it
  return {.testSet = chosenSet(),
          .systems = systems,
          .baseline = baseline,
          .state = chosenState(),
          .metrics = chosenMetrics(),
          .test = SignificanceTest(test_->currentData().toInt()),
          .lowercase = lowercase_->isChecked(),
          .lengthEdges = chosenEdges(),
          .lengthBuckets = equalCounts_->value()};
}

void ComparePanel::choiceChanged() {
  if (request() == asked_) return;
  compareTimer_.start();
}

void ComparePanel::compareChosen() {
  compareTimer_.stop();
  const CompareRequest wanted = request();
  if (wanted == asked_) return;
  asked_ = wanted;
  error_.clear();
  if (wanted.systems.size() < 2) {
    receive(nullptr);
    return;
  }
  setBusy(true);
  service_->compare(wanted);
}

void ComparePanel::setBusy(bool busy) {
  underWay_ = busy;
  busy_->setVisible(busy);
}

void ComparePanel::receive(const ComparisonPointer& comparison) {
  setBusy(false);
  comparison_ = comparison;
  results_->setEmpty(!comparison);
  for (ComparisonView* view : QVector<ComparisonView*>{scores_, buckets_, ngrams_, words_})
    view->setComparison(comparison);
  sentences_->setComparison(comparison);
  tabs_->setTabVisible(tabs_->indexOf(words_), comparison && !comparison->wordAccuracy.empty());
  describe();
}

void ComparePanel::describe() {
  if (!comparison_) {
    title_->setText(tr("Choose two systems"));
    note_->clear();
    return;
  }
  const auto sentences = countText(qint64(comparison_->sentences.size()));
  const auto references = comparison_->references.size();
  title_->setText(references == 1 ? tr("%1 · %2 sentences").arg(qs(comparison_->testSet), sentences)
                                  : tr("%1 · %2 sentences, %3 references each")
                                        .arg(qs(comparison_->testSet), sentences,
                                             countText(qint64(references))));
  note_->setText(qs(comparison_->first().metric->name()) + QStringLiteral("|") +
                 qs(comparison_->first().signature));
  note_->setToolTip(note_->text());
}

void ComparePanel::showProblem(const QString& message) {
  error_ = message;
  receive(nullptr);
  title_->setText(tr("These systems cannot be compared"));
  note_->setText(message);
  emit failed(message);
}

void ComparePanel::filterByNGram(const QString& ngram) {
  // In the text that is searched the words need not be separated by spaces.
  QStringList words;
  for (const QString& word : ngram.split(QLatin1Char(' ')))
    words << QRegularExpression::escape(word);
  sentences_->filters()->setPattern(words.join(QStringLiteral("\\s*")));
  tabs_->setCurrentWidget(sentences_);
}

void ComparePanel::openWord(std::size_t system, std::size_t position) {
  if (!comparison_ || comparison_->source.empty()) return;
  const StoredSystem* stored = list_->system(asked_.systems.value(qsizetype(system)));
  if (stored == nullptr || stored->run == 0) {
    emit notice(tr("%1 was imported: there is no model here to inspect.")
                    .arg(qs(comparison_->systems[system].name)));
    return;
  }
  emit attentionRequested(stored->run, qs(comparison_->source[position]));
}

void ComparePanel::importFile(const QString& path) {
  if (known_.sets.empty()) {
    emit failed(tr("There is no test set for these translations: import its references first."));
    return;
  }
  auto* dialog = new ImportSystemDialog(known_.sets, chosenSet(), this);
  if (!path.isEmpty()) dialog->setFile(path);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog] { service_->importSystem(dialog->system()); });
  dialog->open();
}

void ComparePanel::importSet() {
  auto* dialog = new ImportTestSetDialog(this);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog] { service_->importTestSet(dialog->testSet()); });
  dialog->open();
}

void ComparePanel::setRuns(const QVector<RunRow>& runs) {
  runs_ = runs;
  translate_->setEnabled(!runs.isEmpty());
}

void ComparePanel::translateSet() {
  auto* dialog = new TranslateSetDialog(runs_, known_.sets, chosenSet(), this);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    for (const SetTranslations::Task& task : dialog->tasks()) emit translationRequested(task);
  });
  dialog->open();
}

QByteArray ComparePanel::saveState() const {
  const CompareRequest chosen = request();
  Json systems = Json::array();
  for (const QString& id : chosen.systems) systems.push_back(toStd(id));
  const Json state{{"set", toStd(chosen.testSet)},  {"systems", systems},
                   {"state", nameOf(chosen.state)}, {"metrics", chosen.metrics},
                   {"test", nameOf(chosen.test)},   {"lowercase", chosen.lowercase},
                   {"tab", tabs_->currentIndex()}};
  return QByteArray::fromStdString(state.dump());
}

void ComparePanel::restoreState(const QByteArray& state) {
  const Json json = tryParseJson(state.toStdString()).value_or(nullptr);
  try {
    if (!json.is_object()) return;
    restoredSet_ = qs(json.at("set").get<std::string>());
    restored_.clear();
    for (const auto& id : json.at("systems")) restored_ << qs(id.get<std::string>());
    const auto metrics = json.at("metrics").get<std::vector<std::string>>();
    state_->setCurrentIndex(
        state_->findData(int(textStateNamed(json.at("state").get<std::string>()))));
    test_->setCurrentIndex(
        test_->findData(int(significanceTestNamed(json.at("test").get<std::string>()))));
    lowercase_->setChecked(json.at("lowercase").get<bool>());
    const int metric = metrics.empty() ? -1 : metric_->findData(qs(metrics.front()));
    if (metric >= 0) metric_->setCurrentIndex(metric);
    for (QAction* action : further_) {
      const auto name = toStd(action->data().toString());
      if (metrics.empty() || name == metrics.front()) continue;
      action->setChecked(std::find(metrics.begin(), metrics.end(), name) != metrics.end());
    }
    tabs_->setCurrentIndex(std::clamp(json.at("tab").get<int>(), 0, tabs_->count() - 1));
  } catch (const std::exception&) {
    // A session of another version: its other settings are ignored.
  }
}

void ComparePanel::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.first().isLocalFile()) event->acceptProposedAction();
}

void ComparePanel::dropEvent(QDropEvent* event) {
  importFile(event->mimeData()->urls().value(0).toLocalFile());
}

void ComparePanel::exportTo(const ExportTarget& target) {
  if (comparison_) service_->exportTo(comparison_, target);
}

void ComparePanel::chooseExport(ExportTarget::Kind kind) {
  const bool page = kind == ExportTarget::Kind::kPage;
  const bool sentences = kind == ExportTarget::Kind::kSentences;
  const QString ending = page        ? QStringLiteral("html")
                         : sentences ? QStringLiteral("tsv")
                                     : QStringLiteral("tex");
  auto* dialog = new QFileDialog(this, tr("Export the comparison"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(ending);
  dialog->setNameFilter(QStringLiteral("*.") + ending);
  connect(dialog, &QFileDialog::fileSelected, this, [this, kind](const QString& path) {
    exportTo({kind, path});
  });
  dialog->open();
}

void ComparePanel::exportPictures() {
  auto* view = qobject_cast<ComparisonView*>(tabs_->currentWidget());
  if (view == nullptr) {
    chooseExport(ExportTarget::Kind::kSentences);
    return;
  }
  askForExport(this, {tr("Export this tab"), tr("All values"),
                      [view](const QString& path) { view->exportTo(path); },
                      [this](const QString& message) { emit failed(message); }});
}

bool ComparePanel::isEmpty() const {
  return stack_->isEmpty();
}

bool ComparePanel::isUpToDate() const {
  if (!listed_) return false;
  return isEmpty() || (!underWay_ && !compareTimer_.isActive());
}

}  // namespace strata::ui
