#pragma once
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "core/base/json.h"
#include "tests/ui/light_window.h"
#include "tests/ui/patience.h"
#include "ui/data/text.h"

namespace strata::ui {

// Of the families' runs.
inline const QString kFused = "mlrf-dec-sa4-zhen.toy.s1", kHistory = "dhea-gate.toy.s1";

// The window over a workspace whose runs the real program has trained, and what that program prints
// about them.
class TrainedWindow {
 protected:
  struct Trained {
    const char* name;  // those of paper figures name runs as the figures' plans do
    const char* preset;
    QStringList settings;
  };
  // One of each family, the first two with something to look inside.
  static QVector<Trained> families();

  void open(const QVector<Trained>& runs);
  QByteArray outputOf(const QStringList& arguments, const QByteArray& input = {}) const;
  Json printed(const QStringList& arguments, const QByteArray& input = {}) const;
  // The command line that a panel copies, and what it prints with further options.
  static QString copiedFrom(Panel* panel);
  static QByteArray outputOfCopied(Panel* panel, const QString& further = {});
  qint64 idOf(const QString& run) const;
  void raise(const QString& panel) { window_->bringUp(panel); }
  QString path(const QString& name) const { return folder_.filePath("exports/" + name); }
  template <typename T>
  T* child(const char* name) const {
    return window_->findChild<T*>(QLatin1String(name));
  }

  QTemporaryDir folder_;
  QString runner_;
  std::unique_ptr<MainWindow> window_;

 private:
  void train(const Trained& run);
};

inline QVector<TrainedWindow::Trained> TrainedWindow::families() {
  return {
      {"mlrf-dec-sa4-zhen.toy.s1",
       "mlrf/dec-sa4-cpu",
       {"model.embed_dim=32", "model.ffn_dim=64", "model.fusion_attn_dim=32",
        "model.fusion_ffn_dim=64", "model.encoder_layers=2", "model.decoder_layers=2"}},
      {"dhea-gate.toy.s1",
       "dhea/gate-cpu",
       {"model.hidden=24", "model.encoder_layers=2", "model.decoder_layers=2"}},
      {"dense", "densenmt/4l-2-cpu", {"model.embed_dim=32", "model.hidden=32", "model.growth=16"}},
      {"deep", "deepatt/att-1-1-cpu", {"model.embed_dim=16", "model.hidden=32"}}};
}

inline QByteArray TrainedWindow::outputOf(const QStringList& arguments,
                                          const QByteArray& input) const {
  QProcess process;
  process.start(runner_,
                QStringList{"--workspace", folder_.path(), "--log-level", "error"} + arguments);
  process.write(input);
  process.closeWriteChannel();
  if (!process.waitForFinished(kPatience) || process.exitCode() != 0) {
    qWarning("%s: %s", qPrintable(arguments.join(' ')), process.readAllStandardError().constData());
    return {};
  }
  return process.readAllStandardOutput();
}

inline Json TrainedWindow::printed(const QStringList& arguments, const QByteArray& input) const {
  const QByteArray output = outputOf(QStringList{"--json"} + arguments, input);
  return parseJson(output.toStdString(), toStd(arguments.join(' ')));
}

inline QString TrainedWindow::copiedFrom(Panel* panel) {
  panel->findChild<QAction*>("copyCommand")->trigger();
  return QGuiApplication::clipboard()->text();
}

inline QByteArray TrainedWindow::outputOfCopied(Panel* panel, const QString& further) {
  QProcess shell;
  shell.start("sh", {"-c", copiedFrom(panel) + " " + further});
  if (!shell.waitForFinished(kPatience) || shell.exitCode() != 0)
    qWarning("%s", shell.readAllStandardError().constData());
  return shell.readAllStandardOutput();
}

inline void TrainedWindow::train(const Trained& run) {
  QStringList arguments{"train", "--preset", run.preset, "--data", "toy", "--name", run.name};
  QStringList settings{
      "training.threads=1",          "training.max_updates=60",     "training.max_epochs=0",
      "training.phases=[]",          "training.batch.size=400",     "training.log_every=5",
      "training.schedule.warmup=10", "validation.every_updates=20", "validation.every_epochs=0",
      "validation.monitor=[]",       "validation.metrics=[nll]",    "checkpoint.every_updates=20",
      "checkpoint.every_epochs=0",   "recording.sentences=3"};
  for (const QString& setting : settings + run.settings) arguments << "--set" << setting;
  outputOf(arguments);
  QVERIFY2(printed({"runs", "show", run.name}).at("status") == "finished", run.name);
  // Barely trained models may not stop by themselves.
  outputOf({"translate", "--run", run.name, "--set", "test", "--beam", "2", "--max-length", "0,12",
            "--threads", "1"});
}

inline void TrainedWindow::open(const QVector<Trained>& runs) {
  runner_ = qEnvironmentVariable("STRATA_RUN",
                                 QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath());
  QVERIFY2(QFileInfo::exists(runner_), "bin/strata-run is not built");
  qputenv("STRATA_RUN", runner_.toUtf8());
  QVERIFY(QDir(folder_.path()).mkpath("exports"));
  outputOf({"data", "generate", "--name", "toy", "--size", "400", "--seed", "6"});
  for (const Trained& run : runs) {
    train(run);
    if (QTest::currentTestFailed()) return;
  }
  window_ = lightWindow(folder_.path(), {1400, 900});
  QTRY_VERIFY_WITH_TIMEOUT(window_->isOpened() && window_->rows().size() == runs.size(), kPatience);
}

inline qint64 TrainedWindow::idOf(const QString& run) const {
  for (const RunRow& row : window_->rows()) {
    if (row.name == run) return row.id;
  }
  qFatal("there is no run %s", qPrintable(run));
}

}  // namespace strata::ui
