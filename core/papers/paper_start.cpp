#include "core/papers/paper_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/digest.h"

namespace strata {
namespace {

// What the columns of a row need, in the order of the table.
struct Need {
  std::string suffix, dataset, title;
  std::vector<std::string> printed;
};

std::vector<Need> needsOf(const PaperTable& table, const PaperRow& row) {
  std::vector<Need> needs;
  for (const PaperColumn& column : table.columns) {
    const std::string& dataset = row.dataset.empty() ? column.dataset : row.dataset;
    auto need = std::ranges::find_if(needs, [&](const Need& each) {
      return each.suffix == column.suffix && each.dataset == dataset;
    });
    if (need == needs.end())
      need = needs.insert(needs.end(), {column.suffix, dataset, column.title, {}});
    const auto printed = row.printed.find(column.key);
    if (printed != row.printed.end())
      need->printed.push_back(fmt::format("{} {}", column.title, printed->second.text));
  }
  return needs;
}

std::string shortDigest(std::vector<std::string> settings) {
  std::sort(settings.begin(), settings.end());
  std::string text;
  for (const std::string& each : settings) text += each + "\n";
  return digestOf(text).substr(0, 6);
}

}  // namespace

std::vector<PaperStart> paperStarts(const PaperTable& table) {
  std::vector<PaperStart> starts;
  for (const PaperRow& row : table.rows) {
    if (row.kind != PaperRow::Kind::kPreset) continue;
    const std::vector<Need> needs = needsOf(table, row);
    for (const Need& need : needs) {
      std::string name = fmt::format("{} {}", table.id, row.name);
      if (needs.size() > 1) name += fmt::format(" ({})", need.title);
      starts.push_back({std::move(name), row.preset + need.suffix, need.dataset, row.overrides,
                        fmt::format("{}", fmt::join(need.printed, ", "))});
    }
  }
  return starts;
}

std::string paperRunName(const PaperRunKey& key) {
  std::string name = key.preset;
  std::replace(name.begin(), name.end(), '/', '-');
  if (!key.label.empty()) name = key.label + "." + name;
  name += "." + key.dataset;
  if (key.version > 1) name += fmt::format(".v{}", key.version);
  if (!key.settings.empty()) name += ".set-" + shortDigest(key.settings);
  return name;
}

}  // namespace strata
