#include "ui/rpc/gpu_watch.h"

#include <QStandardPaths>

namespace strata::ui {
namespace {
constexpr int kAskMs = 2000, kEndMs = 1000;
}

GpuWatch::GpuWatch(QObject* parent) : QObject(parent) {
  timer_.setInterval(kAskMs);
  connect(&timer_, &QTimer::timeout, this, &GpuWatch::ask);
  connect(&process_, &QProcess::finished, this, &GpuWatch::read);
}

GpuWatch::~GpuWatch() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  process_.waitForFinished(kEndMs);
}

void GpuWatch::setWanted(bool wanted) {
  if (!wanted) return timer_.stop();
  if (timer_.isActive()) return;
  timer_.start();
  ask();
}

void GpuWatch::ask() {
  if (process_.state() != QProcess::NotRunning) return;  // it is slow; the next time
  const QString program = QStandardPaths::findExecutable(QStringLiteral("nvidia-smi"));
  if (program.isEmpty()) {
    timer_.stop();  // until it is wanted again
    emit changed({}, tr("No NVIDIA GPU: nvidia-smi is not installed."));
    return;
  }
  process_.start(program, {QLatin1String(kGpuQuery), QLatin1String(kGpuFormat)});
}

void GpuWatch::read() {
  const QByteArray output = process_.readAllStandardOutput();
  const auto gpus = gpuUseFrom(output.toStdString());
  const QString said = QString::fromUtf8(output + process_.readAllStandardError()).simplified();
  emit changed(gpus,
               gpus.empty() ? tr("nvidia-smi names no GPU: %1").arg(said.left(200)) : QString());
}

}  // namespace strata::ui
