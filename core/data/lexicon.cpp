#include "core/data/lexicon.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "core/base/byte_order_mark.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/parse_number.h"
#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/data/text_files.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::string_view kLexiconMagic = "# strata-lexicon 1 ";

// What a line without tabs says of its file; empty: nothing. Moses writes p(first | second).
std::string_view formatWithoutTabs(std::string_view line) {
  const std::vector<std::string> words = wordsOf(line);
  if (words.size() != 3 || !parseNumber<double>(words.back())) return "";
  return "; this one is a lexical table of Moses, which has the translation first: `awk -v "
         "OFS='\\t' '{print $2, $1, $3}' FILE`";
}

// The same of a number that is no probability.
std::string_view formatOfNumber(std::string_view number) {
  if (!number.starts_with('-') || !parseNumber<double>(number)) return "";
  return "; this one is a logarithm, as fast_align writes it: "
         "`awk -v FS='\\t' -v OFS='\\t' '{print $1, $2, exp($3)}' FILE`";
}

LexiconEntry entryOf(std::string_view line, const std::string& where) {
  const auto first = line.find('\t');
  if (first == std::string_view::npos) {
    throw usageError("{}: expected source<TAB>target[<TAB>p] on each line of a dictionary{}", where,
                     formatWithoutTabs(line));
  }
  const auto second = std::min(line.find('\t', first + 1), line.size());
  LexiconEntry entry{std::string(line.substr(0, first)),
                     std::string(line.substr(first + 1, second - first - 1))};
  if (entry.source.empty() || entry.target.empty())
    throw usageError("{}: a side of the entry is empty", where);
  if (second == line.size()) return entry;
  const std::string_view number = line.substr(second + 1);
  const auto probability = parseNumber<double>(number);
  if (!probability || !(*probability > 0) || *probability > 1)
    throw usageError("{}: '{}' is not a probability above 0 and at most 1{}", where, number,
                     formatOfNumber(number));
  entry.probability = *probability;
  return entry;
}

// Appends a source word's entries: the most likely first, ties in their order; at most `most`.
void addSorted(std::vector<LexiconEntry> own, std::size_t most, std::vector<LexiconEntry>& all) {
  std::ranges::stable_sort(own, std::ranges::greater{}, &LexiconEntry::probability);
  if (own.size() > most) own.resize(most);
  std::ranges::move(own, std::back_inserter(all));
}

std::vector<LexiconEntry> linkedEntries(const WordPairs& pairs, const IbmModel1& model,
                                        std::int64_t minimumLinks) {
  std::vector<std::int64_t> links(model.entries(), 0);
  for (std::int64_t pair = 0; pair < pairs.size(); ++pair) {
    for (const IbmModel1::Link& link : model.links(pair)) ++links[link.entry];
  }
  std::vector<LexiconEntry> lexicon;
  for (std::int32_t source = 0; source < std::ssize(pairs.sourceWords()); ++source) {
    const std::size_t begin = model.firstOf(source);
    const std::span linked(links.data() + begin, links.data() + model.endOf(source));
    const auto all = std::accumulate(linked.begin(), linked.end(), std::int64_t{0});
    std::vector<LexiconEntry> own;
    for (std::size_t entry = begin; entry < begin + linked.size(); ++entry) {
      if (links[entry] < std::max<std::int64_t>(1, minimumLinks)) continue;
      own.push_back({pairs.sourceWords()[static_cast<std::size_t>(source)],
                     pairs.targetWords()[static_cast<std::size_t>(model.targetOf(entry))],
                     static_cast<double>(links[entry]) / static_cast<double>(all)});
    }
    addSorted(std::move(own), linked.size(), lexicon);
  }
  return lexicon;
}

std::vector<LexiconEntry> likelyEntries(const WordPairs& pairs, const IbmModel1& model,
                                        const LexiconOptions& options) {
  std::vector<LexiconEntry> lexicon;
  for (std::int32_t source = 0; source < std::ssize(pairs.sourceWords()); ++source) {
    std::vector<LexiconEntry> own;
    for (std::size_t entry = model.firstOf(source); entry < model.endOf(source); ++entry) {
      const std::int32_t target = model.targetOf(entry);
      const double probability = model.targetGivenSource(target, source);
      if (!(probability >= options.leastProbability)) continue;
      own.push_back({pairs.sourceWords()[static_cast<std::size_t>(source)],
                     pairs.targetWords()[static_cast<std::size_t>(target)],
                     std::min(probability, 1.0)});
    }
    addSorted(std::move(own), static_cast<std::size_t>(options.mostLikely), lexicon);
  }
  return lexicon;
}

// What the words that only one of the two vocabularies has say of a dictionary's direction.
struct DirectionCounts {
  std::int64_t forward = 0, backward = 0;  // entries from source to target, and the other way
  std::int64_t sources = 0;                // entries whose source word is in the source vocabulary
};

DirectionCounts directionsOf(const std::vector<LexiconEntry>& entries, const TextPipeline& text) {
  const auto has = [&](Side side, const std::string& word) {
    return text.vocabulary(side).idOf(word) >= kFirstWordId;
  };
  DirectionCounts counts;
  for (const auto& [source, target, probability] : entries) {
    const bool known[] = {has(Side::kSource, source), has(Side::kTarget, source),
                          has(Side::kSource, target), has(Side::kTarget, target)};
    counts.sources += known[0] ? 1 : 0;
    const bool forward = (known[0] && !known[1]) || (known[3] && !known[2]);
    const bool backward = (known[1] && !known[0]) || (known[2] && !known[3]);
    if (forward != backward) ++(forward ? counts.forward : counts.backward);
  }
  return counts;
}

}  // namespace

