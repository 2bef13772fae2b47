#include "core/inside/recorded_step.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "core/base/error.h"
#include "core/data/dataset.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

// The lines with these numbers, from 0, of a file that need not exist.
void forLines(const std::string& path, std::set<std::int64_t> wanted,
              const std::function<void(std::int64_t, const std::string&)>& use) {
  std::ifstream file(path);
  std::string line;
  for (std::int64_t number = 0; !wanted.empty() && std::getline(file, line); ++number) {
    if (wanted.erase(number) > 0) use(number, line);
  }
}

void addText(RecordedStep& step, const std::string& recorded, const Json& config,
             const fs::path& datasets) {
  try {
    const Dataset dataset =
        Dataset::open(datasets, config.value("data", Json::object()).value("dataset", ""));
    step.sourceLanguage = dataset.sourceLanguage();
    step.targetLanguage = dataset.targetLanguage();
    std::set<std::int64_t> wanted;
    for (const SentenceRecordings& sentence : step.sentences) wanted.insert(sentence.sentence);
    const std::string set = (dataset.folder() / "gold" / recorded).string();
    forLines(
        set + "." + dataset.targetLanguage() + ".links", wanted,
        [&](std::int64_t number, const std::string& line) { step.gold[number] = goldWords(line); });
    forLines(set + ".align", wanted, [&](std::int64_t number, const std::string& line) {
      const auto read = parseAlignments(line + "\n", set + ".align", {AlignmentFormat::kMixed});
      step.links[number] = read.sentences.empty() ? SentenceAlignment() : read.sentences.front();
    });
  } catch (const Error&) {
    // The dataset was removed: the recordings are shown without its information.
  }
}

}  // namespace

std::string recordedSet(const Json& config) {
  const Json validation = config.value("validation", Json::object());
  const auto sets = validation.value("sets", std::vector<std::string>{"valid"});
  const auto monitored = validation.value("monitor", std::vector<std::string>{});
  for (const std::string& set : sets) {
    if (std::find(monitored.begin(), monitored.end(), set) == monitored.end()) return set;
  }
  return "valid";
}

RecordedStep readRecordedStep(const fs::path& folder, const Json& config,
                              const fs::path& datasets) {
  return readRecordedSet(folder, recordedSet(config), config, datasets);
}

RecordedStep readRecordedSet(const fs::path& folder, const std::string& set, const Json& config,
                             const fs::path& datasets) {
  RecordedStep step;
  step.sentences = readRecordings(folder);
  addText(step, set, config, datasets);
  return step;
}

void addTargetText(RecordedStep& step, const Json& config, const fs::path& datasets) {
  addText(step, recordedSet(config), config, datasets);
}

}  // namespace strata
