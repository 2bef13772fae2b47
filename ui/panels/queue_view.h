#pragma once
#include <QWidget>
#include <vector>

#include "core/store/queue_settings.h"
#include "core/store/run_activity.h"

class QAction;
class QComboBox;
class QLabel;
class QSpinBox;

namespace strata::ui {
class QueueList;

// The queue: its order, how many of its runs are trained at a time, and on which devices.
class QueueView : public QWidget {
  Q_OBJECT
 public:
  explicit QueueView(QWidget* parent = nullptr);

  void setActivity(const std::vector<RunActivity>& runs);
  void setSettings(const QueueSettings& settings);
  void setGpus(int count);  // that can be chosen

 signals:
  void moved(qint64 run, qint64 before);  // directly before another one; 0: behind all
  void settingsChosen(const strata::QueueSettings& settings);
  void runChosen(qint64 run);
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeHeader();
  QAction* makeMove(const QString& name, const QString& text, int places);
  void chooseDevices();
  void enableMoves();
  QString textOf(const std::vector<std::string>& devices) const;

  QueueList* list_;
  QSpinBox* atOnce_;
  QComboBox* devices_;
  QLabel *empty_, *problem_;
  QAction *earlier_, *later_;
  QueueSettings settings_;
};

}  // namespace strata::ui
