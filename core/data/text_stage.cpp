#include "core/data/text_stage.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/lines.h"
#include "core/data/text_files.h"
#include "core/text/line_stream.h"
#include "core/text/truecaser.h"

namespace strata {

// Writes a set's text sentence by sentence.
struct TextStage::SetWriter {
  explicit SetWriter(SetText set, bool keepsRaw = true) : text(std::move(set)) {
    if (!fs::create_directories(text.folder))
      throw usageError("two evaluation sets are named '{}'", text.name);
    for (std::int64_t column = 0; column <= text.references; ++column) {
      if (keepsRaw) raw.push_back(std::make_unique<LineWriter>(text.raw(column)));
      tokens.push_back(std::make_unique<LineWriter>(text.tokens(column)));
    }
  }

  // One column: 0 the source, then the references.
  void add(std::size_t column, std::string_view rawLine, std::string_view tokensLine) {
    if (!raw.empty()) raw[column]->add(rawLine);
    tokens[column]->add(tokensLine);
    if (column > 0) return;
    ++text.sentences;
    if (hasNoWords(tokensLine)) ++text.blankSources;
  }

  SetText finish() {
    for (auto& file : raw) file->flush();
    for (auto& file : tokens) file->flush();
    return text;
  }

  SetText text;
  std::vector<std::unique_ptr<LineWriter>> raw, tokens;
};

TextStage::TextStage(const PrepareOptions& options, fs::path folder, Progress& progress)
    : options_(options),
      folder_(std::move(folder)),
      progress_(progress),
      pairs_(options),
      sample_(options.validSample + options.testSample, options.seed) {
  train_.folder = folder_ / "work";
}

SetText TextStage::newSet(const std::string& name, bool test) const {
  SetText set;
  set.name = name;
  set.test = test;
  set.folder = folder_ / "sets" / name;
  return set;
}

void TextStage::run() {
  fs::create_directories(folder_ / "sets");
  for (const SetInput& set : options_.sets) readSet(set);
  readTrain();
  if (options_.truecase) truecaseAll();
  drawSets();
  for (const JoinInput& join : options_.joins) joinSets(join);
  findOverlap();
  recountWords();
}

void TextStage::noteInput(const TextInput& input, const LineSource& lines, std::int64_t count) {
  Json entry = {{"file", input.location}, {"lines", count}};
  const fs::path file = fileOfLocation(input.location);
  if (fs::is_regular_file(file)) entry["digest"] = streamedDigest(file);
  for (const std::string& note : lines.notes()) {
    entry["notes"].push_back(note);
    warnings_.push_back(note);
  }
  inputs_.push_back(std::move(entry));
}

// Passes the lines of the source and of the first `references` targets to `use`, pair by pair.
template <typename Use>
void TextStage::readPart(const PairInput& part, std::size_t references, Use use) {
  std::vector<std::unique_ptr<LineSource>> sources;
  sources.push_back(openLines(part.source));
  for (std::size_t i = 0; i < references; ++i) sources.push_back(openLines(part.targets[i]));
  ParallelLines lines(std::move(sources));
  while (lines.next()) use(lines);
  noteInput(part.source, lines.source(0), lines.count());
  for (std::size_t i = 0; i < references; ++i)
    noteInput(part.targets[i], lines.source(i + 1), lines.count());
}

void TextStage::readSet(const SetInput& input) {
  const std::size_t references = input.parts.front().targets.size();
  SetText set = newSet(input.name, input.test);
  set.references = static_cast<std::int64_t>(references);
  SetWriter writer(std::move(set));
  progress_.begin("reading " + input.name, 0, "sentences");
  for (const PairInput& part : input.parts) {
    if (part.targets.size() != references) {
      throw usageError(
          "set '{}': {} has {} references and {} has {}; all parts must have equally many",
          input.name, input.parts.front().source.location, references, part.source.location,
          part.targets.size());
    }
    readPart(part, references, [&](const ParallelLines& lines) {
      for (std::size_t i = 0; i < lines.size(); ++i) {
        writer.add(i, lines.line(i), pairs_.tokens(i == 0 ? 0 : 1, lines.line(i)));
      }
      progress_.advance(writer.text.sentences);
    });
  }
  progress_.end();
  sets_.push_back(writer.finish());
  if (sets_.back().sentences == 0)
    throw Error("set '{}': {} contains no lines", input.name, input.parts.front().source.location);
}

void TextStage::joinSets(const JoinInput& join) {
  SetText joined = newSet(join.name, false);
  std::vector<const SetText*> parts;
  for (const std::string& name : join.sets) {
    const auto found = std::find_if(sets_.begin(), sets_.end(),
                                    [&](const SetText& set) { return set.name == name; });
    if (found == sets_.end()) throw usageError("--join {}: there is no set '{}'", join.name, name);
    if (!parts.empty() && found->references != parts.front()->references) {
      throw usageError("--join {}: '{}' and '{}' have different numbers of references", join.name,
                       parts.front()->name, name);
    }
    parts.push_back(&*found);
    joined.test = joined.test || found->test;
    joined.references = found->references;
  }
  SetWriter writer(std::move(joined));
  for (const SetText* part : parts) {
    for (std::int64_t column = 0; column <= part->references; ++column) {
      LineReader raw(part->raw(column)), tokens(part->tokens(column));
      for (std::string_view rawLine, tokensLine; raw.next(rawLine) && tokens.next(tokensLine);) {
        writer.add(static_cast<std::size_t>(column), rawLine, tokensLine);
      }
    }
  }
  sets_.push_back(writer.finish());
}

void TextStage::readTrain() {
  SetWriter train(train_, options_.validSample + options_.testSample > 0);
  std::optional<SetWriter> everyNth;
  if (options_.validEvery > 0) everyNth.emplace(newSet("valid", false));
  progress_.begin("reading train", 0, "pairs");
  for (const PairInput& part : options_.train) {
    readPart(part, 1, [&](const ParallelLines& lines) {
      addTrainPair(lines, train, everyNth ? &*everyNth : nullptr);
      progress_.advance(cleaning().total());
    });
  }
  progress_.end();
  train_ = train.finish();
  if (everyNth) sets_.push_back(everyNth->finish());
  left_.assign(static_cast<std::size_t>(train_.sentences), false);
  if (left_.empty()) {
    const PairInput& first = options_.train.front();
    throw Error("train: no pair is left of the {} in {} and {}{}; there is nothing to train on",
                cleaning().total(), first.source.location, first.targets.front().location,
                options_.train.size() > 1 ? " and the other files" : "");
  }
}

void TextStage::addTrainPair(const ParallelLines& lines, SetWriter& train, SetWriter* everyNth) {
  const std::string_view rawSource = lines.line(0), rawTarget = lines.line(1);
  if (pairs_.read(rawSource, rawTarget) != CleanVerdict::kKept) return;
  const bool isNth = everyNth != nullptr && cleaning().kept() % options_.validEvery == 0;
  if (!isNth && !train.raw.empty())
    sample_.offer(sampleKey(rawSource, rawTarget, train.text.sentences));
  SetWriter& out = isNth ? *everyNth : train;
  out.add(0, rawSource, pairs_.source());
  out.add(1, rawTarget, pairs_.target());
}

void TextStage::truecaseAll() {
  for (int side = 0; side < 2; ++side) {
    TruecaserTrainer trainer;
    LineReader train(trainTokens(side));
    for (std::string_view line; train.next(line);) trainer.add(line);
    truecasers_[static_cast<std::size_t>(side)] = trainer.model();
    truecaseFile(trainTokens(side), side);
  }
  for (const SetText& set : sets_) {
    truecaseFile(set.tokensSource(), 0);
    for (std::int64_t i = 0; i < set.references; ++i) truecaseFile(set.tokensReference(i), 1);
  }
}

void TextStage::truecaseFile(const fs::path& path, int side) const {
  const Truecaser truecaser =
      Truecaser::parse(truecasers_[static_cast<std::size_t>(side)], "the truecaser of train");
  const fs::path replaced = path.string() + ".truecased";
  {
    LineReader in(path);
    LineWriter out(replaced);
    std::string cased;
    for (std::string_view line; in.next(line);) {
      truecaser.truecase(line, cased);
      out.add(cased);
    }
    out.flush();
  }
  fs::rename(replaced, path);
}

std::uint64_t TextStage::sampleKey(std::string_view source, std::string_view target,
                                   std::int64_t line) const {
  if (options_.sampleBy == PrepareOptions::SampleBy::kPair)
    return sample_.hashOf(static_cast<std::uint64_t>(line));
  return sample_.hashOf(options_.sampleBy == PrepareOptions::SampleBy::kSource ? source : target);
}

void TextStage::drawSets() {
  const std::int64_t wanted = options_.validSample + options_.testSample;
  if (wanted == 0) return;
  const std::set<std::uint64_t>& keys = sample_.drawn();
  if (static_cast<std::int64_t>(keys.size()) < wanted || wanted >= train_.sentences) {
    throw usageError(
        "cannot draw {} sentences for evaluation from the {} pairs of train; draw fewer", wanted,
        train_.sentences);
  }
  std::optional<SetWriter> valid, test;
  if (options_.validSample > 0) valid.emplace(newSet("valid", false));
  if (options_.testSample > 0) test.emplace(newSet("test", true));
  std::unordered_map<std::uint64_t, SetWriter*> setOf;  // by key; null once a pair is in the set
  for (const std::uint64_t key : keys) {
    const bool isTest = std::ssize(setOf) < options_.testSample;
    setOf[key] = &*(isTest ? test : valid);
  }
  PairFileReader raw(train_.raw(0), train_.raw(1));
  PairFileReader tokens(trainTokens(0), trainTokens(1));
  for (std::int64_t line = 0; raw.next() && tokens.next(); ++line) {
    const auto drawn = setOf.find(sampleKey(raw.source(), raw.target(), line));
    if (drawn == setOf.end()) continue;
    leaveOut(line);
    SetWriter* set = std::exchange(drawn->second, nullptr);
    if (set == nullptr) {
      ++heldOut_;
      continue;
    }
    for (int side = 0; side < 2; ++side)
      set->add(static_cast<std::size_t>(side), raw.line(side), tokens.line(side));
  }
  if (valid) sets_.push_back(valid->finish());
  if (test) sets_.push_back(test->finish());
}

void TextStage::findOverlap() {
  for (const SetText& set : sets_) {
    const std::size_t number = overlap_.addSet(set.name);
    LineReader source(set.tokensSource());
    std::vector<std::unique_ptr<LineReader>> references;
    for (std::int64_t i = 0; i < set.references; ++i) {
      references.push_back(std::make_unique<LineReader>(set.tokensReference(i)));
    }
    std::vector<std::string_view> lines(references.size());
    for (std::string_view line; source.next(line);) {
      for (std::size_t i = 0; i < references.size(); ++i) references[i]->next(lines[i]);
      overlap_.addSentence(number, line, lines);
    }
  }
  PairFileReader train(trainTokens(0), trainTokens(1));
  for (std::int64_t line = 0; train.next(); ++line) {
    if (!inTrain(line)) continue;
    if (overlap_.note(train.source(), train.target()) && options_.dropOverlap) {
      leaveOut(line);
      ++dropped_;
    }
  }
  if (trainPairs() == 0)
    throw Error("train: every pair shares a sentence with an evaluation set, none is left");
}

void TextStage::recountWords() {
  for (int side = 0; side < 2; ++side) {
    WordCounter counter;
    LineReader train(trainTokens(side));
    std::int64_t number = 0;
    for (std::string_view line; train.next(line); ++number) {
      if (inTrain(number)) counter.addLine(line);
    }
    words_[static_cast<std::size_t>(side)] = std::move(counter);
  }
}

std::int64_t TextStage::trainPairs() const {
  return static_cast<std::int64_t>(std::count(left_.begin(), left_.end(), false));
}

}  // namespace strata
