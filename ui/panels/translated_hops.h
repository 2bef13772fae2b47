#pragma once
#include <QWidget>
#include <string>
#include <vector>

#include "core/run/hypothesis.h"

namespace strata::ui {
class HeatMapView;

// A map of the levels that the decoder's hops attend to while they generate a hypothesis; hidden if
// the hypothesis has none.
class TranslatedHops : public QWidget {
  Q_OBJECT
 public:
  explicit TranslatedHops(QWidget* parent);

  void setHypothesis(const std::vector<std::string>& source, const Hypothesis& hypothesis);
  void clear();

 private:
  HeatMapView* map_;
};

}  // namespace strata::ui
