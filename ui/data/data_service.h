#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>
#include <functional>
#include <memory>
#include <stop_token>

#include "core/data/file_guess.h"
#include "core/data/preview.h"

namespace strata::ui {

// A prepared dataset as the window shows it.
struct DatasetDescription {
  QString name;
  Json manifest;
  QString folder;
  bool verified = false;  // all files are what the manifest says; until then only their sizes
};
using PreviewPointer = std::shared_ptr<const DatasetPreview>;
using FiguresPointer = std::shared_ptr<const DatasetFigures>;

// Files and recipes that were chosen, as far as their names say what they are.
struct ChosenFiles {
  QStringList places;
  PrepareCall call;
  QStringList unused;
  QString recipeTitle, recipeGet;  // of a recipe; empty: files
};

// Runs the latest of its tasks on a thread of its own; a new one stops the one before.
class LatestTask : public QObject {
  Q_OBJECT
 public:
  using Task = std::function<void(std::stop_token)>;

  explicit LatestTask(const QString& name, QObject* parent);
  ~LatestTask() override;

  void start(Task task);
  void stop();

 private:
  QThread thread_;
  QObject* worker_;  // lives in thread_
  std::stop_source latest_;
};

// Reads corpora and datasets on threads of its own. The latest request of each kind wins: an
// earlier one is stopped and not answered.
class DataService : public QObject {
  Q_OBJECT
 public:
  explicit DataService(const QString& workspace, QObject* parent = nullptr);

  void guess(const QStringList& places, const QString& recipe);
  void preview(const PrepareCall& call, qint64 limit);  // 0 pairs: all
  void stopPreview();
  void describe(const QString& dataset, qint64 limit);

 signals:
  void guessed(const strata::ui::ChosenFiles& chosen);
  void guessFailed(const QString& message);
  void previewProgress(const QString& what, qint64 done);
  void previewed(const strata::ui::PreviewPointer& preview);
  void previewFailed(const QString& message);
  void described(const strata::ui::DatasetDescription& description);
  void figuresRead(const QString& dataset, const strata::ui::FiguresPointer& figures);
  void describeFailed(const QString& dataset, const QString& message);

 private:
  QString workspace_;
  LatestTask guesses_, previews_, descriptions_;
};

}  // namespace strata::ui
