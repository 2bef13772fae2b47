#include "ui/window/stage.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <algorithm>

#include "core/base/text_limits.h"
#include "ui/panels/panel.h"
#include "ui/style/theme.h"
#include "ui/window/panel_list.h"
#include "ui/window/perspective_page.h"

namespace strata::ui {
namespace {

const QString kWatch = QStringLiteral("watch");

const QVector<Perspective>& allPerspectives() {
  static const QVector<Perspective> all{
      {QStringLiteral("prepare"),
       QStringLiteral("data"),
       Stage::tr("Prepare"),
       Stage::tr("Ctrl+1"),
       Qt::Vertical,
       {{{QStringLiteral("data")}}}},
      {QStringLiteral("train"),
       QStringLiteral("launch"),
       Stage::tr("Train"),
       Stage::tr("Ctrl+2"),
       Qt::Vertical,
       {{{QStringLiteral("launch")}}}},
      {kWatch,
       QStringLiteral("watch"),
       Stage::tr("Watch"),
       Stage::tr("Ctrl+3"),
       Qt::Vertical,
       {{{QStringLiteral("curves"), QStringLiteral("gradient-flow"), QStringLiteral("histograms"),
          QStringLiteral("samples"), QStringLiteral("sweeps"), QStringLiteral("monitor")},
         470},
        {{QStringLiteral("runs"), QStringLiteral("log")}, 240}}},
      {QStringLiteral("inside"),
       QStringLiteral("inside"),
       Stage::tr("Inside"),
       Stage::tr("Ctrl+4"),
       Qt::Horizontal,
       {{{QStringLiteral("hop-weights"), QStringLiteral("target-attention"),
          QStringLiteral("attention"), QStringLiteral("readers"), QStringLiteral("layers"),
          QStringLiteral("interventions")},
         740},
        {{QStringLiteral("translate")}, 440}}},
      {QStringLiteral("compare"),
       QStringLiteral("compare"),
       Stage::tr("Compare"),
       Stage::tr("Ctrl+5"),
       Qt::Horizontal,
       {{{QStringLiteral("compare")}}}},
      {QStringLiteral("papers"),
       QStringLiteral("papers"),
       Stage::tr("Papers"),
       Stage::tr("Ctrl+6"),
       Qt::Vertical,
       {{{QStringLiteral("papers")}}}}};
  return all;
}

}  // namespace

Stage::Stage(PanelList* panels, QWidget* parent)
    : QStackedWidget(parent), actions_(new QActionGroup(this)) {
  setObjectName(QStringLiteral("stage"));
  for (int index = 0; index < int(allPerspectives().size()); ++index) addPerspective(index, panels);
  connect(actions_, &QActionGroup::triggered, this,
          [this](QAction* action) { show(action->data().toString()); });
  show(kWatch);
}

void Stage::addPerspective(int index, PanelList* panels) {
  const Perspective& perspective = allPerspectives()[index];
  pages_ << new PerspectivePage(perspective, panels, this);
  addWidget(pages_.last());
  auto* action = new QAction(themedIcon(perspective.icon), perspective.title, this);
  action->setObjectName(QStringLiteral("perspective:") + perspective.name);
  action->setShortcut(QKeySequence(perspective.keys));
  action->setCheckable(true);
  action->setData(perspective.name);
  actions_->addAction(action);
}

QList<QAction*> Stage::actions() const {
  return actions_->actions();
}

QString Stage::current() const {
  return pages_[currentIndex()]->name();
}

PerspectivePage* Stage::page(const QString& perspective) const {
  const auto found = std::find_if(pages_.begin(), pages_.end(), [&](const PerspectivePage* page) {
    return page->name() == perspective;
  });
  return found == pages_.end() ? nullptr : *found;
}

PerspectivePage* Stage::home(const Panel* panel) const {
  return *std::find_if(pages_.begin(), pages_.end(),
                       [panel](const PerspectivePage* page) { return page->has(panel); });
}

void Stage::show(const QString& perspective) {
  PerspectivePage* wanted = page(perspective);
  setCurrentWidget(wanted ? wanted : page(kWatch));
  for (QAction* action : actions()) action->setChecked(action->data().toString() == current());
}

void Stage::bringUp(Panel* panel) {
  PerspectivePage* page = home(panel);
  if (!page->isInWindow(panel)) show(page->name());
  page->bringUp(panel);
}

void Stage::reset() {
  pages_[currentIndex()]->reset();
}

Panel* Stage::focused() const {
  for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget()) {
    if (auto* panel = qobject_cast<Panel*>(widget)) return panel;
  }
  return pages_[currentIndex()]->first();
}

void Stage::setFills(Panel* panel, bool fills) {
  home(panel)->setFills(panel, fills);
}

bool Stage::fills(const Panel* panel) const {
  return home(panel)->fills(panel);
}

void Stage::setInWindow(Panel* panel, bool own) {
  home(panel)->setInWindow(panel, own);
}

bool Stage::isInWindow(const Panel* panel) const {
  return home(panel)->isInWindow(panel);
}

QMap<QString, QByteArray> Stage::layouts() const {
  QMap<QString, QByteArray> layouts;
  for (const PerspectivePage* page : pages_)
    layouts.insert(page->name(), QByteArray::fromStdString(page->saveState().dump()));
  return layouts;
}

void Stage::restore(const QMap<QString, QByteArray>& layouts) {
  for (PerspectivePage* page : pages_) {
    const auto state = tryParseJson(layouts.value(page->name()).toStdString());
    if (state && state->is_object()) page->restoreState(*state);
  }
}

}  // namespace strata::ui
