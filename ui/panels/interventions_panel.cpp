#include "ui/panels/interventions_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/effect_scatter.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
namespace {

constexpr QLatin1StringView kWithBleu{"--bleu"};
const QString kBleuFigure = QStringLiteral("bleu");
enum EffectPicture { kByLayer, kAgainstWeight };

// As the selectors offer them.
QString titleOf(EffectKind kind) {
  switch (kind) {
    case EffectKind::kLevels:
      return InterventionsPanel::tr("Levels of a fusion");
    case EffectKind::kHops:
      return InterventionsPanel::tr("Hops of a fusion");
    case EffectKind::kCells:
      return InterventionsPanel::tr("Cells (level in hop)");
    case EffectKind::kBlocks:
      return InterventionsPanel::tr("Blocks, fast-forward");
    case EffectKind::kParts:
      return InterventionsPanel::tr("Parts of DenseAtt-2");
    case EffectKind::kHeads:
      return InterventionsPanel::tr("Heads");
    case EffectKind::kContexts:
      return InterventionsPanel::tr("Source and history");
    case EffectKind::kGates:
      return InterventionsPanel::tr("Gate at 0, ½, 1");
  }
  return {};
}

QString titleOf(EffectMode mode) {
  switch (mode) {
    case EffectMode::kMean:
      return InterventionsPanel::tr("its mean");
    case EffectMode::kZero:
      return InterventionsPanel::tr("zero");
    case EffectMode::kMask:
      return InterventionsPanel::tr("mask");
  }
  return {};
}

// "decoder" if several groups are drawn, else what tells a group's units apart.
QString seriesOf(const UnitEffect& unit, bool several) {
  const QString part = qs(unit.part), group = qs(unit.group);
  return several && part != group && !part.startsWith(group)
             ? QStringLiteral("%1, %2").arg(group, part)
             : part;
}

// What is drawn: an effect on all words or on those of one class, or the change of BLEU.
struct EffectFigure {
  QString name, title, axis;  // the name is kept over a restart; the title is in the selector
  std::function<double(const UnitEffect&)> value, low, high;
  std::vector<EffectCorrelation> correlations = {};  // empty: it is not drawn against weights
};

// Those that have been measured.
std::vector<EffectFigure> figuresOf(const EffectStatistics& statistics) {
  const QString nats = InterventionsPanel::tr("−log p per token without − with (nats)");
  std::vector<EffectFigure> figures{{QStringLiteral("all"), InterventionsPanel::tr("all words"),
                                     nats, &UnitEffect::effect, &UnitEffect::low, &UnitEffect::high,
                                     statistics.correlations}};
  const auto none = [](const UnitEffect&) { return kNoEffectValue; };
  for (std::size_t c = 0; c < kWordClasses.size(); ++c) {
    const auto value = [c](const UnitEffect& unit) { return unit.byClass[c]; };
    if (std::ranges::all_of(statistics.units,
                            [&](const UnitEffect& unit) { return std::isnan(value(unit)); }))
      continue;
    const QString name = qs(nameOf(kWordClasses[c]));
    figures.push_back(
        {name, InterventionsPanel::tr("words: %1").arg(name), nats, value, none, none});
  }
  if (statistics.bleu)
    figures.push_back(
        {kBleuFigure, InterventionsPanel::tr("BLEU"), InterventionsPanel::tr("BLEU without − with"),
         [](const UnitEffect& unit) { return unit.bleu.change; },
         [](const UnitEffect& unit) { return unit.bleu.low; },
         [](const UnitEffect& unit) { return unit.bleu.high; }, statistics.bleu->correlations});
  return figures;
}

// Those that a picture can draw: by layer all, against weights the first and those that are
// correlated with them.
std::vector<EffectFigure> figuresOf(const EffectStatistics& statistics, int picture) {
  auto figures = figuresOf(statistics);
  if (picture == kByLayer) return figures;
  const auto none = [](const EffectFigure& each) { return each.correlations.empty(); };
  figures.erase(std::remove_if(figures.begin() + 1, figures.end(), none), figures.end());
  return figures;
}

// The one of this name, or the first.
const EffectFigure& figureNamed(const QString& name, const std::vector<EffectFigure>& figures) {
  const auto found = std::ranges::find(figures, name, &EffectFigure::name);
  return found == figures.end() ? figures.front() : *found;
}

QString unitName(const UnitEffect& unit, bool several) {
  return several ? qs(unit.group + " " + unit.name) : qs(unit.name);
}

bool hasSeveralGroups(const EffectsReport& report) {
  const auto& units = report.statistics.units;
  return std::ranges::any_of(
      units, [&](const UnitEffect& unit) { return unit.group != units.front().group; });
}

}  // namespace

