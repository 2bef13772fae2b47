#pragma once
#include <QVector>
#include <QWidget>

#include "ui/data/paper_values.h"

class QScrollArea;

namespace strata::ui {
class Chart;
class ChartGrid;
class PaperNotes;
class ReportTable;

// A paper's figure drawn of the runs at hand: its charts, maps and arcs, or the networks that it
// shows, with a table of their parts; and its notes.
class PaperFigureView : public QWidget {
  Q_OBJECT
 public:
  explicit PaperFigureView(QWidget* parent = nullptr);

  void showResult(const PaperResult& result);
  void exportTo(const QString& path);  // several pictures lie next to each other

 private:
  void addNetworks(const PaperResult& result, ChartGrid* grid);

  QScrollArea* drawings_;
  ReportTable* table_;
  PaperNotes* notes_;
  QVector<Chart*> drawn_;  // in drawings_
};

}  // namespace strata::ui
