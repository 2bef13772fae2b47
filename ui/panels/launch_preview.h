#pragma once
#include <QStringList>

#include "core/run/serve_protocol.h"
#include "ui/widgets/tabs.h"

class QLabel;
class QPlainTextEdit;

namespace strata::ui {
class CategoryPlot;
class Chart;
class CurvePlot;
class NetworkDrawing;

// What a dry run says of the run to come: a drawing of its network, its learning rate, the batches
// of an epoch, and the complete configuration, which can be edited.
class LaunchPreview : public Tabs {
  Q_OBJECT
 public:
  explicit LaunchPreview(QWidget* parent = nullptr);

  // Shows nothing but why, until the next reply; explain() only if nothing is shown.
  void clear(const QString& why);
  void explain(const QString& why);
  // `overrides`, as key=value, are marked in the configuration.
  void setReply(const serve::DryRunReply& reply, const QStringList& overrides);
  const Json& config() const { return config_; }  // as shown; null: none yet
  void exportTo(const QString& path);             // the picture that is in front. Throws Error
  bool hasTex() const;                            // whether that can be for pgfplots
  // What became of edited(): why it cannot be taken over; empty: it was.
  void setEdited(const QString& problem);

 signals:
  void edited(const strata::YamlDocument& config);  // by hand, of config()

 protected:
  void changeEvent(QEvent* event) override;

 private:
  Chart* front() const;  // null: it is text
  QWidget* makeNetwork();
  QWidget* makeBatches();
  QWidget* makeYaml();
  bool isEdited() const;  // the text is not config()
  void showEdit();
  void applyEdit();
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
  QWidget* editBar_;
  QLabel* editProblem_;
  Json config_;
  QString shownYaml_;  // of config_
  QStringList overrides_;
};

}  // namespace strata::ui
