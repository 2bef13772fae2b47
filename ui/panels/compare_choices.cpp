#include "ui/panels/compare_choices.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/system_list.h"

namespace strata::ui {
namespace {

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

CompareChoices::CompareChoices(QWidget* parent) : QWidget(parent) {
  set_ = makeChoice(QStringLiteral("compareSet"), tr("Test set"));
  state_ = makeChoice(QStringLiteral("compareState"), tr("Text"));
  state_->addItem(tr("plain text"), int(TextState::kRaw));
  state_->addItem(tr("tokens"), int(TextState::kTokens));
  state_->setToolTip(
      tr("Plain text is what published scores are computed on; tokens are what the models "
         "were trained on, with training-text counts and unknown words"));
  baseline_ = makeChoice(QStringLiteral("compareBaseline"), tr("Baseline"));
  baseline_->setToolTip(
      tr("The system that the others are compared with; at first the one with which a paper's "
         "table compares the others"));
  metric_ = makeChoice(QStringLiteral("compareMetric"), tr("Sentence metric"));
  for (const NamedMetric& metric : kMetrics)
    metric_->addItem(QLatin1String(metric.label), QLatin1String(metric.name));
  test_ = makeChoice(QStringLiteral("compareTest"), tr("Significance"));
  test_->addItem(tr("paired bootstrap"), int(SignificanceTest::kBootstrap));
  test_->addItem(tr("approximate randomization"), int(SignificanceTest::kRandomization));
  lowercase_ = named(new QCheckBox(tr("ignore case"), this), "compareLowercase");
  more_ = named(new QToolButton(this), "compareFurther");
  more_->setText(tr("and…"));
  more_->setToolTip(tr("More system-level metrics"));
  more_->setPopupMode(QToolButton::InstantPopup);
  makeMetricMenu();
  list_ = new SystemList(this);
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 8, 8, 8}, 8);
  layout->addWidget(set_);
  layout->addWidget(list_, 1);
  layout->addLayout(makeForm());
  layout->addWidget(makeAddButton());
  connectChoices();
}

QComboBox* CompareChoices::makeChoice(const QString& name, const QString& accessible) {
  auto* box = named(new QComboBox(this), name, accessible);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(12);
  return box;
}

QLayout* CompareChoices::makeForm() {
  auto* form = new QFormLayout;
  form->setSpacing(6);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  auto* metrics = new QHBoxLayout;
  metrics->addWidget(metric_, 1);
  metrics->addWidget(more_);
  form->addRow(tr("Baseline"), baseline_);
  form->addRow(tr("Metric"), metrics);
  form->addRow(tr("Text"), state_);
  form->addRow(tr("Test"), test_);
  form->addRow(tr("Lengths"), makeLengths());
  form->addRow(lowercase_);
  return form;
}

QLayout* CompareChoices::makeLengths() {
  edges_ = named(new QLineEdit(QStringLiteral("10, 20, 30, 40"), this), "compareEdges",
                 tr("Edges of length buckets"));
  equalCounts_ =
      named(new QSpinBox(this), "compareEqualCounts", tr("Number of length buckets of equal size"));
  equalCounts_->setToolTip(tr("Additional length buckets, each with the same number of sentences"));
  equalCounts_->setRange(0, 100);
  equalCounts_->setSpecialValueText(tr("–"));
  auto* row = new QHBoxLayout;
  row->addWidget(edges_, 1);
  row->addWidget(equalCounts_);
  return row;
}

void CompareChoices::makeMetricMenu() {
  auto* menu = new QMenu(this);
  more_->setMenu(menu);
  for (const NamedMetric& metric : kMetrics)
    addFurther(QLatin1String(metric.label), QLatin1String(metric.name), metric.further);
}

void CompareChoices::addFurther(const QString& label, const QString& name, bool checked) {
  QAction* action = more_->menu()->addAction(label);
  action->setCheckable(true);
  action->setChecked(checked);
  action->setData(name);
  connect(action, &QAction::toggled, this, &CompareChoices::changed);
  further_ << action;
}

// Imported scores of any of these systems are metrics after those computed here; the selection is
// kept.
void CompareChoices::fillMetrics(const std::vector<StoredSystem>& systems) {
  QStringList names;
  for (const StoredSystem& system : systems) {
    for (const StoredScores& scores : system.importedScores) {
      const QString name = qs(scores.metric.name());
      if (!names.contains(name)) names << name;
    }
  }
  names.sort();
  const int computed = int(std::size(kMetrics));
  QStringList before;
  for (int i = computed; i < metric_->count(); ++i) before << metric_->itemData(i).toString();
  if (names == before) return;
  QStringList unchecked;
  for (qsizetype i = computed; i < further_.size(); ++i) {
    if (!further_[i]->isChecked()) unchecked << further_[i]->data().toString();
  }
  const QString main = metric_->currentData().toString();
  const QSignalBlocker blocker(metric_), blocked(this);
  while (metric_->count() > computed) metric_->removeItem(metric_->count() - 1);
  while (further_.size() > computed) delete further_.takeLast();
  for (const QString& name : names) {
    metric_->addItem(name, name);
    const bool restores = !restoredMetrics_.isEmpty();
    addFurther(name, name, restores ? restoredMetrics_.contains(name) : !unchecked.contains(name));
  }
  const QString wanted = restoredMetrics_.value(0, main);
  if (!selectData(metric_, names.contains(wanted) ? wanted : main)) setMainMetric(textState());
  if (!names.isEmpty()) restoredMetrics_.clear();
}

