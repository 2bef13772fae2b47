// The widgets of CurvesPanel.
#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/curves_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"

namespace strata::ui {

CurvesPanel::CurvesPanel(QAction* runDemo, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("curvesPanel"));
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  auto* empty = new EmptyState(QStringLiteral("watch"), tr("No curves yet"),
                               tr("Losses, scores, learning rates and gradient norms of any runs "
                                  "are drawn here while they train. "
                                  "Start a run and its curves appear automatically."));
  empty->addAction(runDemo);
  auto* right = new QWidget(this);
  auto* rightLayout = new QVBoxLayout(right);
  rightLayout->setContentsMargins(0, 0, 0, 0);
  rightLayout->setSpacing(0);
  rightLayout->addWidget(makeToolBar());
  scroll_ = new QScrollArea(right);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  auto* canvas = new QWidget(scroll_);
  canvas->setProperty("panel", true);
  grid_ = new QGridLayout(canvas);
  grid_->setContentsMargins(4, 0, 4, 4);
  grid_->setSpacing(4);
  scroll_->setWidget(canvas);
  scroll_->viewport()->installEventFilter(this);
  rightLayout->addWidget(scroll_, 1);
  auto* splitter = new QSplitter(this);
  splitter->setHandleWidth(1);
  splitter->addWidget(makeSideBar());
  splitter->addWidget(right);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({240, 700});
  stack_ = new EmptyStack(empty, splitter, this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
}

QWidget* CurvesPanel::makeSideBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QVBoxLayout(bar);
  layout->setContentsMargins(8, 8, 4, 4);
  layout->setSpacing(4);
  const auto heading = [&](const QString& text) {
    auto* label = new QLabel(text, bar);
    label->setProperty("heading", true);
    layout->addWidget(label);
  };
  const auto list = [&](const QString& name, int stretch) {
    auto* widget = new QListWidget(bar);
    widget->setObjectName(name);
    widget->setSelectionMode(QAbstractItemView::NoSelection);
    widget->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    widget->setTextElideMode(Qt::ElideMiddle);
    widget->setIconSize(QSize(16, 16));
    widget->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(widget, stretch);
    connect(widget, &QListWidget::itemChanged, this, [this, widget] {
      seriesChosen_ = seriesChosen_ || widget == seriesList_;
      updateSelection();
    });
    return widget;
  };
  heading(tr("Runs"));
  runList_ = list(QStringLiteral("curveRuns"), 2);
  heading(tr("Series"));
  seriesFilter_ = new QLineEdit(bar);
  seriesFilter_->setObjectName(QStringLiteral("seriesFilter"));
  seriesFilter_->setPlaceholderText(tr("Filter series"));
  seriesFilter_->setAccessibleName(tr("Series filter"));
  seriesFilter_->setClearButtonEnabled(true);
  connect(seriesFilter_, &QLineEdit::textChanged, this, &CurvesPanel::filterSeries);
  layout->addWidget(seriesFilter_);
  seriesList_ = list(QStringLiteral("curveSeries"), 3);
  return bar;
}

QWidget* CurvesPanel::makeToolBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(6);
  xAxis_ = new QComboBox(bar);
  xAxis_->setObjectName(QStringLiteral("curveXAxis"));
  xAxis_->setAccessibleName(tr("Horizontal axis"));
  xAxis_->addItems({tr("Step"), tr("Time since start"), tr("Time of day")});
  connect(xAxis_, &QComboBox::currentIndexChanged, this, [this](int index) {
    for (CurvePlot* chart : charts()) chart->setXAxis(CurvePlot::XAxis(index));
  });
  layout->addWidget(xAxis_);
  const auto toggle = [&](const QString& name, const QString& text, const QString& tip) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setCheckable(true);
    action->setToolTip(tip);
    auto* button = new QToolButton(bar);
    button->setDefaultAction(action);
    button->setProperty("flat", true);
    layout->addWidget(button);
    return action;
  };
  logX_ = toggle(QStringLiteral("curveLogX"), tr("log x"), tr("Logarithmic horizontal axis"));
  logY_ = toggle(QStringLiteral("curveLogY"), tr("log y"),
                 tr("Logarithmic vertical axis; values ≤ 0 are counted, not drawn"));
  connect(logX_, &QAction::toggled, this, [this](bool on) {
    for (CurvePlot* c : charts()) c->setLogarithmicX(on);
  });
  connect(logY_, &QAction::toggled, this, [this](bool on) {
    for (CurvePlot* c : charts()) c->setLogarithmicY(on);
  });
  layout->addSpacing(8);
  auto* label = new QLabel(tr("Smoothing"), bar);
  label->setProperty("muted", true);
  layout->addWidget(label);
  smoothing_ = new QSlider(Qt::Horizontal, bar);
  smoothing_->setObjectName(QStringLiteral("curveSmoothing"));
  smoothing_->setAccessibleName(tr("Smoothing"));
  smoothing_->setRange(0, kSmoothingSteps);
  smoothing_->setMaximumWidth(130);
  smoothing_->setToolTip(tr("Exponential moving average, drawn over the raw curve"));
  connect(smoothing_, &QSlider::valueChanged, this, &CurvesPanel::applySmoothing);
  layout->addWidget(smoothing_);
  layout->addStretch();
  addFitAndExport(layout);
  return bar;
}

void CurvesPanel::addFitAndExport(QLayout* layout) {
  const auto button = [&](const QString& name, const QString& icon, const QString& text,
                          auto slot) {
    auto* action = new QAction(themedIcon(icon), text, this);
    action->setObjectName(name);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    auto* tool = new QToolButton(this);
    tool->setDefaultAction(action);
    tool->setProperty("flat", true);
    layout->addWidget(tool);
  };
  button(QStringLiteral("curveFit"), QStringLiteral("fit"), tr("Show all data"), [this] {
    for (CurvePlot* c : charts()) c->fit();
  });
  button(QStringLiteral("curveExport"), QStringLiteral("export"), tr("Export the charts…"),
         [this] { exportCharts(); });
}

}  // namespace strata::ui
