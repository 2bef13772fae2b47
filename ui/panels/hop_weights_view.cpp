// The widgets of HopWeightsPanel.
#include <QAction>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/hop_weights_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {
QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setProperty("heading", true);
  return label;
}

}  // namespace

HopWeightsPanel::HopWeightsPanel(QAction* runDemo, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("hopWeightsPanel"));
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  auto* empty = new EmptyState(QStringLiteral("inside"), tr("No recordings yet"),
                               tr("A model with multi-hop self-attention fusion (presets "
                                  "mlrf/…sa…) records at each validation which "
                                  "layers its hops attend to. The demo trains one."));
  empty->addAction(runDemo);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeToolBar());
  layout->addWidget(makeContent(), 1);
  stack_ = new EmptyStack(empty, content, this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
}

QWidget* HopWeightsPanel::makeToolBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(6);
  recorded_ = new RecordedSteps(QStringLiteral("hop"), bar);
  connect(recorded_, &RecordedSteps::runChosen, this, &HopWeightsPanel::chooseRun);
  connect(recorded_, &RecordedSteps::stepChosen, this, &HopWeightsPanel::chooseStep);
  layout->addWidget(recorded_, 1);
  sides_ = new QButtonGroup(this);
  for (const auto& [name, text] : {std::pair{QStringLiteral("encoder"), tr("Encoder")},
                                   {QStringLiteral("decoder"), tr("Decoder")}}) {
    auto* button = new QToolButton(bar);
    button->setText(text);
    button->setObjectName(name + QStringLiteral("Side"));
    button->setProperty("flat", true);
    button->setProperty("side", name);
    button->setCheckable(true);
    sides_->addButton(button);
    layout->addWidget(button);
  }
  sides_->buttons().last()->setChecked(true);
  connect(sides_, &QButtonGroup::buttonClicked, this, &HopWeightsPanel::chooseSide);
  auto* action =
      new QAction(themedIcon(QStringLiteral("export")), tr("Export the hop weights…"), this);
  action->setObjectName(QStringLiteral("hopExport"));
  connect(action, &QAction::triggered, this, &HopWeightsPanel::exportPicture);
  addAction(action);
  auto* tool = new QToolButton(bar);
  tool->setDefaultAction(action);
  tool->setProperty("flat", true);
  layout->addWidget(tool);
  return bar;
}

QWidget* HopWeightsPanel::makeContent() {
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->setHandleWidth(1);
  auto* top = new QWidget(splitter);
  auto* topLayout = new QHBoxLayout(top);
  topLayout->setContentsMargins(10, 6, 6, 6);
  auto* left = new QVBoxLayout;
  left->addWidget(heading(tr("Mean weight of each level"), top));
  meanMap_ = new HeatMapView(top);
  meanMap_->setObjectName(QStringLiteral("hopMeanMap"));
  left->addWidget(meanMap_, 1);
  entropy_ = new QLabel(top);
  entropy_->setObjectName(QStringLiteral("hopEntropy"));
  entropy_->setProperty("muted", true);
  entropy_->setWordWrap(true);
  entropy_->setToolTip(
      tr("Entropy of the weights over the levels, relative to the uniform distribution: 0 is a "
         "single level, 1 is uniform"));
  left->addWidget(entropy_);
  topLayout->addLayout(left, 2);
  auto* right = new QVBoxLayout;
  auto* head = new QHBoxLayout;
  head->addWidget(heading(tr("Over training"), top));
  hop_ = new QComboBox(top);
  hop_->setObjectName(QStringLiteral("hopOfCurve"));
  hop_->setAccessibleName(tr("Hop"));
  hop_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(hop_, &QComboBox::currentIndexChanged, this, &HopWeightsPanel::drawOverTraining);
  head->addStretch();
  head->addWidget(hop_);
  right->addLayout(head);
  overTraining_ = new CurvePlot(top);
  overTraining_->setObjectName(QStringLiteral("hopOverTraining"));
  overTraining_->setFixedY(0, 1);  // the scale of the maps
  overTraining_->setLegendRight();
  right->addWidget(overTraining_, 1);
  topLayout->addLayout(right, 3);
  splitter->addWidget(top);

  auto* bottom = new QSplitter(splitter);
  bottom->setHandleWidth(1);
  sentences_ = new QListWidget(bottom);
  sentences_->setObjectName(QStringLiteral("hopSentences"));
  sentences_->setAccessibleName(tr("Recorded sentences"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(sentences_, &QListWidget::currentRowChanged, this, &HopWeightsPanel::drawSentence);
  auto* scroll = new QScrollArea(bottom);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  sentenceMap_ = new HeatMapView(scroll);
  sentenceMap_->setObjectName(QStringLiteral("hopSentenceMap"));
  sentenceMap_->setLargestCell(46, 24);
  scroll->setWidget(sentenceMap_);
  bottom->addWidget(sentences_);
  bottom->addWidget(scroll);
  bottom->setStretchFactor(1, 1);
  bottom->setSizes({150, 700});
  splitter->addWidget(bottom);
  splitter->setSizes({225, 495});
  splitter->setStretchFactor(0, 2);
  splitter->setStretchFactor(1, 3);
  return splitter;
}

}  // namespace strata::ui
