#pragma once
#include <QString>
#include <QVector>
#include <optional>

#include "ui/plots/framed_plot.h"
#include "ui/plots/plot_cursor.h"

namespace strata::ui {

// A plot whose points are walked through with the arrow keys, Home and End, from left to right: the
// one at the cursor has a ring and is read out.
class WalkedPlot : public FramedPlot {
  Q_OBJECT
 public:
  struct Stop {
    double x = 0, y = 0;
    QString text = {};
  };

  std::optional<Stop> stop() const;  // at the cursor

 protected:
  explicit WalkedPlot(QWidget* parent);
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  virtual QVector<Stop> stops() const = 0;  // in any order
  QVector<Stop> sorted() const;

  PlotCursor cursor_;
  qsizetype at_ = -1;  // by x; -1: nowhere yet
};

}  // namespace strata::ui
