// What is not finite in the charts of the panel Curves.
#include <QMenu>
#include <QSet>
#include <QToolButton>

#include "ui/data/text.h"
#include "ui/panels/curves_panel.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kBreaksListed = 200;  // of a menu
}  // namespace

void CurvesPanel::addBreaks(QLayout* layout) {
  breaks_ = named(new QToolButton(layout->parentWidget()), "curveBreaks", tr("Not finite"));
  breaks_->setToolTip(
      tr("Values that are NaN or infinite, and runs that broke: choose one to go "
         "there"));
  breaks_->setPopupMode(QToolButton::InstantPopup);
  breaks_->setMenu(new QMenu(breaks_));
  connect(breaks_->menu(), &QMenu::aboutToShow, this, &CurvesPanel::fillBreaks);
  breaks_->hide();
  layout->addWidget(breaks_);
}

void CurvesPanel::refreshBreaks() {
  int count = 0;
  for (const CurvePlot* chart : charts()) count += int(chart->breaks().size());
  breaks_->setVisible(count > 0);
  breaks_->setText(tr("▲ %n not finite", nullptr, count));
}

void CurvesPanel::fillBreaks() {
  QMenu* menu = breaks_->menu();
  menu->clear();
  QSet<QString> listed;
  int left = 0;
  for (CurvePlot* chart : charts()) {
    for (const CurvePlot::Break& at : chart->breaks()) {
      const QString text =
          at.value
              ? tr("%1 · %2 · step %3: %4")
                    .arg(at.label, chart->title(), countText(at.step), numberText(*at.value))
              : tr("%1 broke at step %2 before its first point").arg(at.label, countText(at.step));
      if (listed.contains(text)) continue;  // a run that broke stands in every chart
      if (listed.size() >= kBreaksListed) {
        ++left;
        continue;
      }
      listed << text;
      connect(menu->addAction(text), &QAction::triggered, chart,
              [chart, at] { chart->showStep(at.label, at.step); });
    }
  }
  if (left > 0) menu->addAction(tr("and %n more", nullptr, left))->setEnabled(false);
}

}  // namespace strata::ui
