#include "app/console_sink.h"

#include <algorithm>

#include "core/base/log.h"

namespace strata {
namespace {

constexpr auto kBetweenLines = std::chrono::seconds(10);

}  // namespace

ConsoleSink::ConsoleSink(std::int64_t updates, std::int64_t from)
    : bar_(terminalProgress()), from_(from), done_(from) {
  bar_.begin("training", std::max<std::int64_t>(0, updates - from), "updates");
}

ConsoleSink::~ConsoleSink() {
  endBar();
}

void ConsoleSink::tick() {
  bar_.advance(++done_ - from_);
}

void ConsoleSink::endBar() {
  if (open_) bar_.end();
  open_ = false;
}

void ConsoleSink::scalars(const std::vector<ScalarEvent>& events) {
  for (const auto& event : events) newest_[event.name] = event;
  const auto now = Clock::now();
  const auto loss = newest_.find("train/nll");
  if (events.empty() || loss == newest_.end() || events.front().step != loss->second.step ||
      now - shown_ < kBetweenLines)
    return;
  shown_ = now;
  const auto value = [&](const char* name) {
    const auto found = newest_.find(name);
    return found == newest_.end() ? 0.0 : found->second.value;
  };
  spdlog::info("step={} epoch={:.2f} nll={:.4f} lr={:.3g} tokens_per_second={:.0f}",
               loss->second.step, value("train/epoch"), loss->second.value, value("lr"),
               value("train/tokens_per_second"));
}

void ConsoleSink::checkpoint(const CheckpointEvent& event) {
  spdlog::debug("checkpoint={} best={}", event.folder, event.best);
}

void ConsoleSink::ended(const RunEndEvent&) {
  endBar();
}

}  // namespace strata
