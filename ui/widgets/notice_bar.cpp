#include "ui/widgets/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/widgets/building.h"

namespace strata::ui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel(this)),
      layout_(makeLayout<QHBoxLayout>(this, {}, kUsualSpacing)) {
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout_->addWidget(text_, 1);
  hide();
}

void NoticeBar::setNotice(const QString& text, const QList<Choice>& choices) {
  text_->setText(text);
  for (QWidget* button : std::exchange(buttons_, {})) {
    button->hide();
    button->deleteLater();  // it may be the one that was clicked
  }
  for (const Choice& choice : choices) {
    auto* button = named(new QPushButton(choice.text, this), choice.name);
    connect(button, &QPushButton::clicked, this, choice.run);
    layout_->addWidget(button);
    buttons_ << button;
  }
  setVisible(!text.isEmpty());
}

QString NoticeBar::text() const {
  return isHidden() ? QString() : text_->text();
}

}  // namespace strata::ui
