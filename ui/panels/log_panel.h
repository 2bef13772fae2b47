#pragma once
#include <QSet>

#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QLineEdit;
class QPlainTextEdit;

namespace strata::ui {
class RunBox;

// The log of one run as it is written. It follows the end while the user is there; a filter shows
// the lines that contain a text.
class LogPanel : public Panel {
  Q_OBJECT
 public:
  explicit LogPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // selects the newest if none is selected, and every
                                              // run that becomes active
  void addLines(qint64 run, const QVector<LogLine>& lines);
  QString text() const;
  bool isUpToDate() const override { return isEmpty() || arrived_; }
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void runChosen(qint64 run);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  void choose();
  void append(const LogLine& line);
  void refill();
  void sayWhyEmpty();
  qint64 run() const;  // 0: none

  RunBox* runs_;
  QLineEdit* filter_;
  QPlainTextEdit* text_;
  QVector<LogLine> lines_;
  QSet<qint64> active_;
  QString problem_;      // of the run; empty: there is none
  qint64 restored_ = 0;  // the last session's run, until the runs arrive
  bool arrived_ = false;
};

}  // namespace strata::ui
