#include "ui/widgets/report_table.h"

#include <QAbstractTableModel>
#include <QAction>
#include <QClipboard>
#include <QCollator>
#include <QFont>
#include <QGuiApplication>
#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollBar>
#include <algorithm>
#include <numeric>

#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kRowHeight = 26, kMaximumColumnWidth = 420, kLeastSentence = 120;  // pixels
constexpr std::size_t kMostMeasured = 60;  // cells of a column
constexpr int kLongText = 40;              // characters; longer texts may be truncated
constexpr int kGroupedDigits = 5;          // from here on a count is written in groups: 12,000

QString shownText(const Cell& cell) {
  const QString text = qs(cell.text());
  const bool isCount = cell.sortKey() && text.size() >= kGroupedDigits &&
                       std::ranges::all_of(text, [](QChar each) { return each.isDigit(); });
  return isCount ? countText(text.toLongLong()) : text;
}

}  // namespace

class ReportTableModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setTable(Table table) {
    beginResetModel();
    table_ = std::move(table);
    marked_.assign(table_.columns.size(), false);
    for (const auto& row : table_.rows) {
      for (std::size_t column = 0; column < row.size() && column < marked_.size(); ++column)
        marked_[column] = marked_[column] || row[column].mark() != CellMark::kNone;
    }
    order_.resize(table_.rows.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    endResetModel();
  }
  const Table& table() const { return table_; }
  void setTips(std::function<QString(const QString&)> tips) { tips_ = std::move(tips); }
  // Rows of the view, as they are ordered now.
  Table shownRows(const QList<int>& rows) const {
    Table shown{.columns = table_.columns};
    for (const int row : rows) shown.rows.push_back(table_.rows[order_[std::size_t(row)]]);
    return shown;
  }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(table_.rows.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(table_.columns.size());
  }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  const Cell& cell(std::size_t row, int column) const {
    return table_.rows[row][std::size_t(column)];
  }
  // Whether a number leaves room for the mark that others of its column have, so that their decimal
  // points are below each other.
  bool besidesMark(int column, const Cell& shown) const {
    return marked_[std::size_t(column)] && shown.mark() == CellMark::kNone &&
           table_.columns[std::size_t(column)].align == Align::kRight;
  }
  std::vector<std::size_t> sorted(int column, Qt::SortOrder order) const;

  Table table_;
  std::function<QString(const QString&)> tips_;
  std::vector<bool> marked_;        // columns in which a cell has a mark
  std::vector<std::size_t> order_;  // rows of table_ in display order
};

QVariant ReportTableModel::data(const QModelIndex& index, int role) const {
  const std::size_t row = order_[std::size_t(index.row())];
  const Cell& shown = cell(row, index.column());
  const QString text = shownText(shown);
  switch (role) {
    case Qt::DisplayRole:
      return besidesMark(index.column(), shown) ? text + QStringLiteral(" \u2003") : text;
    case Qt::ToolTipRole:
      return text.size() > kLongText ? text : QVariant();
    case Qt::TextAlignmentRole:
      return headerData(index.column(), Qt::Horizontal, role);
    case Qt::FontRole: {
      QFont font = QGuiApplication::font();
      if (!table_.isMarked(row)) return {};
      font.setBold(true);
      return font;
    }
    case Qt::ForegroundRole:
      if (shown.mark() == CellMark::kNone) return {};
      return shown.mark() == CellMark::kBetter ? theme().good : theme().bad;
    default:
      return {};
  }
}

QVariant ReportTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= columnCount()) return {};
  const TableColumn& column = table_.columns[std::size_t(section)];
  if (role == Qt::DisplayRole) return qs(column.title);
  if (role == Qt::ToolTipRole && tips_) {
    const QString tip = tips_(qs(column.title));
    return tip.isEmpty() ? QVariant()
                         : richTip(QStringLiteral("<p>%1</p>").arg(tip.toHtmlEscaped()));
  }
  if (role == Qt::TextAlignmentRole)
    return int(Qt::AlignVCenter | (column.align == Align::kRight ? Qt::AlignRight : Qt::AlignLeft));
  return {};
}

std::vector<std::size_t> ReportTableModel::sorted(int column, Qt::SortOrder order) const {
  std::vector<std::size_t> rows(table_.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const bool numeric = std::ranges::all_of(rows, [&](std::size_t row) {
    return cell(row, column).sortKey() || cell(row, column).isMissing();
  });
  QCollator collator;
  collator.setNumericMode(true);
  const auto before = [&](std::size_t a, std::size_t b) {
    const Cell &left = cell(a, column), &right = cell(b, column);
    return numeric ? *left.sortKey() < *right.sortKey()
                   : collator.compare(qs(left.text()), qs(right.text())) < 0;
  };
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    const bool missingA = cell(a, column).isMissing(), missingB = cell(b, column).isMissing();
    if (missingA || missingB) return !missingA && missingB;
    return order == Qt::AscendingOrder ? before(a, b) : before(b, a);
  });
  return rows;
}

void ReportTableModel::sort(int column, Qt::SortOrder order) {
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  const std::vector<std::size_t> old = order_;
  if (column >= 0 && column < columnCount())
    order_ = sorted(column, order);
  else
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::vector<int> placeOf(order_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) placeOf[order_[place]] = int(place);
  for (const QModelIndex& kept : persistentIndexList())
    changePersistentIndex(kept, index(placeOf[old[std::size_t(kept.row())]], kept.column()));
  emit layoutChanged({}, VerticalSortHint);
}