// The checked systems.
void CompareChoices::fillBaselines() {
  const QSignalBlocker blocker(baseline_);
  baseline_->clear();
  for (const QString& id : list_->chosen()) baseline_->addItem(qs(list_->system(id)->name), id);
  baseline_->setEnabled(baseline_->count() > 1);
  selectData(baseline_, list_->baseline());
}

void CompareChoices::setTrashed(const QVector<TrashedItem>& items) {
  trashed_ = items;
  trash_->setEnabled(!items.isEmpty());
}

void CompareChoices::fillTrash() {
  trash_->clear();
  for (const TrashedItem& item : trashed_)
    trash_->addAction(asEntry(item.text), this, [this, item] { emit restoreRequested(item); });
}

QToolButton* CompareChoices::makeAddButton() {
  auto* button = named(new QToolButton(this), "compareAdd");
  button->setText(tr("Add systems"));
  button->setIcon(themedIcon(QStringLiteral("folder")));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* menu = new QMenu(button);
  named(menu->addAction(tr("Translations of another toolkit…"), this,
                        &CompareChoices::importSystemRequested),
        "importSystem");
  named(menu->addAction(tr("Import the references of a test set…"), this,
                        &CompareChoices::importSetRequested),
        "importTestSet");
  named(menu->addAction(tr("Import scores…"), this, &CompareChoices::importScoresRequested),
        "importScores");
  menu->addSeparator();
  trash_ = named(menu->addMenu(tr("Restore from the trash")), "restoreMenu");
  trash_->setEnabled(false);
  connect(trash_, &QMenu::aboutToShow, this, &CompareChoices::fillTrash);
  button->setMenu(menu);
  return button;
}

void CompareChoices::connectChoices() {
  connect(set_, &QComboBox::currentIndexChanged, this, &CompareChoices::showSystems);
  connect(set_, &QComboBox::activated, this, [this] { emit setPicked(testSet()); });
  connect(state_, &QComboBox::currentIndexChanged, this, [this] {
    setMainMetric(textState());
    emit changed();
  });
  for (QComboBox* choice : {metric_, test_})
    connect(choice, &QComboBox::currentIndexChanged, this, &CompareChoices::changed);
  connect(edges_, &QLineEdit::textChanged, this, &CompareChoices::changed);
  connect(equalCounts_, &QSpinBox::valueChanged, this, &CompareChoices::changed);
  connect(lowercase_, &QCheckBox::toggled, this, &CompareChoices::changed);
  connect(list_, &SystemList::changed, this, &CompareChoices::fillBaselines);
  connect(list_, &SystemList::changed, this, &CompareChoices::changed);
  connect(baseline_, &QComboBox::activated, this,
          [this] { list_->setBaseline(baseline_->currentData().toString()); });
}

void CompareChoices::setSystems(const std::vector<StoredSystem>& all) {
  known_ = all;
  fillSets();
}

void CompareChoices::showSet(const QString& id) {
  selectData(set_, id);
}

