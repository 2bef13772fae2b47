#include "ui/widgets/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kSuccessMs = 6000;
}

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), label_(new QLabel(this)), button_(new QPushButton(this)) {
  setObjectName(QStringLiteral("messageBar"));
  label_->setObjectName(QStringLiteral("messageText"));
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  button_->setObjectName(QStringLiteral("messageAction"));
  auto* close = new QToolButton(this);
  close->setObjectName(QStringLiteral("messageClose"));
  close->setProperty("flat", true);
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setAccessibleName(tr("Close the message"));
  close->setToolTip(tr("Close the message"));
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 6, 8, 6);
  layout->addWidget(label_, 1);
  layout->addWidget(button_);
  layout->addWidget(close);
  hideTimer_.setSingleShot(true);
  hideTimer_.setInterval(kSuccessMs);
  connect(&hideTimer_, &QTimer::timeout, this, &QWidget::hide);
  hide();
}

void MessageBar::show(Severity severity, const QString& text) {
  static const char* const kNames[] = {"good", "info", "warning", "error"};
  severity_ = severity;
  setProperty("severity", QLatin1String(kNames[int(severity)]));
  style()->unpolish(this);  // the style sheet selects by the property
  style()->polish(this);
  label_->setText(text);
  disconnect(action_);
  button_->hide();
  if (severity == Severity::kGood) {
    hideTimer_.start();
  } else {
    hideTimer_.stop();
  }
  setVisible(true);
}

void MessageBar::show(Severity severity, const QString& text, const QString& button,
                      QObject* context, std::function<void()> action) {
  show(severity, text);
  button_->setText(button);
  button_->setVisible(true);
  action_ = connect(button_, &QPushButton::clicked, context, [this, action] {
    hide();
    action();
  });
}

QString MessageBar::text() const {
  return isHidden() ? QString() : label_->text();
}

}  // namespace strata::ui
