#include "ui/window/announcements.h"

#include <QStringList>
#include <map>
#include <utility>

#include "ui/data/text.h"
#include "ui/rpc/set_translations.h"
#include "ui/widgets/messages.h"
#include "ui/window/demo_run.h"

namespace strata::ui {
namespace {

constexpr qsizetype kSingly = 2;  // runs that ended alike at once and are told of one by one

// The first names; how many there are besides.
QString namesOf(const QVector<const RunRow*>& runs) {
  QStringList names;
  for (const RunRow* run : runs.first(kSingly)) names << run->name;
  return Announcements::tr("%1 and %n other(s)", nullptr, int(runs.size() - kSingly))
      .arg(names.join(QStringLiteral(", ")));
}

}  // namespace

Announcements::Announcements(Messages* messages, QObject* parent)
    : QObject(parent), messages_(messages) {}

void Announcements::good(const QString& message) {
  messages_->show(Message::Severity::kGood, message);
}

void Announcements::error(const QString& message) {
  messages_->show(Message::Severity::kError, message);
}

void Announcements::configEdited(qint64 run, const QString& message) {
  messages_->show({.severity = Message::Severity::kWarning,
                   .text = message,
                   .button = tr("Resume it as edited"),
                   .context = this,
                   .action = [this, run] { emit resumeEditedRequested(run); }});
}

void Announcements::setRuns(const QVector<RunRow>& runs) {
  QSet<qint64> active;
  std::map<RunStatus, Runs> ended;
  for (const RunRow& run : runs) {
    if (run.isActive()) {
      active.insert(run.id);
    } else if (active_.contains(run.id)) {
      ended[run.status] << &run;
    }
  }
  active_ = std::move(active);
  for (const auto& [status, group] : ended) {
    if (group.size() > kSingly) {
      announceTogether(status, group);
      continue;
    }
    for (const RunRow* run : group) announce(*run);
  }
}

void Announcements::announce(const RunRow& run) {
  const QString detail = run.message.isEmpty() ? QString() : QStringLiteral(" ") + run.message;
  if (run.status == RunStatus::kFinished) {
    good(tr("%1 has finished at step %2.").arg(run.name, countText(run.step)));
  } else if (run.status == RunStatus::kFailed) {
    error(tr("%1 failed at step %2.%3").arg(run.name, countText(run.step), detail));
  } else if (run.status == RunStatus::kInterrupted) {
    messages_->show({.severity = Message::Severity::kWarning,
                     .text = tr("%1 was interrupted at step %2: its process no longer exists.%3")
                                 .arg(run.name, countText(run.step), detail),
                     .button = tr("Resume it"),
                     .context = this,
                     .action = [this, id = run.id] { emit resumeRequested(id); }});
  }
}

void Announcements::announceTogether(RunStatus status, const Runs& runs) {
  const QString names = namesOf(runs);
  const int count = int(runs.size());
  if (status == RunStatus::kFinished) {
    good(tr("%n runs have finished: %1.", nullptr, count).arg(names));
  } else if (status == RunStatus::kFailed) {
    error(tr("%n runs failed: %1. Runs tells why.", nullptr, count).arg(names));
  } else if (status == RunStatus::kInterrupted) {
    messages_->show(Message::Severity::kWarning,
                    tr("%n runs were interrupted, their processes no longer exist: %1. They can be "
                       "resumed in Runs.",
                       nullptr, count)
                        .arg(names));
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
                    tr("The demo is writing its corpus; its runs appear in a few seconds."));
  });
  connect(demo, &DemoRun::appeared, this, [this] {
    if (messages_->severity() == Message::Severity::kInfo) messages_->dismiss();
  });
}

}  // namespace strata::ui
