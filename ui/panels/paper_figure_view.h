#pragma once
#include <QVector>
#include <QWidget>

#include "ui/data/paper_values.h"

class QScrollArea;

namespace strata::ui {
class Chart;
class PaperNotes;

// A paper's figure drawn of the runs at hand: its charts, maps and arcs, and its notes.
class PaperFigureView : public QWidget {
  Q_OBJECT
 public:
  explicit PaperFigureView(QWidget* parent = nullptr);

  void showResult(const PaperResult& result);
  void exportTo(const QString& path);  // several pictures lie next to each other

 private:
  QScrollArea* drawings_;
  PaperNotes* notes_;
  QVector<Chart*> drawn_;  // in drawings_
};

}  // namespace strata::ui
