#define USE_C10D_GLOO  // the wheel's libraries have it; its headers are declared in gloo/
#include "core/distributed/process_group.h"

#include <sched.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/json.h"
#include "core/distributed/await_work.h"
#include "core/distributed/gpu_connection.h"
#include "core/distributed/heartbeats.h"
#include "core/distributed/local_address.h"

namespace strata {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;
using Deadline = std::chrono::time_point<Clock, Seconds>;

// Who is lost is told by the heartbeats; Gloo itself does not give up.
constexpr auto kGlooTimeout = std::chrono::hours(24 * 7);
constexpr Milliseconds kSlice(500);   // between two looks at the heartbeats
constexpr Seconds kBetweenWords(10);  // about those that are missing
constexpr Seconds kAttempt(2);        // to reach the store, which may take twice as long to fail;
                                      // whoever serves it has no other to wait for

Milliseconds milliseconds(Seconds seconds) {
  return std::chrono::duration_cast<Milliseconds>(seconds);
}

// The cores that this process may use, as a text to compare.
std::string coresOf() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::string text;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) text += fmt::format("{} ", core);
  }
  return text;
}

std::string cardKey(int rank) {
  return fmt::format("process/{}", rank);
}

// c10d would note each sum with a stack trace, in a list of the whole process that threads with
// groups of their own damage. It reads the variable when the first group is made.
void switchOffRecorder() {
  [[maybe_unused]] static const int done = setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/1);
}

// When to say again who is missing.
Deadline nextWord(Deadline until) {
  return std::min<Deadline>(Clock::now() + kBetweenWords, until);
}

void say(const GroupOptions& options, const std::string& sentence) {
  if (options.waiting) options.waiting(sentence);
}

bool servesStore(const GroupOptions& options) {
  return options.rank == 0 && !options.storeIsElsewhere;
}

c10::intrusive_ptr<c10d::TCPStore> connectStore(const GroupOptions& options, Seconds patience) {
  c10d::TCPStoreOptions store;
  store.port = static_cast<std::uint16_t>(options.port);
  store.isServer = servesStore(options);
  store.waitWorkers = false;
  store.timeout = std::max(milliseconds(patience), Milliseconds(1));
  return c10::make_intrusive<c10d::TCPStore>(options.address, store);
}

// Throws unless another process may still open the store.
void refuseStore(const GroupOptions& options, Deadline until, const std::string& error) {
  const std::string why = error.substr(0, error.find('\n'));
  if (servesStore(options)) {
    throw Error(
        "Port {} of {} cannot be used for the processes to meet: {}; set MASTER_PORT to another "
        "one",
        options.port, options.address, why);
  }
  if (Clock::now() < until) return;
  throw Error(
      "Rank 0 cannot be reached at {}:{}: {}; check MASTER_ADDR, MASTER_PORT and the network",
      options.address, options.port, why);
}

c10::intrusive_ptr<c10d::Store> openStore(const GroupOptions& options) {
  switchOffRecorder();
  if (!isKnownHost(options.address)) {
    throw Error(
        "The computer '{}', where the processes meet, is not known here: set MASTER_ADDR to "
        "an address of rank 0's computer",
        options.address);
  }
  const Deadline until = Clock::now() + options.timeout;
  Deadline word = nextWord(until);
  const Seconds attempt = servesStore(options) ? options.timeout : kAttempt;
  for (;;) {
    try {
      auto store = connectStore(options, std::min<Seconds>(attempt, until - Clock::now()));
      store->setTimeout(milliseconds(options.timeout));
      return store;
    } catch (const std::exception& error) {
      if (!servesStore(options) && Clock::now() >= word) {
        say(options, fmt::format("waiting for rank 0 at {}:{}", options.address, options.port));
        word = nextWord(until);
      }
      refuseStore(options, until, error.what());
    }
    std::this_thread::sleep_for(Milliseconds(100));
  }
}

// What each process says of itself before they are connected.
struct Card {
  std::string host, cores, program, asked;
};