ReportTable::ReportTable(QWidget* parent) : QTableView(parent), model_(new ReportTableModel(this)) {
  setModel(model_);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setAccessibleName(tr("Table"));  // of one that has no name of its own
  setTabKeyNavigation(false);      // Tab leaves the table
  setTextElideMode(Qt::ElideMiddle);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(kRowHeight);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSortIndicatorClearable(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  setSortingEnabled(true);
  auto* copy = new QAction(tr("Copy as TSV"), this);
  copy->setObjectName(QStringLiteral("copyTable"));
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(tsv()); });
  addAction(copy);
  setContextMenuPolicy(Qt::ActionsContextMenu);
}

void ReportTable::setTable(Table table) {
  if (!table.caption.empty()) setAccessibleName(qs(table.caption));
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  model_->setTable(std::move(table));
  ensurePolished();
  for (int column = 0; column < model_->columnCount(); ++column)
    setColumnWidth(column,
                   std::max(horizontalHeader()->sectionSizeHint(column), widestCell(column)));
  // Numbers are never cut.
  for (int column = 0; column < model_->columnCount(); ++column) {
    if (isText(column)) setColumnWidth(column, std::min(columnWidth(column), kMaximumColumnWidth));
  }
  if (sentences_) shareWidth();
  updateGeometry();
}

bool ReportTable::isText(int column) const {
  return model_->table().columns[std::size_t(column)].align == Align::kLeft;
}

void ReportTable::setSentences() {
  sentences_ = true;
  setTextElideMode(Qt::ElideRight);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // else the width depends on the rows
  shareWidth();
}

void ReportTable::shareWidth() {
  int room = viewport()->width(), texts = 0;
  for (int column = 0; column < model_->columnCount(); ++column) {
    if (isText(column))
      ++texts;
    else
      room -= columnWidth(column);
  }
  for (int column = 0; column < model_->columnCount(); ++column) {
    if (!isText(column)) continue;
    const int width = std::max(room / texts, kLeastSentence);
    setColumnWidth(column, width);
    room -= width;
    --texts;
  }
}

// Of a long table those cells count that have the longest texts: measuring all takes long.
int ReportTable::widestCell(int column) const {
  std::vector<std::pair<qsizetype, int>> rows;  // by length, with the place
  for (int row = 0; row < model_->rowCount(); ++row)
    rows.emplace_back(model_->index(row, column).data().toString().size(), row);
  const auto measured = std::min<std::size_t>(rows.size(), kMostMeasured);
  std::ranges::partial_sort(rows, rows.begin() + std::ptrdiff_t(measured), std::ranges::greater());
  int widest = 0;
  for (std::size_t i = 0; i < measured; ++i)
    widest = std::max(widest, sizeHintForIndex(model_->index(rows[i].second, column)).width());
  return widest;
}

void ReportTable::setTips(std::function<QString(const QString&)> tips) {
  model_->setTips(std::move(tips));
}

QString ReportTable::cell(const QString& title) const {
  for (int column = 0; currentIndex().isValid() && column < model()->columnCount(); ++column) {
    if (model()->headerData(column, Qt::Horizontal).toString() == title)
      return currentIndex().siblingAtColumn(column).data().toString();
  }
  return {};
}

QString ReportTable::readout() const {
  QStringList parts;
  for (int column = 0; currentIndex().isValid() && column < model()->columnCount(); ++column) {
    const QString value = currentIndex().siblingAtColumn(column).data().toString();
    if (!value.isEmpty())
      parts << QStringLiteral("%1 %2").arg(model()->headerData(column, Qt::Horizontal).toString(),
                                           value);
  }
  return parts.join(QStringLiteral(" · "));
}

const Table& ReportTable::table() const {
  return model_->table();
}

void ReportTable::setWholeHeight(bool on) {
  whole_ = on;
  setSizePolicy(QSizePolicy::Expanding, on ? QSizePolicy::Fixed : QSizePolicy::Expanding);
  setVerticalScrollBarPolicy(on ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
}

int ReportTable::wholeHeight() const {
  const bool scrolls = horizontalHeader()->length() > width();
  return horizontalHeader()->sizeHint().height() + verticalHeader()->length() + 2 * frameWidth() +
         (scrolls ? horizontalScrollBar()->sizeHint().height() : 0);
}

QSize ReportTable::sizeHint() const {
  return whole_ ? QSize(horizontalHeader()->length(), wholeHeight()) : QTableView::sizeHint();
}

QSize ReportTable::minimumSizeHint() const {
  return whole_ ? QSize(120, wholeHeight()) : QTableView::minimumSizeHint();
}

void ReportTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  if (sentences_ && event->size().width() != event->oldSize().width()) shareWidth();
  if (whole_ && event->size().width() != event->oldSize().width()) updateGeometry();
}

QString ReportTable::tsv() const {
  QList<int> rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows << index.row();
  std::ranges::sort(rows);
  if (rows.isEmpty()) {
    rows.resize(model_->rowCount());
    std::iota(rows.begin(), rows.end(), 0);
  }
  return qs(tsvTable(model_->shownRows(rows)));
}

}  // namespace strata::ui
