#pragma once
#include <QDialog>
#include <QVector>
#include <vector>

#include "core/systems/test_sets.h"
#include "ui/data/values.h"
#include "ui/rpc/set_translations.h"

class QComboBox;
class QDialogButtonBox;
class QListWidget;

namespace strata::ui {

// Asks which runs should translate which set of their dataset.
class TranslateSetDialog : public QDialog {
  Q_OBJECT
 public:
  // `runs`: those with a checkpoint, newest first. `set` is a test set's id.
  TranslateSetDialog(const QVector<RunRow>& runs, const std::vector<TestSet>& sets,
                     const QString& set, QWidget* parent = nullptr);

  QVector<SetTranslations::Task> tasks() const;

 private:
  void fillRuns();
  void check();

  QVector<RunRow> all_;
  QComboBox *set_, *checkpoint_;
  QListWidget* runs_;
  QDialogButtonBox* buttons_;
};

}  // namespace strata::ui
