#include "core/data/system_output.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/parse_number.h"
#include "core/data/foreign_output.h"
#include "core/data/formats.h"
#include "core/data/lines.h"
#include "core/data/nbest_lines.h"
#include "core/text/words.h"

namespace strata {
namespace {

// A file in memory: whether a format fits is known only after the last line.
struct Reading {
  std::string name;
  std::vector<std::string> lines;
  SystemOutputOptions options;
  SystemOutput output;
};

struct Candidate {
  std::int64_t id = -1;         // of the sentence; -1: the file has none
  double score = std::nan("");  // nan: none
  std::string text;
  std::size_t line = 0;  // of the file, from 1
};

// Damaged: a record that lacks something, where it is among others.
enum class Fit { kRecord, kLog, kDamaged, kNone };

std::optional<std::int32_t> idOf(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : parseNumber<std::int32_t>(text);
}

// Cuts the part before the next tab off `rest`; nothing if there is no tab.
std::optional<std::string_view> cutColumn(std::string_view& rest) {
  const auto tab = rest.find('\t');
  if (tab == rest.npos) return std::nullopt;
  return std::exchange(rest, rest.substr(tab + 1)).substr(0, tab);
}

// Sorts by id; candidates of one sentence follow each other in the file and keep its order.
void sortById(const Reading& reading, std::vector<Candidate>& all) {
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((i > 0 && all[i].id == all[i - 1].id) || seen.insert(all[i].id).second) continue;
    throw Error("{}: line {}: sentence {} occurs again; are two outputs in one file?", reading.name,
                all[i].line, all[i].id);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
}

// Throws for ids that are not 0, 1, ...: the lines after a gap would be compared with the
// references of other sentences.
void refuseGaps(const Reading& reading, const std::vector<Candidate>& sorted) {
  std::vector<std::int64_t> named;
  std::int64_t missing = 0, next = 0;
  for (const Candidate& candidate : sorted) {
    missing += std::max<std::int64_t>(0, candidate.id - next);
    for (; next < candidate.id && named.size() < 5; ++next) named.push_back(next);
    next = candidate.id + 1;
  }
  if (missing == 0) return;
  throw Error(
      "{}: {} of {} sentences have no translation (id {}{}, counted from 0): is this a part of the "
      "output, or were they too long for the toolkit? Translate them too",
      reading.name, missing, next, fmt::join(named, ", "), missing > 5 ? ", ..." : "");
}

// Puts the candidate with the highest score of each sentence first if all have scores, and says so.
// Sockeye, whose scores are costs, says itself which is best.
void putBestFirst(Reading& reading, std::vector<Candidate>& sorted) {
  const auto unscored = [](const Candidate& each) { return std::isnan(each.score); };
  if (reading.output.format.starts_with("sockeye") || std::ranges::any_of(sorted, unscored)) return;
  std::size_t sentences = 0;
  const Candidate* found = nullptr;  // the first of the first such list
  bool costs = true;                 // nowhere negative, and the first is the lowest of each list
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(
        begin, sorted.end(), [id = begin->id](const Candidate& each) { return each.id != id; });
    const auto [least, most] =
        std::ranges::minmax(std::ranges::subrange(begin, end), {}, &Candidate::score);
    costs = costs && least.score >= 0 && least.score == begin->score;
    if (most.score > begin->score && sentences++ == 0) found = &*begin;
    begin = end;
  }
  if (sentences == 0) return;
  const std::string what = fmt::format(
      "{}: of {} sentences a later translation scores higher than the first (at first of sentence "
      "{}, line {})",
      reading.name, sentences, found->id, found->line);
  reading.output.warnings.push_back(
      what + (costs ? ": these scores are read as costs, the lowest is the best"
                    : ": the one with the highest score is taken"));
  if (costs) return;
  std::ranges::stable_sort(sorted, [](const Candidate& a, const Candidate& b) {
    return a.id != b.id ? a.id < b.id : a.score > b.score;
  });
}

// Fills lines, scores and n-best lists from at least one candidate, sorted by id.
void arrange(Reading& reading, std::vector<Candidate> sorted) {
  refuseGaps(reading, sorted);
  putBestFirst(reading, sorted);
  SystemOutput& output = reading.output;
  const bool single = sorted.back().id + 1 == static_cast<std::int64_t>(sorted.size());
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    output.lines.push_back(sorted[i].text);
    output.scores.push_back(sorted[i].score);
    for (end = i + 1; end < sorted.size() && sorted[end].id == sorted[i].id;) ++end;
    if (single) continue;
    auto& texts = output.nbest.emplace_back();
    auto& scores = output.nbestScores.emplace_back();
    for (std::size_t j = i; j < end; ++j) {
      texts.push_back(std::move(sorted[j].text));
      scores.push_back(sorted[j].score);
    }
  }
  const auto scored = [](const Candidate& candidate) { return !std::isnan(candidate.score); };
  if (std::any_of(sorted.begin(), sorted.end(), scored)) return;
  output.scores.clear();
  output.nbestScores.clear();
}

