#include "core/systems/stored_systems.h"

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <set>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/parse_number.h"
#include "core/base/text_limits.h"
#include "core/run/config.h"
#include "core/store/index.h"
#include "core/store/runs.h"
#include "core/systems/stored_files.h"
#include "core/systems/stored_parts.h"

namespace strata {
namespace {

// Seconds since the Unix epoch at which a file was written.
double writtenAt(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return 0;
  return static_cast<double>(info.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

// "step-00003604" names the checkpoint of a step, also after "last20-" or between "+"; all other
// names are of several models.
bool isOneModel(const std::string& checkpoint) {
  return checkpoint.find("step-") != checkpoint.npos;
}

// The name without its step, which may differ between seeds, or with the step shortened.
enum class Step { kNone, kShort };
std::string withStep(const std::string& checkpoint, Step step) {
  const auto at = checkpoint.find("step-");
  if (at == checkpoint.npos) return checkpoint;
  const auto first = at + 5,
             end = std::min(checkpoint.find_first_not_of("0123456789", first), checkpoint.size());
  const auto digits = step == Step::kNone ? end : checkpoint.find_first_not_of('0', first);
  return checkpoint.substr(0, first) + checkpoint.substr(std::min(digits, end));
}

// What runs that differ only in the seed have in common. Configurations take long to parse and most
// of a workspace's differ only in that line.
class Configurations {
 public:
  std::string withoutSeed(const RunSummary& run) {
    const std::string whole = readFile(configFileOf(run.folder));
    std::string text;
    for (std::size_t begin = 0; begin < whole.size();) {
      const std::size_t end = std::min(whole.find('\n', begin), whole.size() - 1) + 1;
      const std::string_view line(whole.data() + begin, end - begin);
      if (!line.starts_with("seed:")) text += line;
      begin = end;
    }
    const auto [known, isNew] = known_.emplace(digestOf(text), "");
    if (!isNew) return known->second;
    try {
      Json config = withNewKeys(runConfig(run));
      config.erase("seed");
      known->second = digestOf(config.dump());
    } catch (const std::exception&) {
      known->second = known->first;  // written by another program: compare the text as is
    }
    return known->second;
  }

 private:
  std::map<std::string, std::string> known_;
};

fs::path fileOf(const StoredSystem& system, const std::string& extension) {
  fs::path file = system.stem;
  file += "." + extension;
  return file;
}

// The output described by a manifest, if its files exist.
StoredSystem outputOf(const RunSummary& run, const fs::path& file, const KnownSets& sets) {
  const Json json = readJson(file);
  StoredSystem system;
  system.run = run.id;
  system.runName = run.name;
  system.preset = run.preset;
  system.seed = run.seed;
  try {
    system.checkpoint = json.at("checkpoint");
    system.decode = json.at("decode");
    system.sentences = json.at("sentences");
    system.digests = {{"txt", json.at("text")}, {"tokens", json.at("tokens")}};
    const std::string set = json.at("set");
    const std::string stem = fmt::format("{}.{}.{}", set, system.checkpoint, system.decode);
    if (file.stem() != stem) throw Error("{}: is the manifest of {}", file.string(), stem);
    system.id = fmt::format("run-{}/{}", run.id, stem);
    system.folder = file.parent_path();
    system.stem = system.folder / stem;
    const std::string digest = json.at("digests").at("dataset");
    const TestSet* found = sets.ofDataset(run.dataset, digest, set);
    if (found == nullptr) {
      throw Error(
          "{}: its test set no longer exists: no version of the dataset {} has the digest {}",
          file.string(), run.dataset, digest);
    }
    system.testSet = found->id;
    checkSentences(system, *found, file);
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: is damaged: {}", file.string(), error.what());
  }
  // Every line has at least its newline.
  for (const char* extension : {"txt", "tokens"}) {
    const fs::path text = fileOf(system, extension);
    std::error_code failed;
    const auto size = fs::file_size(text, failed);
    if (failed || size < static_cast<std::uintmax_t>(system.sentences))
      throw Error("{}: is missing or too short; translate again", text.string());
  }
  system.created = writtenAt(file);
  return system;
}

void addOutputs(Workspace& workspace, const KnownSets& sets, StoredSystems& result) {
  Configurations configurations;
  for (const RunSummary& run : listRuns(workspace)) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(run.folder / "outputs", ignored)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      try {
        StoredSystem system = outputOf(run, file, sets);
        system.group =
            digestOf(fmt::format("{}\n{}\n{}\n{}", configurations.withoutSeed(run), system.testSet,
                                 withStep(system.checkpoint, Step::kNone), system.decode));
        result.systems.push_back(std::move(system));
      } catch (const Error& error) {
        result.problems.emplace_back(error.what());
      }
    }
  }
}

void addImported(const Workspace& workspace, const KnownSets& sets, StoredSystems& result) {
  for (const fs::path& folder : storedFolders(systemsFolder(workspace))) {
    try {
      result.systems.push_back(importedSystem(folder, sets));
    } catch (const Error& error) {
      result.problems.emplace_back(error.what());
    }
  }
}

// Runs of a table's row are called PRESET.DATASET.sSEED; next to the test set's name the dataset's
// is redundant.
std::string withoutDataset(std::string name, const std::string& testSet) {
  const std::string part = "." + testSet.substr(0, testSet.find_first_of("@/")) + ".";
  if (const std::size_t at = name.find(part); at != std::string::npos && at > 0)
    name.replace(at, part.size(), ".");
  return name;
}

// Distinguishes a run's outputs on one set, if there are several. An ensemble never has just its
// first run's name.
void nameOutputs(std::vector<StoredSystem*>& outputs) {
  std::set<std::string> checkpoints, decodes;
  for (const StoredSystem* output : outputs) {
    checkpoints.insert(output->checkpoint);
    decodes.insert(output->decode);
  }
  for (StoredSystem* output : outputs) {
    output->name = withoutDataset(output->runName, output->testSet);
    if (checkpoints.size() > 1 || !isOneModel(output->checkpoint))
      output->name += " " + withStep(output->checkpoint, Step::kShort);
    if (decodes.size() > 1) output->name += " " + output->decode;
  }
}

void nameSystems(std::vector<StoredSystem>& systems) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<StoredSystem*>> outputs;
  for (StoredSystem& system : systems) {
    if (system.run != 0) outputs[{system.testSet, system.run}].push_back(&system);
  }
  for (auto& [run, each] : outputs) nameOutputs(each);
  std::set<std::pair<std::string, std::string>> taken;
  for (StoredSystem& system : systems) {
    while (!taken.emplace(system.testSet, system.name).second)
      system.name += system.run == 0 ? " (imported)" : fmt::format(" (run {})", system.run);
  }
}

// The lines of one of its files.
std::vector<std::string> partOf(const StoredSystem& system, const std::string& extension) {
  return storedLines(fileOf(system, extension), system.digests.at(extension));
}

double numberOf(std::string_view text, const StoredSystem& system) {
  const auto value = parseNumber<double>(text);
  if (!value) throw Error("{}: '{}' is not a score; import it again", system.stem.string(), text);
  return *value;
}

}  // namespace