LearntLexicon learnLexicon(const WordPairs& pairs, const LexiconOptions& options,
                           Progress& progress) {
  IbmModel1 model(pairs);
  for (int i = 1; i <= options.iterations; ++i) {
    progress.begin(fmt::format("IBM Model 1, {} of {}", i, options.iterations), pairs.size(),
                   "pairs");
    model.iterate(progress);
    progress.end();
  }
  return {linkedEntries(pairs, model, options.minimumLinks), likelyEntries(pairs, model, options)};
}

WordPairs trainWords(const Dataset& dataset, Progress& progress) {
  dataset.requireIntact(progress);
  WordPairs words;
  const Json& train = dataset.manifest().at("train");
  const auto pairs = train.at("pairs").get<std::int64_t>();
  progress.begin("reading train", pairs, "pairs");
  if (fs::exists(dataset.trainTokens(0))) {
    PairFileReader text(dataset.trainTokens(0), dataset.trainTokens(1));
    while (text.next()) {
      words.add(text.source(), text.target());
      progress.advance(words.size());
    }
  } else if (train.at("source_unknown") == 0 && train.at("target_unknown") == 0) {
    const Corpus corpus(dataset.trainCorpus());
    const TextPipeline text = TextPipeline::load(dataset.textFolder());
    for (std::int64_t pair = 0; pair < corpus.pairs(); ++pair) {
      words.add(text.tokensOf(Side::kSource, corpus.ids(CorpusSide::kSource, pair).toVector()),
                text.tokensOf(Side::kTarget, corpus.ids(CorpusSide::kTarget, pair).toVector()));
      progress.advance(words.size());
    }
  } else {
    throw Error(
        "dataset '{}' was prepared without the words of train beyond its vocabularies; prepare it "
        "again, or give a dictionary",
        dataset.name());
  }
  progress.end();
  return words;
}

fs::path lexiconFile(const Dataset& dataset, LexiconKind kind) {
  return dataset.folder() / (kind == LexiconKind::kLinked ? "lexicon.tsv" : "shortlist.tsv");
}

void writeLexicon(const fs::path& path, const std::vector<LexiconEntry>& entries) {
  std::string text;
  for (const LexiconEntry& entry : entries)
    text += fmt::format("{}\t{}\t{}\n", entry.source, entry.target, entry.probability);
  writeFileAtomic(path, fmt::format("{}{}\n{}", kLexiconMagic, digestOf(text), text));
}

std::vector<LexiconEntry> lexiconOf(const Dataset& dataset, LexiconKind kind) {
  const fs::path file = lexiconFile(dataset, kind);
  if (!fs::exists(file)) {
    throw usageError(
        "dataset '{}' has no {}; learn or import it with `strata-run data lexicon --dataset {}`",
        dataset.name(), file.filename().string(), dataset.folder().filename().string());
  }
  return readLexicon(file);
}

std::vector<LexiconEntry> readLexicon(const fs::path& path) {
  const std::string content = readTextFile(path);
  std::string_view text = content;
  std::int64_t number = 0;
  if (text.starts_with(kLexiconMagic)) {
    const std::string_view first = takeLine(text);
    ++number;
    if (first.substr(kLexiconMagic.size()) != digestOf(text))
      throw Error("{}: its content has changed since it was written; learn the dictionary again",
                  path.string());
  }
  std::vector<LexiconEntry> entries;
  while (!text.empty()) {
    std::string_view line = takeLine(text);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (!line.empty())
      entries.push_back(entryOf(line, fmt::format("{}:{}", path.string(), number)));
  }
  return entries;
}

std::vector<LexiconEntry> readDictionary(const fs::path& path, const TextPipeline& text,
                                         IfEmpty ifEmpty) {
  std::vector<LexiconEntry> entries = readLexicon(path);
  if (entries.empty() && ifEmpty == IfEmpty::kRefuse) {
    throw usageError("{}: is an empty dictionary; expected source<TAB>target[<TAB>p] on each line",
                     path.string());
  }
  if (entries.empty()) {
    spdlog::warn("{}: is an empty dictionary: no word has a translation", path.string());
    return entries;
  }
  const DirectionCounts counts = directionsOf(entries, text);
  if (counts.backward > 0 && counts.forward == 0) {
    throw usageError(
        "{}: is reversed: {} of its {} entries lead from the target vocabulary to the source "
        "vocabulary, none the other way; exchange its columns",
        path.string(), counts.backward, entries.size());
  }
  if (counts.backward > counts.forward) {
    spdlog::warn(
        "{}: is it reversed? {} of its {} entries lead from the target vocabulary to the source "
        "vocabulary, {} the other way",
        path.string(), counts.backward, entries.size(), counts.forward);
  } else if (counts.sources == 0) {
    spdlog::warn(
        "{}: none of its {} source words is in the source vocabulary; is it reversed, of other "
        "languages, or written otherwise than the tokens of the dataset?",
        path.string(), Lexicon(entries).size());
  }
  return entries;
}

Lexicon::Lexicon(const std::vector<LexiconEntry>& entries) {
  for (const LexiconEntry& entry : entries) {
    const auto [at, added] = best_.emplace(entry.source, entry);
    if (!added && entry.probability > at->second.probability) at->second = entry;
  }
}

std::string_view Lexicon::translationOf(std::string_view source) const {
  const auto found = best_.find(source);
  return found == best_.end() ? source : std::string_view(found->second.target);
}

}  // namespace strata
