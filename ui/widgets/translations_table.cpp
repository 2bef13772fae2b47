#include "ui/widgets/translations_table.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>

#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/diff_words.h"

namespace strata::ui {
namespace {

constexpr int kComparedRole = Qt::UserRole;
constexpr int kScoreColumn = 1, kTextColumn = 2;
constexpr int kWidestName = 180;
constexpr int kCellMargin = 4;
constexpr std::size_t kMostCompared = 600;  // per row

class DifferencesDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem shown = option;
    initStyleOption(&shown, index);
    shown.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &shown, painter, shown.widget);
    QTextDocument document;
    fill(document, option, index);
    painter->save();
    painter->setClipRect(option.rect);
    const int above = std::max(0, option.rect.height() - int(document.size().height())) / 2;
    painter->translate(option.rect.topLeft() + QPoint(0, above));
    document.drawContents(painter);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem wide = option;
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    if (table) wide.rect.setWidth(table->columnWidth(index.column()));
    QTextDocument document;
    fill(document, wide, index);
    return document.size().toSize();
  }

 private:
  // A selected row keeps its marks: the selection is a frame around it, and a tint.
  static void fill(QTextDocument& document, const QStyleOptionViewItem& option,
                   const QModelIndex& index) {
    document.setDefaultFont(option.font);
    document.setDocumentMargin(kCellMargin);
    document.setTextWidth(option.rect.width());
    const auto textOf = [](const QModelIndex& at) { return toStd(at.data().toString()); };
    const SentenceRows::Row first = SentenceRows::rowOfText(textOf(index.siblingAtRow(0))),
                            row = SentenceRows::rowOfText(textOf(index));
    const bool compared = index.row() > 0 && index.data(kComparedRole).toBool();
    const SentenceRows::Differences found =
        SentenceRows::differencesFrom(compared ? first : row, row);
    QTextCursor cursor(&document);
    insertWords(cursor, {row, found, std::size_t(index.row()), kMostCompared});
  }
};

}  // namespace

TranslationsTable::TranslationsTable(const QStringList& header, QWidget* parent)
    : QTableWidget(0, int(header.size()), parent) {
  setPlain(this, header);
  setColumnWidth(kScoreColumn, 76);
  setItemDelegateForColumn(kTextColumn, new DifferencesDelegate(this));
}

void TranslationsTable::setTranslations(const QVector<Translation>& rows) {
  setRowCount(int(rows.size()));
  for (int row = 0; row < int(rows.size()); ++row) setTranslation(row, rows[row]);
}

void TranslationsTable::setTranslation(int row, const Translation& translation) {
  int column = 0;
  for (const QString& text : {translation.name, translation.score, translation.text}) {
    auto* item = new QTableWidgetItem(text);
    item->setToolTip(text);
    item->setData(kComparedRole, translation.compared);
    setItem(row, column++, item);
  }
  resizeRowsToContents();
}

QString TranslationsTable::legend() {
  return tr("Underlined: only in this translation. Struck through: missing from it.");
}

void TranslationsTable::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  setColumnWidth(0, std::clamp(width() / 4, 70, kWidestName));
  resizeRowsToContents();
}

}  // namespace strata::ui
