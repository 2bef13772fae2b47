#include "ui/widgets/empty_state.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kIconSize = 44, kTextWidth = 420;

// Keeps its icon sharp and in the theme's colour.
class IconLabel : public QLabel {
 public:
  IconLabel(const QString& name, QWidget* parent) : QLabel(parent), icon_(themedIcon(name)) {
    refresh();
  }

 protected:
  void changeEvent(QEvent* event) override {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) refresh();
  }

 private:
  void refresh() {
    setPixmap(
        icon_.pixmap(QSize(kIconSize, kIconSize), devicePixelRatioF(), QIcon::Normal, QIcon::On));
  }
  QIcon icon_;
};
}  // namespace

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& text,
                       QWidget* parent)
    : QWidget(parent),
      head_(new QLabel(title, this)),
      text_(new QLabel(text, this)),
      buttons_(new QHBoxLayout) {
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  head_->setProperty("hero", true);
  head_->setAlignment(Qt::AlignCenter);
  head_->setWordWrap(true);
  text_->setProperty("muted", true);
  text_->setAlignment(Qt::AlignCenter);
  text_->setWordWrap(true);
  text_->setMaximumWidth(kTextWidth);
  // In its own row, not aligned in the column: otherwise its height would not follow its width.
  auto* row = new QHBoxLayout;
  row->addStretch();
  row->addWidget(text_, 1);
  row->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(24, 24, 24, 24);
  layout->setSpacing(10);
  layout->addStretch(2);
  layout->addWidget(new IconLabel(icon, this), 0, Qt::AlignHCenter);
  layout->addWidget(head_);
  layout->addLayout(row);
  layout->addSpacing(6);
  buttons_->setAlignment(Qt::AlignHCenter);
  layout->addLayout(buttons_);
  layout->addStretch(3);
}

void EmptyState::addAction(QAction* action) {
  auto* button = new QPushButton(asEntry(shownEntry(action->text())), this);
  button->setObjectName(action->objectName() + QStringLiteral("Button"));
  button->setToolTip(action->toolTip());
  button->setProperty("primary", buttons_->count() == 0);
  connect(button, &QPushButton::clicked, action, &QAction::trigger);
  connect(action, &QAction::changed, button,
          [action, button] { button->setEnabled(action->isEnabled()); });
  buttons_->addWidget(button);
}

void EmptyState::setTitle(const QString& title) {
  head_->setText(title);
}

void EmptyState::setText(const QString& text) {
  text_->setText(text);
}

LackPage::LackPage(const QString& name, QWidget* parent)
    : QWidget(parent),
      text_(named(styled(new QLabel(this), "muted"), name)),
      button_(named(new QPushButton(this), name + QStringLiteral("Remedy"))) {
  text_->setAlignment(Qt::AlignCenter);
  text_->setWordWrap(true);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (const auto run = run_) run();  // it may set another lack
  });
  auto* layout = makeLayout<QVBoxLayout>(this, {24, 24, 24, 24}, 10);
  layout->addStretch();
  layout->addWidget(text_);
  layout->addWidget(button_, 0, Qt::AlignHCenter);
  layout->addStretch();
  setLack({}, {});
}

void LackPage::setLack(const QString& text, const Remedy& remedy) {
  text_->setText(text);
  button_->setText(remedy.text);
  button_->setVisible(!remedy.text.isEmpty());
  run_ = remedy.run;
}

QString LackPage::text() const {
  return text_->text();
}

EmptyStack::EmptyStack(EmptyState* empty, QWidget* content, QWidget* parent)
    : QStackedWidget(parent), lack_(new LackPage(QStringLiteral("lack"), this)) {
  addWidget(empty);
  addWidget(content);
  addWidget(lack_);
}

void EmptyStack::setEmpty(bool empty) {
  empty_ = empty;
  setCurrentIndex(empty ? 0 : lack().isEmpty() ? 1 : 2);
}

void EmptyStack::setLack(const QString& text, const LackPage::Remedy& remedy) {
  lack_->setLack(text, remedy);
  setEmpty(empty_);
}

QString EmptyStack::lack() const {
  return lack_->text();
}

}  // namespace strata::ui
