#include "core/papers/paper_baselines.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/papers/catalogue.h"

namespace strata {
namespace {

// {preset, the preset of its row's baseline}, of all tables.
const std::set<std::pair<std::string, std::string>>& comparedPresets() {
  static const auto pairs = [] {
    std::set<std::pair<std::string, std::string>> found;
    for (const PaperTable& table : paperTables()) {
      for (const PaperRow& row : table.rows) {
        if (!row.runs() || row.baseline.empty() || row.baseline == row.name) continue;
        const PaperRow& baseline = table.row(row.baseline);
        if (baseline.runs() && baseline.preset != row.preset)
          found.emplace(row.preset, baseline.preset);
      }
    }
    return found;
  }();
  return pairs;
}

std::string withoutVariant(std::string preset) {
  constexpr std::string_view kVariant = "-cpu";
  if (preset.ends_with(kVariant)) preset.resize(preset.size() - kVariant.size());
  return preset;
}

bool isCalledBase(const std::string& preset) {
  return std::string_view(preset).substr(preset.rfind('/') + 1).starts_with("base");
}

}  // namespace

std::size_t usualBaseline(std::span<const std::string> presets) {
  std::size_t best = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const std::string baseline = withoutVariant(presets[i]);
    const auto others = std::ranges::count_if(presets, [&](const std::string& other) {
      return comparedPresets().contains({withoutVariant(other), baseline});
    });
    if (others <= most) continue;
    best = i;
    most = others;
  }
  if (most > 0) return best;
  const auto base = std::ranges::find_if(presets, isCalledBase);
  return base == presets.end() ? 0 : static_cast<std::size_t>(base - presets.begin());
}

}  // namespace strata
