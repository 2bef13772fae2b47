#pragma once
#include <QVector>

#include "ui/data/selection.h"

namespace strata::ui {

// The selections of a window in the order in which they were made, to walk back and forward.
class SelectionHistory {
 public:
  // Becomes the current one; those that were gone back from are forgotten. The same as the current
  // one: nothing changes.
  void add(const Selection& selection);
  // In the place of the current one.
  void amend(const Selection& selection);

  bool canGoBack() const { return at_ > 0; }
  bool canGoForward() const { return at_ + 1 < all_.size(); }
  // The new current one. Only if there is one.
  const Selection& back() { return all_[--at_]; }
  const Selection& forward() { return all_[++at_]; }

 private:
  QVector<Selection> all_;  // oldest first
  qsizetype at_ = -1;       // the current one
};

}  // namespace strata::ui
