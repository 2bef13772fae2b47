#include "ui/data/target_text.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

namespace fs = std::filesystem;

// The set whose first sentences the trainer records.
std::string recordedSet(const Json& config) {
  const Json validation = config.value("validation", Json::object());
  const auto sets = validation.value("sets", std::vector<std::string>{"valid"});
  const auto monitored = validation.value("monitor", std::vector<std::string>{});
  for (const std::string& set : sets) {
    if (std::find(monitored.begin(), monitored.end(), set) == monitored.end()) return set;
  }
  return "valid";
}

}  // namespace

TargetText targetTextOf(const fs::path& datasets, const Json& config,
                        const std::vector<SentenceRecordings>& sentences) {
  TargetText text;
  try {
    const Json data = config.value("data", Json::object());
    const Dataset dataset = Dataset::open(datasets, data.value("dataset", ""));
    text.language = qs(dataset.targetLanguage());
    const fs::path links = dataset.folder() / "gold" /
                           (recordedSet(config) + "." + dataset.targetLanguage() + ".links");
    std::set<std::int64_t> wanted;
    for (const SentenceRecordings& sentence : sentences) wanted.insert(sentence.sentence);
    std::ifstream file(links);
    std::string line;
    for (std::int64_t number = 0; !wanted.empty() && std::getline(file, line); ++number) {
      if (wanted.erase(number) > 0) text.gold[number] = goldWords(line);
    }
  } catch (const Error&) {
    // The dataset was removed: the recordings are drawn all the same, without its knowledge.
  }
  return text;
}

}  // namespace strata::ui
