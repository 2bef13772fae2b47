#include "ui/panels/preset_model.h"

#include <QFont>
#include <algorithm>

#include "core/papers/catalogue.h"
#include "core/papers/paper_start.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
// What the paper's tables train, of the presets that this build has.
QVector<PresetModel::Row> PresetModel::tableRowsOf(const std::string& paper,
                                                   const QVector<Row>& presets) {
  QVector<Row> rows;
  for (const PaperTable& table : paperTables()) {
    if (!table.id.starts_with(paper + "/")) continue;
    for (const PaperStart& start : paperStarts(table)) {
      const auto preset = std::ranges::find(presets, qs(start.preset),
                                            [](const Row& row) { return row.preset.name; });
      if (preset == presets.end()) continue;
      PresetRow row = preset->preset;
      row.name = qs(start.name);
      row.base = qs(start.preset);
      row.overrides = qs(start.overrides);
      row.dataset = qs(start.dataset);
      row.description =
          start.printed.empty()
              ? tr("%1 on %2").arg(row.base, row.dataset)
              : tr("printed: %1; %2 on %3").arg(qs(start.printed), row.base, row.dataset);
      if (!row.overrides.isEmpty()) {
        row.description += QStringLiteral("; ") + row.overrides.join(QLatin1Char(' '));
        row.parameters.reset();  // they may be others
      }
      rows << Row{{}, row};
    }
  }
  return rows;
}

QVector<PresetModel::Row> PresetModel::rowsOf(const serve::PresetsReply& reply) {
  QVector<Row> rows;
  for (const auto& paper : reply.papers) {
    const qsizetype heading = rows.size();
    for (const auto& preset : reply.presets) {
      if (preset.paper == paper.name)
        rows << Row{{},
                    {qs(preset.name), qs(preset.paper), qs(preset.description), preset.parameters,
                     qs(preset.problem)}};
    }
    if (rows.size() == heading) continue;
    rows << tableRowsOf(paper.name, rows.mid(heading));
    rows.insert(heading, Row{qs(paper.title), {}});
  }
  return rows;
}

void PresetModel::setPresets(const serve::PresetsReply& reply) {
  QVector<Row> rows = rowsOf(reply);
  if (combined_) rows << rows_.back();
  const bool same = std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                               [](const Row& a, const Row& b) {
                                 return a.title == b.title && a.preset.name == b.preset.name;
                               });
  if (!same) beginResetModel();
  rows_ = std::move(rows);
  sizes_.clear();
  if (reply.vocabulary)
    sizes_ = QStringLiteral("%1 / %2").arg(countText(reply.vocabulary->first),
                                           countText(reply.vocabulary->second));
  if (!same) {
    endResetModel();
    return;
  }
  if (!rows_.isEmpty()) emit dataChanged(index(0, 0), index(int(rows_.size()) - 1, kColumns - 1));
  emit headerDataChanged(Qt::Horizontal, kParameters, kParameters);
}

const PresetRow* PresetModel::preset(int row) const {
  if (row < 0 || row >= rows_.size() || !rows_[row].title.isEmpty()) return nullptr;
  return &rows_[row].preset;
}

int PresetModel::rowOf(const QString& name) const {
  for (int row = 0; row < rows_.size(); ++row) {
    if (const PresetRow* found = preset(row); found && found->name == name) return row;
  }
  return -1;
}

int PresetModel::combine(const QString& names) {
  const QStringList parts = names.split(QLatin1Char(','));
  if (parts.size() < 2 || rowOf(parts.front().trimmed()) < 0) return -1;
  const bool complete =
      std::ranges::none_of(parts, [](const QString& part) { return part.trimmed().isEmpty(); });
  if (!complete) return -1;
  PresetRow made;
  made.name = names;
  made.paper = parts.front().section(QLatin1Char('/'), 0, 0);
  made.description = tr("%1, with what %2 changes")
                         .arg(parts.front().trimmed(), parts.mid(1).join(QStringLiteral(", ")));
  const int row = int(rows_.size()) - (combined_ ? 1 : 0);
  if (combined_) {
    rows_[row].preset = made;
    emit dataChanged(index(row, 0), index(row, kColumns - 1));
  } else {
    beginInsertRows({}, row, row);
    rows_ << Row{{}, made};
    combined_ = true;
    endInsertRows();
  }
  return row;
}

int PresetModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(rows_.size());
}

int PresetModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant PresetModel::headingData(const Row& row, int column, int role) const {
  if (role == Qt::DisplayRole && column == kName) return row.title;
  if (role == Qt::ForegroundRole) return theme().text;
  if (role != Qt::FontRole) return {};
  QFont bold;
  bold.setWeight(QFont::DemiBold);
  return bold;
}

QString PresetModel::text(const PresetRow& preset, int column) const {
  if (column == kName) return preset.name;
  if (column == kDescription) return preset.description;
  if (preset.parameters) return countText(*preset.parameters);
  return preset.problem.isEmpty() ? QString() : tr("does not fit");
}

QVariant PresetModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const PresetRow* shown = preset(index.row());
  if (shown == nullptr) return headingData(rows_[index.row()], index.column(), role);
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return text(*shown, index.column());
    case Qt::ToolTipRole:
      return shown->problem.isEmpty() ? shown->description : shown->problem;
    case Qt::ForegroundRole:
      return index.column() == kName ? theme().text : theme().muted;
    case Qt::TextAlignmentRole:
      return index.column() == kParameters ? int(Qt::AlignRight | Qt::AlignVCenter)
                                           : int(Qt::AlignLeft | Qt::AlignVCenter);
    default:
      return {};
  }
}

QVariant PresetModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section == kParameters)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  if (section == kName) return tr("preset");
  if (section == kDescription) return tr("description");
  return sizes_.isEmpty() ? tr("parameters") : tr("parameters (vocabulary %1)").arg(sizes_);
}

Qt::ItemFlags PresetModel::flags(const QModelIndex& index) const {
  return preset(index.row()) ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

void PresetFilter::setText(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool PresetFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* model = qobject_cast<const PresetModel*>(sourceModel());
  const PresetRow* preset = model ? model->preset(row) : nullptr;
  if (preset == nullptr) return false;
  return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
    return preset->name.contains(word, Qt::CaseInsensitive) ||
           preset->description.contains(word, Qt::CaseInsensitive);
  });
}

}  // namespace strata::ui
