#include "core/store/worker_place.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/process_id.h"

namespace strata {
namespace {

constexpr std::string_view kPrefix = ".worker";
constexpr std::size_t kMaxPlaceText = 4096;

// The lock decides who the worker is. Its text only tells others: looking at a lock by taking it
// would turn away a worker that starts at that moment.
fs::path placeFile(const fs::path& root, std::string device) {
  std::ranges::replace_if(
      device, [](unsigned char c) { return !std::isalnum(c); }, '-');
  return root / (device.empty() ? std::string(kPrefix) : fmt::format("{}-{}", kPrefix, device));
}

// ".slot-1", of a place with a device ".slot-cuda-0-1".
fs::path slotFile(const fs::path& place, int number) {
  const std::string device = place.filename().string().substr(kPrefix.size());
  return place.parent_path() / fmt::format(".slot{}-{}", device, number);
}

bool namesLiving(const fs::path& path) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) return false;
  std::array<char, kMaxPlaceText> buffer{};
  const std::string_view text(buffer.data(), file.readAt(0, buffer.data(), buffer.size()));
  const Json json = tryParseJson(text).value_or(nullptr);
  if (!json.is_object()) return false;
  try {
    return isAlive({json.at("host"), json.at("pid"), json.at("process")}, nowSeconds());
  } catch (const Json::exception&) {
    return false;
  }
}

}  // namespace

WorkerPlace::WorkerPlace(const Workspace& workspace, std::string device)
    : file_(placeFile(workspace.root(), std::move(device)), O_RDWR | O_CREAT) {
  if (!file_.isOpen()) throw file_.failure("open");
  held_ = file_.lock(LOCK_EX | LOCK_NB);
  if (!held_) return;
  const ProcessId self = thisProcess();
  file_.cut(0);
  file_.write(Json{{"host", self.host}, {"pid", self.pid}, {"process", self.process}}.dump() +
              "\n");
}

WorkerPlace::~WorkerPlace() {
  if (!held_) return;
  try {
    file_.cut(0);
  } catch (const Error&) {
    // Its text then names a process that has ended, which is no worker either.
  }
}

WorkerPlace::Slot WorkerPlace::takeSlot(const std::string& device) const {
  for (int number = 1;; ++number) {
    auto file = std::make_unique<OpenFile>(slotFile(file_.path(), number), O_RDWR | O_CREAT);
    if (!file->isOpen()) throw file->failure("open");
    if (!file->lock(LOCK_EX | LOCK_NB)) continue;
    file->cut(0);
    file->write(device);
    return Slot(std::move(file));
  }
}

std::vector<std::string> WorkerPlace::devicesOfOthers(const std::vector<const Slot*>& own) const {
  std::vector<std::string> devices;
  for (int number = 1; fs::exists(slotFile(file_.path(), number)); ++number) {
    const OpenFile file(slotFile(file_.path(), number), O_RDONLY);
    const bool isOwn = std::ranges::any_of(
        own, [&](const Slot* slot) { return slot->file_->path() == file.path(); });
    if (isOwn || !file.isOpen() || file.lock(LOCK_SH | LOCK_NB)) continue;
    std::array<char, kMaxPlaceText> text{};
    devices.emplace_back(text.data(), file.readAt(0, text.data(), text.size()));
  }
  return devices;
}

bool hasWorker(const Workspace& workspace) {
  return std::ranges::any_of(namesIn(workspace.root()), [&](const std::string& name) {
    return name.starts_with(kPrefix) && namesLiving(workspace.root() / name);
  });
}

}  // namespace strata
