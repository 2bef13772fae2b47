#include "core/systems/score_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/foreign_formats.h"
#include "core/data/lines.h"
#include "core/systems/comet_output.h"
#include "core/systems/score_table.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
// More than ten systems on the largest test sets; files beyond are something else.
constexpr std::size_t kMostBytes = 256u << 20;

using Lines = std::vector<std::string>;

Lines linesOf(const std::filesystem::path& path) {
  TextLines file(path.string(), /*quiet=*/true);
  Lines lines;
  std::size_t bytes = 0;
  for (std::string_view line; file.next(line);) {
    bytes += line.size() + 1;
    if (bytes > kMostBytes)
      throw Error("{}: has more than {} bytes; files of scores are read up to that", path.string(),
                  kMostBytes);
    lines.emplace_back(line);
  }
  if (lines.empty()) throw Error("{}: is empty: there are no scores", path.string());
  return lines;
}

// Python writes NaN and infinities, which JSON does not have; they become null.
std::string withNull(const std::string& text) {
  constexpr std::string_view kWords[] = {"NaN", "Infinity", "-Infinity"};
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      const std::string_view rest = std::string_view(text).substr(i);
      const auto* found = std::ranges::find_if(
          kWords, [&](std::string_view word) { return rest.starts_with(word); });
      if (found != std::end(kWords)) {
        out += "null";
        i += found->size() - 1;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

// Reads JSON objects; errors say where.
class JsonScores {
 public:
  explicit JsonScores(std::string file) : file_(std::move(file)) {}

  std::string text(const Json& from, const char* key, const std::string& where) const {
    const auto found = from.find(key);
    if (found == from.end() || !found->is_string())
      throw Error("{}: {} has no text \"{}\"", file_, where, key);
    return *found;
  }
  double value(const Json& value, const std::string& where) const {
    if (value.is_null()) return kMissing;
    if (!value.is_number()) {
      throw Error("{}: {} is not a number but {}", file_, where,
                  value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60));
    }
    return value.get<double>();
  }
  const Json& list(const Json& from, const char* key, const std::string& where) const {
    const auto found = from.find(key);
    if (found == from.end() || !found->is_array())
      throw Error("{}: {} has no list \"{}\"", file_, where, key);
    return *found;
  }
  Lines texts(const Json& from, const char* key, const std::string& where) const {
    Lines lines;
    for (const Json& line : list(from, key, where)) {
      if (!line.is_string())
        throw Error("{}: item {} of \"{}\" of {} is not a text", file_, lines.size() + 1, key,
                    where);
      lines.push_back(line);
    }
    return lines;
  }
  [[noreturn]] void refuse(const std::string& what) const { throw Error("{}: {}", file_, what); }

 private:
  std::string file_;
};

// The key of the score of a sentence: what is a number besides what the program always writes.
std::string scoreKey(const Json& sentence) {
  if (sentence.contains("COMET")) return "COMET";
  for (const auto& [key, value] : sentence.items()) {
    if (value.is_number() && key != "variance") return key;
  }
  return "COMET";
}

ScoreFile cometScore(const Json& json, const JsonScores& read) {
  ScoreFile file{.format = "comet-score"};
  for (const auto& [path, sentences] : json.items()) {
    if (!sentences.is_array() || sentences.empty() || !sentences.front().is_object())
      read.refuse(fmt::format("'{}' is not a list of sentences as comet-score writes it", path));
    const std::string key = scoreKey(sentences.front());
    file.metric.metric = key;
    ScoreList& list = file.systems.emplace_back();
    list.name = path;
    for (const Json& sentence : sentences) {
      const std::string where = fmt::format("sentence {} of '{}'", list.values.size() + 1, path);
      if (!sentence.is_object()) read.refuse(where + " is not an object");
      if (!sentence.contains(key)) read.refuse(fmt::format("{} has no \"{}\"", where, key));
      list.values.push_back(read.value(sentence[key], fmt::format("\"{}\" of {}", key, where)));
      list.translations.push_back(read.text(sentence, "mt", where));
      if (sentence.contains("src")) list.sources.push_back(read.text(sentence, "src", where));
      if (sentence.contains("ref")) list.references.push_back(read.text(sentence, "ref", where));
    }
    for (const Lines* texts : {&list.sources, &list.references}) {
      if (!texts->empty() && texts->size() != list.values.size())
        read.refuse(fmt::format("only some sentences of '{}' have a source or a reference", path));
    }
  }
  return file;
}

ScoreFile cometCompare(const Json& json, const JsonScores& read) {
  ScoreFile file{.format = "comet-compare"};
  file.metric.metric = "COMET";
  if (const auto model = json.find("model"); model != json.end() && model->is_string())
    file.metric.model = *model;
  const std::string whole = "the file";
  Lines sources, references;
  if (json.contains("source")) sources = read.texts(json, "source", whole);
  if (json.contains("reference") && json["reference"].is_array())
    references = read.texts(json, "reference", whole);
  for (const Json& system : read.list(json, "translations", whole)) {
    const std::string where = fmt::format("translation {}", file.systems.size() + 1);
    if (!system.is_object()) read.refuse(where + " is not an object");
    ScoreList& list = file.systems.emplace_back();
    list.name = read.text(system, "name", where);
    list.translations = read.texts(system, "mt", where);
    for (const Json& value : read.list(system, "scores", where))
      list.values.push_back(
          read.value(value, fmt::format("score {} of '{}'", list.values.size() + 1, list.name)));
    if (list.values.size() != list.translations.size())
      read.refuse(fmt::format("'{}' has {} translations and {} scores", list.name,
                              list.translations.size(), list.values.size()));
    list.sources = sources;
    list.references = references;
  }
  return file;
}

// Whether it is what `sacrebleu` prints of a metric.
bool isSacreBleu(const Json& json) {
  const Json& first = json.is_array() && !json.empty() ? json.front() : json;
  return first.is_object() && first.contains("signature") && first.contains("score");
}

// Formats that are known, and are none of sentence scores.
void refuseForeignJson(const Json& json, const JsonScores& read) {
  if (isSacreBleu(json))
    read.refuse(
        "is what sacreBLEU prints, a score of the whole set: scores of its sentences are imported, "
        "and `systems list --scores` computes such scores itself");
  if (json.is_array())
    read.refuse(
        "is a list in JSON, which is not read: write a score on each line, or a table with tabs");
}

ScoreFile readJsonScores(const std::string& text, const std::string& name,
                         const std::string& format) {
  const Json json = parseJson(withNull(text), name);
  const JsonScores read(name);
  refuseForeignJson(json, read);
  if (!json.is_object() || json.empty())
    read.refuse("is neither what comet-score --to_json nor what comet-compare writes");
  const bool compare = json.contains("translations") && json["translations"].is_array();
  return (format.empty() ? compare : format == "comet-compare") ? cometCompare(json, read)
                                                                : cometScore(json, read);
}

// "SYSTEM SCORE": the two parts of a line; nothing if it does not have two.
std::optional<std::pair<std::string_view, std::string_view>> twoParts(std::string_view line) {
  line = trimmed(line);
  const auto blank = line.find_first_of(" \t");
  if (blank == line.npos) return std::nullopt;
  const std::string_view score = trimmed(line.substr(blank));
  if (score.find_first_of(" \t") != score.npos) return std::nullopt;
  return std::pair(line.substr(0, blank), score);
}

bool looksLikeSegScore(const Lines& lines) {
  return std::ranges::all_of(lines, [](const std::string& line) {
    const auto parts = twoParts(line);
    return parts && scoreValue(parts->second).has_value() && !isScore(parts->first);
  });
}

// "BLEU-refA.seg.score": the metric's name without the reference's.
std::string metricOfName(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  const auto end = name.find(".seg.");
  name = name.substr(0, std::min(end, name.find_last_of('.')));
  const auto dash = name.rfind('-');
  const std::string_view last =
      std::string_view(name).substr(dash == name.npos ? name.size() : dash);
  return last.starts_with("-ref") || last == "-src" ? name.substr(0, dash) : name;
}

ScoreFile segScore(const Lines& lines, const std::filesystem::path& path) {
  ScoreFile file{.format = "seg-score"};
  file.metric.metric = metricOfName(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto parts = twoParts(lines[i]);
    const auto value = parts ? scoreValue(parts->second) : std::nullopt;
    if (!value) {
      throw Error("{}: line {}: '{}' is not a system and its score; expected SYSTEM SCORE",
                  path.string(), i + 1, lines[i].substr(0, 80));
    }
    listNamed(file, std::string(parts->first)).values.push_back(*value);
  }
  return file;
}

// Formats of lines that would be taken for a table, or for damaged JSON.
void refuseForeignLines(const Lines& lines, const std::filesystem::path& path) {
  const auto is = [&](const char* what) {
    return usageError(
        "{}: is {}: write a table with tabs between its columns, or a score on each line",
        path.string(), what);
  };
  const auto isObject = [](std::string_view line) {
    line = trimmed(line);
    return line.starts_with('{') && line.ends_with('}');
  };
  const auto isPrinted = [](std::string_view line) {  // BLEU|nrefs:1|...|version:2.5.1 = 27.3 ...
    const auto version = line.find("|version:");
    return version != line.npos && line.find(" = ", version) != line.npos;
  };
  if (lines.size() > 1 && std::ranges::all_of(lines, isObject))
    throw is("JSON lines, which are not read as scores");
  if (plainName(path.string()).ends_with(".csv") &&
      lines.front().find_first_of(",;") != std::string::npos)
    throw is("CSV, which is not read");
  if (std::ranges::all_of(lines, isPrinted))
    throw is("what sacreBLEU prints, with its signature, which is not read");
}

// The format that the user names, or that the content has; "json" for either one of COMET's.
std::string formatOf(const Lines& lines, const std::filesystem::path& path,
                     const ScoreFileOptions& options) {
  const auto formats = scoreFileFormats();
  if (options.format && std::ranges::find(formats, *options.format) == formats.end()) {
    throw usageError("unknown format '{}'; expected one of {}", *options.format,
                     fmt::join(formats, ", "));
  }
  if (options.format) return *options.format;
  refuseForeignLines(lines, path);
  const std::string_view start = trimmed(lines.front());
  if (start.starts_with('{') || start.starts_with('[')) return "json";
  if (looksLikeCometOutput(lines)) return "comet-output";
  const bool seg = path.filename().string().find(".seg.score") != std::string::npos ||
                   (options.scoreColumn.empty() && looksLikeSegScore(lines));
  return seg ? "seg-score" : "tsv";
}

// Direction and scale that the file does not tell.
void guess(ScoreFile& file) {
  std::string name = file.metric.metric;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* lower : {"ter", "metricx", "wer", "cer"})
    file.metric.higherIsBetter = file.metric.higherIsBetter && !name.starts_with(lower);
  std::vector<double> all;
  for (const ScoreList& list : file.systems)
    all.insert(all.end(), list.values.begin(), list.values.end());
  file.metric.scale = name.starts_with("comet") || name.starts_with("xcomet") ? ScoreScale::kUnit
                                                                              : likelyScale(all);
}

}  // namespace

