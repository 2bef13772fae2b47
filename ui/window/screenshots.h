#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QSize>
#include <QString>
#include <QTimer>

#include "ui/window/panel_list.h"

namespace strata::ui {
class MainWindow;

struct ScreenshotOptions {
  QString folder;
  QString panel;          // empty: all and window.png
  QString run;            // the current one; empty: the newest
  QSize size{1280, 800};  // of the window
  int colours = 0;        // of a picture, at most; 0: all
  int timeoutMs = 60000;  // per panel, for its data
};

// Writes one picture per panel (01-launch.png, ...) and window.png, each after all its data are
// drawn, then emits finished with 0, or with 1 after naming the failed panel on stderr.
class Screenshots : public QObject {
  Q_OBJECT
 public:
  Screenshots(MainWindow* window, ScreenshotOptions options, QObject* parent = nullptr);
  void start();

 signals:
  void finished(int status);

 private:
  struct Picture {
    QString name, file;
    Panel* panel = nullptr;  // null: the complete window
  };

  void next();
  void wait();
  bool isDrawn() const;
  const QVector<Panel*>& panels() const;
  void askForExample();
  void chooseRun();
  void take();
  void fail(const QString& why);

  MainWindow* window_;
  ScreenshotOptions options_;
  QVector<Picture> pictures_;
  Picture current_;
  int idlePolls_ = 0;    // consecutive polls that found everything drawn
  bool asked_ = false;   // an example was requested
  bool chosen_ = false;  // options_.run is the current one
  QTimer timer_;
  QElapsedTimer clock_;
};

}  // namespace strata::ui