bool startsAsFairseq(std::string_view line) {
  return line.size() > 2 && line[0] >= 'A' && line[0] <= 'Z' && line[1] == '-' &&
         idOf(line.substr(2, 1));
}

// LETTER-ID tab TEXT; H and D have a score (base 2) and a tab before the text.
std::optional<Candidate> parseFairseq(std::string_view line) {
  std::string_view rest = line;
  auto head = startsAsFairseq(line) ? cutColumn(rest) : std::nullopt;
  if (!head) return std::nullopt;
  if (line[0] == 'E') head = head->substr(0, head->find('_'));  // E-ID_STEP: a refinement step
  const auto id = idOf(head->substr(2));
  const bool scored = line[0] == 'H' || line[0] == 'D';
  const auto number = scored ? cutColumn(rest) : "0";
  const auto score = number ? parseNumber<double>(*number) : std::nullopt;
  if (!id || !score) return std::nullopt;
  return Candidate{.id = *id, .score = *score, .text = std::string(rest)};
}

// Lines of its logger ("2024-01-31 12:00:00 | INFO | ..."; "| ..." in old versions), its last line
// and Python's warnings, which occur if both streams go into one file.
bool isFairseqLog(std::string_view line) {
  const auto holds = [&](std::string_view part) { return line.find(part) != line.npos; };
  if (trimmed(line).empty() || line[0] == ' ' || line[0] == '\t') return true;
  for (const std::string_view start : {"| ", "Namespace(", "INFO:", "WARNING:", "NOTE:"}) {
    if (line.starts_with(start)) return true;
  }
  const bool dated = line.size() > 10 && idOf(line.substr(0, 4)) && line[4] == '-';
  return (dated && holds(" | ")) || (line.starts_with("Generate ") && holds(" with beam=")) ||
         (holds(".py:") && holds("Warning: "));
}

// "H-0" of a line that begins with it and a tab, or is only that; empty for others.
std::string_view fairseqName(std::string_view line) {
  const std::string_view name = line.substr(0, line.find('\t'));
  return startsAsFairseq(line) && idOf(name.substr(2)) ? name : std::string_view();
}

Fit fitsFairseq(std::string_view line) {
  if (parseFairseq(line)) return line[0] == 'H' || line[0] == 'D' ? Fit::kRecord : Fit::kLog;
  // Among records it is one that is damaged, even if most are.
  return isFairseqLog(line) || !fairseqName(line).empty() ? Fit::kLog : Fit::kNone;
}

[[noreturn]] void refuseDamaged(const Reading& reading, std::size_t line) {
  const std::string& text = reading.lines[line];
  const std::string_view name = std::string_view(text).substr(0, text.find_first_of(" \t"));
  const bool scored = text[0] == 'H' || text[0] == 'D';
  throw Error(
      "{}: line {}: {} is damaged: fairseq writes {}, {}a tab and a text there; were tabs at the "
      "ends of lines removed, which an empty text has?",
      reading.name, line + 1, name, name, scored ? "a tab, a score, " : "");
}

