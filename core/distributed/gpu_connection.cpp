#include "core/distributed/gpu_connection.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/json.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenLooks = std::chrono::milliseconds(500);
constexpr auto kTrial = std::chrono::seconds(60);  // for one sum, connections included
const std::string kThroughHost = "through the host's memory: ";
constexpr std::int64_t kTrialNumbers = std::int64_t{1} << 20;

std::string ownCard(const torch::Device& device) {
  return Json{{"device", device.str()},
              {"nccl", device.is_cuda() ? GpuSums::version() : std::string()},
              {"gpu", device.is_cuda() ? GpuSums::addressOf(device) : std::string()},
              {"host", hostName()}}
      .dump();
}

std::vector<GpuCard> cardsOf(const std::vector<std::string>& texts) {
  std::vector<GpuCard> cards;
  for (const auto& text : texts) {
    const Json card = parseJson(text, "what a process says of its device");
    cards.push_back({card.at("device"), card.at("nccl"), card.at("gpu"), card.at("host")});
  }
  return cards;
}

// NCCL waits for all processes: in a thread, which is left to itself if one is lost.
std::unique_ptr<GpuSums> connect(const std::string& id, int rank, int size,
                                 const torch::Device& device, const std::function<void()>& look) {
  std::promise<std::unique_ptr<GpuSums>> made;
  auto result = made.get_future();
  std::thread([=, made = std::move(made)]() mutable {
    try {
      made.set_value(std::make_unique<GpuSums>(id, rank, size, device));
    } catch (...) {
      made.set_exception(std::current_exception());
    }
  }).detach();
  while (result.wait_for(kBetweenLooks) != std::future_status::ready) look();
  return result.get();
}

void tryOut(GpuSums& sums, int rank, int size, const torch::Device& device,
            const std::function<void()>& look) {
  const torch::Tensor numbers = torch::full({kTrialNumbers}, double(rank + 1), device);
  const c10::Event done = sums.start(numbers);
  for (const auto until = Clock::now() + kTrial; !done.query();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (Clock::now() > until) throw Error("NCCL has not summed within {} s", kTrial.count());
    look();
    sums.check();
    if (const auto why = sums.failure(); !why.empty()) throw Error("{}", why);
  }
  sums.waitFor(done);
  if (!torch::all(numbers == double(size) * (size + 1) / 2).item<bool>())
    throw Error("NCCL sums wrongly here");
}

}  // namespace

std::string obstacleToGpuSums(const std::vector<GpuCard>& cards) {
  std::map<std::string, std::size_t> owners;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    const GpuCard& card = cards[rank];
    if (card.nccl.empty() || card.gpu.empty())
      return fmt::format("rank {} ({} on {}) has no NCCL", rank, card.device, card.host);
    if (card.nccl != cards[0].nccl)
      return fmt::format("rank {} has NCCL {}, and rank 0 {}", rank, card.nccl, cards[0].nccl);
    const auto [owner, isNew] = owners.emplace(card.host + " " + card.gpu, rank);
    if (!isNew)
      return fmt::format("ranks {} and {} share a GPU ({} on {})", owner->second, rank, card.gpu,
                         card.host);
  }
  return {};
}

GpuConnection connectGpus(ProcessGroup& group, const torch::Device& device,
                          const std::function<void()>& look) {
  const std::string why = obstacleToGpuSums(cardsOf(group.gather(ownCard(device))));
  if (!why.empty()) return {nullptr, kThroughHost + why};
  GpuConnection made{nullptr, "from GPU to GPU by NCCL " + GpuSums::version()};
  std::string failed, id;
  try {
    if (group.isFirst()) id = GpuSums::newId();
  } catch (const Error& error) {
    failed = error.what();
  }
  id = group.share(id);
  if (failed.empty()) {
    try {
      made.sums = connect(id, group.rank(), group.size(), device, look);
      tryOut(*made.sums, group.rank(), group.size(), device, look);
    } catch (const std::exception& error) {
      if (isOfKind(error, ErrorKind::kInterruption)) throw;
      failed = error.what();
    }
  }
  const auto failures = group.gather(failed);
  const auto first = std::ranges::find_if(failures, [](const auto& text) { return !text.empty(); });
  if (first == failures.end()) return made;
  return {nullptr, fmt::format("{}rank {}: {}", kThroughHost, first - failures.begin(), *first)};
}

}  // namespace strata
