#include "core/data/text_stage.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/threads.h"
#include "core/data/pair_sides.h"
#include "core/data/text_files.h"
#include "core/text/line_stream.h"

namespace strata {
namespace {

// The keys of the sentences that are read together; without names if no file has all.
std::vector<SegmentKey> keysOfPart(const std::vector<std::unique_ptr<LineSource>>& sources) {
  for (const auto& source : sources) {
    if (SegmentLines* segments = source->segments(); segments != nullptr) {
      if (std::vector<SegmentKey> keys = segments->keys(); areComplete(keys)) return keys;
    }
  }
  return std::vector<SegmentKey>(1);
}

}  // namespace

// Writes a set's text sentence by sentence.
struct TextStage::SetWriter {
  explicit SetWriter(SetText set) : text(std::move(set)) {
    if (!fs::create_directories(text.folder))
      throw usageError("two evaluation sets are named '{}'", text.name);
    for (std::int64_t column = 0; column <= text.references; ++column) {
      raw.push_back(std::make_unique<LineWriter>(text.raw(column)));
      tokens.push_back(std::make_unique<LineWriter>(text.tokens(column)));
    }
  }

  // One column: 0 the source, then the references.
  void add(std::size_t column, std::string_view rawLine, std::string_view tokensLine) {
    raw[column]->add(rawLine);
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

// What reading train fills besides TrainText.
struct TextStage::TrainWriter {
  std::optional<SetWriter> everyNth;             // the set "valid", if it is every N-th pair
  std::array<std::optional<LineWriter>, 2> raw;  // if sets are drawn
  std::array<TruecaserTrainer, 2> trainers;      // if train is truecased
  std::int64_t lines = 0;                        // of TrainText
  std::vector<std::size_t> kept;                 // pairs of the current block that go there
};

TextStage::TextStage(const PrepareOptions& options, fs::path folder, Progress& progress)
    : options_(options),
      folder_(std::move(folder)),
      progress_(progress),
      pairs_(options),
      sample_(options.validSample + options.testSample, options.seed),
      train_(folder_ / "work", options.threads) {}

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
  drawSets();
  for (const JoinInput& join : options_.joins) joinSets(join);
  findOverlap();
  train_.recountWords();
  for (const std::string& warning : pairs_.warnings()) {
    spdlog::warn("{}", warning);
    warnings_.push_back(warning);
  }
}

void TextStage::noteInputs(const PairInput& part, const ParallelLines& lines) {
  noteInput(part.source, lines.source(0), lines.count());
  for (std::size_t i = 1; i < lines.size(); ++i)
    noteInput(part.targets[i - 1], lines.source(i), lines.count());
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
    auto sources = openPair(part, references);
    const std::vector<SegmentKey> keys = keysOfPart(sources);
    writer.text.segments.insert(writer.text.segments.end(), keys.begin(), keys.end());
    ParallelLines lines(std::move(sources));
    while (lines.next()) {
      for (std::size_t i = 0; i < lines.size(); ++i)
        writer.add(i, lines.line(i), pairs_.setTokens(input.name, i == 0 ? 0 : 1, lines.line(i)));
      progress_.advance(writer.text.sentences);
    }
    noteInputs(part, lines);
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

fs::path TextStage::trainRaw(int side) const {
  return folder_ / "work" / (side == 0 ? "raw.source" : "raw.target");
}

void TextStage::readTrain() {
  TrainWriter writer;
  for (int side = 0; side < 2; ++side)
    writer.trainers[static_cast<std::size_t>(side)] =
        TruecaserTrainer(normalSide(options_, side).casing);
  if (options_.validEvery > 0) writer.everyNth.emplace(newSet("valid", false));
  for (int side = 0; side < 2 && wantedSample() > 0; ++side)
    writer.raw[static_cast<std::size_t>(side)].emplace(trainRaw(side));
  progress_.begin("reading train", 0, "pairs");
  for (const PairInput& part : options_.train) readTrainPart(part, writer);
  progress_.end();
  train_.finish(writer.lines);
  for (auto& raw : writer.raw) {
    if (raw) raw->flush();
  }
  if (writer.everyNth) sets_.push_back(writer.everyNth->finish());
  if (writer.lines == 0) {
    const PairInput& first = options_.train.front();
    throw Error("train: no pair is left of the {} in {} and {}{}; there is nothing to train on",
                cleaning().total(), first.source.location, first.targets.front().location,
                options_.train.size() > 1 ? " and the other files" : "");
  }
  if (options_.truecase) truecaseAll(writer.trainers);
}

// Block by block; the errors are those of reading pair by pair.
void TextStage::readTrainPart(const PairInput& part, TrainWriter& train) {
  ParallelLines lines(openPair(part, 1));
  PairBlock block;
  for (bool more = true; more;) {
    block.clear();
    std::exception_ptr badLine;  // thrown after the errors of the pairs before it
    try {
      while (!block.isFull() && (more = lines.next())) {
        for (std::size_t side = 0; side < 2; ++side) block.raw[side].add(lines.line(side));
      }
    } catch (const Error&) {
      badLine = std::current_exception();
    }
    addBlock(block, train);
    if (badLine) std::rethrow_exception(badLine);
    progress_.advance(cleaning().total());
  }
  noteInputs(part, lines);
}

void TextStage::addBlock(PairBlock& block, TrainWriter& train) {
  pairs_.read(block);
  train.kept.clear();
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (pairs_.count(block, i) != CleanVerdict::kKept) continue;
    if (train.everyNth && cleaning().kept() % options_.validEvery == 0) {
      for (std::size_t side = 0; side < 2; ++side)
        train.everyNth->add(side, block.raw[side][i], block.tokens[side][i]);
      continue;
    }
    if (wantedSample() > 0) sample_.offer(sampleKey(block.raw[0][i], block.raw[1][i], train.lines));
    train.kept.push_back(i);
    ++train.lines;
  }
  inParallel(2, options_.threads, [&](std::size_t side) {
    for (const std::size_t i : train.kept) {
      const std::string& tokens = block.tokens[side][i];
      train_.add(static_cast<int>(side), tokens);
      if (train.raw[side]) train.raw[side]->add(block.raw[side][i]);
      if (options_.truecase) train.trainers[side].add(tokens);
    }
  });
}

void TextStage::truecaseAll(const std::array<TruecaserTrainer, 2>& trainers) {
  inParallel(2, options_.threads, [&](std::size_t side) {
    truecasers_[side] = trainers[side].model();
    const Truecaser truecaser =
        Truecaser::parse(truecasers_[side], "the truecaser of train",
                         normalSide(options_, static_cast<int>(side)).casing);
    train_.truecase(static_cast<int>(side), truecaser);
    for (const SetText& set : sets_) {
      if (side == 0) truecaseFile(set.tokensSource(), truecaser);
      for (std::int64_t i = 0; side == 1 && i < set.references; ++i)
        truecaseFile(set.tokensReference(i), truecaser);
    }
  });
}

void TextStage::truecaseFile(const fs::path& path, const Truecaser& truecaser) const {
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
  const std::int64_t wanted = wantedSample();
  if (wanted == 0) return;
  const std::set<std::uint64_t>& keys = sample_.drawn();
  if (static_cast<std::int64_t>(keys.size()) < wanted || wanted >= train_.lines()) {
    throw usageError(
        "cannot draw {} sentences for evaluation from the {} pairs of train; draw fewer", wanted,
        train_.lines());
  }
  std::optional<SetWriter> valid, test;
  if (options_.validSample > 0) valid.emplace(newSet("valid", false));
  if (options_.testSample > 0) test.emplace(newSet("test", true));
  std::unordered_map<std::uint64_t, SetWriter*> setOf;  // by key; null once a pair is in the set
  for (const std::uint64_t key : keys) {
    const bool isTest = std::ssize(setOf) < options_.testSample;
    setOf[key] = &*(isTest ? test : valid);
  }
  PairFileReader raw(trainRaw(0), trainRaw(1));
  TrainReader train(train_);
  std::string tokens;
  for (std::int64_t line = 0; raw.next() && train.next(); ++line) {
    const auto drawn = setOf.find(sampleKey(raw.source(), raw.target(), line));
    if (drawn == setOf.end()) continue;
    train_.leaveOut(line);
    SetWriter* set = std::exchange(drawn->second, nullptr);
    if (set == nullptr) {
      ++heldOut_;
      continue;
    }
    for (int side = 0; side < 2; ++side) {
      tokens.clear();
      train.side(side).appendText(tokens);
      set->add(static_cast<std::size_t>(side), raw.line(side), tokens);
    }
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
  TrainReader train(train_);
  for (std::int64_t line = 0; !sets_.empty() && train.next(); ++line) {
    if (!train_.has(line)) continue;
    if (overlap_.note(train.side(0).checksum(), train.side(1).checksum()) && options_.dropOverlap) {
      train_.leaveOut(line);
      ++dropped_;
    }
  }
  if (train_.pairs() == 0)
    throw Error("train: every pair shares a sentence with an evaluation set, none is left");
}

}  // namespace strata
