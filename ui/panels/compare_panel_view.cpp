// The widgets of ComparePanel.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/data/text.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/sentence_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/system_list.h"

namespace strata::ui {
namespace {

constexpr int kCompareDelayMs = 250;
constexpr int kChoicesWidth = 270;

struct NamedMetric {
  const char *name, *label;
  bool further;  // selected at first, next to the main one
};
constexpr NamedMetric kMetrics[] = {
    {"bleu", "BLEU", true},
    {"chrf", "chrF2", true},
    {"chrf++", "chrF2++", false},
    {"ter", "TER", true},
    {"multi-bleu", "multi-bleu", false},
    {"mteval-bleu", "BLEU (mteval-v13a)", false},
    {"mteval-nist", "NIST (mteval-v13a)", false},
};

}  // namespace

ComparePanel::ComparePanel(ComparisonService* service, QAction* runDemo, QWidget* parent)
    : QWidget(parent), service_(service) {
  setObjectName(QStringLiteral("comparePanel"));
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  setAcceptDrops(true);
  translate_ = new QAction(themedIcon(QStringLiteral("translate")),
                           tr("Translate a test set with runs…"), this);
  translate_->setObjectName(QStringLiteral("translateSet"));
  translate_->setEnabled(false);
  connect(translate_, &QAction::triggered, this, &ComparePanel::translateSet);
  addAction(translate_);
  auto* content = new QSplitter(Qt::Horizontal, this);
  content->setObjectName(QStringLiteral("compareSplitter"));
  content->addWidget(makeChoices());
  content->addWidget(makeResults());
  content->setStretchFactor(1, 1);
  content->setChildrenCollapsible(false);
  content->setSizes({kChoicesWidth, 900});
  auto* empty = new EmptyState(
      QStringLiteral("compare"), tr("No translations yet"),
      tr("Translations of a test set are compared here: scores with intervals and tests, buckets, "
         "n-grams, and every sentence side by side. The demo creates two systems; "
         "`strata-run translate --run RUN --set SET` stores a run's translations; output files of "
         "other toolkits can be imported or dropped here."));
  empty->addAction(runDemo);
  empty->addAction(translate_);
  auto* set = new QAction(tr("Import a test set…"), this);
  connect(set, &QAction::triggered, this, &ComparePanel::importSet);
  empty->addAction(set);
  auto* import = new QAction(tr("Import translations…"), this);
  connect(import, &QAction::triggered, this, [this] { importFile({}); });
  empty->addAction(import);
  stack_ = new EmptyStack(empty, content, this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
  stack_->setEmpty(true);
  compareTimer_.setSingleShot(true);
  compareTimer_.setInterval(kCompareDelayMs);
  connect(&compareTimer_, &QTimer::timeout, this, &ComparePanel::compareChosen);
  connectService();
  connectViews();
}

QWidget* ComparePanel::makeChoices() {
  auto* side = new QWidget(this);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  const auto choice = [side](const QString& name, const QString& accessible) {
    auto* box = new QComboBox(side);
    box->setObjectName(name);
    box->setAccessibleName(accessible);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(12);
    return box;
  };
  set_ = choice(QStringLiteral("compareSet"), tr("Test set"));
  state_ = choice(QStringLiteral("compareState"), tr("Text"));
  state_->addItem(tr("plain text"), int(TextState::kRaw));
  state_->addItem(tr("tokens"), int(TextState::kTokens));
  state_->setToolTip(
      tr("Plain text is what published scores are computed on; tokens are what the models "
         "were trained on, with training-text counts and unknown words"));
  metric_ = choice(QStringLiteral("compareMetric"), tr("Sentence metric"));
  for (const NamedMetric& metric : kMetrics)
    metric_->addItem(QLatin1String(metric.label), QLatin1String(metric.name));
  test_ = choice(QStringLiteral("compareTest"), tr("Significance"));
  test_->addItem(tr("paired bootstrap"), int(SignificanceTest::kBootstrap));
  test_->addItem(tr("approximate randomization"), int(SignificanceTest::kRandomization));
  lowercase_ = new QCheckBox(tr("ignore case"), side);
  lowercase_->setObjectName(QStringLiteral("compareLowercase"));
  more_ = new QToolButton(side);
  more_->setObjectName(QStringLiteral("compareFurther"));
  more_->setText(tr("and…"));
  more_->setToolTip(tr("More system-level metrics"));
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setMenu(makeMetricMenu());
  list_ = new SystemList(side);
  layout->addWidget(set_);
  layout->addWidget(list_, 1);
  auto* form = new QFormLayout;
  form->setSpacing(6);
  auto* metrics = new QHBoxLayout;
  metrics->addWidget(metric_, 1);
  metrics->addWidget(more_);
  form->addRow(tr("Metric"), metrics);
  form->addRow(tr("Text"), state_);
  form->addRow(tr("Test"), test_);
  form->addRow(tr("Lengths"), makeLengthChoices(side));
  form->addRow(lowercase_);
  layout->addLayout(form);
  layout->addWidget(makeAddButton());
  return side;
}

QLayout* ComparePanel::makeLengthChoices(QWidget* side) {
  edges_ = new QLineEdit(QStringLiteral("10, 20, 30, 40"), side);
  edges_->setObjectName(QStringLiteral("compareEdges"));
  edges_->setAccessibleName(tr("Edges of length buckets"));
  equalCounts_ = new QSpinBox(side);
  equalCounts_->setObjectName(QStringLiteral("compareEqualCounts"));
  equalCounts_->setAccessibleName(tr("Number of length buckets of equal size"));
  equalCounts_->setToolTip(tr("Additional length buckets, each with the same number of sentences"));
  equalCounts_->setRange(0, 100);
  equalCounts_->setSpecialValueText(tr("–"));
  auto* row = new QHBoxLayout;
  row->addWidget(edges_, 1);
  row->addWidget(equalCounts_);
  return row;
}

QMenu* ComparePanel::makeMetricMenu() {
  auto* menu = new QMenu(this);
  for (const NamedMetric& metric : kMetrics) {
    QAction* action = menu->addAction(QLatin1String(metric.label));
    action->setCheckable(true);
    action->setChecked(metric.further);
    action->setData(QLatin1String(metric.name));
    connect(action, &QAction::toggled, this, &ComparePanel::choiceChanged);
    further_ << action;
  }
  return menu;
}

QToolButton* ComparePanel::makeAddButton() {
  auto* button = new QToolButton(this);
  button->setObjectName(QStringLiteral("compareAdd"));
  button->setText(tr("Add systems"));
  button->setIcon(themedIcon(QStringLiteral("folder")));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* menu = new QMenu(button);
  auto* system =
      menu->addAction(tr("Translations of another toolkit…"), this, [this] { importFile({}); });
  system->setObjectName(QStringLiteral("importSystem"));
  auto* set =
      menu->addAction(tr("Import the references of a test set…"), this, &ComparePanel::importSet);
  set->setObjectName(QStringLiteral("importTestSet"));
  button->setMenu(menu);
  return button;
}

QMenu* ComparePanel::makeExportMenu() {
  using Kind = ExportTarget::Kind;
  auto* menu = new QMenu(this);
  const auto add = [&](const QString& text, Kind kind) {
    menu->addAction(text, this, [this, kind] { chooseExport(kind); });
  };
  add(tr("Everything as one page (HTML)…"), Kind::kPage);
  add(tr("Sentences with scores (TSV)…"), Kind::kSentences);
  add(tr("Score table for a paper (LaTeX)…"), Kind::kLatex);
  menu->addSeparator();
  menu->addAction(tr("This tab (PNG, SVG, PDF, CSV)…"), this, &ComparePanel::exportPictures);
  return menu;
}

QWidget* ComparePanel::makeResults() {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 8, 0, 0);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 0, 8, 0);
  title_ = new QLabel(content);
  title_->setObjectName(QStringLiteral("compareTitle"));
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  note_ = new QLabel(content);
  note_->setObjectName(QStringLiteral("compareNote"));
  note_->setProperty("muted", true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  busy_ = new QProgressBar(content);
  busy_->setObjectName(QStringLiteral("compareBusy"));
  busy_->setRange(0, 0);
  busy_->setMaximumWidth(120);
  busy_->setTextVisible(false);
  busy_->hide();
  auto* exports = new QToolButton(content);
  exports->setObjectName(QStringLiteral("compareExport"));
  exports->setText(tr("Export"));
  exports->setIcon(themedIcon(QStringLiteral("export")));
  exports->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  exports->setPopupMode(QToolButton::InstantPopup);
  exports->setMenu(makeExportMenu());
  head->addWidget(title_);
  head->addWidget(note_, 1);
  head->addWidget(busy_);
  head->addWidget(exports);
  layout->addLayout(head);
  tabs_ = new QTabWidget(content);
  tabs_->setObjectName(QStringLiteral("compareTabs"));
  tabs_->addTab(scores_ = new ScoresView(tabs_), tr("Scores"));
  tabs_->addTab(buckets_ = new BucketsView(tabs_), tr("Buckets"));
  tabs_->addTab(ngrams_ = new NGramsView(tabs_), tr("N-grams"));
  tabs_->addTab(words_ = new WordsView(tabs_), tr("Words"));
  tabs_->addTab(sentences_ = new SentenceView(tabs_), tr("Sentences"));
  auto* choose = new EmptyState(QStringLiteral("compare"), tr("Choose two systems"),
                                tr("Check two or more systems of one test set on the left. The "
                                   "first is the baseline unless you choose another."));
  results_ = new EmptyStack(choose, tabs_, content);
  results_->setEmpty(true);
  layout->addWidget(results_, 1);
  return content;
}

void ComparePanel::connectService() {
  connect(service_, &ComparisonService::listed, this, &ComparePanel::receiveList);
  connect(service_, &ComparisonService::compared, this, &ComparePanel::receive);
  connect(service_, &ComparisonService::compareFailed, this, &ComparePanel::showProblem);
  connect(service_, &ComparisonService::filtered, sentences_, &SentenceView::setFiltered);
  connect(service_, &ComparisonService::filterFailed, sentences_, &SentenceView::setFilterError);
  connect(service_, &ComparisonService::failed, this, &ComparePanel::failed);
  connect(service_, &ComparisonService::exported, this,
          [this](const QString& path) { emit notice(tr("Written to %1.").arg(path)); });
  connect(service_, &ComparisonService::imported, this,
          [this](const QString& name, const QStringList& warnings) {
            emit notice(warnings.isEmpty()
                            ? tr("%1 imported.").arg(name)
                            : tr("%1 imported: %2").arg(name, warnings.join(QStringLiteral("; "))));
            service_->list();
          });
  connect(service_, &ComparisonService::testSetImported, this, [this](const QString& id) {
    emit notice(tr("Test set %1 imported. Next, import translations of it.").arg(id));
    service_->list();
  });
}

void ComparePanel::connectViews() {
  connect(set_, &QComboBox::currentIndexChanged, this, &ComparePanel::showSystems);
  connect(state_, &QComboBox::currentIndexChanged, this, [this] {
    setMainMetric(chosenState());
    choiceChanged();
  });
  for (QComboBox* choice : {metric_, test_})
    connect(choice, &QComboBox::currentIndexChanged, this, &ComparePanel::choiceChanged);
  connect(edges_, &QLineEdit::textChanged, this, &ComparePanel::choiceChanged);
  connect(equalCounts_, &QSpinBox::valueChanged, this, &ComparePanel::choiceChanged);
  connect(lowercase_, &QCheckBox::toggled, this, &ComparePanel::choiceChanged);
  connect(list_, &SystemList::changed, this, &ComparePanel::choiceChanged);
  connect(list_, &SystemList::trashRequested, service_, &ComparisonService::trashSystem);
  connect(sentences_, &SentenceView::filterChanged, this, [this](const SentenceFilter& filter) {
    if (comparison_) service_->filter(comparison_, filter);
  });
  connect(sentences_, &SentenceView::wordActivated, this,
          [this](std::size_t system, std::size_t position, int) { openWord(system, position); });
  connect(ngrams_, &NGramsView::ngramActivated, this, &ComparePanel::filterByNGram);
  for (ComparisonView* view : QVector<ComparisonView*>{scores_, buckets_, ngrams_, words_})
    connect(view, &ComparisonView::failed, this, &ComparePanel::failed);
}

}  // namespace strata::ui