// What `use` returns, which needs the store or the others before the heartbeats watch them: whoever
// serves the store may give up and leave meanwhile.
template <typename Use>
auto whileAllAreThere(const GroupOptions& options, const Use& use) {
  try {
    return use();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string why = error.what();
    throw interruptionError(
        "The processes lost each other at {}:{} before all were connected ({}): another one has "
        "ended and says why",
        options.address, options.port, why.substr(0, why.find('\n')));
  }
}

// "rank 1, rank 3": those that have not said yet that they are there.
std::string missingFrom(c10d::Store& store, int size) {
  std::string names;
  for (int rank = 0; rank < size; ++rank) {
    if (!store.check({cardKey(rank)}))
      names += fmt::format("{}rank {}", names.empty() ? "" : ", ", rank);
  }
  return names;
}

// What a process has said of itself, as soon as it is there.
Json awaitCard(c10d::Store& store, int rank, const GroupOptions& options, Deadline until) {
  const std::string key = cardKey(rank);
  for (;;) {
    const Deadline next = nextWord(until);
    try {
      // Not a moment too short: what ends before is another failure.
      const auto left = std::chrono::ceil<Milliseconds>(Seconds(next - Clock::now()));
      store.wait({key}, std::max(left + Milliseconds(1), Milliseconds(1)));
      return parseJson(store.get_to_str(key), key);
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      if (Clock::now() < next) throw;  // the connection is lost
    }
    if (Clock::now() >= until)
      throw interruptionError("rank {} of {} did not start within {:.0f} s", rank, options.size,
                              options.timeout.count());
    say(options, fmt::format("waiting for {} of {} processes", missingFrom(store, options.size),
                             options.size));
  }
}

// All are the same program, and were asked the same.
void compare(const Card& other, int rank, const GroupOptions& options) {
  if (other.program != options.program) {
    throw Error(
        "rank {} ({}) runs version {} and rank {} version {}: start the same program everywhere",
        rank, other.host, other.program, options.rank, options.program);
  }
  if (other.asked == options.asked) return;
  throw usageError("rank {} ({}) was started to train something else than rank {}: {}", rank,
                   other.host, options.rank,
                   options.difference ? options.difference(other.asked) : other.asked);
}

std::vector<Card> meetAll(c10d::Store& store, const GroupOptions& options) {
  Heartbeats::announce(store, options.rank);
  const Json own{{"host", hostName()},
                 {"cores", coresOf()},
                 {"program", options.program},
                 {"asked", options.asked}};
  store.set(cardKey(options.rank), own.dump());
  const Deadline until = Clock::now() + options.timeout;
  std::vector<Card> cards;
  for (int rank = 0; rank < options.size; ++rank) {
    const Json card = awaitCard(store, rank, options, until);
    cards.push_back({card.at("host"), card.at("cores"), card.at("program"), card.at("asked")});
    compare(cards.back(), rank, options);
  }
  return cards;
}

std::shared_ptr<gloo::transport::Device> deviceOf(const GroupOptions& options) {
  using Gloo = c10d::ProcessGroupGloo;
  if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name != nullptr && *name != '\0')
    return Gloo::createDeviceForInterface(name);
  return Gloo::createDeviceForHostname(localAddressTowards(options.address));
}

}  // namespace

class ProcessGroup::Impl {
 public:
  explicit Impl(const GroupOptions& options)
      : tcp_(openStore(options)),
        store_(c10::make_intrusive<c10d::PrefixStore>("strata" + options.attempt, tcp_)),
        cards_(whileAllAreThere(options, [&] { return meetAll(*store_, options); })),
        isEnding_(options.isEnding) {
    Heartbeats::Options heart{.rank = options.rank,
                              .hosts = {},
                              .storeIsElsewhere = options.storeIsElsewhere,
                              .timeout = options.timeout};
    for (const Card& card : cards_) heart.hosts.push_back(card.host);
    auto gloo = c10d::ProcessGroupGloo::Options::create(kGlooTimeout);
    gloo->devices.push_back(deviceOf(options));
    whileAllAreThere(options, [&] {
      heartbeats_ = std::make_unique<Heartbeats>(store_->clone(), std::move(heart));
      group_ =
          c10::make_intrusive<c10d::ProcessGroupGloo>(store_, options.rank, options.size, gloo);
    });
  }