std::size_t ScoreList::missing() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [](double value) { return std::isnan(value); }));
}

double ScoreList::mean() const {
  double sum = 0;
  for (const double value : values) sum += std::isnan(value) ? 0 : value;
  return values.size() == missing() ? kMissing
                                    : sum / static_cast<double>(values.size() - missing());
}

std::vector<std::string> scoreFileFormats() {
  return {"comet-score", "comet-compare", "comet-output", "seg-score", "tsv"};
}

std::vector<std::string> scoreColumns(const std::filesystem::path& path,
                                      const ScoreFileOptions& options) {
  const Lines lines = linesOf(path);
  return formatOf(lines, path, options) == "tsv" ? tableColumns(lines, path) : Lines();
}

ScoreFile readScoreFile(const std::filesystem::path& path, const ScoreFileOptions& options) {
  const Lines lines = linesOf(path);
  const std::string format = formatOf(lines, path, options);
  ScoreFile file = format == "comet-output" ? readCometOutput(lines, path)
                   : format == "seg-score"  ? segScore(lines, path)
                   : format == "tsv"        ? readScoreTable(lines, path, options)
                                     : readJsonScores(fmt::format("{}", fmt::join(lines, "\n")),
                                                      path.string(), options.format.value_or(""));
  if (file.systems.empty()) throw Error("{}: has no system", path.string());
  for (const ScoreList& list : file.systems) {
    if (list.missing() < list.values.size()) continue;
    throw Error("{}: every score of {} is missing", path.string(),
                list.name.empty() ? "the file" : "'" + list.name + "'");
  }
  guess(file);
  return file;
}

}  // namespace strata
