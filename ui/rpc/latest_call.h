#pragma once
#include <QObject>

#include "ui/rpc/engine_client.h"

namespace strata::ui {

// Requests of which only the latest counts: a new one cancels the one before. `parent` is the
// context of the callbacks.
class LatestCall : public QObject {
  Q_OBJECT
 public:
  LatestCall(EngineClient* engine, QObject* parent);

  void send(const QString& method, const Json& params, EngineClient::Done done,
            EngineClient::Failed failed);
  void cancel();

 private:
  EngineClient* engine_;
  qint64 call_ = 0;  // in progress; 0: none
};

}  // namespace strata::ui
