#pragma once
#include <QFont>
#include <QMargins>
#include <QString>
#include <QVector>
#include <optional>

class QCPAxis;
class QCustomPlot;
class QPointF;

namespace strata::ui {

// A title in a place of `room` pixels: as it is, or in two lines if these are allowed and enough,
// or shortened.
QString fittedTitle(const QString& title, const QFont& font, int room, bool twoLines);

// The texts at a plot's axes, fitted whenever it is laid out, so that none is cut: titles that are
// longer than their axis take two lines or are shortened, there are as many ticks as labels have
// room for, and a label at the end of an axis has room beside it.
class AxisTexts {
 public:
  explicit AxisTexts(QCustomPlot* plot);

  void setTitle(QCPAxis* axis, const QString& title);
  QString title(const QCPAxis* axis) const;
  // The whole title where a shortened one is drawn; empty: there is none.
  QString wholeTitleAt(const QPointF& position) const;
  void fit();  // to the layout, which is made again if that takes other room

 private:
  struct Title {
    QCPAxis* axis;
    QString text;
  };

  bool fitTickCounts();
  void separateTicks();
  bool fitMargins();
  bool fitTitles();

  QCustomPlot* plot_;
  QVector<Title> titles_;
  std::optional<QMargins> margins_;  // around the axes, at least, whatever their texts are
};

}  // namespace strata::ui