InterventionsPanel::InterventionsPanel(QAction* runDemo, QWidget* parent)
    : ReportPanel(
          {QStringLiteral("interventions"), QStringLiteral("interventions"), tr("Interventions")},
          QStringLiteral("effects"), parent) {
  setParts({tr("No model yet"),
            tr("How much a trained model loses without each of its parts (levels, hops, heads, "
               "blocks, contexts), next to the weight that it gives them, is measured here."),
            {runDemo}},
           makeActions(),
           makeSplitter(Qt::Vertical, this, {{makePictures(), 330, 2}, {makeSummary(), 250, 1}}));
  for (QComboBox* box : {kind_, mode_})
    connect(box, &QComboBox::currentIndexChanged, this, &InterventionsPanel::showChoice);
}

QWidget* InterventionsPanel::makeActions() {
  auto* bar = makeBar(this);
  kind_ = addChoice(bar, QStringLiteral("effectsKind"), tr("Units to switch off"));
  for (const EffectKind each : kEffectKinds) {
    kind_->addItem(titleOf(each), qs(strata::nameOf(each)));
    kind_->setItemData(kind_->count() - 1, qs(describe(each)), Qt::ToolTipRole);
  }
  bar->addWidget(styled(new QLabel(tr("replaced by"), this), "muted"));
  mode_ = addChoice(bar, QStringLiteral("effectsMode"), tr("Replaced by"));
  for (const EffectMode each : kEffectModes)
    mode_->addItem(titleOf(each), qs(strata::nameOf(each)));
  mode_->setToolTip(
      tr("The mean over the validation set keeps the weights and takes away what the "
         "unit says; a mask takes the softmax over the rest"));
  addButtons(bar);
  bleu_ = named(new QPushButton(tr("Measure BLEU, too"), this), "effectsBleu");
  bleu_->setToolTip(
      tr("Translates the set once more without each unit, as the run's validation translates; "
         "takes many times longer than the likelihoods"));
  connect(bleu_, &QPushButton::clicked, this, [this] { start({kWithBleu}); });
  bar->addWidget(bleu_);
  bar->addStretch();
  addCopyCommand(bar, [this] { return arguments(); });
  addExportTool(this, bar,
                {QStringLiteral("effectsExport"),
                 tr("Export the effects…"),
                 {tr("Export the picture shown"), tr("Its values"),
                  std::bind_front(&InterventionsPanel::exportPicture, this),
                  std::bind_front(&InterventionsPanel::failed, this)}});
  return bar->parentWidget();
}

QWidget* InterventionsPanel::makePictures() {
  pictures_ = named(new Tabs(this), "effectsPictures", tr("Pictures"));
  byLayer_ = named(new CategoryPlot(pictures_), "effectsByLayer");
  byLayer_->setUnitScale(false);
  byLayer_->setFromZero(false);
  pictures_->addTab(byLayer_, tr("By layer"));
  byWeight_ = named(new EffectScatter(pictures_), "effectsByWeight");
  pictures_->addTab(byWeight_, tr("Against weight"));
  figure_ = named(new QComboBox(pictures_), "effectsFigure", tr("What is drawn"));
  figure_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  pictures_->setCornerWidget(figure_);
  connect(figure_, &QComboBox::currentIndexChanged, this, [this] {
    wantedFigure_ = figure_->currentData().toString();
    draw();
  });
  connect(pictures_, &QTabWidget::currentChanged, this, &InterventionsPanel::listFigures);
  return pictures_;
}

QWidget* InterventionsPanel::makeSummary() {
  auto* summary = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(summary);
  lists_ = named(new QLabel(summary), "effectsLists");
  lists_->setWordWrap(true);
  lists_->setContentsMargins(10, 6, 10, 6);
  lists_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  lists_->setToolTip(
      tr("Weight without effect: the weight is in the top third of its group, and "
         "the effect's interval holds 0. Effect without weight: the weight is in "
         "the bottom third, and the interval excludes 0."));
  layout->addWidget(lists_);
  table_ = named(new ReportTable(summary), "effectsTable", tr("Effects of all units"));
  layout->addWidget(table_, 1);
  return summary;
}

EffectKind InterventionsPanel::kind() const {
  return kEffectKinds[std::size_t(kind_->currentIndex())];
}

std::vector<EffectKind> InterventionsPanel::kindsOfModel() const {
  std::vector<EffectKind> kinds;
  for (const EffectKind each : kEffectKinds) {
    if (lackOf(loaded().model, each).empty()) kinds.push_back(each);
  }
  return kinds;
}

EffectMode InterventionsPanel::mode() const {
  return kEffectModes[std::size_t(mode_->currentIndex())];
}

