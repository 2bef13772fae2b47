#include "core/systems/imported_scores.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/parse_number.h"
#include "core/data/growing_folder.h"
#include "core/metrics/metrics.h"
#include "core/metrics/python_text.h"
#include "core/systems/stored_files.h"
#include "core/systems/stored_parts.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr const char *kScoresFormat = "strata-scores", *kScoresEnding = ".metric";
constexpr std::string_view kTrashedScores = "scores-";
constexpr int kScoresVersion = 1;
constexpr std::size_t kLongestName = 80;

std::string lowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return text;
}

std::string_view stripped(std::string_view line) {
  return withoutEndSpace(withoutStartSpace(line));
}

// The first line in which two texts differ; none if they are equal.
std::optional<std::size_t> firstDifference(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (stripped(a[i]) != stripped(b[i])) return i;
  }
  return a.size() == b.size() ? std::nullopt : std::optional(std::min(a.size(), b.size()));
}

std::string_view lineAt(const std::vector<std::string>& lines, std::size_t i) {
  return i < lines.size() ? stripped(lines[i]) : std::string_view("(no line)");
}

// The text in every state that there is.
template <typename Texts, typename LinesOf>
std::vector<std::vector<std::string>> texts(const Texts& of, LinesOf linesOf) {
  std::vector<std::vector<std::string>> all;
  for (const TextState state : {TextState::kRaw, TextState::kTokens}) {
    if (of.has(state)) all.push_back(linesOf(state));
  }
  return all;
}

// One of `candidates` must be the text; the first difference from the first of them is reported.
void checkText(const std::vector<std::string>& text,
               const std::vector<std::vector<std::string>>& candidates, const std::string& what) {
  if (text.empty() || candidates.empty()) return;
  if (std::ranges::any_of(candidates,
                          [&](const auto& each) { return !firstDifference(text, each); }))
    return;
  const std::size_t line = *firstDifference(text, candidates.front());
  throw Error("{}: line {} differs: the file has '{}', the workspace '{}'", what, line + 1,
              lineAt(text, line), lineAt(candidates.front(), line));
}

std::string textDigest(const StoredSystem& system) {
  return system.digests.at(
      extensionOf(system.has(TextState::kRaw) ? TextState::kRaw : TextState::kTokens));
}

// "comet-unbabel-wmt22-comet-da", in the name of the file.
std::string keyOf(const ImportedMetricInfo& metric) {
  std::string key;
  for (const char c : lowerCase(metric.name())) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) key += c;
    if (!plain && !key.empty() && key.back() != '-') key += '-';
  }
  return key.substr(0, kLongestName) + "-" + digestOf(metric.name()).substr(0, 6);
}

fs::path scoresFile(const StoredSystem& system, const ImportedMetricInfo& metric) {
  fs::path file = system.stem;
  file += "." + keyOf(metric) + kScoresEnding;
  return file;
}

void checkInfo(const ImportedMetricInfo& info) {
  if (trimmed(info.metric).empty())
    throw usageError("the metric of the scores has no name: give one");
  for (const std::string& text : {info.metric, info.model}) {
    const bool control = std::ranges::any_of(text, [](unsigned char c) { return c < 0x20; });
    if (text.size() > kLongestName || control || text.find(',') != text.npos)
      throw usageError("'{}' cannot name a metric or its model: at most {} bytes, without commas",
                       text, kLongestName);
  }
  const auto known = metricNames();
  if (std::ranges::find(known, lowerCase(info.name())) != known.end())
    throw usageError(
        "'{}' is a metric that Strata computes: give the imported scores another name or a model",
        info.name());
}

// Line 1 of a file, parsed, and the values after it.
struct ScoresText {
  Json head;
  std::string values;
};

// Damage is an Error.
ScoresText readScores(const fs::path& file) {
  const std::string text = readFile(file);
  const auto end = std::min(text.find('\n'), text.size());
  ScoresText read{parseJson(std::string_view(text).substr(0, end), file.string()),
                  text.substr(std::min(end + 1, text.size()))};
  try {
    Json unsigned_ = read.head;
    unsigned_.erase("digest");
    if (read.head.value("format", "") != kScoresFormat ||
        read.head.at("format_version") != kScoresVersion)
      throw Error("{}: is not a file of scores that this program reads", file.string());
    if (read.head.at("digest") != digestOf(unsigned_.dump() + "\n" + read.values))
      throw Error("{}: its content has changed since it was stored; import the scores again",
                  file.string());
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: is damaged: {}", file.string(), error.what());
  }
  return read;
}

