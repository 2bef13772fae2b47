#include "core/data/preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/line_error.h"
#include "core/data/lines.h"
#include "core/data/pair_sides.h"
#include "core/data/pair_text.h"
#include "core/data/sample.h"
#include "core/data/text_files.h"
#include "core/text/pipeline.h"

namespace strata {
namespace {

constexpr std::size_t kShownText = 400;  // bytes of a rejected pair
constexpr std::int64_t kCheckEvery = 256;

Json pairsJson(const std::vector<TextPair>& pairs) {
  return jsonList(pairs, [](const TextPair& pair) {
    return Json{{"pair", pair.number}, {"source", pair.source}, {"target", pair.target}};
  });
}

// At most so many bytes, cut between characters.
std::string cut(std::string text) {
  if (text.size() <= kShownText) return text;
  std::size_t end = kShownText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

// The rejected lines, of which the first are listed; those that stop a preparation always are.
class Rejections {
 public:
  Rejections(DatasetPreview& preview, std::size_t listed) : preview_(preview), listed_(listed) {}

  void add(RejectedLine line) {
    ++preview_.rejectedLines;
    if (preview_.rejected.size() >= listed_ && !(line.stops && stops_ < listed_)) return;
    if (line.stops) ++stops_;
    line.text = cut(std::move(line.text));
    preview_.rejected.push_back(std::move(line));
  }

 private:
  DatasetPreview& preview_;
  std::size_t listed_, stops_ = 0;
};

// One column of a parallel text, whose bad lines are reported and passed over.
class Column {
 public:
  Column(const TextInput& input, Rejections& rejections)
      : name_(input.location), rejections_(rejections) {
    guarded([&] { lines_ = openLines(input, /*quiet=*/true); });
    broken_ = broken_ || !lines_;
  }

  // Moves to the next line; isText() says whether it is one.
  void next() {
    isText_ = false;
    guarded([&] {
      std::string_view line;
      ended_ = !lines_->next(line);
      if (ended_) return;
      ++count_;
      text_ = line;
      isText_ = true;
    });
  }
  void close() { broken_ = true; }
  bool ended() const { return ended_ || broken_; }
  bool broken() const { return broken_; }  // the rest cannot be read
  bool isText() const { return isText_; }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  std::int64_t count() const { return count_; }
  LineSource* lines() const { return lines_.get(); }  // null: it cannot be read
  std::int64_t lineNumber() const { return lines_ ? lines_->lineNumber() : 0; }
  std::vector<std::string> notes() const {
    return lines_ ? lines_->notes() : std::vector<std::string>{};
  }

 private:
  template <typename Read>
  void guarded(Read read) {
    if (broken_) return;
    try {
      read();
    } catch (const LineError& bad) {
      ++count_;
      rejections_.add({name_, lineNumber(),
                       bad.badKind() == LineError::Kind::kUtf8 ? "bad UTF-8" : "NUL byte",
                       bad.what(), true});
    } catch (const Error& error) {
      broken_ = true;
      rejections_.add({name_, lineNumber(), "cannot be read", error.what(), true});
    }
  }

  std::string name_;
  Rejections& rejections_;
  std::unique_ptr<LineSource> lines_;
  std::string text_;
  std::int64_t count_ = 0;
  bool ended_ = false, broken_ = false, isText_ = false;
};

using Columns = std::vector<std::unique_ptr<Column>>;

// One column has ended and another one goes on.
void rejectCounts(Columns& columns, Rejections& rejections, const std::stop_token& stop) {
  for (const auto& column : columns) {
    while (!column->ended()) {
      if (column->count() % kCheckEvery == 0) checkCancelled(stop);
      column->next();
    }
  }
  const auto [least, most] =
      std::ranges::minmax_element(columns, {}, [](const auto& column) { return column->count(); });
  rejections.add(
      {(*least)->name(), (*least)->count() + 1, "unequal counts",
       fmt::format("{} has {} lines, {} has {}: line n of one must belong to line n of "
                   "the other",
                   (*least)->name(), (*least)->count(), (*most)->name(), (*most)->count()),
       true});
}

// Passes each line of all columns to `use`, which returns false to stop early.
template <typename Use>
void readColumns(Columns& columns, Rejections& rejections, const std::stop_token& stop, Use use) {
  for (std::int64_t count = 0;; ++count) {
    if (count % kCheckEvery == 0) checkCancelled(stop);
    std::size_t ended = 0;
    bool broken = false;
    for (const auto& column : columns) {
      column->next();
      ended += column->ended() ? 1 : 0;
      broken = broken || column->broken();
    }
    if (broken || ended == columns.size()) return;
    if (ended > 0) return rejectCounts(columns, rejections, stop);
    if (!use()) return;
  }
}

class Previewer {
 public:
  Previewer(const PrepareOptions& options, const PreviewOptions& wanted, Progress& progress)
      : options_(options),
        wanted_(wanted),
        progress_(progress),
        rejections_(result_, wanted.rejected),
        text_(options),
        builder_(wanted.figures),
        sample_(wanted.mergePairs, options.seed) {}

  DatasetPreview run() {
    for (const SetInput& set : options_.sets) readSet(set);
    for (const JoinInput& join : options_.joins) builder_.addJoined(join.name, join.sets);
    progress_.begin("reading train", 0, "pairs");
    for (const PairInput& part : options_.train) {
      if (!readTrain(part)) break;
    }
    progress_.end();
    result_.cleaning = text_.counts();
    result_.warnings = text_.warnings();
    result_.merges = merges();
    result_.figures = builder_.finish();
    noteLimits();
    return std::move(result_);
  }

 private:
  Columns open(const PairInput& part, std::size_t references) {
    Columns columns;
    columns.push_back(std::make_unique<Column>(part.source, rejections_));
    for (std::size_t i = 0; i < references; ++i)
      columns.push_back(std::make_unique<Column>(part.targets[i], rejections_));
    pair(columns);
    return columns;
  }

  // Segments that documents name are put in one order; if they do not match, none is read.
  void pair(Columns& columns) {
    std::vector<LineSource*> sources;
    for (const auto& column : columns) {
      if (column->lines() != nullptr) sources.push_back(column->lines());
    }
    try {
      pairSegments(sources, /*quiet=*/true);
    } catch (const Error& error) {
      rejections_.add({columns.back()->name(), 0, "other segments", error.what(), true});
      for (const auto& column : columns) column->close();
    }
  }

  void note(const Columns& columns) {
    for (const auto& column : columns) {
      for (const std::string& text : column->notes()) result_.notes.push_back(text);
    }
  }

  void readSet(const SetInput& input) {
    const std::size_t set = builder_.addSet(input.name);
    std::int64_t sentences = 0;
    progress_.begin("reading " + input.name, 0, "sentences");
    for (const PairInput& part : input.parts) {
      Columns columns = open(part, part.targets.size());
      readColumns(columns, rejections_, wanted_.stop, [&] {
        std::vector<std::string> references;
        for (std::size_t i = 1; i < columns.size(); ++i)
          references.push_back(setTokens(input, 1, *columns[i]));
        builder_.addSentence(set, setTokens(input, 0, *columns[0]), references);
        progress_.advance(++sentences);
        return true;
      });
      note(columns);
    }
    progress_.end();
    result_.sets.emplace_back(input.name, sentences);
  }

  std::string setTokens(const SetInput& set, int side, const Column& column) {
    return text_.setTokens(set.name, side, column.isText() ? column.text() : "");
  }

  bool readTrain(const PairInput& part) {
    Columns columns = open(part, 1);
    readColumns(columns, rejections_, wanted_.stop, [&] {
      if (wanted_.limit > 0 && result_.read >= wanted_.limit) {
        result_.complete = false;
        return false;
      }
      progress_.advance(++result_.read);
      if (columns[0]->isText() && columns[1]->isText())
        addPair(*columns[0], *columns[1]);
      else
        ++result_.bad;
      return true;
    });
    note(columns);
    return result_.complete;
  }

  void addPair(const Column& source, const Column& target) {
    const CleanVerdict verdict = text_.read(source.text(), target.text());
    if (verdict != CleanVerdict::kKept) {
      const bool atTarget = hasNoWords(target.text()) && !hasNoWords(source.text());
      const Column& at = atTarget ? target : source;
      rejections_.add({at.name(), at.lineNumber(), std::string(nameOf(verdict)),
                       source.text() + " ||| " + target.text(), false});
      return;
    }
    const std::int64_t kept = text_.counts().kept();
    if (options_.validEvery > 0 && kept % options_.validEvery == 0) return;  // goes to valid
    const TextPair pair{text_.source(), text_.target(), result_.read};
    if (result_.pairs.size() < wanted_.pairs) result_.pairs.push_back(pair);
    builder_.addPair(pair);
    if (wanted_.merges.empty()) return;
    const std::uint64_t hash = sample_.hashOf(static_cast<std::uint64_t>(result_.read));
    sample_.offer(hash);
    if (!sample_.drawn().contains(hash)) return;
    sampled_.emplace(hash, pair);
    if (sampled_.size() > sample_.drawn().size()) sampled_.erase(std::prev(sampled_.end()));
  }

  MergeEffect merges() {
    MergeEffect effect;
    effect.pairs = std::ssize(sampled_);
    effect.of = text_.counts().kept();
    if (options_.validEvery > 0) effect.of -= effect.of / options_.validEvery;
    effect.separate = options_.bpeSeparate;
    if (wanted_.merges.empty() || sampled_.empty()) return effect;
    MergeText text;
    for (const auto& [hash, pair] : sampled_) {
      text.words[0].addLine(pair.source);
      text.words[1].addLine(pair.target);
    }
    const auto valid =
        std::ranges::find_if(options_.sets, [](const SetInput& set) { return !set.test; });
    for (int side = 0; valid != options_.sets.end() && side < 2; ++side)
      text.valid[static_cast<std::size_t>(side)] = builder_.setWords(valid->name, side);
    std::vector<std::int64_t> wanted = wanted_.merges;
    if (options_.bpeMerges > 0) wanted.push_back(options_.bpeMerges);
    progress_.begin("trying merges", 0, "merges");
    effect.rows = mergeRows(text, std::move(wanted), options_.bpeSeparate, wanted_.stop);
    progress_.end();
    return effect;
  }

  void noteLimits() {
    if (options_.truecase)
      result_.notes.push_back(
          "the figures are of the text before truecasing, which is learned when preparing");
    if (options_.validSample + options_.testSample > 0)
      result_.notes.push_back(
          "sentences are drawn for evaluation when preparing; here all pairs belong to train");
    if (options_.validEvery > 0)
      result_.notes.push_back(
          fmt::format("every {}th kept pair becomes the set valid when preparing; here these pairs "
                      "are left out",
                      options_.validEvery));
    if (options_.dropOverlap)
      result_.notes.push_back(
          "pairs that share a sentence with an evaluation set are counted here and dropped when "
          "preparing");
  }

  const PrepareOptions& options_;
  const PreviewOptions& wanted_;
  Progress& progress_;
  DatasetPreview result_;
  Rejections rejections_;
  PairText text_;
  TextFiguresBuilder builder_;
  StreamSample sample_;
  std::map<std::uint64_t, TextPair> sampled_;  // by the hash by which they are drawn
};

// The words of train's sentences from the ids, or from the text if words are missing from the ids.
void addPairs(const Dataset& dataset, const PreviewOptions& wanted, Progress& progress,
              const std::function<void(TextPair)>& add) {
  std::int64_t number = 0;
  const auto step = [&] {
    if (number % kCheckEvery == 0) checkCancelled(wanted.stop);
    progress.advance(++number);
    return wanted.limit == 0 || number <= wanted.limit;
  };
  if (std::filesystem::exists(dataset.trainTokens(0))) {
    PairFileReader text(dataset.trainTokens(0), dataset.trainTokens(1));
    while (text.next() && step())
      add({std::string(text.source()), std::string(text.target()), number});
    return;
  }
  const TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
  const Corpus corpus(dataset.trainCorpus());
  for (std::int64_t pair = 0; pair < corpus.pairs() && step(); ++pair) {
    add({pipeline.tokensOf(Side::kSource, corpus.ids(CorpusSide::kSource, pair).toVector()),
         pipeline.tokensOf(Side::kTarget, corpus.ids(CorpusSide::kTarget, pair).toVector()),
         number});
  }
}

void addSetText(const EvaluationSet& set, TextFiguresBuilder& builder) {
  const std::size_t number = builder.addSet(set.name);
  std::vector<std::vector<std::string>> references;
  for (std::int64_t i = 0; i < set.references; ++i)
    references.push_back(readLines(set.tokensReference(i).string()));
  const std::vector<std::string> sources = readLines(set.tokensSource().string());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::vector<std::string> of;
    for (const auto& lines : references) of.push_back(i < lines.size() ? lines[i] : "");
    builder.addSentence(number, sources[i], of);
  }
}

}  // namespace

const RejectedLine* DatasetPreview::obstacle() const {
  const auto found = std::ranges::find_if(rejected, &RejectedLine::stops);
  return found == rejected.end() ? nullptr : &*found;
}

DatasetPreview previewDataset(const PrepareOptions& given, const PreviewOptions& preview,
                              Progress& progress) {
  checkTextSteps(given);
  if (given.train.empty()) throw usageError("no training text is given; use --train PREFIX");
  const PrepareOptions options = withSides(given);
  return Previewer(options, preview, progress).run();
}

Json DatasetPreview::json() const {
  Json dropped = Json::object();
  for (std::size_t i = 1; i < kCleanVerdicts; ++i) {
    const auto verdict = static_cast<CleanVerdict>(i);
    if (cleaning.of(verdict) > 0) dropped[std::string(nameOf(verdict))] = cleaning.of(verdict);
  }
  Json setSizes = Json::object();
  for (const auto& [name, sentences] : sets) setSizes[name] = sentences;
  return {{"read", read},
          {"complete", complete},
          {"kept", cleaning.kept()},
          {"dropped", dropped},
          {"bad", bad},
          {"sets", setSizes},
          {"pairs", pairsJson(pairs)},
          {"rejected_lines", rejectedLines},
          {"rejected", jsonList(rejected,
                                [](const RejectedLine& line) {
                                  return Json{{"file", line.file},
                                              {"line", line.line},
                                              {"reason", line.reason},
                                              {"text", line.text},
                                              {"stops", line.stops}};
                                })},
          {"figures", figures.json()},
          {"merges", merges.json()},
          {"warnings", warnings},
          {"notes", notes}};
}

DatasetFigures datasetFigures(const Dataset& dataset, const PreviewOptions& preview,
                              Progress& progress) {
  DatasetFigures result;
  TextFiguresBuilder builder(preview.figures);
  for (const EvaluationSet& set : dataset.sets()) addSetText(set, builder);
  progress.begin("reading train", dataset.manifest()["train"].value("pairs", std::int64_t{0}),
                 "pairs");
  addPairs(dataset, preview, progress, [&](const TextPair& pair) {
    if (result.pairs.size() < preview.pairs) result.pairs.push_back(pair);
    builder.addPair(pair);
  });
  progress.end();
  result.figures = builder.finish();
  return result;
}

Json DatasetFigures::json() const {
  return {{"pairs", pairsJson(pairs)}, {"figures", figures.json()}};
}

}  // namespace strata
