// Translations with references and their scores by sacreBLEU and other tools.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/metric.h"
#include "tests/fixture.h"

namespace strata {

// One folder per language pair; each has sys.NAME.txt, references and scores.
inline std::vector<fs::path> metricFolders() {
  std::vector<fs::path> folders;
  for (const fs::path& set : referenceFolders("metrics")) {
    for (const auto& entry : fs::directory_iterator(set)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// The folders of one language pair.
inline std::vector<fs::path> metricFolders(const std::string& pair) {
  return referenceFolders("metrics/" + pair);
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

// Hypotheses and references that are hard to score.
inline std::vector<Json> edgeCases() {
  std::vector<Json> cases;
  for (const fs::path& set : referenceFolders("metrics")) {
    for (const Json& entry : figuresOf(set, "edge-cases.json")) cases.push_back(entry);
  }
  return cases;
}

// sacreBLEU's signature as it is of a figure of ours.
inline std::string withOurVersion(const std::string& signature) {
  return signature.substr(0, signature.rfind(':') + 1) + signatureVersion();
}

// compare(system's figures, hypotheses, references, where) for every system; where there are two
// references, for both together and for each of them.
template <typename Compare>
void forEachScoredSystem(const Compare& compare) {
  for (const fs::path& folder : metricFolders()) {
    const auto references = referencesOf(folder);
    const Json scores = figuresOf(folder, "scores.json");
    for (const auto& [system, figures] : scores.items()) {
      const auto hypotheses = systemOf(folder, system);
      const std::string where = folder.filename().string() + " " + system;
      if (references.size() == 1) {
        compare(figures, hypotheses, references, where);
        continue;
      }
      compare(figures["two-refs"], hypotheses, references, where + " two-refs");
      for (std::size_t r = 0; r < references.size(); ++r) {
        const std::string one = "ref" + std::to_string(r);
        compare(figures[one + "-only"], hypotheses, {references[r]}, where + " " + one);
      }
    }
  }
}

}  // namespace strata
