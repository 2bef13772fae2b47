#include "core/systems/comet_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/systems/score_table.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::string_view kSegment = "\tSegment ", kScore = "\tscore: ";

struct CometLine {
  std::string_view file;
  std::optional<std::size_t> segment;  // none: the score of the system
  double score = 0;                    // NaN: missing
};

std::optional<CometLine> parseComet(std::string_view line) {
  const std::size_t score = line.rfind(kScore);
  if (score == line.npos) return std::nullopt;
  const auto value = scoreValue(line.substr(score + kScore.size()));
  if (!value) return std::nullopt;
  const std::string_view start = line.substr(0, score);
  const std::size_t segment = start.rfind(kSegment);
  if (segment == start.npos) return CometLine{.file = start, .segment = {}, .score = *value};
  const auto number = parseNumber<std::size_t>(start.substr(segment + kSegment.size()));
  if (!number) return std::nullopt;
  return CometLine{.file = start.substr(0, segment), .segment = number, .score = *value};
}

// The scores of one file as they are read.
struct SegmentScores {
  std::string name;
  std::map<std::size_t, double> bySegment = {};
  std::optional<double> system = {};
};

void addLine(const CometLine& line, std::size_t number, const std::string& where,
             std::vector<SegmentScores>& files) {
  auto found = std::ranges::find(files, line.file, &SegmentScores::name);
  if (found == files.end()) {
    files.push_back({.name = std::string(line.file)});
    found = files.end() - 1;
  }
  if (!line.segment) {
    found->system = line.score;
  } else if (!found->bySegment.emplace(*line.segment, line.score).second) {
    throw Error("{}: line {}: '{}' has segment {} twice; are two outputs in one file?", where,
                number, line.file, *line.segment);
  }
}

ScoreList listOf(const SegmentScores& scores, const std::string& where) {
  ScoreList list{.name = scores.name};
  for (const auto& [segment, value] : scores.bySegment) {
    if (segment != list.values.size())
      throw Error("{}: '{}' has segment {} but not {}; is a part of the output missing?", where,
                  scores.name, segment, list.values.size());
    list.values.push_back(value);
  }
  if (list.values.empty()) {
    throw Error(
        "{}: has only the score of the system '{}'; run comet-score without --only_system, or with "
        "--to_json",
        where, scores.name);
  }
  return list;
}

}  // namespace

bool looksLikeCometOutput(const std::vector<std::string>& lines) {
  bool any = false, all = true;
  for (const std::string& line : lines) {
    const auto parsed = parseComet(line);
    if (parsed && parsed->segment) return true;
    any = any || parsed;
    all = all && (parsed || trimmed(line).empty());
  }
  return any && all;
}

ScoreFile readCometOutput(const std::vector<std::string>& lines,
                          const std::filesystem::path& path) {
  const std::string where = path.string();
  ScoreFile file{.format = "comet-output"};
  file.metric.metric = "COMET";
  std::vector<SegmentScores> files;
  std::size_t others = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto parsed = parseComet(lines[i])) {
      addLine(*parsed, i + 1, where, files);
    } else if (lines[i].find(kSegment) != std::string::npos) {
      throw Error(
          "{}: line {} is damaged: '{}'; expected FILE, Segment N and score: X, separated by tabs",
          where, i + 1, lines[i].substr(0, 80));
    } else {
      others += trimmed(lines[i]).empty() ? 0 : 1;
    }
  }
  if (files.empty()) throw Error("{}: has no scores as comet-score prints them", where);
  if (others > 0)
    file.warnings.push_back(fmt::format("{}: left out {} lines without a score", where, others));
  for (const SegmentScores& scores : files) {
    file.systems.push_back(listOf(scores, where));
    // Each is printed with four decimals.
    const double mean = file.systems.back().mean();
    if (!scores.system || !(std::abs(mean - *scores.system) > 1.5e-4)) continue;
    file.warnings.push_back(fmt::format(
        "{}: the score of '{}' is {:.4f}, but the mean of its {} segments is {:.4f}; is a part of "
        "the output missing?",
        where, scores.name, *scores.system, scores.bySegment.size(), mean));
  }
  return file;
}

}  // namespace strata
