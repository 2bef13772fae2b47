#pragma once
#include "ui/data/data_service.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTextBrowser;

namespace strata::ui {
class ImportForm;
class TextFiguresView;

// The prepared datasets with their manifests and figures, and the form that imports a corpus.
class DataPanel : public Panel {
  Q_OBJECT
 public:
  explicit DataPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setDatasets(const QVector<DatasetRow>& datasets);
  void setDescription(const DatasetDescription& description);
  void setFigures(const QString& dataset, const FiguresPointer& figures);
  void setDescribeError(const QString& dataset, const QString& message);
  void prepared(const QString& dataset, bool unchanged);
  void openImport();
  ImportForm* form() const { return form_; }
  QString dataset() const;  // the chosen one; empty: none

  bool isUpToDate() const override;
  QString error() const override { return error_; }
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void describeRequested(const QString& dataset, qint64 limit);
  void trainRequested(const QString& dataset);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeList();
  QWidget* makeDataset();
  void follow(const Selection& choice) override;
  void choose();
  void showManifest(const Json& manifest);
  void showEntry();
  qint64 limit() const;

  QAction* import_;
  QListWidget* list_;
  QStackedWidget* pages_;
  ImportForm* form_;
  QLabel *title_, *facts_, *state_;
  QComboBox* extent_;
  TextFiguresView* figures_;
  QTextBrowser* manifest_;
  QPushButton* train_;
  QVector<DatasetRow> datasets_;
  DatasetDescription shown_;
  QString restored_;  // the last session's dataset, until the datasets arrive
  QString error_;
  bool importing_ = false, waiting_ = false, late_ = false;  // late: not requested, since hidden
};

}  // namespace strata::ui
