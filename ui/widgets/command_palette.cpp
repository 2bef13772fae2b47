#include "ui/widgets/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace strata::ui {
namespace {
constexpr int kWidth = 520, kHeight = 340, kTop = 70;
constexpr int kActionRole = Qt::UserRole;
}  // namespace

int fuzzyScore(const QString& pattern, const QString& text) {
  int score = 0, last = -1;
  for (const QChar letter : pattern) {
    if (letter.isSpace()) continue;
    const int at = int(text.indexOf(letter, last + 1, Qt::CaseInsensitive));
    if (at < 0) return -1;
    score += 1;
    if (at == last + 1) score += 3;
    if (at == 0 || text[at - 1].isSpace()) score += 5;
    last = at;
  }
  return score;
}

CommandPalette::CommandPalette(QWidget* parent)
    : QFrame(parent), edit_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setObjectName(QStringLiteral("commandPalette"));
  setAutoFillBackground(true);
  edit_->setObjectName(QStringLiteral("commandPaletteEdit"));
  edit_->setPlaceholderText(tr("Type a command"));
  edit_->setAccessibleName(tr("Command"));
  list_->setObjectName(QStringLiteral("commandPaletteList"));
  list_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 10, 10, 10);
  layout->addWidget(edit_);
  layout->addWidget(list_, 1);
  edit_->installEventFilter(this);
  connect(edit_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(edit_, &QLineEdit::returnPressed, this, &CommandPalette::run);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
  hide();
}

void CommandPalette::open(const QList<QAction*>& actions) {
  actions_.clear();
  for (QAction* action : actions) {
    if (!action->isSeparator() && !action->text().isEmpty()) actions_ << action;
  }
  edit_->clear();
  filter({});
  const int width = std::min(kWidth, parentWidget()->width() - 40);
  resize(width, std::min(kHeight, parentWidget()->height() - kTop - 20));
  move((parentWidget()->width() - width) / 2, kTop);
  show();
  raise();
  edit_->setFocus();
}

void CommandPalette::filter(const QString& pattern) {
  std::vector<std::pair<int, QAction*>> found;
  for (const QPointer<QAction>& action : actions_) {
    if (!action || !action->isEnabled()) continue;
    const int score = fuzzyScore(pattern, action->text().remove(QLatin1Char('&')));
    if (score >= 0) found.emplace_back(score, action);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  list_->clear();
  for (const auto& [score, action] : found) {
    QString text = action->text().remove(QLatin1Char('&'));
    if (!action->shortcut().isEmpty()) {
      text += QStringLiteral("    ") + action->shortcut().toString(QKeySequence::NativeText);
    }
    auto* item = new QListWidgetItem(action->icon(), text, list_);
    item->setData(kActionRole, QVariant::fromValue<QObject*>(action));
  }
  list_->setCurrentRow(0);
}

void CommandPalette::run() {
  QListWidgetItem* item = list_->currentItem();
  hide();
  if (!item) return;
  QPointer<QAction> action = qobject_cast<QAction*>(item->data(kActionRole).value<QObject*>());
  // After the palette has returned the focus, because some commands act on the focused widget.
  QTimer::singleShot(0, this, [action] {
    if (action) action->trigger();
  });
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) hide();
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      hide();
      return true;
    }
    const int count = list_->count();
    if (count > 0 && (key == Qt::Key_Down || key == Qt::Key_Up)) {
      list_->setCurrentRow((list_->currentRow() + (key == Qt::Key_Down ? 1 : count - 1)) % count);
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace strata::ui