StoredScores storedScores(const fs::path& file, const Json& head) {
  try {
    return {.metric = {.metric = head.at("metric"),
                       .model = head.at("model"),
                       .higherIsBetter = head.at("higher_is_better"),
                       .scale = scoreScaleNamed(head.at("scale").get<std::string>())},
            .format = head.at("source_format"),
            .fileName = head.at("file"),
            .created = head.at("created"),
            .sentences = head.at("sentences"),
            .missing = head.at("missing"),
            .file = file};
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: is damaged: {}", file.string(), error.what());
  }
}

// What a process locks while it changes scores; created if absent.
fs::path lockedFolder(const Workspace& workspace) {
  std::error_code ignored;
  fs::create_directories(systemsFolder(workspace), ignored);
  return systemsFolder(workspace);
}

// Of those that match by name, or else by metric alone.
template <typename Items, typename InfoOf>
const auto* namedMetric(const Items& items, const std::string& wanted, InfoOf infoOf) {
  using Item = std::ranges::range_value_t<Items>;
  const auto sameAs = [&](const std::string& name) { return lowerCase(name) == lowerCase(wanted); };
  const Item* found = nullptr;
  for (const Item& item : items) {
    if (sameAs(infoOf(item).name())) return &item;
  }
  for (const Item& item : items) {
    if (!sameAs(infoOf(item).metric)) continue;
    if (found != nullptr)
      throw usageError("'{}' is ambiguous: {} or {}", wanted, infoOf(*found).name(),
                       infoOf(item).name());
    found = &item;
  }
  return found;
}

}  // namespace

std::vector<double> StoredScores::values() const {
  const std::string text = readScores(file).values;
  std::vector<double> values;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = takeLine(rest);
    const auto value = parseNumber<double>(line);
    if (!value)
      throw Error("{}: '{}' is not a score; import the scores again", file.string(), line);
    values.push_back(*value);
  }
  if (static_cast<std::int64_t>(values.size()) != sentences)
    throw Error("{}: has {} scores, not {}", file.string(), values.size(), sentences);
  return values;
}

