#include "ui/panels/compare_panel.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QProgressBar>
#include <QRegularExpression>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

#include "core/metrics/metrics.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/compare_choices.h"
#include "ui/panels/compare_imports.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/sentence_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/system_list.h"
#include "ui/widgets/translate_set_dialog.h"
#include "ui/widgets/translation_diff.h"

namespace strata::ui {
namespace {

constexpr int kCompareDelayMs = 250;
constexpr int kChoicesWidth = 270;

bool sameSystems(const std::vector<StoredSystem>& a, const std::vector<StoredSystem>& b) {
  return std::ranges::equal(a, b, [](const StoredSystem& x, const StoredSystem& y) {
    const auto sameScores = [](const StoredScores& a, const StoredScores& b) {
      return a.metric == b.metric && a.created == b.created;
    };
    return x.id == y.id && x.name == y.name && x.testSet == y.testSet && x.created == y.created &&
           std::ranges::equal(x.importedScores, y.importedScores, sameScores);
  });
}

}  // namespace

ComparePanel::ComparePanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("compare"), QStringLiteral("compare"), tr("Compare")}, parent),
      choices_(new CompareChoices(this)),
      imports_(new CompareImports(this)) {
  setObjectName(QStringLiteral("comparePanel"));
  setAcceptDrops(true);
  translate_ = named(new QAction(themedIcon(QStringLiteral("translate")),
                                 tr("Translate a test set with runs…"), this),
                     "translateSet");
  translate_->setEnabled(false);
  connect(translate_, &QAction::triggered, this, &ComparePanel::translateSet);
  addAction(translate_);
  auto* content = named(new QSplitter(Qt::Horizontal, this), "compareSplitter");
  content->addWidget(choices_);
  content->addWidget(makeResults());
  content->setStretchFactor(1, 1);
  content->setChildrenCollapsible(false);
  content->setSizes({kChoicesWidth, 900});
  setContent(emptyTexts(runDemo), content);
  compareTimer_.setSingleShot(true);
  compareTimer_.setInterval(kCompareDelayMs);
  connect(&compareTimer_, &QTimer::timeout, this, &ComparePanel::compareChosen);
  connectChoices();
  connectViews();
}

Panel::Empty ComparePanel::emptyTexts(QAction* runDemo) {
  auto* set = new QAction(tr("Import a test set…"), this);
  connect(set, &QAction::triggered, imports_, &CompareImports::askForTestSet);
  auto* import = new QAction(tr("Import translations…"), this);
  connect(import, &QAction::triggered, this,
          [this] { imports_->askForSystem(choices_->testSet()); });
  return {
      tr("No translations yet"),
      tr("Translations of a test set are compared here: scores with intervals and tests, buckets, "
         "n-grams, and every sentence side by side. The demo translates one with every model that "
         "it trains; "
         "`strata-run translate --run RUN --set SET` stores a run's translations; output files of "
         "other toolkits can be imported or dropped here."),
      {runDemo, translate_, set, import}};
}

QWidget* ComparePanel::makeResults() {
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content, {0, 8, 0, 0}, 4);
  layout->addLayout(makeHead(content));
  tabs_ = named(new QTabWidget(content), "compareTabs");
  tabs_->addTab(scores_ = new ScoresView(tabs_), tr("Scores"));
  tabs_->addTab(buckets_ = new BucketsView(tabs_), tr("Buckets"));
  tabs_->addTab(ngrams_ = new NGramsView(tabs_), tr("N-grams"));
  tabs_->addTab(words_ = new WordsView(tabs_), tr("Words"));
  tabs_->addTab(sentences_ = new SentenceView(tabs_), tr("Sentences"));
  auto* choose = new EmptyState(QStringLiteral("compare"), tr("Choose systems"),
                                tr("Check systems of one test set on the left: one has its scores "
                                   "with intervals, two or more are compared with the baseline."));
  results_ = new EmptyStack(choose, tabs_, content);
  results_->setEmpty(true);
  layout->addWidget(results_, 1);
  return content;
}

