#include "core/data/clean.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/base/named_output.h"
#include "core/base/open_file.h"
#include "core/base/replacing_file.h"
#include "core/text/casing.h"
#include "core/text/character_classes.h"
#include "core/text/line_stream.h"
#include "core/text/words.h"

namespace strata {
namespace {

// The end of a tag that starts at `begin`, or `begin` if there is none: "<", a non-space character,
// any but ">", a non-space character, ">". The line has no white space but single spaces.
std::size_t endOfTag(std::string_view line, std::size_t begin) {
  std::size_t inside = begin + 1;
  if (inside >= line.size() || line[inside] == ' ') return begin;
  decodeUtf8(line, inside);
  const std::size_t close = line.find('>', inside);
  if (close == std::string_view::npos) return begin;
  if (close + 1 < line.size() && line[close + 1] == '>') return close + 2;
  return close > inside && line[close - 1] != ' ' ? close + 1 : begin;
}

std::string withoutTags(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = line[at] == '<' ? endOfTag(line, at) : at;
    if (end > at) {
      text += ' ';
      at = end;
    } else {
      text += line[at++];
    }
  }
  return text;
}

std::int64_t countWords(std::string_view line) {
  std::int64_t words = 0;
  forEachWord(line, [&](std::string_view) { ++words; });
  return words;
}

bool hasLongWord(std::string_view line, std::int64_t limit) {
  if (std::ssize(line) <= limit) return false;
  std::int64_t length = 0;
  for (const char c : line) {
    if (c == ' ' || c == '|') {
      length = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++length > limit) {
      return true;
    }
  }
  return false;
}

bool hasBlankFactor(std::string_view line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && (line[i - 1] == ' ' || line[i - 1] == '|')) return true;
  }
  return false;
}

// Lines that replace a file once all of them are there. What is no regular file is written into.
class Output {
 public:
  explicit Output(const fs::path& named) : place_(outputPlaceOf(named)) {
    if (place_.replaced) {
      replacing_.emplace(place_.file);
    } else {
      node_.emplace(place_.file, OutputPlace::flags());
      if (!node_->isOpen()) throw node_->failure("write");
    }
    writer_.emplace(place_.replaced ? replacing_->fd() : node_->fd(), named.string());
  }
  void add(std::string_view line) { writer_->add(line); }
  void commit() {
    writer_->flush();
    if (place_.replaced) replacing_->commit();
  }

 private:
  OutputPlace place_;
  std::optional<ReplacingFile> replacing_;
  std::optional<OpenFile> node_;
  std::optional<LineWriter> writer_;
};

// Reads the rest of both and throws an Error that names both counts.
[[noreturn]] void refuseDifferentCounts(LineReader& source, LineReader& target) {
  std::string_view line;
  while (source.next(line)) {
  }
  while (target.next(line)) {
  }
  throw Error("{} has {} lines and {} has {}: they are not line-by-line translations of each other",
              source.name(), source.lineNumber(), target.name(), target.lineNumber());
}

}  // namespace

