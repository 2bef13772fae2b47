#include "ui/widgets/choice_popup.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kPopupWidth = 340, kChoiceHeight = 26, kMostRows = 14, kFilterHeight = 46;
constexpr int kFilterFrom = 8;  // shorter lists need none
}  // namespace

ChoicePopup::ChoicePopup(const QVector<Item>& items, int current, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      filter_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new QStandardItemModel(this)),
      shown_(new QSortFilterProxyModel(this)) {
  setObjectName(QStringLiteral("choicePopup"));
  setAttribute(Qt::WA_DeleteOnClose);
  for (const Item& item : items) {
    const QString text =
        item.detail.isEmpty() ? item.text : tr("%1  ·  %2").arg(item.text, item.detail);
    model_->appendRow(new QStandardItem(item.icon, text));
  }
  shown_->setSourceModel(model_);
  shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setAccessibleName(tr("Filter the list"));
  filter_->setClearButtonEnabled(true);
  filter_->setVisible(items.size() >= kFilterFrom);
  filter_->installEventFilter(this);
  list_->setModel(shown_);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setUniformItemSizes(true);
  list_->setAccessibleName(tr("Choices"));
  list_->setCurrentIndex(shown_->index(std::max(current, 0), 0));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addWidget(filter_);
  layout->addWidget(list_, 1);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    shown_->setFilterFixedString(text);
    list_->setCurrentIndex(shown_->index(0, 0));
  });
  connect(list_, &QListView::clicked, this, &ChoicePopup::choose);
  connect(list_, &QListView::activated, this, &ChoicePopup::choose);
  const int rows = std::clamp(int(items.size()), 1, kMostRows);
  resize(kPopupWidth, rows * kChoiceHeight + 20 + (filter_->isHidden() ? 0 : kFilterHeight));
}

void ChoicePopup::setEmptyText(const QString& text) {
  if (model_->rowCount() > 0) return;
  auto* label = styled(named(new QLabel(text, this), QStringLiteral("choiceEmpty")), "muted");
  label->setWordWrap(true);
  list_->hide();
  layout()->addWidget(label);
  resize(kPopupWidth, label->heightForWidth(kPopupWidth - 12) + 20);
}

void ChoicePopup::openUnder(const QWidget* button) {
  QPoint place = button->mapToGlobal(QPoint(0, button->height()));
  const QRect screen = button->screen()->availableGeometry();
  place.setX(
      std::clamp(place.x(), screen.left(), std::max(screen.left(), screen.right() - width())));
  move(place);
  show();
  if (list_->isHidden()) {
    setFocus();
  } else if (filter_->isHidden()) {
    list_->setFocus();
  } else {
    filter_->setFocus();
  }
  list_->scrollTo(list_->currentIndex(), QAbstractItemView::PositionAtCenter);
}

void ChoicePopup::choose(const QModelIndex& row) {
  if (!row.isValid()) return;
  const int index = shown_->mapToSource(row).row();
  close();
  emit chosen(index);
}

// The arrows and Enter act on the list while the filter is typed.
bool ChoicePopup::eventFilter(QObject* watched, QEvent* event) {
  if (watched != filter_ || event->type() != QEvent::KeyPress)
    return QFrame::eventFilter(watched, event);
  auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
    choose(list_->currentIndex());
    return true;
  }
  if (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down) {
    QApplication::sendEvent(list_, key);
    return true;
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace strata::ui
