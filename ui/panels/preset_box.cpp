#include "ui/panels/preset_box.h"

#include <QCompleter>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "ui/panels/preset_model.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kVisibleRows = 20, kMaximumDescriptionWidth = 460, kCellPadding = 26;
}

PresetBox::PresetBox(PresetModel* model, QWidget* parent)
    : QComboBox(parent), model_(model), filter_(new PresetFilter(this)) {
  filter_->setSourceModel(model);
  setEditable(true);
  setInsertPolicy(NoInsert);
  setMaxVisibleItems(kVisibleRows);
  setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(16);
  all_ = makeList();
  setView(all_);
  setModel(model);
  setModelColumn(PresetModel::kName);
  found_ = named(makeList(), "presetsFound");
  auto* completer = new QCompleter(filter_, this);
  completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);  // filter_ has filtered
  completer->setMaxVisibleItems(kVisibleRows);
  completer->setPopup(found_);  // takes ownership
  setCompleter(completer);
  connect(lineEdit(), &QLineEdit::textEdited, this, &PresetBox::search);
  connect(lineEdit(), &QLineEdit::returnPressed, this, &PresetBox::chooseFirst);
  connect(lineEdit(), &QLineEdit::editingFinished, this, &PresetBox::settle);
  connect(this, &QComboBox::editTextChanged, this, [this](const QString& text) {
    // An open list changes the line while moving through it; a combination is taken when it is
    // complete.
    if (const int row = model_->rowOf(text); row >= 0 && !found_->isVisible()) setCurrentIndex(row);
  });
  connect(this, &QComboBox::currentIndexChanged, this, [this] { fresh_ = true; });
  lineEdit()->installEventFilter(this);
}

QTreeView* PresetBox::makeList() {
  auto* list = new QTreeView;  // the caller takes ownership
  list->setRootIsDecorated(false);
  list->setUniformRowHeights(true);
  list->setAllColumnsShowFocus(true);
  list->setTextElideMode(Qt::ElideRight);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->header()->setSectionsMovable(false);
  list->header()->setStretchLastSection(true);
  return list;
}

// Columns as wide as their contents, headings across all columns, and the list as wide as its
// columns if the window has room.
void PresetBox::fit(QTreeView* list) {
  int total = 2 * list->frameWidth() + list->verticalScrollBar()->sizeHint().width();
  const QFontMetrics metrics = list->fontMetrics();
  for (int column = 0; column < PresetModel::kColumns; ++column) {
    const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    int width = list->header()->fontMetrics().horizontalAdvance(title) + 2 * kCellPadding;
    for (int row = 0; row < model_->rowCount(); ++row) {
      if (!model_->preset(row)) continue;
      const QString text = model_->index(row, column).data().toString();
      width = std::max(width, metrics.horizontalAdvance(text) + kCellPadding);
    }
    if (column == PresetModel::kDescription) {
      width = std::min(width, kMaximumDescriptionWidth);  // it takes the remaining room
    } else {
      list->setColumnWidth(column, width);
    }
    total += width;
  }
  for (int row = 0; list == all_ && row < model_->rowCount(); ++row)
    list->setFirstColumnSpanned(row, {}, !model_->preset(row));
  list->setMinimumWidth(std::min(total, window()->width() - 24));
  // A completer's popup is as high as its rows; it does not know of the header above them.
  if (list == found_) {
    const int rows = std::min(kVisibleRows, filter_->rowCount());
    list->setMinimumHeight(list->header()->sizeHint().height() + rows * list->sizeHintForRow(0) +
                           2 * list->frameWidth());
  }
}

const PresetRow* PresetBox::entry() const {
  return model_->preset(currentIndex());
}

QString PresetBox::preset() const {
  const PresetRow* chosen = entry();
  return chosen ? chosen->name : QString();
}

bool PresetBox::choose(const QString& name) {
  const int known = model_->rowOf(name);
  const QString before = preset();
  const int row = known >= 0 ? known : model_->combine(name);
  if (row < 0) return false;
  const bool changed = row == currentIndex() && before != name;  // the combination is another one
  setCurrentIndex(row);
  if (changed) emit currentIndexChanged(row);
  return true;
}

void PresetBox::showPopup() {
  fit(all_);
  QComboBox::showPopup();
}

void PresetBox::search(const QString& text) {
  filter_->setText(text);
  fit(found_);
}

// Enter takes the current entry of the list of matches, else the first match.
void PresetBox::chooseFirst() {
  const QString typed = lineEdit()->text();
  if (choose(typed) || filter_->rowCount() == 0) return;
  setCurrentIndex(filter_->mapToSource(filter_->index(0, 0)).row());
}

void PresetBox::settle() {
  if (!found_->isVisible() && !choose(lineEdit()->text())) setEditText(preset());
}

void PresetBox::focusInEvent(QFocusEvent* event) {
  fresh_ = true;
  QComboBox::focusInEvent(event);
}

// The box has the focus in place of its line, whose first click is therefore told by its release:
// the press has put the cursor where it happened.
bool PresetBox::eventFilter(QObject* watched, QEvent* event) {
  if (watched == lineEdit() && event->type() == QEvent::MouseButtonRelease &&
      std::exchange(fresh_, false) && !lineEdit()->hasSelectedText()) {
    QTimer::singleShot(0, lineEdit(), &QLineEdit::selectAll);
  }
  return QComboBox::eventFilter(watched, event);
}

}  // namespace strata::ui
