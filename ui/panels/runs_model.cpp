#include "ui/panels/runs_model.h"

#include <QHash>
#include <QIcon>
#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <cmath>

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

// A command that waits for its acknowledgement is part of it.
QString statusText(const RunRow& run) {
  if (run.missing) return RunsModel::tr("folder missing");
  const QString status = qs(nameOf(run.status));
  return run.pending.isEmpty() ? status
                               : RunsModel::tr("%1 (%2 requested)").arg(status, run.pending);
}

QColor statusColour(const RunRow& run) {
  const Theme& t = theme();
  if (run.missing) return t.bad;
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

template <auto field>
QString runText(const RunRow& run) {
  return run.*field;
}

template <auto field>
QVariant runNumber(const RunRow& run) {
  return run.*field;
}

QString scoreAt(const RunRow& run, double score, qint64 step) {
  if (run.lastStep < 0) return {};
  return RunsModel::tr("%1 at %2").arg(scoreText(score), countText(step));
}

QString speedText(const RunRow& run) {
  if (!(run.tokensPerSecond > 0)) return {};
  return RunsModel::tr("%1 tokens/s").arg(countText(qRound64(run.tokensPerSecond)));
}

struct RunColumn {
  const char* title;  // to be translated
  QString (*text)(const RunRow& run);
  QVariant (*number)(const RunRow& run) = nullptr;  // what it sorts by; null: the text
};
constexpr RunColumn kRunColumns[RunsModel::kColumns] = {
    {QT_TR_NOOP("id"), [](const RunRow& run) { return QString::number(run.id); },
     runNumber<&RunRow::id>},
    {QT_TR_NOOP("name"), runText<&RunRow::name>},
    {QT_TR_NOOP("status"), statusText},
    {QT_TR_NOOP("preset"), runText<&RunRow::preset>},
    {QT_TR_NOOP("dataset"), runText<&RunRow::dataset>},
    {QT_TR_NOOP("metric"), runText<&RunRow::metric>},
    {QT_TR_NOOP("best"), [](const RunRow& run) { return scoreAt(run, run.best, run.bestStep); },
     runNumber<&RunRow::best>},
    {QT_TR_NOOP("last"), [](const RunRow& run) { return scoreAt(run, run.last, run.lastStep); },
     runNumber<&RunRow::last>},
    {QT_TR_NOOP("step"),
     [](const RunRow& run) { return run.step > 0 ? countText(run.step) : QString(); },
     runNumber<&RunRow::step>},
    {QT_TR_NOOP("speed"), speedText, runNumber<&RunRow::tokensPerSecond>},
    {QT_TR_NOOP("duration"),
     [](const RunRow& run) { return run.seconds > 0 ? durationText(run.seconds) : QString(); },
     runNumber<&RunRow::seconds>},
    {QT_TR_NOOP("seed"), [](const RunRow& run) { return QString::number(run.seed); },
     runNumber<&RunRow::seed>},
    {QT_TR_NOOP("tags"), [](const RunRow& run) { return run.tags.join(QStringLiteral(", ")); }},
    {QT_TR_NOOP("note"), [](const RunRow& run) { return run.note.simplified(); }},
};

QVariant foregroundOf(const RunRow& run) {
  return run.trashed ? QVariant(theme().muted) : QVariant();
}

QVariant alignmentOf(const RunColumn& column) {
  return QVariant(Qt::AlignVCenter | (column.number ? Qt::AlignRight : Qt::AlignLeft));
}

}  // namespace

void RunsModel::setRuns(QVector<RunRow> runs) {
  if (runs_.isEmpty()) {
    beginResetModel();
    runs_ = std::move(runs);
    endResetModel();
    return;
  }
  // Removes missing rows and appends new ones, so that views keep selection and scroll position.
  QHash<qint64, const RunRow*> incoming;
  for (const RunRow& run : std::as_const(runs)) incoming.insert(run.id, &run);
  for (int row = int(runs_.size()) - 1; row >= 0; --row) {
    if (incoming.contains(runs_[row].id)) continue;
    beginRemoveRows({}, row, row);
    runs_.removeAt(row);
    endRemoveRows();
  }
  for (int row = 0; row < runs_.size(); ++row) {
    const RunRow& now = *incoming.take(runs_[row].id);
    if (runs_[row] == now) continue;
    runs_[row] = now;
    emit dataChanged(index(row, 0), index(row, columnCount() - 1));
  }
  if (incoming.isEmpty()) return;
  beginInsertRows({}, int(runs_.size()), int(runs_.size() + incoming.size()) - 1);
  for (const RunRow& run : std::as_const(runs)) {
    if (incoming.contains(run.id)) runs_.push_back(run);
  }
  endInsertRows();
}

void RunsModel::setSettingKeys(const QStringList& keys) {
  for (int at = int(settings_.size()) - 1; at >= 0; --at) {
    if (keys.contains(settings_[at])) continue;
    beginRemoveColumns({}, kColumns + at, kColumns + at);
    settings_.removeAt(at);
    endRemoveColumns();
  }
  for (const QString& key : keys) {
    if (settings_.contains(key)) continue;
    beginInsertColumns({}, columnCount(), columnCount());
    settings_ << key;
    endInsertColumns();
  }
}

void RunsModel::setSettings(const RunSettingColumns& values) {
  values_ = values;
  if (settings_.isEmpty() || runs_.isEmpty()) return;
  emit dataChanged(index(0, kColumns), index(rowCount() - 1, columnCount() - 1));
  emit headerDataChanged(Qt::Horizontal, kColumns, columnCount() - 1);
}

