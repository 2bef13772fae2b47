#include "ui/panels/sentence_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/metrics/buckets.h"
#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/translation_diff.h"

namespace strata::ui {
namespace {

constexpr std::size_t kNameBegin = 13, kNameEnd = 6;  // characters kept of a shortened name

// Sorts positions stably by their keys, which are stored next to them in memory.
template <typename Key, typename Less>
void sortBy(std::vector<std::size_t>& positions, Key key, Less less) {
  using Entry = std::pair<decltype(key(std::size_t{0})), std::size_t>;
  std::vector<Entry> entries;
  entries.reserve(positions.size());
  for (const std::size_t position : positions) entries.emplace_back(key(position), position);
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const Entry& a, const Entry& b) { return less(a.first, b.first); });
  for (std::size_t i = 0; i < entries.size(); ++i) positions[i] = entries[i].second;
}

}  // namespace

// Keeps the beginning and the end: runs and seeds differ there.
QString SentenceModel::shortName(const QString& name) {
  const auto codes = name.toStdU32String();  // code points: never splits a surrogate pair
  if (codes.size() <= kNameBegin + kNameEnd + 1) return name;
  return QString::fromStdU32String(codes.substr(0, kNameBegin)) + QChar(0x2026) +
         QString::fromStdU32String(codes.substr(codes.size() - kNameEnd));
}

void SentenceModel::setComparison(std::shared_ptr<const Comparison> comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  columns_.clear();
  words_.clear();
  order_.clear();
  sortColumn_ = -1;
  if (comparison_) {
    words_ = sentenceLengths(comparison_->references.front());
    columns_ = {{Kind::kNumber}, {Kind::kWords}};
    if (!comparison_->unknownWords.empty()) columns_.push_back({Kind::kUnknown});
    const std::size_t systems = comparison_->systems.size();
    for (std::size_t s = 0; s < systems; ++s) columns_.push_back({Kind::kScore, s});
    for (std::size_t s = 0; s < systems; ++s) {
      if (s != comparison_->baseline) columns_.push_back({Kind::kDifference, s});
    }
    for (std::size_t m = 1; m < comparison_->metrics.size(); ++m) {
      if (importedMetric(*comparison_->metrics[m].metric) == nullptr) continue;
      for (std::size_t s = 0; s < systems; ++s) columns_.push_back({Kind::kImported, s, m});
    }
    columns_.push_back({Kind::kReference});
    if (!comparison_->source.empty()) columns_.push_back({Kind::kSource});
    order_.resize(comparison_->sentences.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  rows_.resize(order_.size());
  std::iota(rows_.begin(), rows_.end(), 0);
  endResetModel();
}

void SentenceModel::setShown(std::vector<std::size_t> positions) {
  beginResetModel();
  std::erase_if(positions, [&](std::size_t position) { return position >= rows_.size(); });
  order_ = std::move(positions);
  sortOrder();
  endResetModel();
}

int SentenceModel::columnOf(const Column& column) const {
  const auto found = std::ranges::find(columns_, column);
  return found == columns_.end() ? -1 : int(found - columns_.begin());
}

int SentenceModel::rowOf(std::size_t position) const {
  return position < rows_.size() ? rows_[position] : -1;
}

QStringList SentenceModel::extremes(int column) const {
  const Column& of = columns_[std::size_t(column)];
  if (of.isText() || rows_.empty()) return {};
  std::size_t low = 0, high = 0;
  for (std::size_t position = 1; position < rows_.size(); ++position) {
    const double value = number(of, position);
    if (!(value >= number(of, low))) low = position;
    if (!(value <= number(of, high))) high = position;
  }
  return {display(of, low), display(of, high)};
}

int SentenceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(order_.size());
}

int SentenceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(columns_.size());
}

double SentenceModel::number(const Column& column, std::size_t position) const {
  switch (column.kind) {
    case Kind::kNumber:
      return double(comparison_->sentences[position] + 1);
    case Kind::kWords:
      return words_[position];
    case Kind::kUnknown:
      return comparison_->unknownWords[position];
    case Kind::kScore:
      return comparison_->sentenceScores[column.system][position];
    case Kind::kImported:
      return comparison_->metrics[column.metric].sentenceScore(column.system, position);
    default:
      return comparison_->sentenceDifference(column.system, position);
  }
}

const std::string& SentenceModel::text(const Column& column, std::size_t position) const {
  return column.kind == Kind::kSource ? comparison_->source[position]
                                      : comparison_->references.front()[position];
}

QString SentenceModel::display(const Column& column, std::size_t position) const {
  if (column.isText()) return qs(text(column, position));
  const double value = number(column, position);
  if (column.kind == Kind::kScore) return scoreText(comparison_->first(), value);
  if (column.kind == Kind::kImported) return scoreText(comparison_->metrics[column.metric], value);
  if (column.kind == Kind::kDifference) return differenceText(comparison_->first(), value);
  return countText(qint64(value));
}

