#pragma once
#include <QMap>
#include <QTimer>
#include <set>

#include "core/run/serve_protocol.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;

namespace strata::ui {
class ConfigModel;
class ConfigView;
struct LaunchChoice;
class LaunchPreview;
class NoticeBar;
class PresetBox;
class PresetModel;
class QueueView;
class RunEstimate;
class StartButton;
class SweepForm;

// The run to train.
struct LaunchRequest {
  QString preset, dataset;  // preset: several names with commas are combined
  QString name;             // empty: generated
  QStringList overrides;    // "training.max_updates=2000"
  Json config;              // the effective configuration, from the dry run
  bool evenIfSame = false;  // although a run has the same configuration
};

// Preset or row of a paper's table x dataset x overrides, for one run or a sweep, and the queue of
// runs. Presets and rows are listed by paper with their parameter counts on the dataset. The form
// is built from the engine's schema; before anything starts it shows the parameter count, memory
// and time estimated by a dry run, the complete configuration as YAML and the learning-rate
// schedule. It requests all of these by signals; a new request cancels an earlier one of its kind.
class LaunchPanel : public Panel {
  Q_OBJECT
 public:
  enum class Request { kPresets, kCounts, kSchema, kDryRun };

  explicit LaunchPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setDatasets(const QVector<DatasetRow>& datasets);
  void choose(const QString& preset, const QString& dataset);
  // Fills in a run's complete configuration, to be changed. `preset`: its own; of several, the
  // first.
  void copyRun(const QString& preset, const QString& dataset, const Json& config);
  LaunchRequest request() const;
  SweepForm* sweep() const { return sweep_; }
  QueueView* queue() const { return queue_; }
  ConfigModel* config() const { return model_; }
  // The verb of strata-run that trains what Start would queue, or that queues the sweep, and its
  // arguments.
  QStringList command() const;
  bool isReady() const { return ready_; }  // the schema has arrived
  bool isUpToDate() const override {
    return ready_ && !dryRunTimer_.isActive() && pending_.empty();
  }
  QString problem() const;                           // why the run cannot start; empty: it can
  QString error() const override { return error_; }  // why there are no presets; empty: there are
  void reload();                                     // requests presets and schema again
  // Presets, and the settings of the chosen one.
  QList<PaletteEntry> findable() override;
  void showSetting(const QString& path);  // brings the panel up, at this key of the form
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

  // Answers to the latest request of each kind.
  void setPresets(const serve::PresetsReply& reply);
  void setCounts(const serve::PresetsReply& reply);
  void setSchema(const Json& schema);
  void setEstimate(const serve::DryRunReply& reply);
  void setRequestError(Request request, const QString& message);
  // Answers to startRequested: it is queued, a run with the same configuration exists, or it
  // failed.
  void setQueued();
  void setSameRun(const SameRunRow& same);
  void setStartFailed();
  // Answers to sweepRequested: so many of its runs were queued, the others existed; or why none
  // was.
  void setSweepQueued(int queued, int all);
  void setSweepFailed(const QString& problem);

 signals:
  void startRequested(const strata::ui::LaunchRequest& request);
  void sweepRequested(const QStringList& command);
  void presetsRequested();
  void countsRequested(const strata::serve::PresetsRequest& request);
  void schemaRequested(const QString& preset);
  void dryRunRequested(const strata::serve::DryRunRequest& request);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeChoices();
  QWidget* makeFooter();
  void countParameters();  // of all presets, for the chosen dataset's vocabularies
  void loadSchema();
  void changeForm();  // by the user
  void scheduleDryRun();
  void measureAnew();  // nothing is known of what the form describes
  void dryRun();
  void choosePreset();
  LaunchChoice choice() const;
  void showSweep();
  void showProblem(const QString& text);  // why it cannot be trained; empty: nothing is known
  void askForData();
  void start(LaunchRequest request);
  void startOtherSeed(quint64 seed);
  void fillCopied();
  void showWantedKey();

  ConfigModel* model_;
  ConfigView* form_;
  PresetModel* presets_;
  PresetBox* preset_;
  QComboBox* dataset_;
  QLineEdit* name_;
  QLabel* description_;
  RunEstimate* estimate_;
  NoticeBar* notice_;
  LaunchPreview* preview_;
  SweepForm* sweep_;
  QueueView* queue_;
  StartButton* start_;
  QAction* runDemo_;
  QTimer dryRunTimer_;
  bool filling_ = false;            // the form is filled by the panel
  QMap<QString, qint64> versions_;  // of the datasets
  QString error_;
  bool asked_ = false, ready_ = false;
  std::set<Request> pending_;  // requested, not yet answered; presets are never in it
  // Of the last session, until presets, datasets and schema arrive.
  QString restoredPreset_, restoredDataset_;
  QStringList restoredOverrides_;
  QString wantedKey_;  // to be shown as soon as the form has it
  Json copied_;        // a run's configuration, until the schema arrives; null: none
};

}  // namespace strata::ui