// Sets with systems, the one with the newest system first; the selection is kept.
void CompareChoices::fillSets() {
  struct Counted {
    QString id;
    int systems = 0;
    double newest = 0;
  };
  QVector<Counted> sets;
  for (const StoredSystem& system : known_) {
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
  const QString before = set_->count() == 0 ? restoredSet_ : testSet();
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

void CompareChoices::showSystems() {
  std::vector<StoredSystem> systems;
  for (const StoredSystem& system : known_) {
    if (qs(system.testSet) == testSet()) systems.push_back(system);
  }
  list_->setSystems(systems);
  fillMetrics(systems);
  if (!restored_.isEmpty() && testSet() == restoredSet_) {
    const QStringList wanted = std::exchange(restored_, {});
    const auto known = [this](const QString& id) { return list_->system(id) != nullptr; };
    if (std::any_of(wanted.begin(), wanted.end(), known)) list_->choose(wanted, wanted.first());
  }
  fillBaselines();
  emit changed();
}

QString CompareChoices::testSet() const {
  return set_->currentData().toString();
}

TextState CompareChoices::textState() const {
  return TextState(state_->currentData().toInt());
}

void CompareChoices::setMainMetric(TextState state) {
  const QSignalBlocker blocker(metric_);
  selectData(metric_, state == TextState::kRaw ? "bleu" : "multi-bleu");
}

std::vector<std::string> CompareChoices::metrics() const {
  std::vector<std::string> metrics{toStd(metric_->currentData().toString())};
  for (const QAction* action : further_) {
    const std::string name = toStd(action->data().toString());
    if (action->isChecked() && name != metrics.front()) metrics.push_back(name);
  }
  return metrics;
}

// Leaves out every edge that is not a number greater than the one before; the field is marked then.
std::vector<double> CompareChoices::edges() const {
  std::vector<double> given;
  bool sound = true;
  static const QRegularExpression between(QStringLiteral("[,;\\s]+"));
  for (const QString& word : edges_->text().split(between, Qt::SkipEmptyParts)) {
    bool number = false;
    const double edge = word.toDouble(&number);
    number = number && std::isfinite(edge) && edge > (given.empty() ? 0 : given.back());
    sound = sound && number;
    if (number) given.push_back(edge);
  }
  const QString tip =
      sound ? tr("Lower edges of the buckets by reference length in words, e.g. 10, 20, 30")
            : tr("Edges must be increasing numbers, e.g. 10, 20, 30");
  if (edges_->toolTip() != tip) {
    edges_->setToolTip(tip);
    edges_->setProperty("invalid", !sound);
    edges_->style()->polish(edges_);
  }
  return given;
}

CompareRequest CompareChoices::request() const {
  const QString baseline = list_->baseline();
  QStringList systems = list_->chosen();
  if (systems.removeOne(baseline)) systems.prepend(baseline);  // the others are compared with it
  return {.testSet = testSet(),
          .systems = systems,
          .baseline = baseline,
          .state = textState(),
          .metrics = metrics(),
          .test = SignificanceTest(test_->currentData().toInt()),
          .lowercase = lowercase_->isChecked(),
          .lengthEdges = edges(),
          .lengthBuckets = equalCounts_->value()};
}

QStringList CompareChoices::command(const CompareRequest& request) const {
  QStringList line{QStringLiteral("compare"), QStringLiteral("--set"), request.testSet,
                   QStringLiteral("--system")};
  line << request.systems;
  if (const StoredSystem* baseline = list_->system(request.baseline))
    line << QStringLiteral("--baseline") << qs(baseline->name);
  QStringList metrics, edges;
  for (const std::string& metric : request.metrics) metrics << qs(metric);
  for (const double edge : request.lengthEdges) edges << QString::number(edge, 'g', 12);
  line << QStringLiteral("--metric") << metrics.join(QLatin1Char(','));
  line << QStringLiteral("--significance") << qs(std::string(nameOf(request.test)));
  if (!edges.isEmpty()) line << QStringLiteral("--length-edges") << edges.join(QLatin1Char(','));
  if (request.lengthBuckets > 1)
    line << QStringLiteral("--length-buckets") << QString::number(request.lengthBuckets);
  if (request.state == TextState::kTokens) line << QStringLiteral("--tokens");
  if (request.lowercase) line << QStringLiteral("--lowercase");
  return line;
}

Json CompareChoices::saveState() const {
  const CompareRequest chosen = request();
  const bool waits = set_->count() == 0;
  return {{"set", toStd(waits ? restoredSet_ : chosen.testSet)},
          {"systems", jsonOf(waits ? restored_ : chosen.systems)},
          {"state", nameOf(chosen.state)},
          {"metrics", chosen.metrics},
          {"test", nameOf(chosen.test)},
          {"lowercase", chosen.lowercase},
          {"edges", toStd(edges_->text())},
          {"length_buckets", chosen.lengthBuckets}};
}

void CompareChoices::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredSet_ = saved.text("set").value_or(QString());
  restored_ = saved.texts("systems").value_or(QStringList());
  for (const TextState each : {TextState::kRaw, TextState::kTokens}) {
    if (saved.text("state") == QLatin1String(nameOf(each))) selectData(state_, int(each));
  }
  for (const auto each : {SignificanceTest::kBootstrap, SignificanceTest::kRandomization}) {
    if (saved.text("test") == QLatin1String(nameOf(each))) selectData(test_, int(each));
  }
  saved.check("lowercase", lowercase_);
  saved.line("edges", edges_);
  saved.value("length_buckets", equalCounts_);
  const QStringList metrics = saved.texts("metrics").value_or(QStringList());
  if (metrics.isEmpty()) return;
  restoredMetrics_ = metrics;
  selectData(metric_, metrics.first());
  for (QAction* action : further_) {
    const QString name = action->data().toString();
    if (name != metrics.first()) action->setChecked(metrics.contains(name));
  }
}

}  // namespace strata::ui
