#pragma once
#include <QTimer>
#include <QWidget>

#include "core/run/serve_protocol.h"
#include "ui/data/values.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace strata::ui {
class ConfigModel;
class ConfigView;
class CurvePlot;
class EngineClient;
class PresetBox;
class PresetModel;

// The run to train.
struct LaunchRequest {
  QString preset, dataset, name;  // name empty: generated
  QStringList overrides;          // "training.max_updates=2000"
  Json config;                    // the effective configuration, from the dry run
};

// Preset x dataset x overrides. Presets are listed by paper with their parameter counts on the
// dataset. The form is built from the engine's schema; before anything starts it shows the
// parameter count, memory and time estimated by a dry run, the complete configuration as YAML and
// the learning-rate schedule.
class LaunchPanel : public QWidget {
  Q_OBJECT
 public:
  LaunchPanel(EngineClient* engine, QAction* runDemo, QWidget* parent = nullptr);

  void setDatasets(const QVector<DatasetRow>& datasets);
  void choose(const QString& preset, const QString& dataset);
  LaunchRequest request() const;
  ConfigModel* config() const { return model_; }
  bool isReady() const { return ready_; }  // the schema has arrived
  bool isUpToDate() const {
    return ready_ && !pending_ && schema_ == 0 && dryRun_ == 0 && counts_ == 0;
  }
  QString problem() const;                  // why the run cannot start; empty: it can
  QString error() const { return error_; }  // why the engine call failed; empty: it succeeded
  void reload();                            // requests presets and schema again

 signals:
  void startRequested(const strata::ui::LaunchRequest& request);
  void failed(const QString& message);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeChoices();
  QWidget* makePreview();
  QWidget* makeFooter(QAction* runDemo);
  QLabel* makeCard(const QString& name, const QString& title, QLayout* layout);
  void receivePresets(const serve::PresetsReply& reply);
  void countParameters();  // of all presets, for the chosen dataset's vocabularies
  void loadSchema();
  void scheduleDryRun();
  void dryRun();
  void showEstimate(const serve::DryRunReply& reply);
  void showYaml(const Json& config);
  void markOverrides(const Json& config);
  void showProblem(const QString& text);

  EngineClient* engine_;
  ConfigModel* model_;
  PresetModel* presets_;
  PresetBox* preset_;
  QComboBox* dataset_;
  QLineEdit* name_;
  QLabel *description_, *parameters_, *memory_, *time_, *problem_;
  QPlainTextEdit* yaml_;
  CurvePlot* rate_;
  QPushButton* start_;
  QTimer dryRunTimer_;
  Json shownConfig_;
  QString error_;
  qint64 dryRun_ = 0, schema_ = 0, counts_ = 0;  // calls in progress
  bool asked_ = false, ready_ = false, pending_ = false;
};

}  // namespace strata::ui