  // The threads of a group that has lost a process wait for it forever: it is then left to the end
  // of the process.
  ~Impl() {
    watch_ = {};
    gpu_.reset();
    heartbeats_.reset();
    if (broken_) (void)group_.release();
  }

  const std::vector<Card>& cards() const { return cards_; }
  Heartbeats& heartbeats() { return *heartbeats_; }
  c10d::ProcessGroupGloo& group() { return *group_; }

  GpuSums* gpu() { return gpu_.get(); }
  void setGpu(std::unique_ptr<GpuSums> sums) {
    gpu_ = std::move(sums);
    watch_ = std::jthread([this](const std::stop_token& ended) { watchGpu(ended); });
  }

  void throwIfLost() {
    if (const auto lost = heartbeats_->lost(); !lost.empty()) interrupt(lost);
    if (!gpu_) return;
    if (const auto why = gpu_->failure(); !why.empty()) interrupt(why);
  }

  // A failure is one of the connection: what throwIfLost throws passes unchanged.
  void waitFor(c10d::Work& work) {
    try {
      awaitWork(work, kSlice, [this] { throwIfLost(); });
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      interrupt(error.what());
    }
  }

 private:
  // A GPU waits for a lost process forever, and the host for the GPU, unless the sums are stopped.
  void watchGpu(const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      std::this_thread::sleep_for(kSlice);
      gpu_->check();
      if (!heartbeats_->lost().empty()) gpu_->stop();
    }
  }

  // A connection has failed, or a process is lost. A failed connection does not say which process
  // is gone: the heartbeats do, a little later.
  [[noreturn]] void interrupt(const std::string& reason) {
    broken_ = true;
    const auto until = Clock::now() + heartbeats_->timeout() + kSlice;
    std::string lost = heartbeats_->lost();
    const auto isEnding = [&] { return isEnding_ && isEnding_(); };
    while (lost.empty() && !isEnding() && Clock::now() < until) {
      std::this_thread::sleep_for(Milliseconds(50));
      lost = heartbeats_->lost();
    }
    throw interruptionError("{}; the same command continues the run from its last checkpoint",
                            lost.empty() ? reason.substr(0, reason.find('\n')) : lost);
  }

  c10::intrusive_ptr<c10d::Store> tcp_, store_;
  std::vector<Card> cards_;
  std::unique_ptr<Heartbeats> heartbeats_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::function<bool()> isEnding_;
  bool broken_ = false;
  std::unique_ptr<GpuSums> gpu_;
  std::jthread watch_;  // of gpu_
};

struct ProcessGroup::Sum::State {
  Impl& impl;
  torch::Tensor tensor, host;  // `host`: the tensor itself if it is on the CPU
  c10::intrusive_ptr<c10d::Work> work;
  std::optional<c10::Event> onGpu = {};  // instead of `host` and `work`
};

void ProcessGroup::Sum::wait() {
  if (!state_) return;
  if (state_->onGpu) state_->impl.gpu()->waitFor(*state_->onGpu);
  if (!state_->work) return;
  state_->impl.waitFor(*std::exchange(state_->work, {}));
  if (!state_->host.is_alias_of(state_->tensor)) state_->tensor.copy_(state_->host);
}

ProcessGroup::ProcessGroup(const GroupOptions& options)
    : rank_(options.rank), size_(options.size), impl_(std::make_unique<Impl>(options)) {}

ProcessGroup::~ProcessGroup() = default;

