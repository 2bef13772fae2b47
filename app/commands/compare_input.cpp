#include "app/commands/compare_input.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/data/lines.h"
#include "core/data/system_output.h"
#include "core/systems/scorer_case.h"
#include "core/systems/stored_comparison.h"
#include "core/systems/test_sets.h"

namespace strata {
namespace {

struct NamedFile {
  std::string name, path;
};

NamedFile namedFile(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw usageError("{} {} has no {}: give it as NAME=FILE", option, text,
                     equals == std::string::npos || equals == 0 ? "name" : "file");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// The group of a run named NAME#RUN; empty without a #.
std::string groupOf(const std::string& name) {
  const auto mark = name.rfind('#');
  if (mark == std::string::npos) return "";
  if (mark == 0 || mark + 1 == name.size())
    throw usageError("--system {} does not name a run of a system; expected NAME#RUN", name);
  return name.substr(0, mark);
}

// A file with as many lines as there are references, or `nbestSize` times as many.
ComparedSystem readSystem(const NamedFile& file, const CompareOptions& options,
                          const SentenceText& reference) {
  const std::size_t lines = reference.lines.size();
  SystemOutput output = readSystemFile(file.path, options.reading, file.name);
  putInOrder(reference, file.path, output);
  const std::size_t size = options.nbestSize;
  if (size > 1 && output.format == "plain" && output.lines.size() == size * lines)
    output = readSystemOutput(file.path, "plain", {.nbest = static_cast<int>(size)});
  checkLineCounts(file.path, output.lines.size(), reference.name, lines);
  // Sockeye's scores are negative log-probabilities: lower is better.
  if (output.format.starts_with("sockeye"))
    std::ranges::transform(output.scores, output.scores.begin(), std::negate());
  return {.name = file.name,
          .lines = std::move(output.lines),
          .group = groupOf(file.name),
          .confidence = std::move(output.scores),
          .nbest = std::move(output.nbest)};
}

std::vector<ComparedSystem> readSystems(const CompareOptions& options,
                                        const SentenceText& reference) {
  const std::size_t lines = reference.lines.size();
  std::vector<ComparedSystem> systems;
  for (const std::string& text : options.systems)
    systems.push_back(readSystem(namedFile("--system", text), options, reference));
  const auto hasLists = [](const ComparedSystem& system) { return !system.nbest.empty(); };
  if (options.nbestSize > 1 && std::ranges::none_of(systems, hasLists)) {
    throw usageError("--nbest-size {}: no system has {} lines, {} for each of {} sentences",
                     options.nbestSize, options.nbestSize * lines, options.nbestSize, lines);
  }
  return systems;
}

// Removes the first column with its tab from `line` and returns it as a number.
double cutNumber(std::string_view& line, const TextLines& file) {
  const auto tab = std::min(line.find('\t'), line.size());
  const std::string_view column = line.substr(0, tab);
  const auto value = parseNumber<double>(column);
  if (!value || !std::isfinite(*value)) {
    throw Error(
        "{}: line {}: '{}' is not a number; expected log-probability, tab, number of tokens",
        file.name(), file.lineNumber(), column);
  }
  line.remove_prefix(std::min(tab + 1, line.size()));
  return *value;
}

// Output of `strata-run score`: log-probability, number of tokens, perhaps more columns.
void readLikelihoods(const std::string& path, ComparedSystem& system) {
  TextLines file(path);
  for (std::string_view line; file.next(line);) {
    const double logProbability = cutNumber(line, file), tokens = cutNumber(line, file);
    if (logProbability > 0) {
      throw Error("{}: line {}: {} is not a log-probability; expected at most 0", path,
                  file.lineNumber(), logProbability);
    }
    if (tokens < 1 || tokens != std::floor(tokens))
      throw Error("{}: line {}: {} is not a number of tokens; expected an integer of at least 1",
                  path, file.lineNumber(), tokens);
    system.likelihoods.push_back(logProbability);
    system.likelihoodTokens.push_back(tokens);
  }
}

void addLikelihoods(const CompareOptions& options, std::vector<ComparedSystem>& systems) {
  for (const std::string& text : options.likelihoods) {
    const NamedFile file = namedFile("--likelihoods", text);
    const auto system = std::ranges::find(systems, file.name, &ComparedSystem::name);
    if (system == systems.end())
      throw usageError("--likelihoods {}: there is no --system {}", text, file.name);
    if (!system->likelihoods.empty()) throw usageError("--likelihoods names {} twice", file.name);
    readLikelihoods(file.path, *system);
    checkLineCounts(file.path, system->likelihoods.size(),
                    options.set.empty() ? options.references.front() : options.set,
                    system->lines.size());
  }
}

// Counted line by line: a training text need not fit into memory.
WordCounts countedWords(const std::string& path, const SentenceOptions& reading) {
  const auto lines = openLines(reading.input(path, TextRole::kReference));
  WordCounts counts;
  for (std::string_view line; lines->next(line);) countWords(line, counts);
  if (counts.empty()) throw Error("{} has no words to count", path);
  return counts;
}

ComparisonOptions comparisonOptions(const CompareOptions& options) {
  ComparisonOptions of = options.of;
  of.test = significanceTestNamed(options.significance);
  of.metrics = options.scoring.metrics;
  of.of = metricOptionsOf(options.scoring);
  of.referencesInVocabulary = options.subset == "references-in-vocabulary";
  return of;
}

// An argument of --system: NAME=FILE, or the name of a system in the workspace.
bool isFile(const std::string& system) {
  return system.find('=') != std::string::npos;
}

ComparisonInput storedInput(const CompareOptions& options, const GlobalOptions& global) {
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const TextState state = options.tokens ? TextState::kTokens : TextState::kRaw;
  const TestSet set = findTestSet(workspace, options.set);
  const StoredSystems all = listSystems(workspace, set.id);
  StoredComparison stored{.testSet = options.set, .systems = {}, .state = state};
  stored.options = comparisonOptions(options);
  for (const std::string& system : options.systems) {
    if (!isFile(system)) stored.systems.push_back(findSystem(all, system));
  }
  if (options.systems.empty()) stored.systems = all.systems;
  const bool files = std::ranges::any_of(options.systems, isFile);
  if (!options.keepsCase && !files && ignoreCase(workspace, stored.systems))
    stored.options.of.setLowercase(true);
  ComparisonInput input = comparisonInput(workspace, stored);
  const SentenceText reference{
      .name = options.set, .lines = input.references.front(), .keys = segmentKeysOf(set.segments)};
  for (const std::string& system : options.systems) {
    if (isFile(system))
      input.systems.push_back(readSystem(namedFile("--system", system), options, reference));
  }
  return input;
}

void checkSubset(const ComparisonInput& input) {
  if (input.options.referencesInVocabulary && !input.vocabulary)
    throw usageError(
        "--subset references-in-vocabulary needs --vocabulary FILE, or --set of a dataset that "
        "has one");
}

ComparisonInput filesInput(const CompareOptions& options) {
  if (options.references.empty() || options.systems.empty())
    throw usageError(
        "compare needs --reference FILE and --system NAME=FILE, or --set of the "
        "workspace");
  ComparisonInput input;
  input.options = comparisonOptions(options);
  const std::string& reference = options.references.front();
  input.testSet = std::filesystem::path(reference).filename().string();
  std::vector<SentenceText> references = readReferenceFiles(options.references, options.reading);
  const SentenceText& first = references.front();
  if (first.lines.empty()) throw Error("{} is empty: there is nothing to compare", reference);
  const auto checked = [&](const std::string& path, std::vector<std::string> read) {
    checkLineCounts(path, read.size(), reference, first.lines.size());
    return read;
  };
  input.systems = readSystems(options, first);
  if (!options.source.empty()) {
    SentenceText source = readSentences(options.reading.input(options.source, TextRole::kSource));
    putInOrder(first, source);
    input.source = checked(options.source, std::move(source.lines));
  }
  if (!options.subwordReference.empty())
    input.subwordReference = checked(options.subwordReference, readLines(options.subwordReference));
  for (SentenceText& text : references) input.references.push_back(std::move(text.lines));
  return input;
}

}  // namespace

ComparisonInput comparisonInputOf(const CompareOptions& options, const GlobalOptions& global) {
  ComparisonInput input = options.set.empty() ? filesInput(options) : storedInput(options, global);
  addLikelihoods(options, input.systems);
  if (!options.vocabulary.empty()) {
    input.vocabulary = Vocabulary::read(options.vocabulary);
    input.vocabularyReferences.clear();
  }
  if (!options.counts.empty()) input.counts = countedWords(options.counts, options.reading);
  checkSubset(input);
  return input;
}

}  // namespace strata
