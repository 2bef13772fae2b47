#include "ui/panels/runs_model.h"

#include <QIcon>
#include <QPainter>
#include <QPixmap>
#include <algorithm>

#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

QIcon dot(const QColor& colour) {
  QPixmap picture(24, 24);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(QRectF(2, 2, 8, 8));
  return QIcon(picture);
}

}  // namespace

void RunsModel::setRuns(QVector<RunRow> runs) {
  if (runs_.isEmpty()) {
    beginResetModel();
    runs_ = std::move(runs);
    endResetModel();
    return;
  }
  const bool sameOrder = runs.size() == runs_.size() &&
                         std::equal(runs.begin(), runs.end(), runs_.begin(),
                                    [](const RunRow& a, const RunRow& b) { return a.id == b.id; });
  if (!sameOrder) {
    // Removes missing rows and appends new ones, so that views keep selection and scroll
    // position.
    for (int row = int(runs_.size()) - 1; row >= 0; --row) {
      const bool stays = std::any_of(runs.begin(), runs.end(),
                                     [&](const RunRow& r) { return r.id == runs_[row].id; });
      if (stays) continue;
      beginRemoveRows({}, row, row);
      runs_.removeAt(row);
      endRemoveRows();
    }
    for (const RunRow& incoming : runs) {
      if (run(incoming.id)) continue;
      beginInsertRows({}, int(runs_.size()), int(runs_.size()));
      runs_.push_back(incoming);
      endInsertRows();
    }
  }
  for (const RunRow& incoming : runs) {
    for (int row = 0; row < runs_.size(); ++row) {
      if (runs_[row].id != incoming.id || runs_[row] == incoming) continue;
      runs_[row] = incoming;
      emit dataChanged(index(row, 0), index(row, kColumns - 1));
    }
  }
}

const RunRow* RunsModel::run(qint64 id) const {
  for (const RunRow& row : runs_) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(runs_.size());
}
int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString RunsModel::statusText(const RunRow& run) {
  const QString status = qs(nameOf(run.status));
  return run.pending.isEmpty() ? status : tr("%1 (%2 requested)").arg(status, run.pending);
}

QColor RunsModel::statusColour(const RunRow& run) {
  const Theme& t = theme();
  if (!run.pending.isEmpty()) return t.warning;
  switch (run.status) {
    case RunStatus::kRunning:
      return t.accent;
    case RunStatus::kFinished:
      return t.good;
    case RunStatus::kFailed:
      return t.bad;
    case RunStatus::kInterrupted:
      return t.warning;
    default:
      return t.muted;
  }
}

QString RunsModel::display(const RunRow& run, int column) const {
  const bool scored = run.lastStep >= 0;
  switch (column) {
    case kId:
      return QString::number(run.id);
    case kName:
      return run.name;
    case kStatus:
      return statusText(run);
    case kPreset:
      return run.preset;
    case kDataset:
      return run.dataset;
    case kMetric:
      return run.metric;
    case kBest:
      return scored ? tr("%1 at %2").arg(numberText(run.best), countText(run.bestStep)) : QString();
    case kLast:
      return scored ? tr("%1 at %2").arg(numberText(run.last), countText(run.lastStep)) : QString();
    case kStep:
      return run.step > 0 ? countText(run.step) : QString();
    case kSpeed:
      return run.tokensPerSecond > 0
                 ? tr("%1 tokens/s").arg(countText(qRound64(run.tokensPerSecond)))
                 : QString();
    case kDuration:
      return run.seconds > 0 ? durationText(run.seconds) : QString();
    case kSeed:
      return QString::number(run.seed);
    case kTags:
      return run.tags.join(QStringLiteral(", "));
    default:
      return {};
  }
}

QVariant RunsModel::sortValue(const RunRow& run, int column) const {
  switch (column) {
    case kId:
      return run.id;
    case kBest:
      return run.best;
    case kLast:
      return run.last;
    case kStep:
      return run.step;
    case kSpeed:
      return run.tokensPerSecond;
    case kDuration:
      return run.seconds;
    case kSeed:
      return run.seed;
    default:
      return display(run, column);
  }
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= runs_.size()) return {};
  const RunRow& run = runs_[index.row()];
  switch (role) {
    case Qt::DisplayRole:
      return display(run, index.column());
    case Qt::DecorationRole:
      return index.column() == kStatus ? QVariant(dot(statusColour(run))) : QVariant();
    case Qt::ForegroundRole:
      return run.trashed ? QVariant(theme().muted) : QVariant();
    case Qt::ToolTipRole:
      return run.message.isEmpty() ? display(run, index.column()) : run.message;
    case Qt::TextAlignmentRole:
      return index.column() == kId || (index.column() >= kBest && index.column() <= kSeed)
                 ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                 : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case kSortRole:
      return sortValue(run, index.column());
    case kRunIdRole:
      return run.id;
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return section == kId || (section >= kBest && section <= kSeed)
               ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
               : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  const QString names[kColumns] = {
      tr("id"),   tr("name"), tr("status"), tr("preset"),   tr("dataset"), tr("metric"), tr("best"),
      tr("last"), tr("step"), tr("speed"),  tr("duration"), tr("seed"),    tr("tags")};
  return names[section];
}

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(RunsModel::kSortRole);
  setDynamicSortFilter(true);
}

bool RunsFilter::setPattern(const QString& pattern) {
  QRegularExpression expression(pattern, QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid()) return false;
  pattern_ = expression;
  invalidateRowsFilter();
  return true;
}

void RunsFilter::setShowTrash(bool on) {
  trash_ = on;
  invalidateRowsFilter();
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto* model = static_cast<const RunsModel*>(sourceModel());
  if (model->runs()[row].trashed != trash_) return false;
  if (pattern_.pattern().isEmpty()) return true;
  for (int column = 0; column < RunsModel::kColumns; ++column) {
    const QModelIndex index = model->index(row, column, parent);
    if (model->data(index, Qt::DisplayRole).toString().contains(pattern_)) return true;
  }
  return false;
}

}  // namespace strata::ui
