// The widgets of TargetAttentionPanel.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/style/theme.h"
#include "ui/widgets/chart_grid.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {

constexpr int kMinimumArcsHeight = 170;  // pixels: one row of arcs with its legend

QScrollArea* scrolling(QWidget* widget, QWidget* parent) {
  auto* scroll = new QScrollArea(parent);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(widget);
  return scroll;
}

}  // namespace

TargetAttentionPanel::TargetAttentionPanel(QAction* newRun, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("targetAttentionPanel"));
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  auto* empty = new EmptyState(
      QStringLiteral("history"), tr("No recordings yet"),
      tr("A decoder that attends to its own output (presets dhea/…) records its attention at each "
         "validation. Train one, for example dhea/gate-stable, with recording.sentences above 0, "
         "and its plots appear here."));
  empty->addAction(newRun);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeRunBar());
  layout->addWidget(makeViewBar());
  tabs_ = new QTabWidget(content);
  tabs_->setObjectName(QStringLiteral("historyTabs"));
  tabs_->setDocumentMode(true);
  tabs_->addTab(makeSentenceTab(), tr("Sentence"));
  tabs_->addTab(makeCorpusTab(), tr("All sentences"));
  connect(tabs_, &QTabWidget::currentChanged, this, &TargetAttentionPanel::showChosen);
  layout->addWidget(tabs_, 1);
  stack_ = new EmptyStack(empty, content, this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
}

QWidget* TargetAttentionPanel::makeRunBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 3);
  layout->setSpacing(6);
  recorded_ = new RecordedSteps(QStringLiteral("history"), bar);
  connect(recorded_, &RecordedSteps::runChosen, this, &TargetAttentionPanel::chooseRun);
  connect(recorded_, &RecordedSteps::stepChosen, this, &TargetAttentionPanel::chooseStep);
  layout->addWidget(recorded_, 1);
  addExport(layout, bar);
  return bar;
}

void TargetAttentionPanel::addExport(QHBoxLayout* layout, QWidget* bar) {
  auto* action = new QAction(themedIcon(QStringLiteral("export")),
                             tr("Export the target-side attention…"), this);
  action->setObjectName(QStringLiteral("historyExport"));
  connect(action, &QAction::triggered, this, &TargetAttentionPanel::chooseExport);
  addAction(action);
  auto* tool = new QToolButton(bar);
  tool->setDefaultAction(action);
  tool->setProperty("flat", true);
  layout->addWidget(tool);
}

QWidget* TargetAttentionPanel::makeViewBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 3, 8, 6);
  layout->setSpacing(10);
  layers_ = new QComboBox(bar);
  layers_->setObjectName(QStringLiteral("historyLayer"));
  layers_->setAccessibleName(tr("Decoder layer"));
  layers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(layers_, &QComboBox::currentIndexChanged, this, [this] {
    wantedLayer_ = layer().index;
    showChosen();
  });
  layout->addWidget(layers_);
  addViewOptions(layout, bar);
  layout->addStretch();
  return bar;
}

void TargetAttentionPanel::addViewOptions(QHBoxLayout* layout, QWidget* bar) {
  words_ = new QCheckBox(tr("Whole words"), bar);
  words_->setObjectName(QStringLiteral("historyWords"));
  words_->setToolTip(
      tr("Merges subwords into words: weights on the subwords of a word are summed, their rows are "
         "averaged, so every row keeps its sum."));
  connect(words_, &QCheckBox::toggled, this, &TargetAttentionPanel::drawSentence);
  layout->addWidget(words_);
  fixedScale_ = new QCheckBox(tr("Scale 0 – 1"), bar);
  fixedScale_->setObjectName(QStringLiteral("historyFixedScale"));
  fixedScale_->setChecked(true);
  fixedScale_->setToolTip(
      tr("On: the lightest colour is 1, so plots can be compared. Off: it is the largest weight "
         "of this plot."));
  connect(fixedScale_, &QCheckBox::toggled, this, &TargetAttentionPanel::drawSentence);
  layout->addWidget(fixedScale_);
  auto* label = new QLabel(tr("Red beyond"), bar);
  label->setProperty("muted", true);
  layout->addWidget(label);
  longest_ = new QSpinBox(bar);
  longest_->setObjectName(QStringLiteral("historyLongest"));
  longest_->setAccessibleName(tr("Longest arc that is not red, in words"));
  longest_->setRange(1, 50);
  longest_->setValue(3);
  longest_->setSuffix(tr(" words"));
  label->setBuddy(longest_);
  connect(longest_, &QSpinBox::valueChanged, this, [this](int words) { arcs_->setLongest(words); });
  layout->addWidget(longest_);
}