QStringList InterventionsPanel::arguments() const {
  QStringList arguments = QStringList{QStringLiteral("effects")} + choice().arguments() +
                          QStringList{QStringLiteral("--kind"), kind_->currentData().toString(),
                                      QStringLiteral("--mode"), mode_->currentData().toString()};
  if (shown() && shown()->statistics.bleu) arguments << kWithBleu;
  return arguments;
}

void InterventionsPanel::showButtons() {
  MeasuredPanel::showButtons();
  bleu_->setVisible(shown() && !shown()->statistics.bleu && !isMeasuring());
}

// Kinds of units that the model lacks cannot be picked. With `choose` one that it has is chosen.
void InterventionsPanel::offer(bool choose) {
  const auto offered = kindsOfModel();
  const auto has = [&](EffectKind kind) {
    return std::ranges::find(offered, kind) != offered.end();
  };
  for (int i = 0; i < kind_->count(); ++i) {
    if (auto* items = qobject_cast<QStandardItemModel*>(kind_->model()))
      items->item(i)->setEnabled(has(kEffectKinds[std::size_t(i)]));
  }
  if (!choose || offered.empty() || has(kind())) return;
  const QSignalBlocker kinds(kind_);
  selectData(kind_, qs(strata::nameOf(offered.front())));
}

void InterventionsPanel::choose(const EffectsReport& report) {
  const QSignalBlocker kinds(kind_), modes(mode_);
  selectData(kind_, qs(strata::nameOf(report.key.kind)));
  selectData(mode_, qs(strata::nameOf(report.key.mode)));
}

bool InterventionsPanel::isOfChoice(const EffectsReport& report) const {
  return report.key.kind == kind() &&
         (report.key.mode == mode() || report.key.kind == EffectKind::kGates);
}

QString InterventionsPanel::lacking() const {
  if (!choice().hasCheckpoint()) return MeasuredPanel::lacking();
  const std::string lack = lackOf(loaded().model, kind());
  if (!lack.empty()) {
    QStringList offered;
    for (const EffectKind each : kindsOfModel()) offered << titleOf(each);
    return offered.isEmpty() ? tr("%1 It has no parts that can be switched off.").arg(qs(lack))
                             : tr("%1 It has: %2.").arg(qs(lack), offered.join(tr(", ")));
  }
  const auto refusal = refusalOf(kind(), mode());
  return refusal.empty() ? QString() : tr("Not possible: %1.").arg(qs(refusal));
}

// Units that the model has, a replacement that they can have, or another model.
LackPage::Remedy InterventionsPanel::remedy() {
  if (!choice().hasCheckpoint()) return MeasuredPanel::remedy();
  const auto mean = [this] { selectData(mode_, qs(strata::nameOf(EffectMode::kMean))); };
  if (lackOf(loaded().model, kind()).empty()) return {tr("Replace them by their mean"), mean};
  const auto offered = kindsOfModel();
  if (offered.empty()) return otherThan(loaded());
  return {tr("Choose: %1").arg(titleOf(offered.front())), [this, mean, first = offered.front()] {
            if (!refusalOf(first, mode()).empty()) mean();
            selectData(kind_, qs(strata::nameOf(first)));
          }};
}

QString InterventionsPanel::howMeasured() const {
  return tr(
      "Start passes the set through the model once per unit, each time without that unit; the "
      "result is kept in the run's folder.");
}

QString InterventionsPanel::caption() const {
  QStringList lines{qs(captionOf(*shown()))};
  if (shown()->statistics.bleu) lines << qs(bleuCaptionOf(*shown()));
  return lines.join(QLatin1Char('\n'));
}

void InterventionsPanel::showFound() {
  if (!shown()) return;
  const EffectsReport& report = *shown();
  listFigures();
  draw();
  table_->setTable(effectsTable(report));
  const bool several = hasSeveralGroups(report);
  QStringList lines;
  for (const auto& [list, title] :
       {std::pair{EffectList::kWeightWithoutEffect, tr("Weight without effect")},
        std::pair{EffectList::kEffectWithoutWeight, tr("Effect without weight")}}) {
    QStringList units;
    for (const UnitEffect& unit : report.statistics.units) {
      if (unit.list == list) units << unitName(unit, several);
    }
    lines << tr("%1: %2").arg(title, units.isEmpty() ? tr("none") : units.join(tr("; ")));
  }
  lists_->setText(lines.join(QLatin1Char('\n')));
  lists_->setVisible(!report.weight.empty());
}

