#pragma once
#include <QComboBox>
#include <QStringList>

namespace strata::ui {

// Chooses what an axis of curves shows: one of a few fixed entries, or a series. A series that was
// chosen in the last session is selected as soon as it is listed.
class SeriesBox : public QComboBox {
  Q_OBJECT
 public:
  SeriesBox(const QStringList& fixed, QWidget* parent);

  // A chosen series stays, listed or not.
  void setNames(QStringList names);
  QString series() const { return currentData().toString(); }  // empty: a fixed entry
  int fixedEntry() const { return series().isEmpty() ? currentIndex() : 0; }

  // What is kept over a restart: the series, also one that is not listed yet.
  QString savedSeries() const { return wanted_.isEmpty() ? series() : wanted_; }
  void restoreSeries(const QString& name) { wanted_ = name; }

 private:
  int fixed_;
  QString wanted_;
};

}  // namespace strata::ui
