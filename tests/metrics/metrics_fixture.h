// The shared translations with their references and the figures that sacreBLEU gives for them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "tests/fixture.h"

namespace strata {

inline const fs::path kFixtures = fs::path(STRATA_SHARED_DIR) / "fixtures";

// A folder a language pair; each holds sys.NAME.txt, references and scores.
inline std::vector<fs::path> metricFolders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kFixtures / "metrics")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

inline std::vector<std::vector<std::string>> referencesOf(const fs::path& folder) {
  if (fs::exists(folder / "ref.txt")) return {linesOf(folder / "ref.txt")};
  return {linesOf(folder / "ref0.txt"), linesOf(folder / "ref1.txt")};
}

inline std::vector<std::string> systemOf(const fs::path& folder, const std::string& name) {
  return linesOf(folder / ("sys." + name + ".txt"));
}

inline Json figuresOf(const fs::path& folder, const std::string& file) {
  return parseJson(readFile(folder / file), file);
}

}  // namespace strata
