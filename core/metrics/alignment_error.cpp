#include "core/metrics/alignment_error.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/byte_order_mark.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/parse_number.h"
#include "core/metrics/ratio.h"
#include "core/text/words.h"

namespace strata {
namespace {

// A mistyped sentence number must not request all memory.
constexpr std::size_t kMostSentences = 1'000'000;

// What stands between the two words of a link.
constexpr std::string_view kSureMark = "-", kSureMarks = "-sS", kMixedMarks = "-sS?pP";

// The current position in the input, for messages.
struct Place {
  std::string_view where;
  std::size_t line;  // from 1

  Error error(std::string_view token, std::string_view what) const {
    return Error("{}:{}: '{}' {}", where, line, token, what);
  }
};

// The complete text as an unsigned number; nothing otherwise.
std::optional<std::int32_t> numberOf(std::string_view text) {
  if (text.starts_with('-')) return std::nullopt;
  return parseNumber<std::int32_t>(text);
}

std::vector<std::string_view> tokensOf(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string_view> tokens;
  for (std::size_t begin = line.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    tokens.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpace, end);
  }
  return tokens;
}

template <typename Use>
void forEachLine(std::string_view text, Use use) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    use(text.substr(begin, end - begin), ++number);
    begin = end + 1;
  }
}

void sortUnique(std::vector<AlignmentLink>& links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

std::int64_t common(const std::vector<AlignmentLink>& a, const std::vector<AlignmentLink>& b) {
  std::vector<AlignmentLink> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<std::int64_t>(both.size());
}

class Parser {
 public:
  Parser(std::string_view where, const AlignmentReading& reading)
      : where_(where), reading_(reading) {
    const auto& lengths = reading.lengths;
    if (lengths && lengths->source.size() != lengths->target.size()) {
      throw Error("{}: there are lengths of {} source and {} target sentences: give one per pair",
                  where, lengths->source.size(), lengths->target.size());
    }
    if (lengths) expected_ = lengths->source.size();
    if (reading.format != AlignmentFormat::kNaacl || reading.sentences == 0) return;
    if (expected_ && *expected_ != reading.sentences) {
      throw Error("{}: {} sentence pairs are requested, but there are lengths of {}", where,
                  reading.sentences, *expected_);
    }
    expected_ = reading.sentences;
  }

  Alignments parse(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
      result_.warnings.push_back(fmt::format("{}:1: a byte order mark is ignored", where_));
    }
    const bool naacl = reading_.format == AlignmentFormat::kNaacl;
    forEachLine(text, [&](std::string_view line, std::size_t number) {
      const Place place{where_, number};
      naacl ? addNaaclLine(line, place) : addPairLine(line, place);
    });
    if (naacl && expected_) result_.sentences.resize(*expected_);
    if (expected_ && result_.sentences.size() != *expected_) {
      throw Error("{} has {} lines but there are {} sentence pairs: line n belongs to pair n",
                  where_, result_.sentences.size(), *expected_);
    }
    for (SentenceAlignment& sentence : result_.sentences) {
      sortUnique(sentence.sure);
      sortUnique(sentence.possible);
    }
    return std::move(result_);
  }

 private:
  // Pharaoh and mixed: one sentence pair.
  void addPairLine(std::string_view line, const Place& place) {
    result_.sentences.emplace_back();
    const std::vector<std::string_view> tokens = tokensOf(line);
    const bool mixed = reading_.format == AlignmentFormat::kMixed;
    for (const std::string_view token : tokens) {
      const std::size_t mark = token.find_first_of(mixed ? kMixedMarks : kSureMark);
      if (mark == std::string_view::npos) throw notALink(token, tokens, place);
      const auto source = numberOf(token.substr(0, mark));
      const auto target = numberOf(token.substr(mark + 1));
      if (!source || !target) throw notALink(token, tokens, place);
      const std::int32_t first = reading_.fromOne ? 1 : 0;
      if (*source < first || *target < first)
        throw place.error(token, "has a word 0, but words are to be counted from 1");
      const bool sure = kSureMarks.find(token[mark]) != std::string_view::npos;
      addLink(result_.sentences.size() - 1, {*source - first, *target - first}, sure, token, place);
    }
  }

  Error notALink(std::string_view token, const std::vector<std::string_view>& tokens,
                 const Place& place) const {
    const auto isNumber = [](std::string_view text) { return numberOf(text).has_value(); };
    if (tokens.size() >= 3 && tokens[0] == "#" && tokens[1] == "Sentence" && tokens[2] == "pair") {
      return place.error(token,
                         "begins a pair of an A3 file of GIZA++, which is not read: make links of "
                         "it, such as 0-0 1-2, a sentence pair on each line");
    }
    if (tokens.size() >= 3 && tokens.size() <= 4 &&
        std::all_of(tokens.begin(), tokens.begin() + 3, isNumber)) {
      return place.error(token,
                         "is not a link; the line looks like one of a NAACL file: read it as that");
    }
    return place.error(token, reading_.format == AlignmentFormat::kMixed
                                  ? "is not a link: write source-target or, if it is only "
                                    "possible, source?target"
                                  : "is not a link: write source-target");
  }

  // NAACL: one link.
  void addNaaclLine(std::string_view line, const Place& place) {
    const std::vector<std::string_view> tokens = tokensOf(line);
    if (tokens.empty()) return;
    if (tokens.size() < 3 || tokens.size() > 4) {
      throw place.error(line, "is not a link: write sentence source target S, or P for possible");
    }
    std::int32_t numbers[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = numberOf(tokens[i]);
      if (number && *number == 0) {
        throw place.error(tokens[i],
                          "is not a number of a sentence or word: NAACL files count both from 1, "
                          "this one seems to count from 0; add 1 to its numbers");
      }
      if (!number)
        throw place.error(tokens[i], "is not a number of a sentence or word, which count from 1");
      numbers[i] = *number;
    }
    if (tokens.size() == 4 && tokens[3] != "S" && tokens[3] != "P") {
      throw place.error(tokens[3], "is neither S (sure) nor P (possible)");
    }
    const std::size_t most = expected_.value_or(kMostSentences);
    if (std::cmp_greater(numbers[0], most)) {
      throw place.error(tokens[0],
                        fmt::format("is not a sentence number: there are at most {}", most));
    }
    const auto sentence = static_cast<std::size_t>(numbers[0] - 1);
    if (sentence >= result_.sentences.size()) result_.sentences.resize(sentence + 1);
    addLink(sentence, {numbers[1] - 1, numbers[2] - 1}, tokens.size() == 3 || tokens[3] == "S",
            line, place);
  }

  void addLink(std::size_t sentence, AlignmentLink link, bool sure, std::string_view token,
               const Place& place) {
    SentenceAlignment& to = result_.sentences[sentence];
    to.possible.push_back(link);
    if (sure) to.sure.push_back(link);
    if (!reading_.lengths || sentence >= *expected_) return;
    const std::int32_t source = reading_.lengths->source[sentence];
    const std::int32_t target = reading_.lengths->target[sentence];
    if (link.source < source && link.target < target) return;
    result_.warnings.push_back(
        fmt::format("{}:{}: '{}' is outside sentence pair {}, which has {} source and {} target "
                    "words; it is kept",
                    place.where, place.line, token, sentence + 1, source, target));
  }

  std::string_view where_;
  const AlignmentReading& reading_;
  std::optional<std::size_t> expected_;  // sentence pairs
  Alignments result_;
};

