#pragma once
#include <QStringList>
#include <QTabWidget>

#include "core/run/serve_protocol.h"

class QLabel;
class QPlainTextEdit;

namespace strata::ui {
class CategoryPlot;
class Chart;
class CurvePlot;
class NetworkDrawing;

// What a dry run says of the run to come: a drawing of its network, its learning rate, the batches
// of an epoch, and the complete configuration.
class LaunchPreview : public QTabWidget {
  Q_OBJECT
 public:
  explicit LaunchPreview(QWidget* parent = nullptr);

  // `overrides`, as key=value, are marked in the configuration.
  void setReply(const serve::DryRunReply& reply, const QStringList& overrides);
  const Json& config() const { return config_; }  // as shown; null: none yet
  void exportTo(const QString& path);             // the picture that is in front. Throws Error

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeNetwork();
  QWidget* makeBatches();
  void showPart(int part);
  void showRate(const serve::DryRunReply& reply);
  void showBatches(const serve::DryRunReply& reply);
  void showYaml();
  void markOverrides();

  NetworkDrawing* network_;
  QLabel *part_, *batchSummary_;
  CurvePlot* rate_;
  CategoryPlot *sentences_, *padding_;
  QPlainTextEdit* yaml_;
  Json config_;
  QStringList overrides_;
};

}  // namespace strata::ui
