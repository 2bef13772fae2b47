#pragma once
#include <QObject>
#include <QPointer>

#include "ui/data/comparison_values.h"

namespace strata::ui {
class ImportDialog;

// Imports translations, test sets and scores of other programs: the dialogs that ask for them, one
// at a time, which stay open until what they ask for is done.
class CompareImports : public QObject {
  Q_OBJECT
 public:
  explicit CompareImports(QWidget* parent);  // of the dialogs, too

  void setList(const SystemsList& list) { known_ = list; }
  // Of a test set at first, which may be none; from a file, if there is a path.
  void askForSystem(const QString& testSet, const QString& path = {});
  void askForScores(const QString& testSet);
  void askForTestSet();

  // Answers to requests.
  void confirmSystem(const QString& name, const QStringList& warnings);
  void confirmTestSet(const QString& id);
  void confirmScores(const QString& metric, int systems);
  void setScoresPreview(const ScoresPreview& preview);
  void showError(const QString& message);  // in the dialog, whose entries stay

 signals:
  void systemRequested(const strata::NewSystem& system);
  void testSetRequested(const strata::NewTestSet& set);
  void scoresPreviewRequested(const strata::ui::ScoresRequest& request);
  void scoresRequested(const strata::ui::ScoresRequest& request);
  void imported();
  void failed(const QString& message);
  void notice(const QString& message);

 private:
  QWidget* owner() const;
  void open(ImportDialog* dialog);
  void finish(const QString& message);

  SystemsList known_;
  QPointer<ImportDialog> dialog_;  // the open one
};

}  // namespace strata::ui