void checkSizes(std::size_t first, std::string_view firstName, std::size_t second,
                std::string_view secondName) {
  if (first == second) return;
  throw Error("there are {} {} and {} {}: line n of one belongs to line n of the other", first,
              firstName, second, secondName);
}

}  // namespace

AlignmentLengths alignmentLengths(std::span<const std::string> source,
                                  std::span<const std::string> target) {
  checkSizes(source.size(), "source lines", target.size(), "target lines");
  const auto count = [](std::span<const std::string> lines) {
    std::vector<std::int32_t> lengths;
    for (const std::string& line : lines) {
      std::int32_t words = 0;
      forEachWord(line, [&](std::string_view) { ++words; });
      lengths.push_back(words);
    }
    return lengths;
  };
  return {count(source), count(target)};
}

Alignments parseAlignments(std::string_view text, std::string_view where,
                           const AlignmentReading& reading) {
  return Parser(where, reading).parse(text);
}

Alignments readAlignments(const std::filesystem::path& path, const AlignmentReading& reading) {
  return parseAlignments(readFile(path), path.string(), reading);
}

bool seemsToCountFromOne(const Alignments& alignments) {
  bool any = false;
  for (const SentenceAlignment& sentence : alignments.sentences) {
    for (const AlignmentLink& link : sentence.possible) {
      if (link.source == 0 || link.target == 0) return false;
      any = true;
    }
  }
  return any;
}

Alignments goldAlignments(const Alignments& sure, const Alignments& possible) {
  checkSizes(sure.sentences.size(), "lines of sure links", possible.sentences.size(),
             "lines of possible links");
  Alignments gold;
  for (std::size_t i = 0; i < sure.sentences.size(); ++i) {
    SentenceAlignment sentence{sure.sentences[i].possible, possible.sentences[i].possible};
    sentence.possible.insert(sentence.possible.end(), sentence.sure.begin(), sentence.sure.end());
    sortUnique(sentence.possible);
    gold.sentences.push_back(std::move(sentence));
  }
  gold.warnings = sure.warnings;
  gold.warnings.insert(gold.warnings.end(), possible.warnings.begin(), possible.warnings.end());
  return gold;
}

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  links += other.links;
  sure += other.sure;
  possible += other.possible;
  linksAndSure += other.linksAndSure;
  linksAndPossible += other.linksAndPossible;
  return *this;
}

AlignmentCounts sum(std::span<const AlignmentCounts> sentences) {
  AlignmentCounts all;
  for (const AlignmentCounts& sentence : sentences) all += sentence;
  return all;
}

AlignmentCounts compareAlignment(const SentenceAlignment& hypothesis,
                                 const SentenceAlignment& gold) {
  const auto size = [](const auto& links) { return static_cast<std::int64_t>(links.size()); };
  return {size(hypothesis.possible), size(gold.sure), size(gold.possible),
          common(hypothesis.possible, gold.sure), common(hypothesis.possible, gold.possible)};
}

std::vector<AlignmentCounts> compareAlignments(const Alignments& hypotheses,
                                               const Alignments& gold) {
  checkSizes(hypotheses.sentences.size(), "hypotheses", gold.sentences.size(), "gold alignments");
  std::vector<AlignmentCounts> counts;
  counts.reserve(gold.sentences.size());
  for (std::size_t i = 0; i < gold.sentences.size(); ++i) {
    counts.push_back(compareAlignment(hypotheses.sentences[i], gold.sentences[i]));
  }
  return counts;
}

double precision(const AlignmentCounts& counts) {
  return ratio(counts.linksAndPossible, counts.links);
}

double recall(const AlignmentCounts& counts) {
  return ratio(counts.linksAndSure, counts.sure);
}

double f1(const AlignmentCounts& counts) {
  const double p = precision(counts), r = recall(counts);
  return p + r == 0 ? 0 : 2 * p * r / (p + r);
}

double aer(const AlignmentCounts& counts) {
  return 1 - ratio(counts.linksAndSure + counts.linksAndPossible, counts.links + counts.sure);
}

}  // namespace strata
