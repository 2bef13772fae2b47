#include "ui/window/panel_list.h"

#include <QAction>
#include <algorithm>

#include "core/base/text_limits.h"
#include "ui/panels/panel.h"
#include "ui/style/theme.h"

namespace strata::ui {

PanelList::PanelList(const QVector<Panel*>& panels, QObject* parent)
    : QObject(parent),
      panels_(panels),
      back_(new QAction(themedIcon(QStringLiteral("back")), tr("Back to the last choice"), this)),
      forward_(new QAction(themedIcon(QStringLiteral("forward")), tr("Forward to the next choice"),
                           this)) {
  back_->setObjectName(QStringLiteral("selectionBack"));
  back_->setShortcut(QKeySequence(tr("Alt+Left")));
  forward_->setObjectName(QStringLiteral("selectionForward"));
  forward_->setShortcut(QKeySequence(tr("Alt+Right")));
  connect(back_, &QAction::triggered, this, [this] { walkTo(history_.back()); });
  connect(forward_, &QAction::triggered, this, [this] { walkTo(history_.forward()); });
  for (Panel* panel : panels_) {
    connect(panel, &Panel::selected, this,
            [this, panel](const Selection& choice) { receive(panel, choice); });
    connect(panel, &Panel::pinnedChanged, this, [this, panel](bool pinned) {
      if (!pinned) panel->select(selection_);
    });
  }
  updateActions();
}

Panel* PanelList::panel(const QString& name) const {
  const auto found = std::find_if(panels_.begin(), panels_.end(),
                                  [&](const Panel* panel) { return panel->name() == name; });
  return found == panels_.end() ? nullptr : *found;
}

void PanelList::select(const Selection& choice) {
  receive(nullptr, choice);
}

SelectionChoices PanelList::choices() const {
  SelectionChoices all;
  for (const bool visible : {true, false}) {
    SelectionChoices found;
    for (const Panel* panel : panels_) {
      if (panel->isVisible() != visible) continue;
      const SelectionChoices known = panel->choices();
      found.sentences += known.sentences;
      if (found.hypotheses.isEmpty()) found.hypotheses = known.hypotheses;
      if (found.words.isEmpty()) found.words = known.words;
    }
    if (all.sentences.isEmpty()) all.sentences = found.sentences;
    if (all.hypotheses.isEmpty()) all.hypotheses = found.hypotheses;
    if (all.words.isEmpty()) all.words = found.words;
  }
  all.sentences.removeAll(QString());
  all.sentences.removeDuplicates();
  return all;
}

void PanelList::amend(const Selection& choice) {
  selection_ = selection_.after(choice);
  history_.amend(selection_);
  showEverywhere(choice, nullptr);
}

void PanelList::receive(const Panel* from, const Selection& choice) {
  selection_ = selection_.after(choice);
  history_.add(selection_);
  showEverywhere(choice, from);
}

void PanelList::showEverywhere(const Selection& choice, const Panel* except) {
  updateActions();
  for (Panel* panel : panels_) {
    if (panel != except && !panel->isPinned()) panel->select(choice);
  }
  emit selectionChanged(selection_);
}

void PanelList::walkTo(const Selection& selection) {
  selection_ = selection;
  showEverywhere(selection, nullptr);
}

QStringList PanelList::pinned() const {
  QStringList names;
  for (const Panel* panel : panels_) {
    if (panel->isPinned()) names << panel->name();
  }
  return names;
}

void PanelList::pin(const QStringList& names) {
  for (Panel* panel : panels_) {
    if (names.contains(panel->name())) panel->setPinned(true);
  }
}

void PanelList::updateActions() {
  back_->setEnabled(history_.canGoBack());
  forward_->setEnabled(history_.canGoForward());
}

QMap<QString, QByteArray> PanelList::saveStates() const {
  QMap<QString, QByteArray> states;
  for (const Panel* panel : panels_)
    states.insert(panel->name(), QByteArray::fromStdString(panel->saveState().dump()));
  return states;
}

void PanelList::restoreStates(const QMap<QString, QByteArray>& states) {
  for (Panel* panel : panels_) {
    const auto json = tryParseJson(states.value(panel->name()).toStdString());
    if (json && json->is_object()) panel->restoreState(*json);
  }
}

}  // namespace strata::ui
