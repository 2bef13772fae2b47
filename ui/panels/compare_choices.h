#pragma once
#include <QVector>
#include <QWidget>

#include "core/base/json.h"
#include "ui/data/comparison_values.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLayout;
class QLineEdit;
class QMenu;
class QSpinBox;
class QToolButton;

namespace strata::ui {
class SystemList;

// What is compared, and how: a test set, its systems with the baseline, metrics, text, significance
// test, length buckets.
class CompareChoices : public QWidget {
  Q_OBJECT
 public:
  explicit CompareChoices(QWidget* parent = nullptr);

  void setSystems(const std::vector<StoredSystem>& all);  // of every test set
  void showSet(const QString& id);                        // ignored if it has no systems
  CompareRequest request() const;
  QString testSet() const;  // id; empty: none
  SystemList* systems() const { return list_; }

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void changed();
  void setPicked(const QString& id);  // by the user
  void importSystemRequested();
  void importSetRequested();

 private:
  QMenu* makeMetricMenu();
  QLayout* makeForm();
  QLayout* makeLengths();
  QToolButton* makeAddButton();
  QComboBox* makeChoice(const QString& name, const QString& accessible);
  void connectChoices();
  void fillSets();
  void showSystems();  // of the chosen set
  void setMainMetric(TextState state);
  TextState textState() const;
  std::vector<std::string> metrics() const;
  std::vector<double> edges() const;

  std::vector<StoredSystem> known_;
  QComboBox *set_, *state_, *metric_, *test_;
  QCheckBox* lowercase_;
  QLineEdit* edges_;
  QSpinBox* equalCounts_;
  QToolButton* more_;  // more metrics
  QVector<QAction*> further_;
  SystemList* list_;
  // Of the last session, until its set is in the list; the first system is the baseline.
  QStringList restored_;
  QString restoredSet_;
};

}  // namespace strata::ui