QWidget* TargetAttentionPanel::makeSentenceTab() {
  auto* split = new QSplitter(this);
  split->setHandleWidth(1);
  sentences_ = new QListWidget(split);
  sentences_->setObjectName(QStringLiteral("historySentences"));
  sentences_->setAccessibleName(tr("Recorded sentences and hypotheses"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(sentences_, &QListWidget::currentRowChanged, this, &TargetAttentionPanel::drawSentence);
  auto* right = new QWidget(split);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* pictures = new QSplitter(Qt::Vertical, right);
  pictures->setHandleWidth(1);
  arcs_ = new ArcView(pictures);
  arcs_->setObjectName(QStringLiteral("historyArcs"));
  arcs_->setAccessibleName(tr("Arcs to the most attended earlier words"));
  connect(arcs_, &ArcView::hovered, this, &TargetAttentionPanel::readOutWord);
  map_ = new HeatMapView(pictures);
  map_->setObjectName(QStringLiteral("historyMap"));
  map_->setAccessibleName(tr("Weights on source words and on earlier target words"));
  map_->setLargestCell(40, 24);
  map_->setAxisTitles({}, tr("rows: words generated · columns: words attended to"));
  connect(map_, &HeatMapView::hovered, this, &TargetAttentionPanel::readOutCell);
  auto* drawn = scrolling(arcs_, pictures);
  drawn->setMinimumHeight(kMinimumArcsHeight);
  pictures->addWidget(drawn);
  pictures->addWidget(scrolling(map_, pictures));
  pictures->setSizes({215, 430});
  pictures->setStretchFactor(0, 1);
  pictures->setStretchFactor(1, 2);
  column->addWidget(pictures, 1);
  readout_ = new QLabel(right);
  readout_->setObjectName(QStringLiteral("historyReadout"));
  readout_->setProperty("muted", true);
  readout_->setContentsMargins(10, 3, 10, 5);
  column->addWidget(readout_);
  split->addWidget(sentences_);
  split->addWidget(right);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 5);
  split->setSizes({150, 700});
  return split;
}

QWidget* TargetAttentionPanel::makeCorpusTab() {
  auto* tab = new QWidget(this);
  auto* layout = new QVBoxLayout(tab);
  layout->setContentsMargins(4, 6, 4, 4);
  auto* head = new QHBoxLayout;
  measure_ = new QComboBox(tab);
  measure_->setObjectName(QStringLiteral("historyMeasure"));
  measure_->setAccessibleName(tr("How the share of the source is computed"));
  measure_->addItem(tr("share by norms of the contexts"), int(ShareMeasure::kNorms));
  measure_->addItem(tr("share by gate or softmax mass"), int(ShareMeasure::kWeights));
  measure_->setToolTip(
      tr("Norms can be compared over sum, gate and hybrid: |source| / (|source| + |history|). "
         "Gate or mass is the model's own weighting: the mean gate, or the joint softmax's mass on "
         "the source."));
  connect(measure_, &QComboBox::currentIndexChanged, this, &TargetAttentionPanel::drawShares);
  head->addWidget(measure_);
  note_ = new QLabel(tab);
  note_->setObjectName(QStringLiteral("historyNote"));
  note_->setProperty("muted", true);
  note_->setToolTip(
      tr("Always on whole words. recording.sentences sets how many sentences are recorded."));
  note_->setWordWrap(true);
  head->addWidget(note_, 1);
  layout->addLayout(head);
  auto* charts = new ChartGrid(tab);
  const auto plot = [&](const QString& name) {
    auto* made = new CategoryPlot(charts);
    made->setObjectName(name);
    charts->add(made);
    return made;
  };
  byPosition_ = plot(QStringLiteral("historyByPosition"));
  byClass_ = plot(QStringLiteral("historyByClass"));
  distances_ = plot(QStringLiteral("historyDistances"));
  gold_ = plot(QStringLiteral("historyGold"));
  byPosition_->setTitle(tr("Share of the source by position"));
  byPosition_->setAxisTitles(tr("word of the sentence"), tr("share of the source"));
  byClass_->setTitle(tr("Share of the source by class of the word generated"));
  byClass_->setAxisTitles({}, tr("share of the source"));
  distances_->setAxisTitles(tr("words looked back"), tr("share"));
  distances_->setUnitScale(false);
  gold_->setAxisTitles({}, tr("share of arcs"));
  gold_->setUnitScale(false);
  auto* scroll = scrolling(charts, tab);
  scroll->setObjectName(QStringLiteral("historyCharts"));
  layout->addWidget(scroll, 1);
  return tab;
}

}  // namespace strata::ui
