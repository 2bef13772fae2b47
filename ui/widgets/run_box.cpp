#include "ui/widgets/run_box.h"

#include <QAbstractListModel>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

QString entryText(const RunRow& run) {
  return run.missing ? RunBox::tr("%1 (folder missing)").arg(run.name) : run.name;
}

}  // namespace

class RunBoxModel : public QAbstractListModel {
 public:
  using QAbstractListModel::QAbstractListModel;

  void setNone(const QString& text) { none_ = text; }
  void setRuns(const QVector<RunRow>& runs) {
    beginResetModel();
    runs_ = runs;
    filled_ = true;
    endResetModel();
  }
  // The same entries with what else is known of them.
  void refresh(const QVector<RunRow>& runs) { runs_ = runs; }
  const QVector<RunRow>& runs() const { return runs_; }
  bool isFilled() const { return filled_; }
  int first() const { return none_.isEmpty() || !filled_ ? 0 : 1; }  // row of the first run
  int rowOf(qint64 run) const {                                      // -1: it is not there
    if (run == 0) return first() - 1;
    const RunRow* found = findRun(runs_, run);
    return found ? first() + int(found - runs_.constData()) : -1;
  }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : first() + int(runs_.size());
  }
  QVariant data(const QModelIndex& index, int role) const override {
    const bool none = index.row() < first();
    if (role == Qt::DisplayRole || role == Qt::EditRole)
      return none ? none_ : entryText(runs_[index.row() - first()]);
    if (role == Qt::UserRole) return none ? qint64(0) : runs_[index.row() - first()].id;
    return {};
  }

 private:
  QString none_;         // empty: there is no such entry
  bool filled_ = false;  // with runs, be it with none
  QVector<RunRow> runs_;
};

RunBox::RunBox(QWidget* parent) : QComboBox(parent), model_(new RunBoxModel(this)) {
  setModel(model_);
  setMinimumWidth(150);
  hide();
}

void RunBox::setNone(const QString& text) {
  model_->setNone(text);
}

void RunBox::keepShown() {
  kept_ = true;
  show();
}

bool RunBox::lists(const QVector<RunRow>& runs) const {
  const auto same = [](const RunRow& a, const RunRow& b) {
    return a.id == b.id && a.missing == b.missing && a.name == b.name;
  };
  return model_->isFilled() && (runs.constData() == model_->runs().constData() ||
                                std::ranges::equal(runs, model_->runs(), same));
}

void RunBox::setRuns(const QVector<RunRow>& runs, qint64 selected) {
  const QSignalBlocker blocker(this);
  if (lists(runs))
    model_->refresh(runs);
  else
    model_->setRuns(runs);
  setCurrentIndex(count() == 0 ? -1 : std::max(0, model_->rowOf(selected)));
}

bool RunBox::showRun(qint64 run) {
  const int row = model_->rowOf(run);
  if (row >= 0) setCurrentIndex(row);
  return row >= 0;
}

QString RunBox::problem() const {
  const RunRow* selected = findRun(model_->runs(), run());
  return selected && selected->missing ? missingText(*selected) : QString();
}

}  // namespace strata::ui
