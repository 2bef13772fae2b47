#include "core/data/generator/dataset.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace strata::generator {
namespace {

constexpr std::int64_t kContrasts = 1000;  // pairs per direction

struct SetPlan {
  const char* name;
  Split split;
  std::int64_t pairs;
};

// A text file written line by line; close() reports write errors such as a full disk.
class Lines {
 public:
  explicit Lines(const fs::path& path) : path_(path) {
    fs::create_directories(path.parent_path());
    stream_.open(path, std::ios::binary);
  }
  void add(const std::string& line) { stream_ << line << '\n'; }
  void close() {
    stream_.close();
    if (!stream_) throw Error("cannot write {}: is the disk full?", path_.string());
  }

 private:
  fs::path path_;
  std::ofstream stream_;
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string linksOf(const std::vector<GoldToken>& gold) {
  std::vector<std::string> links;
  for (const auto& token : gold) {
    auto& link =
        links.emplace_back(fmt::format("{}:{}:{}", token.head, token.relation, token.kind));
    if (token.antecedent >= 0) link += fmt::format(":{}", token.antecedent);
  }
  return joined(links);
}

// Counts how often each German word is aligned to each English phrase.
class LexiconCounter {
 public:
  void add(const GeneratedPair& pair) {
    englishTypes_.insert(pair.english.begin(), pair.english.end());
    for (std::size_t i = 0; i < pair.german.size(); ++i) {
      std::vector<std::string> english;
      for (const auto& [source, target] : pair.alignment) {
        if (source == static_cast<int>(i))
          english.push_back(pair.english[static_cast<std::size_t>(target)]);
      }
      ++counts_[pair.german[i]][joined(english)];
    }
  }