using FairseqKinds = std::map<char, std::vector<Candidate>>;
// A sentence has as many H as D and P lines and one S and T, unless the file is truncated or lines
// are missing. Kinds that are completely absent were filtered out.
void refuseUnlike(const Reading& reading, const FairseqKinds& kinds, char chosen, char other) {
  std::map<std::int64_t, int> surplus;  // of chosen lines
  const bool once = other == 'S' || other == 'T';
  for (const Candidate& line : kinds.at(chosen)) surplus[line.id] = once ? 1 : surplus[line.id] + 1;
  for (const Candidate& line : kinds.at(other)) --surplus[line.id];
  for (const auto& [id, count] : surplus) {
    if (count == 0) continue;
    throw Error("{}: {}-{} has no matching {}-{}; is the file truncated?", reading.name,
                count < 0 ? other : chosen, id, count < 0 ? chosen : other, id);
  }
}

void readFairseq(Reading& reading) {
  FairseqKinds kinds;
  std::vector<std::size_t> skipped;
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    const std::string& line = reading.lines[i];
    if (auto parsed = parseFairseq(line)) {
      parsed->line = i + 1;
      if (std::string_view("STHDP").find(line[0]) != std::string_view::npos)
        kinds[line[0]].push_back(std::move(*parsed));
    } else if (startsAsFairseq(line)) {
      refuseDamaged(reading, i);
    } else if (!isFairseqLog(line)) {
      skipped.push_back(i + 1);
    }
  }
  if (!skipped.empty()) {
    reading.output.warnings.push_back(fmt::format("{}: skipped {} unknown lines, first line {}",
                                                  reading.name, skipped.size(), skipped[0]));
  }
  const char chosen = reading.options.keepTokens || kinds.count('D') == 0 ? 'H' : 'D';
  if (kinds.count(chosen) == 0)
    throw Error("{}: contains no {}- lines; was fairseq-generate run with --quiet?", reading.name,
                chosen);
  for (auto& [kind, lines] : kinds) sortById(reading, lines);
  for (const auto& [other, lines] : kinds) refuseUnlike(reading, kinds, chosen, other);
  arrange(reading, std::move(kinds[chosen]));
  for (Candidate& source : kinds['S']) reading.output.sources.push_back(std::move(source.text));
  for (Candidate& text : kinds['T']) reading.output.references.push_back(std::move(text.text));
}

// SCORE tab TEXT as written by Sockeye, whose scores are never integers, or ID tab SCORE tab TEXT.
template <bool numbered>
std::optional<Candidate> parseScored(std::string_view line) {
  const auto id = numbered ? cutColumn(line) : "0", column = cutColumn(line);
  const auto score = column ? parseNumber<double>(*column) : std::nullopt;
  if (!score || !idOf(*id)) return std::nullopt;
  if (!numbered && (idOf(*column) || line.find('\t') != line.npos)) return std::nullopt;
  return Candidate{.id = numbered ? *idOf(*id) : -1, .score = *score, .text = std::string(line)};
}

template <std::optional<Candidate> (*parse)(std::string_view)>
Fit fits(std::string_view line) {
  const bool blank = trimmed(line).empty() && parse != parseScored<false>;
  if (blank) return Fit::kLog;
  if (parse(line)) return Fit::kRecord;
  // An empty text whose tab is gone.
  return parse(std::string(line) + '\t') ? Fit::kDamaged : Fit::kNone;
}

Fit fitsNbest(std::string_view line) {
  if (trimmed(line).empty()) return Fit::kLog;
  return parseNbestLine(line) ? Fit::kRecord : Fit::kNone;
}

void readNbest(Reading& reading) {
  std::vector<NbestLine> parsed;
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    if (fitsNbest(reading.lines[i]) == Fit::kLog) continue;
    auto line = parseNbestLine(reading.lines[i]);
    if (!line) throw Error("{}: line {} does not have this format", reading.name, i + 1);
    all.push_back({.id = line->id, .score = line->score, .text = {}, .line = i + 1});
    parsed.push_back(std::move(*line));
  }
  const std::size_t following = usualFollowing(parsed);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].text = parsed[i].text(following);
  sortById(reading, all);
  if (!all.empty()) arrange(reading, std::move(all));
}

