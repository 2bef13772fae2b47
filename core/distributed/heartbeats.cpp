#include "core/distributed/heartbeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr const char* kLost = "lost";  // the key under which rank 0 says whom it has lost
constexpr const char* kNobody = "-";
constexpr std::string_view kFailure = "failed: ";

std::string beatOf(int rank) {
  return fmt::format("beat/{}", rank);
}

}  // namespace

struct Heartbeats::State {
  c10::intrusive_ptr<c10d::Store> store;
  Options options;

  mutable std::mutex mutex;
  std::condition_variable changed;
  Seconds timeout{};    // guarded, like all below
  std::string lost;     // a sentence
  std::string failure;  // of this process, to be told
  bool ended = false, told = false, left = false;
  Clock::time_point answered = Clock::now();  // by the store

  // Of the thread only:
  struct Peer {
    std::string beat;
    Clock::time_point heard = Clock::now();
  };
  std::map<int, Peer> peers;  // those that this process watches
  std::vector<std::string> keys;
  std::uint64_t beats = 0;

  std::string nameOf(int rank) const {
    return fmt::format("rank {} ({})", rank, options.hosts[static_cast<std::size_t>(rank)]);
  }
  std::string silence(int rank, Seconds seconds) const {
    return fmt::format("{} has given no sign of life for {:.0f} s", nameOf(rank), seconds.count());
  }

  void run();
  void beat();
  void listen(Seconds patience);
  void setLost(const std::string& text) {
    const std::lock_guard guard(mutex);
    if (lost.empty()) lost = text;
  }
};

void Heartbeats::State::beat() {
  std::string failed;
  {
    const std::lock_guard guard(mutex);
    failed = failure;
  }
  c10d::Store& base = *store;
  base.set(beatOf(options.rank),
           failed.empty() ? fmt::format("{}", ++beats) : std::string(kFailure) + failed);
  if (failed.empty()) return;
  const std::lock_guard guard(mutex);
  told = true;
  changed.notify_all();
}

// Reads the beats of the watched processes and, except on rank 0, whom rank 0 holds for lost.
void Heartbeats::State::listen(Seconds patience) {
  const auto values = store->multiGet(keys);
  const auto now = Clock::now();
  {
    const std::lock_guard guard(mutex);
    answered = now;
  }
  std::size_t i = 0;
  for (auto& [rank, peer] : peers) {
    const auto& bytes = values.at(i++);
    const std::string value(bytes.begin(), bytes.end());
    if (value != peer.beat) {
      peer.beat = value;
      peer.heard = now;
      if (value.starts_with(kFailure))
        setLost(fmt::format("{} failed: {}", nameOf(rank), value.substr(kFailure.size())));
    } else if (now - peer.heard > patience) {
      setLost(silence(rank, now - peer.heard));
    }
  }
  if (options.rank != 0) {
    const std::string told(values.back().begin(), values.back().end());
    if (told != kNobody) setLost(told);
  }
  std::string found;
  {
    const std::lock_guard guard(mutex);
    found = lost;
  }
  if (options.rank == 0 && !found.empty()) store->set(kLost, found);
}

void Heartbeats::State::run() {
  while (true) {
    Seconds patience{};
    {
      std::unique_lock lock(mutex);
      // A process is lost after three quarters of the timeout, so that all know it in time.
      patience = 0.75 * timeout;
      const auto pause = std::clamp(timeout / 16, Seconds(0.05), Seconds(1));
      changed.wait_for(lock, pause, [&] { return ended || (!failure.empty() && !told); });
      if (ended) break;
    }
    try {
      beat();
      listen(patience);
    } catch (const std::exception&) {
      const std::lock_guard guard(mutex);
      if (ended) break;
      if (lost.empty())
        lost = options.storeIsElsewhere
                   ? "the launcher, which keeps the store of the processes, is gone"
                   : fmt::format("{}, which keeps the store of all processes, is gone", nameOf(0));
      break;
    }
  }
  const std::lock_guard guard(mutex);
  left = told = true;
  changed.notify_all();
}

void Heartbeats::announce(c10d::Store& store, int rank) {
  if (rank == 0) store.set(kLost, std::string(kNobody));
  store.set(beatOf(rank), std::string("0"));
}

Heartbeats::Heartbeats(c10::intrusive_ptr<c10d::Store> store, Options options)
    : state_(std::make_shared<State>()) {
  state_->store = std::move(store);
  state_->timeout = options.timeout;
  state_->options = std::move(options);
  const int size = static_cast<int>(state_->options.hosts.size());
  for (int rank = 0; rank < size; ++rank) {
    if (rank == state_->options.rank || (state_->options.rank != 0 && rank != 0)) continue;
    state_->peers.try_emplace(rank);
    state_->keys.push_back(beatOf(rank));
  }
  if (state_->options.rank != 0) state_->keys.push_back(kLost);
  thread_ = std::thread([state = state_] { state->run(); });
}

Heartbeats::~Heartbeats() {
  std::unique_lock lock(state_->mutex);
  state_->ended = true;
  state_->changed.notify_all();
  const bool left =
      state_->changed.wait_for(lock, std::chrono::seconds(1), [&] { return state_->left; });
  lock.unlock();
  left ? thread_.join() : thread_.detach();
}

void Heartbeats::setTimeout(Seconds timeout) {
  const std::lock_guard guard(state_->mutex);
  state_->timeout = timeout;
}

std::chrono::duration<double> Heartbeats::timeout() const {
  const std::lock_guard guard(state_->mutex);
  return state_->timeout;
}

std::string Heartbeats::lost() const {
  const std::lock_guard guard(state_->mutex);
  const Seconds silent = Clock::now() - state_->answered;
  if (!state_->lost.empty() || silent < state_->timeout) return state_->lost;
  return state_->options.storeIsElsewhere ? fmt::format(
                                                "the launcher, which keeps the store of the "
                                                "processes, has not answered for {:.0f} s",
                                                silent.count())
                                          : state_->silence(0, silent);
}

void Heartbeats::fail(const std::string& reason) {
  std::unique_lock lock(state_->mutex);
  if (state_->left) return;
  state_->failure = reason.empty() ? "no reason given" : reason;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, std::chrono::seconds(1), [&] { return state_->told; });
}

}  // namespace strata
