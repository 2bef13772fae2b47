#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/dataset.h"
#include "core/data/growing_folder.h"
#include "core/data/system_output.h"
#include "core/systems/import_checks.h"
#include "core/systems/stored_files.h"
#include "core/systems/stored_parts.h"
#include "core/text/pipeline.h"

namespace strata {
namespace {

using Lines = std::vector<std::string>;

// A line break within a translation (JSON can contain one) would shift all lines after it.
void putOnOneLine(SystemOutput& output, const std::string& file) {
  std::size_t changed = 0;
  const auto change = [&](std::string& line) {
    const auto ends = [](char c) { return c == '\n' || c == '\r' || c == '\0'; };
    if (std::ranges::none_of(line, ends)) return;
    std::ranges::replace_if(line, ends, ' ');
    ++changed;
  };
  for (std::string& line : output.lines) change(line);
  for (Lines& list : output.nbest) std::ranges::for_each(list, change);
  if (changed > 0) {
    output.warnings.push_back(
        fmt::format("{}: line breaks within {} translations became spaces", file, changed));
  }
}

void checkCount(const NewSystem& system, const TestSet& set, const SystemOutput& output) {
  const auto count = static_cast<std::int64_t>(output.lines.size());
  if (count == set.sentences) return;
  const std::string file = system.file.string();
  const std::string reference =
      (set.folder / fmt::format("{}.target", nameOf(system.state))).string();
  throw Error(
      "{} has {} {} and {} has {}: line n of one belongs to line n of the other, and line {} of "
      "{} has none",
      file, count, output.format == "plain" ? "lines" : "translations", reference, set.sentences,
      std::min(count, set.sentences) + 1, count > set.sentences ? file : reference);
}

// Creates texts of the other state; only if the set's dataset has a pipeline.
class OtherState {
 public:
  OtherState(const TestSet& set, TextState given) : given_(given) {
    if (!set.textFolder.empty()) pipeline_ = pipelineOf(set);
  }
  bool isPossible() const { return pipeline_.has_value(); }
  TextState state() const { return otherThan(given_); }
  Lines of(const Lines& lines) {
    Lines made;
    made.reserve(lines.size());
    for (const std::string& line : lines) {
      made.push_back(given_ == TextState::kRaw ? pipeline_->tokens(Side::kTarget, line)
                                               : pipeline_->text(Side::kTarget, line));
    }
    return made;
  }

 private:
  TextState given_;
  std::optional<TextPipeline> pipeline_;
};

// SENTENCE tab SCORE tab TEXT.
std::string listsText(const std::vector<Lines>& lists,
                      const std::vector<std::vector<double>>& scores) {
  std::string text;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::size_t c = 0; c < lists[i].size(); ++c) {
      const double score = scores.empty() ? std::nan("") : scores[i][c];
      text += fmt::format("{}\t{}\t{}\n", i, score, lists[i][c]);
    }
  }
  return text;
}

std::map<std::string, std::string> filesOf(const SystemOutput& output, TextState given,
                                           OtherState& other) {
  std::map<std::string, std::string> files;
  const auto named = [](const std::string& extension) {
    return fmt::format("{}.{}", kOutputStem, extension);
  };
  const auto addTexts = [&](TextState state, const auto& inState) {
    files[named(extensionOf(state))] = textOf(inState(output.lines));
    if (output.nbest.empty()) return;
    std::vector<Lines> lists;
    for (const Lines& list : output.nbest) lists.push_back(inState(list));
    files[named(kNBest + extensionOf(state))] = listsText(lists, output.nbestScores);
  };
  addTexts(given, std::identity());
  if (other.isPossible())
    addTexts(other.state(), [&](const Lines& lines) { return other.of(lines); });
  if (!output.scores.empty()) {
    Lines scores;
    for (const double score : output.scores) scores.push_back(fmt::format("{}", score));
    files[named(kScores)] = textOf(scores);
  }
  return files;
}

void checkName(Workspace& workspace, const NewFolder& folder) {
  checkDatasetName(folder.name, "system");
  checkFree(folder);
  for (const StoredSystem& system : listSystems(workspace).systems) {
    if (system.name != folder.name && system.runName != folder.name) continue;
    throw usageError("the name '{}' is taken by {}: choose another", folder.name, system.id);
  }
}