KnownSets::KnownSets(std::vector<TestSet> sets) : sets_(std::move(sets)) {}

const TestSet* KnownSets::named(const std::string& id) const {
  const auto found = std::ranges::find(sets_, id, &TestSet::id);
  return found == sets_.end() ? nullptr : &*found;
}

const TestSet* KnownSets::ofDataset(const std::string& dataset, const std::string& digest,
                                    const std::string& set) const {
  const TestSet* found = nullptr;
  const std::string name = dataset.substr(0, dataset.find('@'));
  for (const TestSet& each : sets_) {
    const auto slash = each.id.find('/');
    if (each.imported || each.datasetDigest != digest || each.id.substr(slash + 1) != set) continue;
    // If runs were merged from another workspace, the same content may have another name.
    if (found == nullptr) found = &each;
    if (each.id.substr(0, std::min(each.id.find('@'), slash)) == name) return &each;
  }
  return found;
}

void checkSentences(const StoredSystem& system, const TestSet& set, const fs::path& manifest) {
  if (system.sentences == set.sentences) return;
  throw Error("{}: has {} sentences, but the test set {} has {}", manifest.string(),
              system.sentences, set.id, set.sentences);
}

fs::path systemsFolder(const Workspace& workspace) {
  return workspace.root() / "systems";
}

