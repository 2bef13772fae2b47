#include "app/run_control.h"

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "core/store/looks.h"

namespace strata {
namespace {

volatile sig_atomic_t signalled = 0, asked = 0;  // `asked`: SIGTERM and SIGINT only

void onSignal(int signal) {
  if (signal != SIGHUP) {
    if (asked != 0) std::_Exit(128 + signal);
    asked = signal;
  }
  if (signalled == 0) signalled = signal;
}

}  // namespace

SignalGuard::SignalGuard()
    : term_(signal(SIGTERM, onSignal)),
      interrupt_(signal(SIGINT, onSignal)),
      hangup_(signal(SIGHUP, onSignal)) {
  if (hangup_ == SIG_IGN) signal(SIGHUP, SIG_IGN);
}

SignalGuard::~SignalGuard() {
  signal(SIGTERM, term_);
  signal(SIGINT, interrupt_);
  signal(SIGHUP, hangup_);
}

int stopSignal() {
  return signalled;
}

TrainCommand RunControl::poll() {
  if (polled_) console_.tick();
  polled_ = true;
  if (signalled != 0) return TrainCommand::kStop;
  pending_ = session_.poll();
  if (!pending_) return TrainCommand::kNone;
  switch (pending_->command) {
    case Command::kStop:
      return TrainCommand::kStop;
    case Command::kPause:
      return TrainCommand::kPause;
    case Command::kCheckpoint:
      return TrainCommand::kCheckpoint;
  }
  return TrainCommand::kNone;
}

void RunControl::done(TrainCommand, const std::string& outcome) {
  if (pending_) session_.acknowledge(pending_->id, outcome);
  pending_.reset();
}

void RunSink::scalars(const std::vector<ScalarEvent>& events) {
  session_.scalars(events);
  console_.scalars(events);
  for (const auto& set : setup_.dataset.sets()) {
    if (set.test) countLook(set.name, events);
  }
  warnIfDiverging(events);
}

// As the alerts of the run (core/store/alerts.h), which are of the same definition.
void RunSink::warnIfDiverging(const std::vector<ScalarEvent>& events) {
  for (const Divergence& found : divergence_.add(events))
    spdlog::warn("{}: {}", found.what, divergenceAdvice(name_, /*running=*/true));
}

void RunSink::checkpoint(const CheckpointEvent& event) {
  session_.checkpoint(event);
  console_.checkpoint(event);
}

void RunSink::ended(const RunEndEvent& event) {
  console_.ended(event);
  session_.end(event);
}

void RunSink::countLook(const std::string& set, const std::vector<ScalarEvent>& events) {
  TestLook look;
  for (const auto& event : events) {
    if (!event.name.starts_with(set + "/")) continue;
    look.checkpoint = fmt::format("step-{:08}", event.step);
    look.scores[event.name.substr(set.size() + 1)] = event.value;
  }
  if (look.scores.empty()) return;
  look.run = session_.run();
  look.dataset = setup_.dataset.name();
  look.set = set;
  look.settings = {{"beam", setup_.spec.validation.beam}, {"during", "training"}};
  recordTestLook(workspace_, look);
}

}  // namespace strata