// User text is escaped: Qt renders a tooltip that looks like HTML as HTML.
QString SentenceModel::tip(const Column& column, std::size_t position) const {
  if (column.isText())
    return richTip(QStringLiteral("<p>%1</p>").arg(qs(text(column, position)).toHtmlEscaped()));
  return richTip(QStringLiteral("<p>%1: %2</p>")
                     .arg(headingOf(column).tip, numberText(number(column, position), 6)));
}

QVariant SentenceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= int(order_.size())) return {};
  const Column& column = columns_[std::size_t(index.column())];
  const std::size_t position = positionAt(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return display(column, position);
    case Qt::ToolTipRole:
      return tip(column, position);
    case Qt::TextAlignmentRole:
      return column.alignment();
    case Qt::ForegroundRole:
      if (column.kind == Kind::kDifference)
        return differenceColour(comparison_->first(), number(column, position));
      return column.kind == Kind::kNumber ? QVariant(theme().muted) : QVariant();
    case kPositionRole:
      return QVariant::fromValue(qulonglong(position));
    default:
      return {};
  }
}

SentenceModel::Heading SentenceModel::headingOf(const Column& column) const {
  const auto nameOf = [&](std::size_t system) { return qs(comparison_->systems[system].name); };
  const auto escaped = [&](std::size_t system) { return nameOf(system).toHtmlEscaped(); };
  const QString metric = qs(comparison_->first().metric->name()).toHtmlEscaped();
  switch (column.kind) {
    case Kind::kNumber:
      return {tr("#"), tr("Line number in the files")};
    case Kind::kWords:
      return {tr("words"), tr("Length of the first reference in words")};
    case Kind::kUnknown:
      return {tr("unknown"), tr("Out-of-vocabulary words, in the reference that has the most")};
    case Kind::kScore:
      return {shortName(nameOf(column.system)),
              tr("Sentence %1 of %2").arg(metric, escaped(column.system))};
    case Kind::kDifference:
      return {tr("Δ %1").arg(shortName(nameOf(column.system))),
              tr("Sentence %1 of %2 minus that of the baseline %3")
                  .arg(metric, escaped(column.system), escaped(comparison_->baseline))};
    case Kind::kImported: {
      const ImportedMetric* of = importedMetric(*comparison_->metrics[column.metric].metric);
      return {QStringLiteral("%1 %2").arg(shortName(qs(of->info().metric)),
                                          shortName(nameOf(column.system))),
              tr("Imported %1 of %2, %3")
                  .arg(qs(of->name()).toHtmlEscaped(), escaped(column.system),
                       of->higherIsBetter() ? tr("higher is better") : tr("lower is better"))};
    }
    case Kind::kReference:
      return {tr("reference"), tr("First reference")};
    case Kind::kSource:
      break;
  }
  return {tr("source"), tr("Source sentence")};
}

QVariant SentenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= int(columns_.size())) return {};
  const Column& column = columns_[std::size_t(section)];
  if (role == Qt::DisplayRole) return headingOf(column).text;
  if (role == Qt::ToolTipRole)
    return richTip(QStringLiteral("<p>%1</p>").arg(headingOf(column).tip));
  return role == Qt::TextAlignmentRole ? column.alignment() : QVariant();
}

void SentenceModel::sort(int column, Qt::SortOrder order) {
  if (column >= int(columns_.size())) return;
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  std::vector<std::size_t> positions;
  for (const QModelIndex& index : before) positions.push_back(positionAt(index.row()));
  sortColumn_ = column;
  sortOrder_ = order;
  sortOrder();
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i)
    after << index(rowOf(positions[std::size_t(i)]), before[i].column());
  changePersistentIndexList(before, after);
  emit layoutChanged({}, VerticalSortHint);
}

void SentenceModel::sortOrder() {
  const bool down = sortOrder_ == Qt::DescendingOrder;
  if (sortColumn_ < 0) {
    std::ranges::sort(order_);
  } else if (const Column& column = columns_[std::size_t(sortColumn_)]; column.isText()) {
    sortBy(
        order_, [&](std::size_t position) { return std::string_view(text(column, position)); },
        [down](std::string_view a, std::string_view b) { return down ? b < a : a < b; });
  } else {
    sortBy(
        order_, [&](std::size_t position) { return number(column, position); },
        [down](double a, double b) {
          if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
          return down ? b < a : a < b;
        });
  }
  std::ranges::fill(rows_, -1);
  for (std::size_t row = 0; row < order_.size(); ++row) rows_[order_[row]] = int(row);
}

}  // namespace strata::ui
