#pragma once
#include <QTextBrowser>

#include "ui/data/paper_values.h"

namespace strata::ui {

// What is said below a paper's table or figure: what cannot be run here, what is lacking, and the
// notes of the measurement.
class PaperNotes : public QTextBrowser {
  Q_OBJECT
 public:
  explicit PaperNotes(QWidget* parent = nullptr);

  void showNotesOf(const PaperResult& result);
};

}  // namespace strata::ui
