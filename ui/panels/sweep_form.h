#pragma once
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/base/json.h"
#include "core/run/sweep.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;
class QVBoxLayout;

namespace strata::ui {
class ConfigModel;

// Several values for settings, times seeds: the runs of a sweep, by their names. What is wrong is
// said below the values.
class SweepForm : public QWidget {
  Q_OBJECT
 public:
  static constexpr std::size_t kMostRuns = 1000;

  explicit SweepForm(const ConfigModel* model, QWidget* parent = nullptr);

  QSpinBox* seeds() const { return seeds_; }                       // for a place above the form
  void setCurrentKey(const QString& path) { currentKey_ = path; }  // which Add takes
  void add(const QString& path, const QString& values);
  void clear();

  bool isSweep() const;     // of more than one run, or to be
  QString problem() const;  // why it cannot be queued; empty: it can
  // `base` with the grid and the seeds, from its own one on.
  Sweep sweepOf(Sweep base) const;
  void showRuns(const Sweep& sweep);  // as sweepOf gave it

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void changed();

 private:
  // A setting with its values.
  struct Axis {
    QWidget* box;
    QLineEdit *key, *values;
    QLabel* problem;
  };
  void remove(QWidget* box);
  void check();
  void readModel();
  QString problemOf(const Axis& axis) const;

  const ConfigModel* model_;
  QSpinBox* seeds_;
  QVBoxLayout* axesLayout_;
  QLabel *summary_, *problem_;
  QListWidget* runs_;
  std::vector<Axis> axes_;
  QString currentKey_;
};

}  // namespace strata::ui