// Those of the picture shown.
void InterventionsPanel::listFigures() {
  if (!shown()) return;
  const QSignalBlocker blocker(figure_);
  figure_->clear();
  for (const EffectFigure& each : figuresOf(shown()->statistics, pictures_->currentIndex()))
    figure_->addItem(each.title, each.name);
  selectData(figure_, wantedFigure_);
  figure_->setVisible(figure_->count() > 1);
}

void InterventionsPanel::draw() {
  if (!shown()) return;
  drawByLayer();
  drawScatter();
}

// One category per layer, one series per part of a layer.
void InterventionsPanel::drawByLayer() {
  const EffectsReport& report = *shown();
  const auto figures = figuresOf(report.statistics, kByLayer);
  const EffectFigure& figure = figureNamed(wantedFigure_, figures);
  const bool several = hasSeveralGroups(report);
  QStringList layers, names;
  for (const UnitEffect& unit : report.statistics.units) {
    if (!layers.contains(qs(unit.layer))) layers << qs(unit.layer);
    if (!names.contains(seriesOf(unit, several))) names << seriesOf(unit, several);
  }
  const auto missing = std::vector<double>(std::size_t(layers.size()), kNoEffectValue);
  QVector<CategorySeries> series;
  for (const QString& name : names)
    series << CategorySeries{name, missing, CategorySeries::Kind::kPoints, missing, missing};
  for (const UnitEffect& unit : report.statistics.units) {
    CategorySeries& own = series[names.indexOf(seriesOf(unit, several))];
    const auto at = std::size_t(layers.indexOf(qs(unit.layer)));
    own.values[at] = figure.value(unit);
    own.low[at] = figure.low(unit);
    own.high[at] = figure.high(unit);
  }
  series << CategorySeries{tr("no effect"), std::vector<double>(missing.size(), 0),
                           CategorySeries::Kind::kReference};
  byLayer_->setTitle((std::isnan(figure.low(report.statistics.units.front()))
                          ? tr("Effect of each unit (%1)")
                          : tr("Effect of each unit with its 95 % interval (%1)"))
                         .arg(figure.title));
  byLayer_->setAxisTitles(tr("place in the model"), figure.axis);
  byLayer_->setContent(layers, series);
}

void InterventionsPanel::drawScatter() {
  const EffectsReport& report = *shown();
  const auto figures = figuresOf(report.statistics, kAgainstWeight);
  const EffectFigure& figure = figureNamed(wantedFigure_, figures);
  const bool several = hasSeveralGroups(report);
  QVector<ScatterPoint> points;
  for (const UnitEffect& unit : report.statistics.units) {
    if (std::isnan(unit.weight)) continue;
    points << ScatterPoint{unitName(unit, several),
                           qs(unit.group),
                           unit.weight,
                           figure.value(unit),
                           figure.low(unit),
                           figure.high(unit),
                           unit.list != EffectList::kNone};
  }
  QStringList titles;
  for (const EffectCorrelation& each : figure.correlations) titles << qs(textOf(each));
  byWeight_->setTitle(titles.join(QLatin1Char('\n')));
  byWeight_->setAxisTitles(
      report.weight.empty() ? tr("weight") : qs(report.weight),
      figure.name == kBleuFigure ? figure.axis : tr("effect (nats per token)"));
  byWeight_->setPoints(points);
}

Here InterventionsPanel::here() const {
  if (!shown()) return Panel::here();
  Here here{table_->readout(), {}};
  here.add(QStringLiteral("Δ_u"), table_->cell(QStringLiteral("effect")));
  here.add(QStringLiteral("w_u"), table_->cell(QStringLiteral("weight")));
  here.add(QStringLiteral("L"), shown()->statistics.loss);
  here.add(QStringLiteral("N"), countText(shown()->statistics.tokens));
  const auto& correlations = shown()->statistics.correlations;
  if (correlations.size() == 1 && correlations.front().none.empty())
    here.add(QStringLiteral("ρ"), correlations.front().rho);
  return here;
}

Json InterventionsPanel::saveState() const {
  Json state = MeasuredPanel::saveState();
  state["kind"] = toStd(kind_->currentData().toString());
  state["mode"] = toStd(mode_->currentData().toString());
  state["picture"] = pictures_->currentIndex();
  state["figure"] = toStd(wantedFigure_);
  return state;
}

void InterventionsPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  MeasuredPanel::restoreState(state);
  if (const auto kind = saved.text("kind")) selectData(kind_, *kind);
  if (const auto mode = saved.text("mode")) selectData(mode_, *mode);
  saved.index("picture", pictures_);
  wantedFigure_ = saved.text("figure").value_or(wantedFigure_);
}

void InterventionsPanel::exportPicture(const QString& path) {
  static_cast<Chart*>(pictures_->currentWidget())->exportTo(path);
}

}  // namespace strata::ui
