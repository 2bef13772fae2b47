#include "core/systems/test_sets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/dataset.h"
#include "core/data/sentences.h"
#include "core/systems/stored_files.h"

namespace strata {
namespace {

constexpr std::string_view kManifest = "testset.json";
constexpr std::string_view kFormat = "strata-test-set";

// The same file names as for a dataset's evaluation sets.
std::string sourceName(TextState state) {
  return fmt::format("{}.source", nameOf(state));
}

std::string referenceName(TextState state, std::int64_t reference) {
  return reference == 0 ? fmt::format("{}.target", nameOf(state))
                        : fmt::format("{}.target.{}", nameOf(state), reference + 1);
}

fs::path importedFolder(const Workspace& workspace) {
  return workspace.root() / "testsets";
}

std::vector<std::string> checkedLines(const TestSet& set, const std::string& name) {
  const auto digest = set.digests.find(name);
  const fs::path file = set.folder / name;
  if (digest == set.digests.end()) throw Error("{}: its digest is unknown", file.string());
  auto lines = storedLines(file, digest->second);
  if (static_cast<std::int64_t>(lines.size()) != set.sentences) {
    throw Error("{}: has {} lines, but the test set {} has {} sentences", file.string(),
                lines.size(), set.id, set.sentences);
  }
  return lines;
}

TestSet setOf(const Dataset& dataset, const EvaluationSet& set) {
  TestSet result{.id = dataset.folder().filename().string() + "/" + set.name,
                 .test = set.test,
                 .source = dataset.sourceLanguage(),
                 .target = dataset.targetLanguage(),
                 .sentences = set.sentences,
                 .references = set.references,
                 .datasetDigest = dataset.digest(),
                 .folder = set.folder,
                 .textFolder = dataset.textFolder(),
                 .trainCorpus = dataset.trainCorpus()};
  const Json& facts = dataset.manifest().at("sets").at(set.name);
  result.segments = facts.value("segments", Json());
  std::error_code ignored;
  if (fs::exists(dataset.trainTokens(1), ignored)) result.trainTokens = dataset.trainTokens(1);
  const std::string inside = fmt::format("sets/{}/", set.name);
  for (const auto& [file, facts] : dataset.manifest().at("files").items()) {
    if (file.starts_with(inside))
      result.digests[file.substr(inside.size())] = facts.value("digest", "");
  }
  return result;
}

TestSet importedSet(const fs::path& folder) {
  const fs::path file = folder / kManifest;
  const Json manifest = readManifest(file, kFormat);
  try {
    TestSet set{.id = folder.filename().string(),
                .imported = true,
                .test = true,
                .source = manifest.at("source_language"),
                .target = manifest.at("target_language"),
                .sentences = manifest.at("sentences"),
                .references = manifest.at("references"),
                .folder = folder,
                .digests = fileDigests(manifest),
                .segments = manifest.value("segments", Json())};
    const TextState state = textStateNamed(manifest.at("state").get<std::string>());
    for (std::int64_t r = 0; r < set.references; ++r) {
      if (!set.digests.contains(referenceName(state, r)))
        throw Error("{}: does not list {}", file.string(), referenceName(state, r));
    }
    return set;
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: is damaged: {}", file.string(), error.what());
  }
}

void addDatasets(const Workspace& workspace, std::vector<TestSet>& sets,
                 std::vector<std::string>* problems) {
  const DatasetList list = listDatasets(workspace.datasetsFolder());
  for (const bool newest : {true, false}) {
    for (const Dataset& dataset : list.datasets) {
      if ((dataset.folder().filename() == dataset.name()) != newest) continue;
      for (const EvaluationSet& set : dataset.sets()) sets.push_back(setOf(dataset, set));
    }
  }
  if (problems) problems->insert(problems->end(), list.damaged.begin(), list.damaged.end());
}

void addImported(const Workspace& workspace, std::vector<TestSet>& sets,
                 std::vector<std::string>* problems) {
  for (const fs::path& folder : storedFolders(importedFolder(workspace))) {
    try {
      sets.push_back(importedSet(folder));
    } catch (const Error& error) {
      if (problems) problems->emplace_back(error.what());
    }
  }
}

// The texts of a new set.
struct NewTexts {
  std::map<std::string, std::string> files;  // content by name
  std::size_t sentences = 0, references = 0;
  Json segments;
};

NewTexts readTexts(const NewTestSet& set) {
  if (set.references.empty()) throw usageError("a test set needs a file of references");
  SentenceOptions reading = set.reading;
  reading.sourceLanguage = set.sourceLanguage;
  reading.targetLanguage = set.targetLanguage;
  NewTexts texts;
  std::optional<SentenceText> first;
  const auto add = [&](SentenceText text, const std::string& name) {
    if (text.lines.empty()) throw Error("{}: is empty; expected sentences", text.name);
    if (!first) first = text;
    putInOrder(*first, text);
    const std::size_t count = text.lines.size(), sentences = first->lines.size();
    if (count != sentences) {
      throw Error(
          "{} has {} lines and {} has {}: line n of one belongs to line n of the other, and line "
          "{} of {} has none",
          text.name, count, first->name, sentences, std::min(count, sentences) + 1,
          count > sentences ? text.name : first->name);
    }
    texts.files[name] = textOf(text.lines);
  };
  for (const fs::path& file : set.references) {
    for (SentenceText& text :
         readAllSentences(reading.input(file.string(), TextRole::kReference))) {
      const auto number = static_cast<std::int64_t>(texts.references++);
      add(std::move(text), referenceName(set.state, number));
    }
  }
  if (!set.source.empty())
    add(readSentences(reading.input(set.source.string(), TextRole::kSource)),
        sourceName(set.state));
  texts.sentences = first->lines.size();
  texts.segments = segmentKeysJson(first->keys);
  return texts;
}

}  // namespace

std::string_view nameOf(TextState state) {
  return state == TextState::kRaw ? "raw" : "tokens";
}

TextState textStateNamed(std::string_view name) {
  for (const TextState state : {TextState::kRaw, TextState::kTokens}) {
    if (nameOf(state) == name) return state;
  }
  throw usageError("unknown text state '{}'; expected raw or tokens", name);
}

bool TestSet::has(TextState state) const {
  return digests.contains(referenceName(state, 0));
}

std::vector<std::string> TestSet::sourceLines(TextState state) const {
  if (!digests.contains(sourceName(state))) return {};
  return checkedLines(*this, sourceName(state));
}

std::vector<std::vector<std::string>> TestSet::referenceLines(TextState state) const {
  if (!has(state)) {
    throw usageError("the test set {} was imported as {}: it has no {}", id,
                     nameOf(otherThan(state)), state == TextState::kRaw ? "raw text" : "tokens");
  }
  std::vector<std::vector<std::string>> lines;
  for (std::int64_t r = 0; r < references; ++r)
    lines.push_back(checkedLines(*this, referenceName(state, r)));
  return lines;
}

TextPipeline pipelineOf(const TestSet& set) {
  Dataset(set.textFolder.parent_path())
      .requireIntact(noProgress(), set.textFolder.filename().string());
  return TextPipeline::load(set.textFolder);
}

std::vector<TestSet> listTestSets(const Workspace& workspace, std::vector<std::string>* problems) {
  std::vector<TestSet> sets;
  addDatasets(workspace, sets, problems);
  addImported(workspace, sets, problems);
  return sets;
}

TestSet findTestSet(const Workspace& workspace, const std::string& id) {
  std::vector<std::string> problems;
  std::string known;
  for (TestSet& set : listTestSets(workspace, &problems)) {
    if (set.id == id) return std::move(set);
    known += (known.empty() ? "" : ", ") + set.id;
  }
  throw usageError("no test set '{}' in {}; {}{}", id, workspace.root().string(),
                   known.empty() ? "there is none yet: prepare a dataset or import one with "
                                   "`strata-run systems import-set`"
                                 : "there are: " + known,
                   problems.empty() ? "" : " (" + problems.front() + ")");
}

TestSet importTestSet(const Workspace& workspace, const NewTestSet& set) {
  checkDatasetName(set.name, "test set");
  const NewFolder folder{.parent = importedFolder(workspace),
                         .name = set.name,
                         .what = "test set",
                         .manifest = kManifest};
  checkFree(folder);
  const NewTexts texts = readTexts(set);
  Json manifest = {{"format", kFormat},
                   {"name", set.name},
                   {"state", nameOf(set.state)},
                   {"source_language", set.sourceLanguage},
                   {"target_language", set.targetLanguage},
                   {"sentences", texts.sentences},
                   {"references", texts.references},
                   {"created", nowSeconds()}};
  if (!texts.segments.is_null()) manifest["segments"] = texts.segments;
  makeFolder(folder, texts.files, std::move(manifest));
  return importedSet(folder.parent / folder.name);
}

}  // namespace strata
