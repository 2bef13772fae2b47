#pragma once
#include <QVector>
#include <QWidget>

#include "ui/data/paper_values.h"
#include "ui/data/values.h"

class QComboBox;
class QHBoxLayout;
class QSpinBox;

namespace strata::ui {

// Which table or figure of the papers is shown, and how it is run: dataset, size and seeds. A
// dataset that is chosen stays so while the workspace lacks it.
class PaperChoiceBar : public QWidget {
  Q_OBJECT
 public:
  explicit PaperChoiceBar(QWidget* parent = nullptr);

  void setItems(const QVector<PaperItem>& items);
  void setDatasets(const QVector<DatasetRow>& datasets);
  bool isListed() const { return listed_; }  // setItems has been called
  bool hasItem() const;                      // one is chosen
  PaperChoice choice() const;
  bool isRestored() const { return !restoredItem_.isEmpty(); }  // an earlier window has chosen one
  // A table of the newest run's paper, on its dataset.
  void chooseExample(const QVector<RunRow>& runs);

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void changed();

 private:
  void addLabelled(QHBoxLayout* bar, const QString& text, QWidget* field);
  void connectFields();
  QString recipe() const;  // of the chosen table
  void fillDatasets();

  QComboBox *items_, *datasets_, *suffix_;
  QSpinBox* seeds_;
  QVector<DatasetRow> known_;
  QVector<PaperItem> list_;
  QString restoredItem_;
  QString dataset_;  // chosen last; a workspace may lack it
  bool listed_ = false;
};

}  // namespace strata::ui
