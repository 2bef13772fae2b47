#pragma once
#include <QObject>
#include <QProcess>
#include <QTimer>
#include <vector>

#include "core/base/system_use.h"

namespace strata::ui {

// Asks nvidia-smi how busy the GPUs are, in a child process every two seconds while it is wanted.
class GpuWatch : public QObject {
  Q_OBJECT
 public:
  explicit GpuWatch(QObject* parent = nullptr);
  ~GpuWatch() override;

  void setWanted(bool wanted);

 signals:
  // `problem`: why nothing is known; empty if the GPUs are known.
  void changed(const std::vector<strata::GpuUse>& gpus, const QString& problem);

 private:
  void ask();
  void read();

  QProcess process_;
  QTimer timer_;
};

}  // namespace strata::ui