// A run without the setting sorts last among numbers and first among texts.
QVariant RunsModel::settingData(const RunRow& run, int column, int role) const {
  const SettingColumn* values = values_.find(settings_[column]);
  const bool numeric = values && values->numeric;
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (numeric ? Qt::AlignRight : Qt::AlignLeft));
  const SettingColumn::Value value = values ? values->ofRuns.value(run.id) : SettingColumn::Value();
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return value.text;
    case kSortRole:
      return numeric ? QVariant(value.number) : QVariant(value.text);
    case Qt::ForegroundRole:
      return foregroundOf(run);
    case kRunIdRole:
      return run.id;
    default:
      return {};
  }
}

QString RunsModel::titleOf(int column) const {
  return column < kColumns ? tr(kRunColumns[column].title) : settings_[column - kColumns];
}

const RunRow* RunsModel::run(qint64 id) const {
  return findRun(runs_, id);
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(runs_.size());
}
int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns + int(settings_.size());
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= runs_.size()) return {};
  const RunRow& run = runs_[index.row()];
  if (index.column() >= kColumns) return settingData(run, index.column() - kColumns, role);
  const RunColumn& column = kRunColumns[index.column()];
  switch (role) {
    case Qt::DisplayRole:
      return column.text(run);
    case Qt::DecorationRole:
      return index.column() == kStatus ? QVariant(dot(statusColour(run))) : QVariant();
    case Qt::ForegroundRole:
      return foregroundOf(run);
    case Qt::ToolTipRole:
      if (run.missing) return missingText(run);
      return run.message.isEmpty() ? column.text(run) : run.message;
    case Qt::TextAlignmentRole:
      return alignmentOf(column);
    case kSortRole:
      return column.number ? column.number(run) : column.text(run);
    case kRunIdRole:
      return run.id;
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return titleOf(section);
  if (role != Qt::TextAlignmentRole) return {};
  return section < kColumns ? alignmentOf(kRunColumns[section])
                            : settingData({}, section - kColumns, role);
}

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(RunsModel::kSortRole);
  setDynamicSortFilter(true);
}

std::optional<RunsFilter::Term> RunsFilter::termIn(const QString& word, bool& valid) const {
  static const QRegularExpression form(QStringLiteral("^([^:<>=]+)(:|<=|>=|<|>)(.*)$"));
  const auto match = form.match(word);
  const int columns = match.hasMatch() ? sourceModel()->columnCount() : 0;
  for (int column = 0; column < columns; ++column) {
    const QString title =
        sourceModel()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    if (match.captured(1).compare(title, Qt::CaseInsensitive) != 0) continue;
    Term term{column, match.captured(2)};
    bool good = true;
    if (term.relation == QLatin1String(":")) {
      term.pattern =
          QRegularExpression(match.captured(3), QRegularExpression::CaseInsensitiveOption);
      good = term.pattern.isValid();
    } else {
      term.bound = match.captured(3).toDouble(&good);
    }
    valid = valid && good;
    return term;
  }
  return std::nullopt;
}

bool RunsFilter::setPattern(const QString& pattern) {
  QVector<Term> terms;
  QStringList others;
  bool valid = true;
  for (const QString& word : pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    if (const auto term = termIn(word, valid))
      terms << *term;
    else
      others << word;
  }
  QRegularExpression expression(others.join(QLatin1Char(' ')),
                                QRegularExpression::CaseInsensitiveOption);
  if (!valid || !expression.isValid()) return false;
  pattern_ = expression;
  terms_ = terms;
  invalidateRowsFilter();
  return true;
}

// What has no number fits no bound.
bool RunsFilter::fits(const Term& term, int row, const QModelIndex& parent) const {
  if (term.column >= sourceModel()->columnCount()) return true;  // it has been taken away
  const QModelIndex index = sourceModel()->index(row, term.column, parent);
  if (term.relation == QLatin1String(":"))
    return index.data(Qt::DisplayRole).toString().contains(term.pattern);
  bool number = false;
  const double value = index.data(RunsModel::kSortRole).toDouble(&number);
  if (!number || std::isnan(value)) return false;
  if (term.relation == QLatin1String("<")) return value < term.bound;
  if (term.relation == QLatin1String("<=")) return value <= term.bound;
  return term.relation == QLatin1String(">") ? value > term.bound : value >= term.bound;
}

void RunsFilter::setShowTrash(bool on) {
  trash_ = on;
  invalidateRowsFilter();
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant first = left.data(sortRole());
  if (first.typeId() != QMetaType::Double) return QSortFilterProxyModel::lessThan(left, right);
  const double a = first.toDouble(), b = right.data(sortRole()).toDouble();
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a) == (sortOrder() == Qt::DescendingOrder);
  return a < b;
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto* model = static_cast<const RunsModel*>(sourceModel());
  if (model->runs()[row].trashed != trash_) return false;
  for (const Term& term : terms_) {
    if (!fits(term, row, parent)) return false;
  }
  if (pattern_.pattern().isEmpty()) return true;
  for (int column = 0; column < model->columnCount(); ++column) {
    const QModelIndex index = model->index(row, column, parent);
    if (model->data(index, Qt::DisplayRole).toString().contains(pattern_)) return true;
  }
  return false;
}

}  // namespace strata::ui
