#pragma once
#include <algorithm>
#include <vector>

#include "ui/data/measurable_run.h"
#include "ui/data/saved_state.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QBoxLayout;
class QLabel;

namespace strata::ui {
class MeasureButtons;
class MeasuredRunChoice;

// A panel that shows what a verb of strata-run has measured of a run's model. What has been
// measured is shown at once; a button measures the rest, in a process of its own.
class MeasuredPanel : public Panel {
  Q_OBJECT
 public:
  void setRuns(const QVector<RunRow>& runs);
  void setProgress(qint64 run, double share);  // of what is being measured, 0 .. 1
  void setMeasured(qint64 run);
  void setCancelled(qint64 run);
  void setError(qint64 run, const QString& message);

  virtual QStringList arguments() const = 0;  // of strata-run, for what is chosen

  bool isUpToDate() const override { return isEmpty() || arrived_; }
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void runChosen(qint64 run);  // what has been measured of it is to be loaded
  void startRequested(qint64 run, const QString& name, const QStringList& arguments);
  void cancelRequested();

 protected:
  // `prefix` begins the names of the widgets: "effects".
  MeasuredPanel(Info info, const QString& prefix, QWidget* parent);

  void addButtons(QBoxLayout* bar);  // that start and cancel
  // Below the choice of what is measured: the actions, the message, and the results, which are
  // hidden until something is measured.
  void setParts(const Empty& empty, QWidget* actions, QWidget* results);
  // After a derived class has kept what has been measured of the run.
  void arrive(const MeasurableRun& run);
  void showChoice();

  // The first that fits; null: none.
  template <typename Report, typename Fits>
  static const Report* findIn(const std::vector<Report>& stored, Fits fits) {
    const auto found = std::ranges::find_if(stored, fits);
    return found == stored.end() ? nullptr : &*found;
  }

  const MeasuredRunChoice& choice() const { return *choice_; }
  MeasuredRunChoice& choice() { return *choice_; }
  void follow(const Selection& choice) override;
  // Why what is chosen cannot be measured; empty: it can.
  virtual QString lacking() const;

 private:
  virtual bool find() = 0;  // what has been measured of what is chosen; false: nothing
  virtual void showFound() = 0;
  virtual void offer(bool /*other*/) {}     // what this run has; `other`: than the last one
  virtual void showStored() = 0;            // instead of a choice that has not been measured
  virtual QString caption() const = 0;      // of what was found
  virtual QString howMeasured() const = 0;  // what measuring does
  void showButtons();

  MeasuredRunChoice* choice_;
  MeasureButtons* buttons_;
  QLabel* message_;
  QWidget* results_ = nullptr;
  qint64 run_ = 0;        // that has arrived
  qint64 measuring_ = 0;  // the run; 0: none
  qint64 errorRun_ = 0;
  qint64 unlisted_ = 0;  // the chosen run, while it has no model; 0: it has
  QString error_;
  bool arrived_ = false, restored_ = false, found_ = false;
};

}  // namespace strata::ui