std::string_view nameOf(CleanVerdict verdict) {
  constexpr std::array<std::string_view, kCleanVerdicts> kNames{"kept",      "empty", "too long",
                                                                "too short", "ratio", "long word"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::int64_t CleanCounts::total() const {
  return std::accumulate(byVerdict.begin(), byVerdict.end(), std::int64_t{0});
}

Cleaner::Cleaner(CleanOptions options) : options_(std::move(options)) {
  if (options_.maximum < options_.minimum) {
    throw usageError(
        "no sentence has at least {} and at most {} words: the maximum must not be below the "
        "minimum",
        options_.minimum, options_.maximum);
  }
  if (options_.maxWordLength < 0)
    throw usageError("the longest word cannot have {} characters", options_.maxWordLength);
}

CleanVerdict Cleaner::clean(std::string& source, std::string& target) {
  if (counts_.total() == 0) lookAtFirst(source, target);
  const CleanFinding finding = check(source, target);
  count(finding, source, target);
  return finding.verdict;
}

void Cleaner::lookAtFirst(std::string_view source, std::string_view target) {
  factored_ = source.find('|') != source.npos || target.find('|') != target.npos;
}

CleanFinding Cleaner::check(std::string& source, std::string& target) const {
  thread_local std::string scratch;
  for (std::string* line : {&source, &target}) {
    if (options_.lowercase) {
      lowercase(*line, scratch);
      line->swap(scratch);
    }
    // Bars are deleted unless they separate factors.
    const bool hasBars = !factored_ && line->find('|') != std::string::npos;
    if (!hasBars && !mayNeedCollapsing(*line)) continue;
    collapseWhiteSpace(*line, scratch, [&](char32_t c) { return c == '|' && hasBars; });
    line->swap(scratch);
  }
  CleanFinding finding{.verdict = judge(source, target)};
  if (finding.verdict == CleanVerdict::kKept && factored_) {
    if (hasBlankFactor(source)) {
      finding.blankFactor = 0;
    } else if (hasBlankFactor(target)) {
      finding.blankFactor = 1;
    }
  }
  return finding;
}

void Cleaner::count(const CleanFinding& finding, const std::string& source,
                    const std::string& target) {
  ++counts_.byVerdict[static_cast<std::size_t>(finding.verdict)];
  if (finding.blankFactor < 0) return;
  const bool inSource = finding.blankFactor == 0;
  throw Error("{}:{}: a blank factor in \"{}\"; remove it, or the '|' of the first line",
              inSource ? options_.sourceName : options_.targetName, counts_.total(),
              inSource ? source : target);
}

CleanVerdict Cleaner::judge(const std::string& source, const std::string& target) const {
  if (source.empty() || target.empty()) return CleanVerdict::kEmpty;
  const auto words = [&](const std::string& line) {
    return options_.ignoreXml ? countWords(withoutTags(line)) : countWords(line);
  };
  const std::int64_t sourceWords = words(source), targetWords = words(target);
  if (std::max(sourceWords, targetWords) > options_.maximum) return CleanVerdict::kTooLong;
  if (std::min(sourceWords, targetWords) < options_.minimum) return CleanVerdict::kTooShort;
  if (!options_.ignoreRatio) {
    const auto more = static_cast<double>(std::max(sourceWords, targetWords));
    const auto fewer = static_cast<double>(std::min(sourceWords, targetWords));
    // The larger quotient decides, so a limit below 1 drops pairs of equal length too.
    if (more / fewer > options_.ratio || fewer / more > options_.ratio) return CleanVerdict::kRatio;
  }
  const bool longWord =
      hasLongWord(source, options_.maxWordLength) || hasLongWord(target, options_.maxWordLength);
  return longWord ? CleanVerdict::kLongWord : CleanVerdict::kKept;
}

CleanCounts cleanFiles(const CleanFiles& files, CleanOptions options,
                       const std::function<void(std::int64_t)>& kept) {
  options.sourceName = files.source.string();
  options.targetName = files.target.string();
  LineReader source(files.source), target(files.target);
  std::optional<Output> sourceOutput, targetOutput;
  if (!files.outputSource.empty()) sourceOutput.emplace(files.outputSource);
  if (!files.outputTarget.empty()) targetOutput.emplace(files.outputTarget);
  Cleaner cleaner(std::move(options));
  std::string sourceLine, targetLine;
  for (std::string_view line;;) {
    const bool hasSource = source.next(line);
    if (hasSource) sourceLine = line;
    const bool hasTarget = target.next(line);
    if (hasSource != hasTarget) refuseDifferentCounts(source, target);
    if (!hasSource) break;
    targetLine = line;
    if (cleaner.clean(sourceLine, targetLine) != CleanVerdict::kKept) continue;
    if (kept) kept(source.lineNumber());
    if (sourceOutput) sourceOutput->add(sourceLine);
    if (targetOutput) targetOutput->add(targetLine);
  }
  if (sourceOutput) sourceOutput->commit();
  if (targetOutput) targetOutput->commit();
  return cleaner.counts();
}

}  // namespace strata