QLayout* ComparePanel::makeHead(QWidget* content) {
  auto* head = makeLayout<BarLayout>(nullptr, {8, 0, 8, 0}, kUsualSpacing);
  title_ = named(new QLabel(content), "compareTitle");
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  note_ = named(styled(new QLabel(content), "muted"), "compareNote");
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  busy_ = named(new QProgressBar(content), "compareBusy");
  busy_->setRange(0, 0);
  busy_->setMaximumWidth(120);
  busy_->setTextVisible(false);
  busy_->hide();
  auto* exports = named(new QToolButton(content), "compareExport");
  exports->setText(tr("Export"));
  exports->setIcon(themedIcon(QStringLiteral("export")));
  exports->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  exports->setPopupMode(QToolButton::InstantPopup);
  exports->setMenu(makeExportMenu());
  head->addWidget(title_);
  head->addWidget(note_, 1);
  head->addWidget(busy_);
  head->addWidget(exports);
  addCopyCommand(head, [this] { return command(/*withFiles=*/false); });
  return head;
}

QMenu* ComparePanel::makeExportMenu() {
  using Kind = ExportTarget::Kind;
  auto* menu = new QMenu(this);
  const auto add = [&](const QString& text, Kind kind, const QString& ending) {
    menu->addAction(text, this, [this, kind, ending] { chooseExport(kind, ending); });
  };
  add(tr("Everything as one page (HTML)…"), Kind::kPage, QStringLiteral("html"));
  add(tr("Sentences with scores (TSV)…"), Kind::kSentences, QStringLiteral("tsv"));
  add(tr("Score table for a paper (LaTeX)…"), Kind::kLatex, QStringLiteral("tex"));
  menu->addSeparator();
  menu->addAction(tr("This tab (PNG, SVG, PDF, CSV)…"), this, &ComparePanel::exportPictures);
  menu->addSeparator();
  named(menu->addAction(themedIcon(QStringLiteral("copy")), tr("Copy the command that exports"),
                        this, [this] { emit commandCopied(command(/*withFiles=*/true)); }),
        "copyExportCommand");
  return menu;
}

void ComparePanel::connectChoices() {
  connect(choices_, &CompareChoices::changed, this, &ComparePanel::choiceChanged);
  connect(choices_, &CompareChoices::setPicked, this,
          [this](const QString& id) { share({.testSet = id}); });
  connect(choices_, &CompareChoices::importSystemRequested, this,
          [this] { imports_->askForSystem(choices_->testSet()); });
  connect(choices_, &CompareChoices::importSetRequested, imports_, &CompareImports::askForTestSet);
  connect(choices_, &CompareChoices::importScoresRequested, this,
          [this] { imports_->askForScores(choices_->testSet()); });
  connect(choices_, &CompareChoices::restoreRequested, this, &ComparePanel::restoreRequested);
  connect(systems(), &SystemList::trashRequested, this, &ComparePanel::trashSystemRequested);
  connect(systems(), &SystemList::trashScoresRequested, this, &ComparePanel::trashScoresRequested);
  connect(imports_, &CompareImports::imported, this, &ComparePanel::listRequested);
  connect(imports_, &CompareImports::failed, this, &ComparePanel::failed);
  connect(imports_, &CompareImports::notice, this, &ComparePanel::notice);
}

void ComparePanel::connectViews() {
  connect(sentences_, &SentenceView::filterChanged, this, [this](const SentenceFilter& filter) {
    if (comparison_) emit filterRequested(comparison_, filter);
  });
  connect(sentences_, &SentenceView::wordActivated, this, &ComparePanel::openWord);
  connect(sentences_, &SentenceView::sentencePicked, this, [this](std::size_t position) {
    const auto& source = comparison_->plainSource;
    if (position >= source.size()) return;
    sentence_ = qs(source[position]);
    share({.testSet = qs(comparison_->testSet), .sentence = sentence_});
  });
  connect(ngrams_, &NGramsView::ngramActivated, this, &ComparePanel::filterByNGram);
  for (ComparisonView* view : QVector<ComparisonView*>{scores_, buckets_, ngrams_, words_}) {
    connect(view, &ComparisonView::failed, this, &ComparePanel::failed);
    connect(view, &ComparisonView::notice, this, &ComparePanel::notice);
  }
}

