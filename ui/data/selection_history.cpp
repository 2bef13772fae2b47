#include "ui/data/selection_history.h"

namespace strata::ui {
namespace {
constexpr int kLongest = 200;
}

void SelectionHistory::add(const Selection& selection) {
  if (at_ >= 0 && all_[at_] == selection) return;
  all_.resize(at_ + 1);
  all_ << selection;
  if (all_.size() > kLongest) all_.removeFirst();
  at_ = all_.size() - 1;
}

void SelectionHistory::amend(const Selection& selection) {
  if (at_ < 0)
    add(selection);
  else
    all_[at_] = selection;
}

}  // namespace strata::ui
