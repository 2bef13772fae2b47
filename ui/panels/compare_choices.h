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
  void setTrashed(const QVector<TrashedItem>& items);
  void showSet(const QString& id);  // ignored if it has no systems
  CompareRequest request() const;
  QString testSet() const;  // id; empty: none
  // The line of strata-run that compares the same.
  QStringList command(const CompareRequest& request) const;
  SystemList* systems() const { return list_; }

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void changed();
  void setPicked(const QString& id);  // by the user
  void importSystemRequested();
  void importSetRequested();
  void importScoresRequested();
  void restoreRequested(const strata::ui::TrashedItem& item);

 private:
  void makeMetricMenu();
  QLayout* makeForm();
  QLayout* makeLengths();
  void fillBaselines();
  void fillMetrics(const std::vector<StoredSystem>& systems);
  void addFurther(const QString& label, const QString& name, bool checked);
  void fillTrash();
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
  QComboBox *set_, *baseline_, *state_, *metric_, *test_;
  QCheckBox* lowercase_;
  QLineEdit* edges_;
  QSpinBox* equalCounts_;
  QToolButton* more_;  // more metrics
  QVector<QAction*> further_;
  SystemList* list_;
  // Of the last session, until its set is in the list; the first system is the baseline.
  QStringList restored_;
  QString restoredSet_;
  QStringList restoredMetrics_;  // likewise, for imported scores
  QVector<TrashedItem> trashed_;
  QMenu* trash_ = nullptr;
};

}  // namespace strata::ui