int ProcessGroup::localRank() const {
  const auto& cards = impl_->cards();
  int before = 0;
  for (int rank = 0; rank < rank_; ++rank)
    before +=
        cards[static_cast<std::size_t>(rank)].host == cards[static_cast<std::size_t>(rank_)].host
            ? 1
            : 0;
  return before;
}

int ProcessGroup::coreSharers() const {
  const Card& own = impl_->cards()[static_cast<std::size_t>(rank_)];
  return static_cast<int>(std::ranges::count_if(impl_->cards(), [&](const Card& card) {
    return card.host == own.host && card.cores == own.cores;
  }));
}

void ProcessGroup::setTimeout(std::chrono::duration<double> timeout) {
  impl_->heartbeats().setTimeout(timeout);
}

std::string ProcessGroup::connectGpus(const torch::Device& device) {
  auto made = strata::connectGpus(*this, device, [this] { impl_->throwIfLost(); });
  if (made.sums) impl_->setGpu(std::move(made.sums));
  return made.how;
}

ProcessGroup::Sum ProcessGroup::startSum(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.is_contiguous());
  const torch::NoGradGuard noGrad;
  if (impl_->gpu() != nullptr) impl_->throwIfLost();
  Sum sum;
  if (GpuSums* gpu = impl_->gpu(); gpu != nullptr && gpu->canSum(tensor)) {
    sum.state_ = std::make_shared<Sum::State>(Sum::State{*impl_, tensor, {}, {}});
    sum.state_->onGpu = gpu->start(tensor);
    return sum;
  }
  sum.state_ = std::make_shared<Sum::State>(Sum::State{*impl_, tensor, tensor.cpu(), {}});
  std::vector<torch::Tensor> tensors{sum.state_->host};
  sum.state_->work = impl_->group().allreduce(tensors);
  return sum;
}

void ProcessGroup::share(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.is_contiguous());
  const torch::NoGradGuard noGrad;
  std::vector<torch::Tensor> host{tensor.cpu()};
  const auto work = impl_->group().broadcast(host, {.rootRank = 0});
  impl_->waitFor(*work);
  if (!host.front().is_alias_of(tensor)) torch::Tensor(tensor).copy_(host.front());
}

std::string ProcessGroup::share(const std::string& text) {
  auto length = torch::full({1}, static_cast<std::int64_t>(text.size()), torch::kInt64);
  share(length);
  auto bytes =
      torch::zeros({std::max<std::int64_t>(1, length.item<std::int64_t>())}, torch::kUInt8);
  if (isFirst()) std::memcpy(bytes.data_ptr(), text.data(), text.size());
  share(bytes);
  return {static_cast<const char*>(bytes.data_ptr()),
          static_cast<std::size_t>(length.item<std::int64_t>())};
}

std::vector<std::string> ProcessGroup::gather(const std::string& text) {
  auto lengths = torch::zeros({size_}, torch::kInt64);
  lengths[rank_] = static_cast<std::int64_t>(text.size());
  sum(lengths);
  const auto longest = std::max<std::int64_t>(1, lengths.max().item<std::int64_t>());
  auto own = torch::zeros({longest}, torch::kUInt8);
  std::memcpy(own.data_ptr(), text.data(), text.size());
  std::vector<std::vector<torch::Tensor>> all(1);
  for (int rank = 0; rank < size_; ++rank) all[0].push_back(torch::empty_like(own));
  std::vector<torch::Tensor> input{own};
  impl_->waitFor(*impl_->group().allgather(all, input));
  std::vector<std::string> texts;
  for (int rank = 0; rank < size_; ++rank)
    texts.emplace_back(static_cast<const char*>(all[0][static_cast<std::size_t>(rank)].data_ptr()),
                       static_cast<std::size_t>(lengths[rank].item<std::int64_t>()));
  return texts;
}

void ProcessGroup::meet() {
  sum(torch::zeros({1}));
}

void ProcessGroup::tell(const std::string& reason) {
  impl_->heartbeats().fail(reason);
}

}  // namespace strata