template <std::optional<Candidate> (*parse)(std::string_view)>
void readCandidates(Reading& reading) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    const Fit fit = fits<parse>(reading.lines[i]);
    if (fit == Fit::kLog) continue;
    auto parsed = parse(reading.lines[i]);
    if (fit == Fit::kDamaged) {
      throw Error(
          "{}: line {} is damaged: '{}' is not followed by a tab and a text; were tabs at the ends "
          "of lines removed, which an empty translation has?",
          reading.name, i + 1, reading.lines[i]);
    }
    if (!parsed) throw Error("{}: line {} does not have this format", reading.name, i + 1);
    parsed->line = i + 1;
    if (parsed->id < 0) parsed->id = static_cast<std::int64_t>(i);
    all.push_back(std::move(*parsed));
  }
  sortById(reading, all);
  if (!all.empty()) arrange(reading, std::move(all));
}

// A number (of a list: the first, the others score factors), or one of Python's names for
// non-numbers.
double scoreOf(const Json& value) {
  if (value.is_array() && !value.empty()) return scoreOf(value[0]);
  if (value.is_string())
    return parseNumber<double>(value.get<std::string>()).value_or(std::nan(""));
  return value.is_number() ? value.get<double>() : std::nan("");
}

Fit fitsJson(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) return Fit::kLog;
  const bool object = line.starts_with("{\"") && line.ends_with('}');
  const auto key = line.find("\"translation");
  if (!object || key == line.npos) return Fit::kNone;
  // Texts by language are JSON lines of another kind (json_lines.h).
  const auto value =
      line.find_first_not_of(" :", std::min(line.find('"', key + 1), line.size()) + 1);
  return value != line.npos && line[value] == '{' ? Fit::kNone : Fit::kRecord;
}

// The translations of one sentence. `next`: the expected id, unless sentences have names.
void readObject(std::vector<Candidate>& all, const Json& object,
                std::optional<std::int64_t>& next) {
  auto texts = object.value("translations", std::vector<std::string>{});
  if (texts.empty()) texts = {object.at("translation").get<std::string>()};
  const Json scores = object.value("scores", Json::array({object.value("score", Json())}));
  const std::int64_t sentence = all.empty() ? 0 : all.back().id + 1;
  for (std::size_t i = 0; i < texts.size(); ++i)
    all.push_back({sentence, scoreOf(i < scores.size() ? scores[i] : Json()), texts[i], 0});
  const Json id = object.value("sentence_id", object.value("id", Json()));
  if (!id.is_number_integer()) return;
  if (next ? id != *next : id != 0 && id != 1)
    throw Error("found sentence {}, expected {}; is a part missing?", id.dump(), next.value_or(1));
  next = id.get<std::int64_t>() + 1;
}

void readJson(Reading& reading) {
  std::vector<Candidate> all;
  std::optional<std::int64_t> next;
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    std::string line = reading.lines[i];
    if (trimmed(line).empty()) continue;
    // The scores of empty sentences, which are not valid JSON. Inside a string the " would have a
    // \.
    for (const std::string name : {"-Infinity", "Infinity", "NaN"}) {
      const auto at = line.find("\"score\": " + name);
      if (at != line.npos) line.replace(at + 9, name.size(), '"' + name + '"');
    }
    try {
      readObject(all, parseJson(line, "sockeye-nbest"), next);
    } catch (const std::exception& error) {
      throw Error("{}: line {}: {}", reading.name, i + 1, error.what());
    }
  }
  if (!all.empty()) arrange(reading, std::move(all));
}

// In SGML and XML all lines start with a tag unless a segment spans several lines.
Fit fitsXml(std::string_view line) {
  if (trimmed(line).empty()) return Fit::kLog;
  if (trimmed(line)[0] != '<') return Fit::kNone;
  const bool segment = line.find("</seg>") != line.npos || line.find("</SEG>") != line.npos;
  return segment ? Fit::kRecord : Fit::kLog;
}

// Formats that other texts have as well.
void readSentenceFormat(Reading& reading, TextFormat format) {
  TextInput input = reading.options.reading.input(reading.name, TextRole::kOutput);
  input.choice.likely = reading.options.likely;
  const auto lines = sentencesOf(std::make_unique<LinesInMemory>(reading.name, reading.lines),
                                 format, input, true);
  SentenceText text = allSentences(*lines);
  reading.output.lines = std::move(text.lines);
  reading.output.keys = std::move(text.keys);
  for (const std::string& note : lines->notes()) reading.output.warnings.push_back(note);
}

