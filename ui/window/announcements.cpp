#include "ui/window/announcements.h"

#include "ui/data/text.h"
#include "ui/rpc/set_translations.h"
#include "ui/widgets/messages.h"
#include "ui/window/demo_run.h"

namespace strata::ui {

Announcements::Announcements(Messages* messages, QObject* parent)
    : QObject(parent), messages_(messages) {}

void Announcements::good(const QString& message) {
  messages_->show(Message::Severity::kGood, message);
}

void Announcements::error(const QString& message) {
  messages_->show(Message::Severity::kError, message);
}

void Announcements::setRuns(const QVector<RunRow>& runs) {
  for (const RunRow& now : runs) {
    if (const RunRow* before = findRun(runs_, now.id)) announce(*before, now);
  }
  runs_ = runs;
}

void Announcements::announce(const RunRow& before, const RunRow& now) {
  if (!before.isActive() || now.isActive()) return;
  const QString detail = now.message.isEmpty() ? QString() : QStringLiteral(" ") + now.message;
  if (now.status == RunStatus::kFinished) {
    good(tr("%1 has finished at step %2.").arg(now.name, countText(now.step)));
  } else if (now.status == RunStatus::kFailed) {
    error(tr("%1 failed at step %2.%3").arg(now.name, countText(now.step), detail));
  } else if (now.status == RunStatus::kInterrupted) {
    messages_->show({.severity = Message::Severity::kWarning,
                     .text = tr("%1 was interrupted at step %2: its process no longer exists.%3")
                                 .arg(now.name, countText(now.step), detail),
                     .button = tr("Resume it"),
                     .context = this,
                     .action = [this, id = now.id] { emit resumeRequested(id); }});
  }
}

void Announcements::follow(SetTranslations* translations) {
  connect(translations, &SetTranslations::started, this,
          [this](const QString& name, const QString& set) {
            messages_->show(Message::Severity::kInfo, tr("%1 is translating %2.").arg(name, set));
          });
  connect(translations, &SetTranslations::finished, this,
          [this](const QString& name, const QString& set) {
            good(tr("%1 has translated %2.").arg(name, set));
          });
  connect(translations, &SetTranslations::cancelled, this,
          [this] { good(tr("It was cancelled.")); });
  connect(translations, &SetTranslations::failed, this, &Announcements::error);
}

void Announcements::follow(DemoRun* demo) {
  connect(demo, &DemoRun::failed, this, &Announcements::error);
  connect(demo, &DemoRun::cancelled, this, [this] { good(tr("It was cancelled.")); });
  connect(demo, &DemoRun::started, this, [this] {
    messages_->show(Message::Severity::kInfo,
                    tr("The demo is writing its corpus; its run appears in a few seconds."));
  });
  connect(demo, &DemoRun::appeared, this, [this] {
    if (messages_->severity() == Message::Severity::kInfo) messages_->dismiss();
  });
}

}  // namespace strata::ui
