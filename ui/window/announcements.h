#pragma once
#include <QObject>
#include <QSet>
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
  // A run that cannot go on since its configuration was edited.
  void configEdited(qint64 run, const QString& message);
  // Tells which have ended since the last call; many that ended alike are one message.
  void setRuns(const QVector<RunRow>& runs);
  void follow(SetTranslations* translations);
  void follow(DemoRun* demo);

 signals:
  // By the button of a message.
  void resumeRequested(qint64 run);
  void resumeEditedRequested(qint64 run);

 private:
  using Runs = QVector<const RunRow*>;
  void announce(const RunRow& run);
  void announceTogether(RunStatus status, const Runs& runs);

  Messages* messages_;
  QSet<qint64> active_;  // at the last call of setRuns
};

}  // namespace strata::ui