void readXml(Reading& reading) {
  readSentenceFormat(reading, TextFormat::kSegments);
}

void readPlain(Reading& reading) {
  const std::size_t count = reading.lines.size();
  const auto nbest = static_cast<std::size_t>(reading.options.nbest);
  if (count % nbest != 0)
    throw Error("{}: {} lines are not {} for every sentence", reading.name, count, nbest);
  std::vector<Candidate> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = {static_cast<std::int64_t>(i / nbest), std::nan(""), std::move(reading.lines[i]), 0};
  arrange(reading, std::move(all));
}

struct Format {
  const char* name;
  Fit (*fits)(std::string_view);
  void (*read)(Reading&);
};
constexpr std::array kFormats = {
    Format{"plain", nullptr, readPlain},  // the last resort
    Format{"fairseq-generate", fitsFairseq, readFairseq},
    Format{"marian-nbest", fitsNbest, readNbest},
    Format{"sockeye-nbest", fitsJson, readJson},
    Format{"sockeye-scores", fits<parseScored<false>>, readCandidates<parseScored<false>>},
    Format{"numbered-scores", fits<parseScored<true>>, readCandidates<parseScored<true>>},
    Format{"xml", fitsXml, readXml},
};

const Format& formatNamed(std::string_view name) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const Format& format) { return format.name == name; });
}

// The format that every line fits, apart from log lines.
const Format& recognised(Reading& reading) {
  for (const Format& format : kFormats) {
    if (format.fits == nullptr) continue;
    std::size_t records = 0, damaged = 0, misfits = 0, first = 0;
    for (std::size_t i = 0; i < reading.lines.size(); ++i) {
      const Fit fit = format.fits(reading.lines[i]);
      records += fit == Fit::kRecord;
      damaged += fit == Fit::kDamaged;
      if (fit == Fit::kNone && misfits++ == 0) first = i + 1;
    }
    if (records > damaged && misfits == 0) return format;
    if (records <= damaged + misfits) continue;
    reading.output.warnings.push_back(
        fmt::format("{}: read as plain text: line {} is not {} like most lines (name the format?)",
                    reading.name, first, format.name));
  }
  return kFormats.front();
}

}  // namespace

SystemOutput readSystemOutput(const std::filesystem::path& path, std::optional<std::string> format,
                              const SystemOutputOptions& options) {
  const auto named = [&](const Format& known) { return !format || known.name == *format; };
  const auto* found = std::find_if(kFormats.begin(), kFormats.end(), named);
  if (found == kFormats.end())
    throw usageError("unknown format '{}'; expected one of {}", *format,
                     fmt::join(systemOutputFormats(), ", "));
  Reading reading{path.string(), {}, options, {}};
  TextLines lines(reading.name, true);
  const TextFormat asked = format ? TextFormat::kLines : options.reading.format;
  const TextFormat text = asked == TextFormat::kAuto ? formatOf(lines) : asked;
  for (std::string_view line; lines.next(line);) reading.lines.emplace_back(line);
  if (reading.lines.empty()) throw Error("{}: is empty; expected translations", reading.name);
  reading.output.warnings = lines.notes();
  if (text == TextFormat::kSegments)
    found = &formatNamed("xml");
  else if (!format)  // the units of a TMX have segments, too
    found = asked == TextFormat::kAuto && text != TextFormat::kTmx ? &recognised(reading)
                                                                   : &formatNamed("plain");
  if (!format && asked == TextFormat::kAuto && text == TextFormat::kLines &&
      found == &kFormats.front())
    refuseForeignOutput(reading.name, reading.lines);
  if (options.nbest < 1 || (options.nbest > 1 && found != &kFormats.front()))
    throw usageError("{}: {} cannot have {} lines per sentence", reading.name, found->name,
                     options.nbest);
  reading.output.format = found->name;
  if (found == &kFormats.front() && text != TextFormat::kLines) {
    reading.output.format = nameOf(text);
    readSentenceFormat(reading, text);
  } else {
    found->read(reading);
  }
  if (reading.output.lines.empty()) throw Error("{}: contains no translation", reading.name);
  return std::move(reading.output);
}

std::vector<std::string> systemOutputFormats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

}  // namespace strata
