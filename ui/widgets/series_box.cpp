#include "ui/widgets/series_box.h"

#include <QSignalBlocker>
#include <algorithm>

namespace strata::ui {

SeriesBox::SeriesBox(const QStringList& fixed, QWidget* parent)
    : QComboBox(parent), fixed_(int(fixed.size())) {
  addItems(fixed);
}

void SeriesBox::setNames(QStringList names) {
  const QString chosen = savedSeries();
  if (!chosen.isEmpty() && !names.contains(chosen) && wanted_.isEmpty()) names << chosen;
  QStringList present;
  for (int i = fixed_; i < count(); ++i) present << itemData(i).toString();
  if (names == present) return;
  const QSignalBlocker blocker(this);
  const int entry = currentIndex();
  while (count() > fixed_) removeItem(fixed_);
  for (const QString& name : names) addItem(name, name);
  const int index = findData(chosen);
  if (!chosen.isEmpty() && index >= 0) {
    setCurrentIndex(index);
    wanted_.clear();
  } else {
    setCurrentIndex(std::clamp(entry, 0, fixed_ - 1));
  }
}

}  // namespace strata::ui