void ComparePanel::refresh() {
  stale_ = true;
  if (!isVisible()) return;
  stale_ = false;
  emit listRequested();
}

void ComparePanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  if (stale_) refresh();
}

void ComparePanel::follow(const Selection& choice) {
  if (choice.testSet) choices_->showSet(*choice.testSet);
  if (!choice.sentence) return;
  sentence_ = *choice.sentence;
  showChosenSentence();
}

void ComparePanel::showChosenSentence() {
  if (!comparison_ || sentence_.isEmpty()) return;
  const auto& source = comparison_->plainSource;
  const auto found = std::ranges::find(source, toStd(sentence_));
  if (found != source.end()) sentences_->showSentence(std::size_t(found - source.begin()));
}

SelectionChoices ComparePanel::choices() const {
  return {.sentences = comparison_ ? qs(comparison_->plainSource) : QStringList()};
}

void ComparePanel::setList(const SystemsList& list) {
  if (!isVisible()) {
    stale_ = true;
    return;
  }
  const QStringList before = known_.problems;
  // The list arrives whenever a run progresses: refill only if something changed.
  const bool same = listed_ && sameSystems(known_.systems, list.systems);
  known_ = list;
  imports_->setList(list);
  listed_ = true;
  setEmpty(known_.systems.empty());
  if (known_.problems != before && !known_.problems.isEmpty()) {
    emit failed(
        tr("%n stored translation(s) cannot be opened: %1", nullptr, int(known_.problems.size()))
            .arg(known_.problems.first()));
  }
  choices_->setTrashed(known_.trashed);
  if (!same) choices_->setSystems(known_.systems);
}

SystemList* ComparePanel::systems() const {
  return choices_->systems();
}

void ComparePanel::choiceChanged() {
  if (choices_->request() == asked_) return;
  compareTimer_.start();
}

void ComparePanel::compareChosen() {
  compareTimer_.stop();
  const CompareRequest wanted = choices_->request();
  if (wanted == asked_) return;
  asked_ = wanted;
  error_.clear();
  if (wanted.systems.isEmpty()) {
    setComparison(nullptr);
    return;
  }
  busy_->show();
  emit compareRequested(wanted);
}

void ComparePanel::setComparison(const ComparisonPointer& comparison) {
  busy_->hide();
  comparison_ = comparison;
  compared_ = asked_;
  results_->setEmpty(!comparison);
  for (ComparisonView* view : QVector<ComparisonView*>{scores_, buckets_, ngrams_, words_})
    view->setComparison(comparison);
  sentences_->setComparison(comparison);
  showChosenSentence();
  tabs_->setTabVisible(tabs_->indexOf(words_), comparison && !comparison->wordAccuracy.empty());
  describe();
}