  void write(const fs::path& path) const {
    Lines lines(path);
    for (const auto& [german, phrases] : counts_) {
      const auto best =
          std::max_element(phrases.begin(), phrases.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      lines.add(fmt::format("{}\t{}\t{}", german, best->first, best->second));
    }
    lines.close();
  }

  // Distinct words of the training text.
  std::size_t germanTypes() const { return counts_.size(); }
  std::size_t englishTypes() const { return englishTypes_.size(); }

 private:
  std::map<std::string, std::map<std::string, std::int64_t>> counts_;
  std::set<std::string> englishTypes_;
};

void writeSet(const fs::path& folder, const SetPlan& plan, const GeneratorOptions& options,
              LexiconCounter* lexicon, Progress& progress) {
  SentenceGenerator generator(options, plan.split);
  const std::string name = plan.name;
  Lines german(folder / (name + ".de")), english(folder / (name + ".en")),
      align(folder / "gold" / (name + ".align"));
  Lines germanLinks(folder / "gold" / (name + ".de.links")),
      englishLinks(folder / "gold" / (name + ".en.links"));
  progress.begin("generating " + name, plan.pairs, "pairs");
  for (std::int64_t i = 0; i < plan.pairs; ++i) {
    const auto pair = generator.next();
    german.add(joined(pair.german));
    english.add(joined(pair.english));
    std::vector<std::string> links;
    for (const auto& [source, target] : pair.alignment)
      links.push_back(fmt::format("{}-{}", source, target));
    align.add(joined(links));
    germanLinks.add(linksOf(pair.germanGold));
    englishLinks.add(linksOf(pair.englishGold));
    if (lexicon != nullptr) lexicon->add(pair);
    progress.advance(i + 1);
  }
  progress.end();
  for (Lines* lines : {&german, &english, &align, &germanLinks, &englishLinks}) lines->close();
}

void writeContrasts(const fs::path& folder, const GeneratorOptions& options) {
  SentenceGenerator generator(options, Split::kTest);
  for (const bool intoGerman : {false, true}) {
    Lines lines(folder / "contrastive" / (intoGerman ? "en-de.tsv" : "de-en.tsv"));
    for (std::int64_t i = 0; i < kContrasts; ++i) {
      const auto pair = generator.nextContrastive(intoGerman);
      lines.add(fmt::format("{}\t{}\t{}\t{}\t{}", pair.phenomenon, pair.distance, pair.source,
                            pair.correct, pair.wrong));
    }
    lines.close();
  }
}

PairInput pairOf(const fs::path& folder, const std::string& set) {
  const std::string prefix = (folder / set).string();
  return {.source = {.location = prefix + ".de"}, .targets = {{.location = prefix + ".en"}}};
}

// Whole word tables are not named: a corpus made from them has the manifest that it always had.
Json describe(const GeneratorOptions& options, bool contrastive) {
  Json made{{"size", options.size},
            {"seed", options.seed},
            {"length", {options.minLength, options.maxLength}},
            {"depth", options.depth},
            {"ambiguity", options.ambiguity},
            {"contrastive", contrastive}};
  if (const WordCounts& words = options.words; words != WordCounts{}) {
    made["words"] = {
        {"nouns", words.nouns}, {"verbs", words.verbs}, {"adjectives", words.adjectives}};
  }
  return {{"generator", std::move(made)}};
}

}  // namespace

PreparedDataset generateDataset(const std::filesystem::path& datasets, const std::string& name,
                                const GeneratorOptions& options, bool contrastive,
                                Progress& progress) {
  check(options);
  checkDatasetName(name, "dataset");
  const TemporaryFolder folder;
  const std::int64_t held = std::clamp<std::int64_t>(options.size / 20, 50, 1000);
  LexiconCounter lexicon;
  PrepareOptions prepare;
  prepare.name = name;
  prepare.sourceLanguage = "de";
  prepare.targetLanguage = "en";
  prepare.bpeMerges = options.merges;
  prepare.recipe = describe(options, contrastive);
  for (const auto& plan :
       {SetPlan{"train", Split::kTrain, options.size}, SetPlan{"valid", Split::kValid, held},
        SetPlan{"test", Split::kTest, held}}) {
    const bool train = plan.split == Split::kTrain;
    writeSet(folder.path(), plan, options, train ? &lexicon : nullptr, progress);
    if (train) {
      prepare.train = {pairOf(folder.path(), plan.name)};
    } else {
      prepare.sets.push_back(
          {plan.name, plan.split == Split::kTest, {pairOf(folder.path(), plan.name)}});
    }
  }
  lexicon.write(folder / "gold" / "lexicon.tsv");
  prepare.recipe["generator"]["types"] = {{"de", lexicon.germanTypes()},
                                          {"en", lexicon.englishTypes()}};
  if (contrastive) writeContrasts(folder.path(), options);
  for (const char* part : {"gold", "contrastive"}) {
    if (!fs::exists(folder / part)) continue;
    for (const auto& entry : fs::directory_iterator(folder / part)) {
      prepare.extraFiles.emplace_back(std::string(part) + "/" + entry.path().filename().string(),
                                      entry.path());
    }
  }
  std::sort(prepare.extraFiles.begin(), prepare.extraFiles.end());
  return prepareDataset(datasets, prepare, progress);
}

WordForWord::WordForWord(const std::filesystem::path& lexicon) {
  std::istringstream lines(readFile(lexicon));
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto first = line.find('\t'), second = line.find('\t', first + 1);
    if (second == std::string::npos)
      throw Error("{}:{}: expected three columns with tabs between them", lexicon.string(), number);
    english_[line.substr(0, first)] = line.substr(first + 1, second - first - 1);
  }
}

std::string WordForWord::translate(const std::string& german) const {
  std::istringstream words(german);
  std::vector<std::string> result;
  for (std::string word; words >> word;) {
    const auto found = english_.find(word);
    const std::string& english = found == english_.end() ? word : found->second;
    if (!english.empty()) result.push_back(english);
  }
  return joined(result);
}

}  // namespace strata::generator