NewFolder folderOf(const Workspace& workspace, const std::string& name) {
  return {.parent = systemsFolder(workspace),
          .name = name,
          .what = "system",
          .manifest = kSystemManifest};
}

// The file's translations in the order of the set.
SystemOutput readFor(const TestSet& set, const NewSystem& system) {
  SystemOutputOptions options{.reading = system.reading, .likely = system.name};
  if (options.reading.targetLanguage.empty()) options.reading.targetLanguage = set.target;
  SystemOutput output = readSystemOutput(system.file, system.format, options);
  if (output.keys.empty()) return output;
  const std::string file = system.file.string();
  const SentenceText wanted{.name = set.id, .lines = {}, .keys = segmentKeysOf(set.segments)};
  if (wanted.keys.empty()) {
    output.warnings.push_back(
        fmt::format("{}: its documents and segments have names, those of {} are not known: "
                    "sentences are taken in the order of the file",
                    file, set.id));
    return output;
  }
  SentenceText text{.name = file, .lines = std::move(output.lines), .keys = output.keys};
  putInOrder(wanted, text);
  output.lines = std::move(text.lines);
  return output;
}

}  // namespace

StoredSystem importedSystem(const fs::path& folder, const KnownSets& sets) {
  const fs::path file = folder / kSystemManifest;
  const Json manifest = readManifest(file, kSystemFormat);
  StoredSystem system;
  system.folder = folder;
  system.stem = folder / kOutputStem;
  system.id = system.name = folder.filename().string();
  try {
    system.sentences = manifest.at("sentences");
    system.created = manifest.at("created");
    system.format = manifest.at("source_format");
    system.fileName = manifest.at("file");
    const std::string id = manifest.at("test_set"), digest = manifest.at("dataset_digest");
    // Preparing a dataset again turns the translated set into one of an older version.
    const auto slash = id.find('/');
    const TestSet* set = digest.empty()
                             ? sets.named(id)
                             : sets.ofDataset(id.substr(0, slash), digest, id.substr(slash + 1));
    if (set == nullptr) throw Error("{}: its test set {} no longer exists", file.string(), id);
    system.testSet = set->id;
    checkSentences(system, *set, file);
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: is damaged: {}", file.string(), error.what());
  }
  const std::string start = fmt::format("{}.", kOutputStem);
  for (const auto& [name, digest] : fileDigests(manifest)) {
    if (name.starts_with(start)) system.digests[name.substr(start.size())] = digest;
  }
  if (!system.has(TextState::kRaw) && !system.has(TextState::kTokens))
    throw Error("{}: lists no text", file.string());
  system.hasScores = system.digests.contains(kScores);
  system.hasNBest = system.digests.contains(kNBest + extensionOf(TextState::kRaw)) ||
                    system.digests.contains(kNBest + extensionOf(TextState::kTokens));
  return system;
}

ImportedSystem importSystem(Workspace& workspace, const NewSystem& system) {
  const NewFolder folder = folderOf(workspace, system.name);
  checkName(workspace, folder);
  const TestSet set = findTestSet(workspace, system.testSet);
  OtherState other(set, system.state);
  if (!set.has(system.state) && !other.isPossible()) {
    throw usageError("the test set {} was imported as {}: give the system's output as {} too",
                     set.id, nameOf(other.state()), nameOf(other.state()));
  }
  SystemOutput output = readFor(set, system);
  putOnOneLine(output, system.file.string());
  checkCount(system, set, output);
  ImportedSystem imported;
  imported.warnings = output.warnings;
  for (std::string& warning : importWarnings(system.file.string(), output, set, system.state))
    imported.warnings.push_back(std::move(warning));
  makeFolder(folder, filesOf(output, system.state, other),
             {{"format", kSystemFormat},
              {"name", system.name},
              {"test_set", set.id},
              {"dataset_digest", set.datasetDigest},
              {"sentences", set.sentences},
              {"created", nowSeconds()},
              {"source_format", output.format},
              {"file", system.file.filename().string()},
              {"state", nameOf(system.state)}});
  imported.system = importedSystem(folder.parent / folder.name, KnownSets({set}));
  return imported;
}

}  // namespace strata
