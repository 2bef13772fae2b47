#pragma once
#include <QTimer>
#include <vector>

#include "ui/data/comparison_values.h"
#include "ui/widgets/import_dialogs.h"

class QTableWidget;

namespace strata::ui {

// Asks for a file of scores that another program made, and shows what was recognised in it before
// it is imported: metric, direction, scale, and for each list of scores its mean, missing values
// and system. The owner reads the file on previewRequested and answers with setPreview.
class ImportScoresDialog : public ImportDialog {
  Q_OBJECT
 public:
  ImportScoresDialog(const std::vector<StoredSystem>& systems, const QString& set,
                     QWidget* parent = nullptr);

  void setFile(const QString& path);
  void setPreview(const ScoresPreview& preview);  // one of another file or set is ignored
  ScoresRequest request() const;
  bool isPreviewed() const { return previewed_; }

 signals:
  void previewRequested(const strata::ui::ScoresRequest& request);

 private:
  void makeForm();
  void fillSets(const QString& set);
  QVector<QComboBox*> columnBoxes() const {
    return {scoreColumn_, textColumn_, systemColumn_, idColumn_};
  }
  void entriesChanged();
  void fillColumns(const ScoresPreview& preview);
  void fillLists(const ScoresPreview& preview);
  QComboBox* systemChoice(int list, const ScoresPreview::Match& match);
  void check();

  std::vector<StoredSystem> systems_;  // of every test set
  QLineEdit *file_, *metric_, *model_;
  QComboBox *set_, *format_, *better_, *scale_;
  QComboBox *scoreColumn_, *textColumn_, *systemColumn_, *idColumn_;
  QWidget* columns_;  // of a TSV
  QTableWidget* lists_;
  QLabel* recognised_;
  QVector<QComboBox*> choices_;  // the system of each list
  QTimer timer_;                 // delays the preview while the user types
  bool previewed_ = false;
};

}  // namespace strata::ui
