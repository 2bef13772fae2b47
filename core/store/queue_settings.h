#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/workspace.h"

namespace strata {

// How the runs of a workspace's queue are spread over the computer. Kept in its file queue.json,
// which workers read again each time they look at the queue.
struct QueueSettings {
  static constexpr int kMostAtOnce = 64;

  int atOnce = 1;                         // runs at a time; with devices: on each of them
  std::vector<std::string> devices = {};  // empty: each run on the device of its configuration

  int places() const { return atOnce * std::max(1, static_cast<int>(devices.size())); }
  bool operator==(const QueueSettings&) const = default;
};

// One run at a time if nobody has set any.
QueueSettings queueSettings(const Workspace& workspace);
// A usage error if a device is none, one is listed twice, or atOnce is out of range.
void setQueueSettings(const Workspace& workspace, const QueueSettings& settings);

// "cpu, cuda:1" as a list; a usage error names what is no device.
std::vector<std::string> parseDevices(std::string_view text);

// Where the queue's next run may train: on the listed device with the fewest runs, or, if it asks
// for a device of its own (`wanted`), there. `busy`: the devices of the runs in training, "" for
// that of their configuration. Empty: there is no place.
struct TrainingPlace {
  std::string device;  // "": that of its configuration
};
std::optional<TrainingPlace> freePlace(const QueueSettings& settings,
                                       const std::vector<std::string>& busy,
                                       const std::string& wanted);

}  // namespace strata