void addImportedScores(StoredSystem& system, std::vector<std::string>& problems) {
  const std::string start = system.stem.filename().string() + ".";
  for (const std::string& name : namesIn(system.folder)) {
    if (!name.starts_with(start) || !name.ends_with(kScoresEnding)) continue;
    const std::string key = name.substr(
        start.size(), name.size() - start.size() - std::string_view(kScoresEnding).size());
    if (key.find('.') != key.npos) continue;  // of an output with a longer name
    const fs::path file = system.folder / name;
    try {
      const Json head = readScores(file).head;
      StoredScores scores = storedScores(file, head);
      if (head.value("text", "") != textDigest(system) || scores.sentences != system.sentences)
        throw Error("{}: are scores of another translation than {}; import them again",
                    file.string(), system.name);
      system.importedScores.push_back(std::move(scores));
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  std::ranges::sort(system.importedScores, {},
                    [](const StoredScores& scores) { return scores.metric.name(); });
}

void checkScores(const ScoreList& list, const StoredSystem& system, const TestSet& set,
                 const std::string& file) {
  const std::string of = list.name.empty() ? file : fmt::format("{}, '{}'", file, list.name);
  if (!list.translations.empty()) {
    checkText(list.translations,
              texts(system, [&](TextState state) { return system.lines(state); }),
              of + " is not of " + system.name);
  }
  auto sources = texts(set, [&](TextState state) { return set.sourceLines(state); });
  std::erase_if(sources, [](const auto& lines) { return lines.empty(); });  // the set has none
  checkText(list.sources, sources, of + " has other sources than " + set.id);
  std::vector<std::vector<std::string>> references;
  for (const TextState state : {TextState::kRaw, TextState::kTokens}) {
    if (!set.has(state)) continue;
    for (auto& lines : set.referenceLines(state)) references.push_back(std::move(lines));
  }
  checkText(list.references, references, of + " has other references than " + set.id);
  if (static_cast<std::int64_t>(list.values.size()) != system.sentences)
    throw Error("{} has {} scores and {} has {} sentences", of, list.values.size(), set.id,
                system.sentences);
}

std::vector<std::optional<std::size_t>> matchScores(const ScoreFile& file,
                                                    const std::vector<StoredSystem>& systems) {
  std::vector<std::optional<std::size_t>> matched;
  const auto isOf = [](const ScoreList& list, const StoredSystem& system) {
    const auto all = texts(system, [&](TextState state) { return system.lines(state); });
    return std::ranges::any_of(
        all, [&](const auto& lines) { return !firstDifference(list.translations, lines); });
  };
  for (const ScoreList& list : file.systems) {
    std::optional<std::size_t>& found = matched.emplace_back();
    const std::string stem = std::filesystem::path(list.name).stem().string();
    for (std::size_t s = 0; s < systems.size() && !list.translations.empty(); ++s) {
      if (!isOf(list, systems[s])) continue;
      // Of several with the same text, the one with the name.
      if (!found || systems[s].name == list.name || systems[s].name == stem) found = s;
    }
    for (std::size_t s = 0; s < systems.size() && !found; ++s) {
      const StoredSystem& system = systems[s];
      if (system.name == list.name || system.name == stem || system.id == list.name) found = s;
    }
    if (!found && file.systems.size() == 1 && systems.size() == 1) found = 0;
  }
  return matched;
}

StoredScores importScores(const Workspace& workspace, const StoredSystem& system,
                          const TestSet& set, const NewScores& scores) {
  const auto& [file, list, fileName] = scores;
  checkInfo(file.metric);
  checkScores(list, system, set, fileName);
  const fs::path path = scoresFile(system, file.metric);
  const FolderLock lock(lockedFolder(workspace));
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    throw usageError("{} has scores of {} already: remove them first, or name another model",
                     system.name, file.metric.name());
  }
  std::string values;
  for (const double value : list.values)
    values += std::isnan(value) ? std::string("nan\n") : fmt::format("{}\n", value);
  Json head{{"format", kScoresFormat},
            {"format_version", kScoresVersion},
            {"metric", file.metric.metric},
            {"model", file.metric.model},
            {"higher_is_better", file.metric.higherIsBetter},
            {"scale", nameOf(file.metric.scale)},
            {"source_format", file.format},
            {"file", fileName},
            {"list", list.name},
            {"created", nowSeconds()},
            {"sentences", list.values.size()},
            {"missing", list.missing()},
            {"system", system.id},
            {"text", textDigest(system)}};
  // Names of files need not be UTF-8.
  const auto dumped = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  head = parseJson(dumped(head), fileName);
  head["digest"] = digestOf(head.dump() + "\n" + values);
  writeFileAtomic(path, head.dump() + "\n" + values);
  return storedScores(path, head);
}

StoredScores findScores(const StoredSystem& system, const std::string& metric) {
  const auto* found = namedMetric(system.importedScores, metric,
                                  [](const StoredScores& each) { return each.metric; });
  if (found != nullptr) return *found;
  const auto names = system.importedScores |
                     std::views::transform([](const auto& each) { return each.metric.name(); });
  throw usageError("{} has no imported scores of '{}'; it has: {}", system.name, metric,
                   names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", ")));
}

std::string trashScores(Workspace& workspace, const StoredScores& scores) {
  const fs::path parent = workspace.trashFolder();
  std::error_code failed;
  fs::create_directories(parent, failed);
  const FolderLock lock(lockedFolder(workspace));
  const std::string name = std::string(kTrashedScores) + keyOf(scores.metric);
  fs::path folder = parent / name;
  for (int number = 2; fs::exists(folder, failed); ++number)
    folder = parent / fmt::format("{}-{}", name, number);
  fs::create_directory(folder, failed);
  moveDurably(scores.file, folder / scores.file.filename());
  syncToDisk(parent);
  return folder.filename().string();
}

