#pragma once
#include <QTableWidget>

#include "core/run/hypothesis.h"

namespace strata::ui {

// The hypotheses of a sentence, best first, with their scores.
class AlternativesTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit AlternativesTable(QWidget* parent = nullptr);

  // The first becomes the current one; without signals.
  void setHypotheses(const std::vector<Hypothesis>& hypotheses);
};

}  // namespace strata::ui
