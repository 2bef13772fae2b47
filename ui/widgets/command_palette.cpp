#include "ui/widgets/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kWidth = 560, kHeight = 400, kTop = 70;
constexpr int kEntryRole = Qt::UserRole;
constexpr std::size_t kMostOfAGroup = 40;  // shown; more letters find the others

// The matches of one group, best first.
struct Found {
  QString group;
  std::vector<std::pair<int, int>> entries;  // score, index

  int best() const { return entries.front().first; }
};
}  // namespace

int fuzzyScore(const QString& pattern, const QString& text) {
  static const QString borders = QStringLiteral(" ./-_:");
  int score = 0, last = -1;
  for (const QChar letter : pattern) {
    if (letter.isSpace()) continue;
    const int at = int(text.indexOf(letter, last + 1, Qt::CaseInsensitive));
    if (at < 0) return -1;
    score += 1;
    if (at == last + 1) score += 3;
    if (at == 0 || borders.contains(text[at - 1])) score += 5;
    last = at;
  }
  return score;
}

CommandPalette::CommandPalette(QWidget* parent)
    : QFrame(parent), edit_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setObjectName(QStringLiteral("commandPalette"));
  setAutoFillBackground(true);
  edit_->setObjectName(QStringLiteral("commandPaletteEdit"));
  edit_->setPlaceholderText(tr("Find a command, run, preset or setting"));
  edit_->setAccessibleName(tr("Command, run, preset or setting"));
  list_->setObjectName(QStringLiteral("commandPaletteList"));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
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

void CommandPalette::open(QList<PaletteEntry> entries) {
  entries_ = std::move(entries);
  edit_->clear();
  filter({});
  const int width = std::min(kWidth, parentWidget()->width() - 40);
  resize(width, std::min(kHeight, parentWidget()->height() - kTop - 20));
  move((parentWidget()->width() - width) / 2, kTop);
  show();
  raise();
  edit_->setFocus();
}

void CommandPalette::setEntries(QList<PaletteEntry> entries) {
  entries_ = std::move(entries);
  filter(edit_->text());
}

void CommandPalette::filter(const QString& pattern) {
  std::vector<Found> groups;
  for (int index = 0; index < entries_.size(); ++index) {
    const PaletteEntry& entry = entries_[index];
    const int score = fuzzyScore(pattern, entry.text);
    if (score < 0) continue;
    auto group = std::ranges::find(groups, entry.group, &Found::group);
    if (group == groups.end()) group = groups.insert(group, Found{entry.group, {}});
    group->entries.emplace_back(score, index);
  }
  for (Found& group : groups)
    std::ranges::stable_sort(group.entries, std::greater{}, &std::pair<int, int>::first);
  std::ranges::stable_sort(groups, std::greater{}, &Found::best);
  list_->clear();
  for (const Found& group : groups) {
    addHeading(group.group);
    for (std::size_t i = 0; i < std::min(kMostOfAGroup, group.entries.size()); ++i)
      add(entries_[group.entries[i].second], group.entries[i].second);
  }
  list_->setCurrentRow(list_->count() > 1 ? 1 : -1);  // below the first heading
}

void CommandPalette::addHeading(const QString& text) {
  auto* item = new QListWidgetItem(text, list_);
  item->setFlags(Qt::NoItemFlags);
  item->setForeground(theme().muted);
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  item->setFont(bold);
}

void CommandPalette::add(const PaletteEntry& entry, int index) {
  const QString gap = entry.detail.isEmpty() ? QString() : QStringLiteral("    ");
  auto* item = new QListWidgetItem(entry.icon, entry.text + gap + entry.detail, list_);
  item->setData(kEntryRole, index);
}

// To the next entry, over headings and around the ends.
void CommandPalette::step(int by) {
  const int count = list_->count();
  int row = list_->currentRow();
  for (int tried = 0; tried < count; ++tried) {
    row = (row + by + count) % count;
    if (list_->item(row)->flags() & Qt::ItemIsEnabled) break;
  }
  list_->setCurrentRow(row);
  if (row == 1) list_->scrollToTop();  // with its heading
}

void CommandPalette::run() {
  const QListWidgetItem* item = list_->currentItem();
  hide();
  if (!item || !item->data(kEntryRole).isValid()) return;
  // After the palette has returned the focus, because some commands act on the focused widget.
  QTimer::singleShot(0, this, entries_[item->data(kEntryRole).toInt()].run);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) hide();
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      hide();
      return true;
    }
    if (list_->count() > 0 && (key == Qt::Key_Down || key == Qt::Key_Up)) {
      step(key == Qt::Key_Down ? 1 : -1);
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace strata::ui