void ComparePanel::describe() {
  if (!comparison_) {
    title_->setText(tr("Choose systems"));
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

void ComparePanel::setComparisonError(const QString& message) {
  error_ = message;
  setComparison(nullptr);
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

void ComparePanel::openWord(std::size_t system, std::size_t position, int word) {
  if (!comparison_) return;
  if (comparison_->plainSource.empty()) {
    emit notice(
        tr("The test set %1 has no source sentences to look into.").arg(qs(comparison_->testSet)));
    return;
  }
  // What has been ticked since may not have been compared yet.
  const StoredSystem* stored = systems()->system(compared_.systems.value(qsizetype(system)));
  if (stored == nullptr || stored->run == 0) {
    emit notice(tr("%1 was imported: there is no model here to inspect.")
                    .arg(qs(comparison_->systems[system].name)));
    return;
  }
  share({.run = stored->run,
         .testSet = qs(comparison_->testSet),
         .sentence = qs(comparison_->plainSource[position]),
         .hypothesis = 0,
         .word = word});
  emit showRequested(QStringLiteral("inside"));
}

void ComparePanel::confirmExport(const QString& path) {
  emit notice(tr("Written to %1.").arg(path));
}

void ComparePanel::setRuns(const QVector<RunRow>& runs) {
  runs_ = runs;
  translate_->setEnabled(!runs.isEmpty());
}

void ComparePanel::translateSet() {
  auto* dialog = new TranslateSetDialog(runs_, known_.sets, choices_->testSet(), this);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    for (const SetTranslations::Task& task : dialog->tasks()) emit translationRequested(task);
  });
  dialog->open();
}

// The system at the cursor of a table of scores, else the first one.
Here ComparePanel::here() const {
  Here here = Panel::here();
  if (!comparison_) return here;
  std::size_t system = 0;
  if (const auto* table = qobject_cast<const ReportTable*>(focusWidget())) {
    here.place = table->readout();
    const std::string name = toStd(table->cell(QStringLiteral("system")));
    for (std::size_t i = 0; i < comparison_->systems.size(); ++i) {
      if (comparison_->systems[i].name == name) system = i;
    }
  }
  if (here.place.isEmpty()) here.place = qs(comparison_->systems[system].name);
  for (const MetricComparison& compared : comparison_->metrics) {
    if (compared.metric->name() != "BLEU") continue;
    const Json details = metricDetails(*compared.metric, compared.rows[system].sums());
    here.add(QStringLiteral("BLEU"), scoreText(compared, compared.systems[system].score));
    QStringList precisions;
    for (const double precision : details.at("precisions"))
      precisions << numberText(precision / 100);
    here.add(QStringLiteral("p_n"), precisions.join(QStringLiteral(", ")));
    here.add(QStringLiteral("B"), details.at("bp").get<double>());
    here.add(QStringLiteral("r"), countText(details.at("ref_len").get<qint64>()));
    here.add(QStringLiteral("c"), countText(details.at("sys_len").get<qint64>()));
  }
  return here;
}

Json ComparePanel::saveState() const {
  Json state = choices_->saveState();
  state["tab"] = tabs_->currentIndex();
  return state;
}

void ComparePanel::restoreState(const Json& state) {
  if (!state.is_object()) return;
  choices_->restoreState(state);
  SavedState(state).index("tab", tabs_);
}

void ComparePanel::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.first().isLocalFile()) event->acceptProposedAction();
}

void ComparePanel::dropEvent(QDropEvent* event) {
  imports_->askForSystem(choices_->testSet(), event->mimeData()->urls().value(0).toLocalFile());
}

void ComparePanel::exportTo(const ExportTarget& target) {
  if (comparison_) emit exportRequested(comparison_, target);
}

QStringList ComparePanel::command(bool withFiles) const {
  QStringList line = choices_->command(choices_->request());
  if (withFiles) {
    line << QStringLiteral("--html") << QStringLiteral("comparison.html") << QStringLiteral("--tsv")
         << QStringLiteral("sentences.tsv") << QStringLiteral("--latex")
         << QStringLiteral("scores.tex");
  }
  return line;
}

void ComparePanel::chooseExport(ExportTarget::Kind kind, const QString& ending) {
  auto* dialog = new QFileDialog(this, tr("Export the comparison"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(ending);
  dialog->setNameFilter(QStringLiteral("*.") + ending);
  suggestFile(dialog, QStringLiteral("comparison"));
  connect(dialog, &QFileDialog::fileSelected, this, [this, kind](const QString& path) {
    exportTo({kind, path});
  });
  dialog->open();
}

void ComparePanel::exportPictures() {
  auto* view = qobject_cast<ComparisonView*>(tabs_->currentWidget());
  if (view == nullptr) {
    chooseExport(ExportTarget::Kind::kSentences, QStringLiteral("tsv"));
    return;
  }
  askForExport(this, {tr("Export this tab"),
                      tr("All values"),
                      [view](const QString& path) { view->exportTo(path); },
                      std::bind_front(&ComparePanel::failed, this),
                      [view] { return view->exportedParts(); },
                      {},
                      std::bind_front(&ComparePanel::notice, this),
                      QStringLiteral("comparison")});
}

bool ComparePanel::isUpToDate() const {
  return listed_ && (isEmpty() || (busy_->isHidden() && !compareTimer_.isActive()));
}

}  // namespace strata::ui
