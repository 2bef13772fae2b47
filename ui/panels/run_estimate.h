#pragma once
#include <QWidget>

#include "core/run/serve_protocol.h"

class QLabel;
class QLayout;

namespace strata::ui {

// What a run costs, in one line: parameters, memory and time, and what these rest on.
class RunEstimate : public QWidget {
  Q_OBJECT
 public:
  explicit RunEstimate(QWidget* parent = nullptr);

  void setMeasuring();  // nothing is known, for a moment
  void setReply(const serve::DryRunReply& reply);
  void setRuns(int count);  // the time is that of so many, one after the other

 private:
  QLabel* makeFigure(const QString& name, const QString& title, QLayout* layout);
  void showTime();

  QLabel *parameters_, *memory_, *time_, *basis_;
  std::optional<serve::DryRunReply::Estimate> estimate_;
  int runs_ = 1;
};

}  // namespace strata::ui
