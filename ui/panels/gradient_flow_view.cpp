// The widgets of GradientFlowPanel.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/gradient_flow_panel.h"
#include "ui/plots/gradient_map.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"

namespace strata::ui {
namespace {
constexpr int kRefreshMs = 1000;  // a training run writes about once per second
}

GradientFlowPanel::GradientFlowPanel(QAction* runDemo, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("gradientFlowPanel"));
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  auto* empty = new EmptyState(
      QStringLiteral("gradient"), tr("No gradients yet"),
      tr("The gradient norm of each encoder and decoder layer is drawn here while a run trains: "
         "where it vanishes, where it explodes. Start a run and its map appears automatically."));
  empty->addAction(runDemo);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeToolBar());
  map_ = new GradientMapView(content);
  map_->setObjectName(QStringLiteral("gradientMap"));
  layout->addWidget(map_, 1);
  stack_ = new EmptyStack(empty, content, this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
  stack_->setEmpty(true);
  again_.setSingleShot(true);
  again_.setInterval(kRefreshMs);
  connect(&again_, &QTimer::timeout, this, &GradientFlowPanel::ask);
}

QWidget* GradientFlowPanel::makeToolBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(8);
  const auto list = [&](const QString& name, const QString& accessible) {
    auto* made = new QComboBox(bar);
    made->setObjectName(name);
    made->setAccessibleName(accessible);
    made->setMinimumWidth(150);
    connect(made, &QComboBox::currentIndexChanged, this, &GradientFlowPanel::chooseRuns);
    layout->addWidget(made);
    return made;
  };
  first_ = list(QStringLiteral("gradientFirstRun"), tr("Run"));
  second_ = list(QStringLiteral("gradientSecondRun"), tr("Second run"));
  auto* logarithmic = new QCheckBox(tr("logarithmic"), bar);
  logarithmic->setObjectName(QStringLiteral("gradientLogarithmic"));
  logarithmic->setToolTip(tr("Logarithmic colour scale"));
  logarithmic->setChecked(true);
  connect(logarithmic, &QCheckBox::toggled, this, [this](bool on) { map_->setLogarithmic(on); });
  layout->addWidget(logarithmic);
  note_ = new QLabel(bar);
  note_->setProperty("muted", true);
  note_->setWordWrap(true);  // a narrow window keeps the tools
  layout->addWidget(note_, 1);
  addExport(bar);
  return bar;
}

void GradientFlowPanel::addExport(QWidget* bar) {
  auto* action =
      new QAction(themedIcon(QStringLiteral("export")), tr("Export the gradient norms…"), this);
  action->setObjectName(QStringLiteral("gradientExport"));
  connect(action, &QAction::triggered, this, &GradientFlowPanel::chooseExport);
  addAction(action);
  auto* tool = new QToolButton(bar);
  tool->setDefaultAction(action);
  tool->setProperty("flat", true);
  bar->layout()->addWidget(tool);
}

}  // namespace strata::ui
