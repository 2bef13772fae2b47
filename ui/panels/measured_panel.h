#pragma once
#include <algorithm>
#include <utility>

#include "ui/data/imported_runs.h"
#include "ui/data/measurable_run.h"
#include "ui/data/saved_state.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"
#include "ui/widgets/measured_run.h"

class QBoxLayout;
class QLabel;

namespace strata::ui {

// A panel that shows what a verb of strata-run has measured of a run's model. What has been
// measured is shown at once; a button measures the rest, in a process of its own.
class MeasuredPanel : public Panel {
  Q_OBJECT
 public:
  void setRuns(const QVector<RunRow>& runs);
  void setImported(const QVector<RunRow>& all) { imported_.setRuns(all); }
  void setProgress(qint64 run, double share);  // of what is being measured, 0 .. 1
  void setMeasured(qint64 run);
  void setCancelled(qint64 run);
  void setError(qint64 run, const QString& message);

  virtual QStringList arguments() const = 0;  // of strata-run, for what is chosen

  bool isUpToDate() const override { return isEmpty() || arrived_; }
  void showExample() override;  // of the newest run that has what the chosen one lacks
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
  virtual void showButtons();
  void start(const QStringList& further);  // arguments
  bool isMeasuring() const { return measuring_ > 0; }

  const MeasuredRunChoice& choice() const { return *choice_; }
  MeasuredRunChoice& choice() { return *choice_; }
  void follow(const Selection& choice) override;
  // Why what is chosen cannot be measured; empty: it can.
  virtual QString lacking() const;
  virtual LackPage::Remedy remedy();  // for what is lacking
  // Shows another run, whose model has what this one's lacks, or else the layers of this one.
  LackPage::Remedy otherThan(const MeasurableRun& run);

 private:
  virtual bool find() = 0;  // what has been measured of what is chosen; false: nothing
  virtual void showFound() = 0;
  virtual void offer(bool /*other*/) {}     // what this run has; `other`: than the last one
  virtual void showStored() = 0;            // instead of a choice that has not been measured
  virtual QString caption() const = 0;      // of what was found
  virtual QString howMeasured() const = 0;  // what measuring does
  void showOther();                         // as showExample(), once the run has arrived

  MeasuredRunChoice* choice_;
  MeasureButtons* buttons_;
  QLabel* message_;
  LackPage* lack_;  // in the place of the results
  QWidget* results_ = nullptr;
  qint64 run_ = 0;        // that has arrived
  qint64 measuring_ = 0;  // the run; 0: none
  qint64 errorRun_ = 0;
  ImportedRuns imported_;
  qint64 unlisted_ = 0;  // the chosen run, while it has no model; 0: it has
  QString error_;
  qint64 other_ = 0;  // MeasurableRun::other
  bool arrived_ = false, restored_ = false, found_ = false, example_ = false;
};

// The results are reports: `Loaded` is what a run's folder says, a MeasurableRun with those stored.
template <typename Loaded>
class ReportPanel : public MeasuredPanel {
 public:
  using Report = typename decltype(Loaded::stored)::value_type;

  void setLoaded(const Loaded& loaded) {
    if (loaded.run != choice().run()) return;
    shown_ = nullptr;
    loaded_ = loaded;
    arrive(loaded_);
  }

  const Report* shown() const { return shown_; }  // null: nothing is measured

 protected:
  using MeasuredPanel::MeasuredPanel;
  const Loaded& loaded() const { return loaded_; }

 private:
  // What is chosen besides the run's model and the set: whether the report is of it, and to choose
  // what the report is of.
  virtual bool isOfChoice(const Report&) const { return true; }
  virtual void choose(const Report&) {}

  static const MeasuredOn& onOf(const Report& report) {
    if constexpr (requires { report.key; }) {
      return report.key.on;
    } else {
      return report.on;
    }
  }

  bool find() final {
    const auto found = std::ranges::find_if(loaded_.stored, [this](const Report& each) {
      return choice().isOn(onOf(each)) && isOfChoice(each);
    });
    shown_ = found == loaded_.stored.end() ? nullptr : &*found;
    return shown_ != nullptr;
  }

  // Of the last checkpoint measured, on most sentences.
  void showStored() final {
    if (loaded_.stored.empty()) return;
    const Report& shown = *std::ranges::max_element(loaded_.stored, {}, [](const Report& each) {
      return std::pair(onOf(each).checkpoint, onOf(each).sentences);
    });
    choose(shown);
    choice().choose(onOf(shown));
  }

  Loaded loaded_;
  const Report* shown_ = nullptr;  // of loaded_
};

}  // namespace strata::ui
