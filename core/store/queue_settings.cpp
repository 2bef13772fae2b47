#include "core/store/queue_settings.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/run/config_check.h"

namespace strata {
namespace {

fs::path fileOf(const Workspace& workspace) {
  return workspace.root() / "queue.json";
}

void check(const QueueSettings& settings) {
  if (settings.atOnce < 1 || settings.atOnce > QueueSettings::kMostAtOnce)
    throw usageError("{} runs at once: give 1 to {}", settings.atOnce, QueueSettings::kMostAtOnce);
  for (auto device = settings.devices.begin(); device != settings.devices.end(); ++device) {
    if (*device == "auto" || !isDevice(*device))
      throw usageError("'{}' is no device to train on: give cpu, cuda or cuda:N", *device);
    if (std::find(settings.devices.begin(), device, *device) != device)
      throw usageError("the device {} is listed twice", *device);
  }
}

}  // namespace

QueueSettings queueSettings(const Workspace& workspace) {
  const fs::path file = fileOf(workspace);
  if (!fs::exists(file)) return {};
  const Json json = parseJson(readFile(file), file.string());
  try {
    const QueueSettings settings{.atOnce = json.at("at_once").get<int>(),
                                 .devices = json.at("devices").get<std::vector<std::string>>()};
    check(settings);
    return settings;
  } catch (const std::exception& error) {
    throw Error("{} is damaged ({}): remove it, or set `strata-run runs queue --at-once 1`",
                file.string(), error.what());
  }
}

void setQueueSettings(const Workspace& workspace, const QueueSettings& settings) {
  check(settings);
  const Json json{{"at_once", settings.atOnce}, {"devices", settings.devices}};
  writeFileAtomic(fileOf(workspace), json.dump(1) + "\n");
}

std::vector<std::string> parseDevices(std::string_view text) {
  QueueSettings settings;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto first = word.find_first_not_of(' '), last = word.find_last_not_of(' ');
    if (first != std::string_view::npos)
      settings.devices.emplace_back(word.substr(first, last - first + 1));
  }
  check(settings);
  return settings.devices;
}

std::optional<TrainingPlace> freePlace(const QueueSettings& settings,
                                       const std::vector<std::string>& busy,
                                       const std::string& wanted) {
  const auto countOf = [&](const std::string& device) {
    return static_cast<int>(std::ranges::count(busy, device));
  };
  const auto placeOn = [&](const std::string& device) -> std::optional<TrainingPlace> {
    if (countOf(device) >= settings.atOnce) return {};
    return TrainingPlace{device};
  };
  if (settings.devices.empty()) {
    if (static_cast<int>(busy.size()) >= settings.atOnce) return {};
    return TrainingPlace{wanted};
  }
  if (!wanted.empty()) return placeOn(wanted);
  return placeOn(*std::ranges::min_element(settings.devices, {}, countOf));
}

}  // namespace strata