std::vector<TrashedScores> trashedScores(const Workspace& workspace) {
  std::vector<std::pair<fs::file_time_type, TrashedScores>> found;
  for (const fs::path& folder : storedFolders(workspace.trashFolder())) {
    const std::string id = folder.filename().string();
    const auto names = namesIn(folder);
    if (!id.starts_with(kTrashedScores) || names.size() != 1) continue;
    try {
      const Json head = readScores(folder / names.front()).head;
      std::error_code ignored;
      found.emplace_back(
          fs::last_write_time(folder, ignored),
          TrashedScores{id, head.at("system"), storedScores({}, head).metric.name()});
    } catch (const std::exception&) {
      continue;  // damaged: it could not be used after a restore
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<fs::file_time_type, TrashedScores>::first);
  std::vector<TrashedScores> scores;
  for (auto& [time, each] : found) scores.push_back(std::move(each));
  return scores;
}

TrashedScores restoreScores(Workspace& workspace, const std::string& id) {
  const auto all = trashedScores(workspace);
  const auto found = std::ranges::find(all, id, &TrashedScores::id);
  if (found == all.end()) {
    throw usageError(
        "there are no scores '{}' in the trash; there are: {}", id,
        all.empty()
            ? std::string("none")
            : fmt::format("{}", fmt::join(all | std::views::transform(&TrashedScores::id), ", ")));
  }
  const StoredSystem system = findSystem(listSystems(workspace), found->system);
  const fs::path folder = pathInside(workspace.trashFolder(), found->id);
  const fs::path from = folder / namesIn(folder).front(), to = system.folder / from.filename();
  const FolderLock lock(lockedFolder(workspace));
  std::error_code failed;
  if (fs::exists(to, failed))
    throw usageError("{} has scores of {} already: remove them first", system.name, found->metric);
  moveDurably(from, to);
  fs::remove(folder, failed);
  return *found;
}

std::vector<ImportedMetricInfo> importedMetrics(const std::vector<StoredSystem>& systems) {
  std::vector<ImportedMetricInfo> metrics;
  for (const StoredSystem& system : systems) {
    for (const StoredScores& scores : system.importedScores) {
      const auto same = std::ranges::find(metrics, scores.metric.name(), &ImportedMetricInfo::name);
      if (same == metrics.end()) {
        metrics.push_back(scores.metric);
      } else if (*same != scores.metric) {
        throw Error(
            "the scores of {} under {} have another direction or scale than those of other "
            "systems: import them again",
            system.name, scores.metric.name());
      }
    }
  }
  std::ranges::sort(metrics, {}, &ImportedMetricInfo::name);
  return metrics;
}

std::string metricNamed(const std::string& wanted,
                        const std::vector<ImportedMetricInfo>& imported) {
  const auto known = metricNames();
  if (std::ranges::find(known, wanted) != known.end()) return wanted;
  const auto* found =
      namedMetric(imported, wanted, [](const ImportedMetricInfo& each) { return each; });
  if (found != nullptr) return found->name();
  const auto names = imported | std::views::transform(&ImportedMetricInfo::name);
  throw usageError("unknown metric '{}'; expected one of {}{}{}", wanted, fmt::join(known, ", "),
                   names.empty() ? "; no system has imported scores" : "; or imported scores: ",
                   fmt::join(names, ", "));
}

std::vector<ImportedScores> scoresUnder(const std::vector<std::string>& metrics,
                                        const std::vector<StoredSystem>& systems) {
  std::vector<ImportedScores> all;
  for (const ImportedMetricInfo& info : importedMetrics(systems)) {
    if (std::ranges::find(metrics, info.name()) == metrics.end()) continue;
    ImportedScores& scores = all.emplace_back(ImportedScores{.info = info, .values = {}});
    for (const StoredSystem& system : systems) {
      const auto has = std::ranges::find(system.importedScores, info, &StoredScores::metric);
      scores.values.push_back(has == system.importedScores.end() ? std::vector<double>{}
                                                                 : has->values());
    }
  }
  return all;
}

}  // namespace strata
