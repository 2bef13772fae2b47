#include "ui/window/view_tabs.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/panels/panel.h"
#include "ui/style/theme.h"
#include "ui/window/view_help.h"

namespace strata::ui {

QKeySequence explainKeys() {
  return QKeySequence(ViewTabs::tr("Shift+F1"));
}

ViewTabs::ViewTabs(const QVector<Panel*>& panels, QWidget* parent) : Tabs(parent), panels_(panels) {
  setMovable(true);
  setCornerWidget(makeCorner());
  for (Panel* panel : panels_) insert(panel);
  setCurrentIndex(0);
  connect(this, &QTabWidget::currentChanged, this, &ViewTabs::updateCorner);
  connect(this, &QTabWidget::tabBarDoubleClicked, this, [this](int index) {
    if (auto* panel = qobject_cast<Panel*>(widget(index))) emit fillToggled(panel);
  });
  updateCorner();
}

QWidget* ViewTabs::makeCorner() {
  auto* corner = new QWidget(this);
  auto* layout = new QHBoxLayout(corner);
  layout->setContentsMargins(0, 0, 4, 0);
  layout->setSpacing(2);
  const auto button = [&](const QString& icon, const QString& name) {
    auto* made = new QToolButton(corner);
    made->setObjectName(name);
    made->setProperty("flat", true);
    made->setIcon(themedIcon(icon));
    made->setIconSize(QSize(16, 16));
    layout->addWidget(made);
    return made;
  };
  explain_ = button(QStringLiteral("info"), QStringLiteral("explainView"));
  explain_->setAccessibleName(tr("What am I looking at?"));
  explain_->setToolTip(
      tr("What am I looking at? (%1)").arg(explainKeys().toString(QKeySequence::NativeText)));
  connect(explain_, &QToolButton::clicked, this, [this] {
    if (Panel* panel = front()) ViewHelp::toggle(panel);
  });
  pin_ = button(QStringLiteral("pin"), QStringLiteral("pinView"));
  pin_->setCheckable(true);
  pin_->setToolTip(
      tr("Pin this view: it keeps its run, step and sentence while others follow "
         "what is chosen"));
  pin_->setAccessibleName(tr("Pin this view"));
  window_ = button(QStringLiteral("window"), QStringLiteral("openInWindow"));
  window_->setToolTip(tr("Open this view in a window of its own"));
  window_->setAccessibleName(window_->toolTip());
  connect(pin_, &QToolButton::toggled, this, [this](bool on) {
    Panel* panel = front();
    if (panel) panel->setPinned(on);
  });
  connect(window_, &QToolButton::clicked, this, [this] {
    if (Panel* panel = front()) emit windowRequested(panel);
  });
  return corner;
}

void ViewTabs::updateCorner() {
  const Panel* panel = front();
  explain_->setEnabled(panel);
  pin_->setEnabled(panel);
  window_->setEnabled(panel);
  pin_->setChecked(panel && panel->isPinned());
}

Panel* ViewTabs::front() const {
  return qobject_cast<Panel*>(currentWidget());
}

void ViewTabs::insert(Panel* panel) {
  const int index = addTab(panel, panel->info().title);
  showPin(panel);
  connect(panel, &Panel::pinnedChanged, this, [this, panel] { showPin(panel); });
  setCurrentIndex(index);
}

void ViewTabs::showPin(const Panel* panel) {
  setTabIcon(indexOf(panel), panel->isPinned() ? themedIcon(QStringLiteral("pin")) : QIcon());
  if (panel == front()) pin_->setChecked(panel->isPinned());
}

void ViewTabs::take(Panel* panel) {
  disconnect(panel, &Panel::pinnedChanged, this, nullptr);
  removeTab(indexOf(panel));
}

QStringList ViewTabs::order() const {
  QStringList names;
  for (int index = 0; index < count(); ++index)
    names << qobject_cast<Panel*>(widget(index))->name();
  return names;
}

void ViewTabs::sortLike(const QStringList& names) {
  int to = 0;
  for (const QString& name : names) {
    const int from = int(order().indexOf(name));
    if (from >= to) tabBar()->moveTab(from, to++);
  }
}

PanelWindow::PanelWindow(Panel* panel, const QRect& geometry, QWidget* parent)
    : QWidget(parent, Qt::Window), panel_(panel) {
  setObjectName(panel->name() + QStringLiteral("Window"));
  setWindowTitle(tr("%1 — Strata").arg(panel->info().title));
  setWindowIcon(parent->windowIcon());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(panel);
  panel->show();
  if (geometry.isValid()) {
    setGeometry(geometry);
  } else {
    resize(900, 700);
  }
}

// The window's own shortcuts are not those of the views that left it.
void PanelWindow::keyPressEvent(QKeyEvent* event) {
  if (QKeySequence(event->keyCombination()) != explainKeys()) return QWidget::keyPressEvent(event);
  ViewHelp::toggle(panel_);
}

void PanelWindow::closeEvent(QCloseEvent* event) {
  event->accept();
  emit closed(panel_);
}

}  // namespace strata::ui
