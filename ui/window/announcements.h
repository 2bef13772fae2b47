#pragma once
#include <QObject>
#include <QVector>

#include "ui/data/values.h"

namespace strata::ui {
class DemoRun;
class Messages;
class SetTranslations;

// Tells the user in the window's messages what has become of runs, translations and the demo.
class Announcements : public QObject {
  Q_OBJECT
 public:
  Announcements(Messages* messages, QObject* parent);

  void good(const QString& message);
  void error(const QString& message);
  void setRuns(const QVector<RunRow>& runs);  // tells which have ended since the last call
  void follow(SetTranslations* translations);
  void follow(DemoRun* demo);

 signals:
  void resumeRequested(qint64 run);  // by the button of a message

 private:
  void announce(const RunRow& before, const RunRow& now);

  Messages* messages_;
  QVector<RunRow> runs_;
};

}  // namespace strata::ui
