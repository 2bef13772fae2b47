#pragma once
#include <QSet>
#include <QWidget>

#include "ui/data/values.h"

class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace strata::ui {
class EmptyStack;

// The log of one run as it is written. It follows the end while the user is there; a filter shows
// the lines that contain a text.
class LogPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LogPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // selects the newest if none is selected, and every
                                              // run that becomes active
  void showRun(qint64 run);
  void addLines(qint64 run, const QVector<LogLine>& lines);
  QString text() const;
  bool isEmpty() const;
  bool isUpToDate() const { return isEmpty() || arrived_; }

 signals:
  void runChosen(qint64 run);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void choose();
  void append(const LogLine& line);
  void refill();

  QComboBox* runs_;
  QLineEdit* filter_;
  QPlainTextEdit* text_;
  EmptyStack* stack_;
  QVector<LogLine> lines_;
  QSet<qint64> active_;
  bool arrived_ = false;
};

}  // namespace strata::ui
