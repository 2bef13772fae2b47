#pragma once
#include <QObject>
#include <QThread>
#include <QVector>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/system_use.h"
#include "core/store/alerts.h"
#include "core/store/queue_settings.h"
#include "core/store/run_activity.h"
#include "ui/data/any_watch.h"
#include "ui/data/pending_read.h"
#include "ui/data/queries.h"
#include "ui/data/values.h"
#include "ui/data/workspace_state.h"

namespace strata::ui {
class WorkspaceReader;

// The window's access to a workspace. A separate thread owns the connection: it polls for changes
// by other processes and sends values by signals to the GUI thread; nothing here ever blocks.
// Failures are reported by one signal with a message that says what, where and what to do.
class WorkspaceService : public QObject {
  Q_OBJECT
 public:
  explicit WorkspaceService(const QString& root, QObject* parent = nullptr);
  ~WorkspaceService() override;

  void start();  // once, after the signals are connected
  QString root() const { return root_; }

  // Asks a query (ui/data/queries.h). `done` is called with its answer, unless `context` is gone or
  // has asked another query of the type meanwhile; on an error `failed` is called with its text,
  // which is empty while the workspace is not open, as stateChanged() says. Without a `failed` the
  // error is sent as failed().
  template <typename Query>
  void read(const Query& query, QObject* context, typename PendingRead<Query>::Done done,
            typename PendingRead<Query>::Failed failed = {});
  // `context` wants no answer to a query of the type any more.
  template <typename Query>
  void forget(const QObject* context);
  // Calls `changed` with what a watch (ui/data/any_watch.h) sends, until `context` is gone or
  // watches something else of the type.
  template <typename Watch>
  void watch(Watch watch, QObject* context,
             std::function<void(const typename Watch::News&)> changed);

  void setAlertRules(const AlertRules& rules);

  // Commands. Their effect shows in the next runsChanged, errors in failed().
  void command(const QVector<qint64>& runs, RunCommand command);
  void continueRun(qint64 run, qint64 updates);  // until it has made so many
  void moveInQueue(qint64 run, qint64 before);   // directly before another one; 0: behind all
  void setQueueSettings(const QueueSettings& settings);
  void rename(qint64 run, const QString& name);
  void setTags(qint64 run, const QStringList& tags);
  void setTrashed(qint64 run, bool trashed);
  void setNote(qint64 run, const QString& note);
  void pinCheckpoint(qint64 run, qint64 step, bool pinned);
  void removeCheckpoint(qint64 run, qint64 step);
  void removeAverage(const QString& folder);  // of some of a run's checkpoints
  void forgetRun(qint64 run);                 // its folder is missing
  void startRun(const QString& name, const QString& preset, const Json& config);
  // The same, unless a run has this configuration: then sameRunFound.
  void startNewRun(const QString& name, const QString& preset, const Json& config);

 signals:
  // When it differs from the last; open at first.
  void stateChanged(const strata::ui::WorkspaceState& state);
  void activityChanged(const std::vector<strata::RunActivity>& runs);
  void queueSettingsChanged(const strata::QueueSettings& settings);
  void alertsChanged(const std::vector<strata::Alert>& alerts);
  void systemUseChanged(const strata::SystemUse& use);        // every 1.6 s
  void opened();                                              // the first poll is done
  void runsChanged(const QVector<strata::ui::RunRow>& runs);  // oldest first, trashed runs included
  void datasetsChanged(const QVector<strata::ui::DatasetRow>& datasets);
  void queued(qint64 run, const QString& name);  // a job waits for a worker
  // The run does not go on: its configuration was edited, as the message says.
  void configEdited(qint64 run, const QString& message);
  void sameRunFound(const strata::ui::SameRunRow& same);
  void acknowledged(const QString& message);  // a run's process has carried out a command
  void failed(const QString& message);

 private:
  // Who watches, and what type.
  using WatchKey = std::pair<const QObject*, std::type_index>;

  // Calls `question` in the workspace's thread, then `answered` here, with the text of its error.
  void ask(std::function<void(OpenWorkspace&)> question,
           std::function<void(const QString& error)> answered);
  // The number by which news of the watch that has begun last are known.
  quint64 beginWatch(const WatchKey& key, QObject* context);
  void setWatch(const WatchKey& key, std::shared_ptr<AnyWatch> watch);
  void post(std::function<void(WorkspaceReader&)> task);
  void change(std::function<void(Workspace&)> task);

  QString root_;
  QThread thread_;
  WorkspaceReader* reader_;  // lives in thread_, deleted at its end
  std::map<std::type_index, std::vector<std::shared_ptr<void>>> pending_;  // a type's PendingReads
  std::map<WatchKey, quint64> watched_;                                    // by their numbers
  quint64 lastWatch_ = 0;
};

template <typename Query>
void WorkspaceService::forget(const QObject* context) {
  std::erase_if(pending_[typeid(Query)], [context](const auto& each) {
    return !static_cast<PendingRead<Query>*>(each.get())->forget(context);
  });
}

template <typename Query>
void WorkspaceService::read(const Query& query, QObject* context,
                            typename PendingRead<Query>::Done done,
                            typename PendingRead<Query>::Failed failed) {
  using Read = PendingRead<Query>;
  if constexpr (!requires { Query::kBeside; }) forget<Query>(context);
  auto& pending = pending_[typeid(Query)];
  for (const auto& each : pending) {
    auto* const read = static_cast<Read*>(each.get());
    if (read->begun || read->query != query) continue;
    return read->askers.push_back({context, std::move(done), std::move(failed)});
  }
  const auto read = std::make_shared<Read>(query);
  read->askers.push_back({context, std::move(done), std::move(failed)});
  pending.push_back(read);
  const auto answer = std::make_shared<std::optional<typename Query::Answer>>();
  ask(
      [read, answer](OpenWorkspace& open) {
        read->begun = true;
        if (!read->unwanted) *answer = read->query.read(open);
      },
      [this, read, answer](const QString& error) {
        std::erase(pending_[typeid(Query)], read);
        for (const auto& asker : read->askers) {
          if (!asker.context) continue;
          if (*answer)
            asker.done(**answer);
          else if (asker.failed)
            asker.failed(error);
          else if (!error.isEmpty())
            emit this->failed(error);
        }
      });
}

template <typename Watch>
void WorkspaceService::watch(Watch watch, QObject* context,
                             std::function<void(const typename Watch::News&)> changed) {
  using News = typename Watch::News;
  const WatchKey key{context, typeid(Watch)};
  const quint64 number = beginWatch(key, context);
  const Send<News> send = [this, key, number, changed = std::move(changed)](News news) {
    const auto arrive = [this, key, number, changed, news = std::move(news)] {
      const auto found = watched_.find(key);
      if (found == watched_.end()) return;
      if (GoesOn<Watch> || found->second == number) changed(news);
    };
    QMetaObject::invokeMethod(this, arrive, Qt::QueuedConnection);
  };
  setWatch(key, std::make_shared<SendingWatch<Watch>>(std::move(watch), send));
}

}  // namespace strata::ui
