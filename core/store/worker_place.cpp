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

bool hasWorker(const Workspace& workspace) {
  return std::ranges::any_of(namesIn(workspace.root()), [&](const std::string& name) {
    return name.starts_with(kPrefix) && namesLiving(workspace.root() / name);
  });
}

}  // namespace strata