bool StoredSystem::has(TextState state) const {
  return digests.contains(extensionOf(state));
}

std::vector<std::string> StoredSystem::lines(TextState state) const {
  if (!has(state))
    throw usageError("{} has no {}", name, state == TextState::kRaw ? "raw text" : "tokens");
  auto texts = partOf(*this, extensionOf(state));
  if (static_cast<std::int64_t>(texts.size()) != sentences) {
    throw Error("{}: has {} lines instead of {}", fileOf(*this, extensionOf(state)).string(),
                texts.size(), sentences);
  }
  return texts;
}

std::vector<double> StoredSystem::scores() const {
  std::vector<double> values;
  if (!hasScores) return values;
  for (const std::string& line : partOf(*this, kScores)) values.push_back(numberOf(line, *this));
  if (static_cast<std::int64_t>(values.size()) != sentences)
    throw Error("{}: has {} scores, not {}", stem.string(), values.size(), sentences);
  return values;
}

std::vector<std::vector<std::string>> StoredSystem::nbest(TextState state) const {
  const std::string part = kNBest + extensionOf(state);
  if (!hasNBest || !digests.contains(part)) return {};
  std::vector<std::vector<std::string>> lists(static_cast<std::size_t>(sentences));
  for (const std::string& line : partOf(*this, part)) {
    const auto tab = line.find('\t'), second = line.find('\t', tab + 1);
    const auto sentence = parseNumber<std::size_t>(std::string_view(line).substr(0, tab));
    if (second == line.npos || !sentence || *sentence >= lists.size())
      throw Error("{}: '{}' is not a candidate; import it again", stem.string(), line);
    lists[*sentence].push_back(line.substr(second + 1));
  }
  return lists;
}

StoredSystems listSystems(Workspace& workspace, const std::string& testSet) {
  StoredSystems result;
  const KnownSets sets(listTestSets(workspace, &result.problems));
  if (!testSet.empty() && sets.named(testSet) == nullptr) findTestSet(workspace, testSet);
  addOutputs(workspace, sets, result);
  addImported(workspace, sets, result);
  nameSystems(result.systems);
  for (StoredSystem& system : result.systems) addImportedScores(system, result.problems);
  if (!testSet.empty())
    std::erase_if(result.systems, [&](const auto& system) { return system.testSet != testSet; });
  std::map<std::string, std::size_t> order;
  for (const TestSet& set : sets.all()) order.emplace(set.id, order.size());
  std::ranges::stable_sort(result.systems, {}, [&](const auto& s) { return order[s.testSet]; });
  return result;
}

StoredSystem findSystem(const StoredSystems& systems, const std::string& wanted) {
  const std::function<bool(const StoredSystem&)> ways[] = {
      [&](const auto& system) { return system.id == wanted; },
      [&](const auto& system) { return system.name == wanted; },
      [&](const auto& system) {
        return system.run != 0 &&
               (system.runName == wanted || std::to_string(system.run) == wanted);
      }};
  for (const auto& matches : ways) {
    auto found = systems.systems | std::views::filter(matches);
    if (found.empty()) continue;
    if (std::ranges::distance(found) == 1) return found.front();
    throw usageError("'{}' is ambiguous: choose one of {}", wanted,
                     fmt::join(found | std::views::transform(&StoredSystem::id), ", "));
  }
  const auto names = systems.systems | std::views::transform(&StoredSystem::name);
  throw usageError(
      "no system '{}'; {}", wanted,
      names.empty() ? std::string("there is none yet: import one with `strata-run systems import`")
                    : fmt::format("there are: {}", fmt::join(names, ", ")));
}

}  // namespace strata
