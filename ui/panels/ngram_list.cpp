#include "ui/panels/ngram_list.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <algorithm>

#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kNgramHeight = 30, kMargin = 8, kBar = 3;  // pixels
constexpr int kMostRole = Qt::UserRole;

// The text, both counts at the right, and a bar for each count below. The longest bar stands for
// `most`.
void paintRow(QPainter& painter, const QRectF& area, const NGramRow& row, qint64 most) {
  const QRectF inner = area.adjusted(kMargin, 2, -kMargin, -2);
  const QRectF line = inner.adjusted(0, 0, 0, -2 * kBar - 1);
  const QFontMetricsF metrics(painter.font());
  const QString counts = QStringLiteral("%1 : %2").arg(countText(row.here), countText(row.other));
  const double room = line.width() - metrics.horizontalAdvance(counts) - kMargin;
  painter.setPen(theme().text);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(row.text, Qt::ElideRight, room));
  painter.setPen(theme().muted);
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, counts);
  const auto bar = [&](qint64 count, double top, const QColor& colour) {
    const double width = double(count) / double(std::max<qint64>(1, most)) * inner.width();
    painter.fillRect(QRectF(inner.left(), top, width, kBar), colour);
  };
  bar(row.here, inner.bottom() - 2 * kBar, seriesColour(0));
  bar(row.other, inner.bottom() - kBar, seriesColour(1));
}

class NGramDelegate : public QStyledItemDelegate {
 public:
  explicit NGramDelegate(NGramList* list) : QStyledItemDelegate(list), list_(list) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {60, kNgramHeight};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
      QColor background = theme().accent;
      background.setAlpha(option.state & QStyle::State_Selected ? 60 : 24);
      painter->fillRect(option.rect, background);
    }
    painter->setFont(option.font);
    paintRow(*painter, option.rect, list_->rows()[index.row()], index.data(kMostRole).toLongLong());
  }

 private:
  NGramList* list_;  // the parent
};

}  // namespace

NGramList::NGramList(QWidget* parent) : QListView(parent), model_(new QStandardItemModel(this)) {
  setModel(model_);
  setItemDelegate(new NGramDelegate(this));
  setUniformItemSizes(true);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMouseTracking(true);
  connect(this, &QListView::clicked, this, &NGramList::activateRow);
}

void NGramList::setRows(QVector<NGramRow> rows) {
  rows_ = std::move(rows);
  const qint64 longest = most();
  model_->clear();
  for (const NGramRow& row : rows_) {
    auto* item = new QStandardItem(row.text);  // owned by model_
    item->setData(longest, kMostRole);
    item->setToolTip(row.details);
    item->setData(row.details, Qt::AccessibleDescriptionRole);
    model_->appendRow(item);
  }
}

qint64 NGramList::most() const {
  qint64 found = 0;
  for (const NGramRow& row : rows_) found = std::max({found, row.here, row.other});
  return found;
}

double NGramList::rowsHeight() const {
  return double(kNgramHeight) * double(rows_.size());
}

void NGramList::paintRows(QPainter& painter, const QRectF& area) const {
  QRectF place(area.left(), area.top(), area.width(), kNgramHeight);
  for (const NGramRow& row : rows_) {
    paintRow(painter, place, row, most());
    place.translate(0, kNgramHeight);
  }
}

void NGramList::activateRow(const QModelIndex& index) {
  if (index.isValid()) emit ngramActivated(rows_[index.row()].text);
}

void NGramList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
      event->key() == Qt::Key_Space)
    return activateRow(currentIndex());
  QListView::keyPressEvent(event);
}

void NGramList::paintEvent(QPaintEvent* event) {
  QListView::paintEvent(event);
  if (!rows_.isEmpty()) return;
  QPainter painter(viewport());
  painter.setPen(theme().muted);
  painter.drawText(viewport()->rect().adjusted(kMargin, kMargin, -kMargin, -kMargin),
                   Qt::AlignTop | Qt::AlignLeft, tr("None"));
}

}  // namespace strata::ui
