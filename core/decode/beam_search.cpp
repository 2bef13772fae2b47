#include "core/decode/beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/decode/candidates.h"
#include "core/decode/device_beams.h"
#include "core/decode/hypothesis_recorder.h"
#include "core/decode/known_ids.h"
#include "core/decode/no_repeat.h"
#include "core/decode/sentence_lengths.h"
#include "core/decode/shortlist.h"
#include "core/decode/word_tree.h"
#include "core/nn/output_words.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

struct BeamHypothesis {
  WordTree::Place last = WordTree::kRoot;
  double total = 0;          // of log-probabilities and penalties
  std::uint64_t sample = 0;  // index of the draw
};

// One sentence's search.
struct Beam {
  std::int64_t sentence = 0, sourceLength = 0, maxLength = 0;
  std::int64_t begin = 0;  // steps of the search before the sentence's first
  std::uint64_t number = 0;
  std::vector<TokenId> prefix;
  std::vector<BeamHypothesis> active, completed;
};

void checkOptions(const BeamOptions& options) {
  if (options.beam < 1) throw usageError("The beam size must be at least 1, not {}", options.beam);
  if (options.noRepeat < 0)
    throw usageError(
        "The size of n-grams that must not repeat must be at least 1, or 0 for no limit, not {}",
        options.noRepeat);
  if (!(options.unknownPenalty >= 0))
    throw usageError("The penalty of unknown words must be at least 0, not {}",
                     options.unknownPenalty);
  if (!(options.diversity >= 0))
    throw usageError("The diversity must be at least 0, not {}", options.diversity);
  if (!options.sampling) return;
  checkSampling(*options.sampling);
  if (options.diversity > 0)
    throw usageError("Diversity applies to beam search only, not to sampling");
}

class Search {
 public:
  // `ids`: of a step's columns; empty: the whole vocabulary. Model, options and ids outlive the
  // search.
  Search(TranslationModel& model, const BeamInput& input, const BeamOptions& options,
         std::span<const TokenId> ids, const Places& places)
      : model_(model),
        options_(options),
        ids_(ids),
        places_(places),
        recorder_(options.record),
        recording_(!options.record.empty()),
        sampler_(options.sampling.value_or(SamplingOptions{})) {
    recorder_.intervene(options.interventions);
    if (!recording_) recorder_.collectNothing();
    makeBeams(input);
    encode(input);
  }

  std::vector<std::vector<Hypothesis>> run() {
    keepsOnDevice() ? searchOnDevice() : searchOnHost();
    std::vector<std::vector<Hypothesis>> results;
    for (const Beam& beam : beams_) results.push_back(ranked(beam));
    return results;
  }

 private:
  // Null if nothing but words is requested from the model.
  Recorder* asked() {
    return recording_ || options_.interventions != nullptr ? &recorder_ : nullptr;
  }

  void searchOnHost() {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(state_->rows()), kEndId);
    for (std::int64_t step = 1; !activeSentences_.empty(); ++step) {
      checkCancelled(options_.stop);
      recorder_.clear();
      recorder_.beginStep(step - 1);
      const auto device = model_.device();
      const auto table =
          model_.step(*state_, uploaded(torch::tensor(tokens, torch::kInt64), device), asked());
      if (recording_) recordings_.addStep(recorder_);
      tokens = advance(table, step);
    }
  }

  // Whether a GPU can do without the host's choices.
  bool keepsOnDevice() {
    return !model_.device().is_cpu() && !options_.sampling && !restricted_ && asked() == nullptr &&
           std::ranges::all_of(beams_, [](const Beam& beam) { return beam.prefix.empty(); });
  }

  void searchOnDevice() {
    std::vector<std::int64_t> limits;
    for (const Beam& beam : beams_) limits.push_back(beam.maxLength);
    DeviceBeams beams({options_.beam, std::move(limits), ids_}, activeSentences_, model_.device());
    torch::Tensor tokens_R =
        uploaded(torch::full({state_->rows()}, kEndId, torch::kInt64), model_.device());
    for (std::int64_t step = 1; !beams.done(); ++step) {
      checkCancelled(options_.stop);
      const auto next = beams.advance(model_.step(*state_, tokens_R, nullptr), step);
      const bool completed = beams.sentences().size() < activeSentences_.size();
      activeSentences_ = beams.sentences();
      if (next.rows_R.defined() && goesOn()) state_->reorder(next.rows_R);
      tokens_R = next.tokens_R;
      if (!completed) continue;
      const std::size_t before = activeSentences_.size();
      const auto rows = std::ssize(admitWaiting(step, static_cast<std::size_t>(options_.beam)));
      if (rows == 0) continue;
      beams.admit(std::span(activeSentences_).subspan(before), step);
      tokens_R = torch::constant_pad_nd(tokens_R, {0, rows}, kEndId);
    }
    readHistory(beams);
  }

  // Puts the words that a GPU kept into the tree.
  void readHistory(const DeviceBeams& beams) {
    std::vector<WordTree::Place> places, grown;  // one per row; later rows begin
    for (const auto& step : beams.history()) {
      grown.clear();
      for (const DeviceBeams::Word& word : step) {
        const auto row = static_cast<std::size_t>(word.row);
        const WordTree::Place last = words_.add(row < places.size() ? places[row] : WordTree::kRoot,
                                                {word.token, word.logProbability, word.row});
        if (word.next >= 0) {
          const auto next = static_cast<std::size_t>(word.next);
          if (grown.size() <= next) grown.resize(next + 1);
          grown[next] = last;
        } else {
          beams_[word.sentence].completed.push_back({last, word.total});
        }
      }
      places.swap(grown);
    }
  }

  void makeBeams(const BeamInput& input) {
    const auto positions = model_.sentenceLimit();
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
      Beam beam;
      beam.sentence = static_cast<std::int64_t>(i);
      beam.number = input.numbers.empty() ? i : input.numbers.at(i);
      beam.sourceLength = static_cast<std::int64_t>(input.sources[i].size());
      if (i < input.prefixes.size()) beam.prefix = input.prefixes[i];
      const double limit =
          std::floor(options_.maxLengthFactor * static_cast<double>(beam.sourceLength) +
                     options_.maxLengthOffset);
      const auto needed = static_cast<std::int64_t>(beam.prefix.size()) + 1;
      beam.maxLength = std::max(static_cast<std::int64_t>(limit), needed);
      if (positions) beam.maxLength = std::min(beam.maxLength, positions->tokens);
      const int hypotheses = options_.sampling ? options_.beam : 1;
      for (int sample = 0; sample < hypotheses; ++sample)
        beam.active.push_back({.sample = static_cast<std::uint64_t>(sample)});
      beams_.push_back(std::move(beam));
    }
    waiting_ = std::min(places_.sentences, beams_.size());
    activeSentences_.resize(waiting_);
    std::iota(activeSentences_.begin(), activeSentences_.end(), 0);
  }

  void encode(const BeamInput& input) {
    const TokenMatrix matrix = padded(input.sources);
    const auto device = model_.device();
    const auto ids = torch::tensor(matrix.ids, torch::kInt64).view({matrix.rows, matrix.columns});
    const auto lengths = torch::tensor(matrix.lengths, torch::kInt64);
    memory_ = model_.encode(uploaded(makeSourceBatch(ids, lengths), device), asked());
    if (recording_) recordings_.addEncoder(recorder_);
    state_ = model_.begin(*memory_);
    std::vector<std::int64_t> rows;
    for (const std::size_t index : activeSentences_)
      rows.insert(rows.end(), beams_[index].active.size(), static_cast<std::int64_t>(index));
    keepRows(rows);
  }

  void keepRows(const std::vector<std::int64_t>& rows) {
    std::vector<std::int64_t> same(static_cast<std::size_t>(state_->rows()));
    std::iota(same.begin(), same.end(), 0);
    if (rows != same) state_->reorder(torch::tensor(rows, torch::kInt64));
  }

  bool goesOn() const { return !activeSentences_.empty() || waiting_ < beams_.size(); }

  // After a step that completed sentences: waiting ones take their places. Returns their rows'
  // sentences.
  std::vector<std::int64_t> admitWaiting(std::int64_t step, std::size_t rowsEach) {
    std::int64_t oldest = 0;
    for (const std::size_t index : activeSentences_)
      oldest = std::max(oldest, step - beams_[index].begin);
    state_->forget(oldest);
    if (places_.completed)
      places_.completed(static_cast<std::int64_t>(waiting_ - activeSentences_.size()));
    std::vector<std::int64_t> rows;
    for (; activeSentences_.size() < places_.sentences && waiting_ < beams_.size(); ++waiting_) {
      beams_[waiting_].begin = step;
      activeSentences_.push_back(waiting_);
      rows.insert(rows.end(), rowsEach, static_cast<std::int64_t>(waiting_));
    }
    if (!rows.empty()) state_->admit(torch::tensor(rows, torch::kInt64));
    return rows;
  }

  // Extends every active sentence by one word; returns what the next step feeds.
  std::vector<std::int64_t> advance(const torch::Tensor& logProbabilities_RV, std::int64_t step) {
    const std::size_t banned = findBanned();
    // Extra candidates, since words may be removed or penalised.
    const int spare = static_cast<int>(banned) + (options_.unknownPenalty > 0 ? 1 : 0);
    const CandidateTable table(logProbabilities_RV,
                               options_.sampling ? 0 : 2 * options_.beam + spare, findForced(step),
                               ids_);
    std::vector<std::int64_t> rows, tokens;
    std::vector<std::size_t> stillActive;
    std::int64_t firstRow = 0;
    for (const std::size_t index : activeSentences_) {
      Beam& beam = beams_[index];
      const auto before = static_cast<std::int64_t>(beam.active.size());
      extend(beam, candidatesOf(beam, firstRow, table, step - beam.begin), firstRow, rows, tokens);
      if (!beam.active.empty()) stillActive.push_back(index);
      firstRow += before;
    }
    const bool completed = stillActive.size() < activeSentences_.size();
    activeSentences_ = std::move(stillActive);
    if (goesOn()) keepRows(rows);
    if (completed) {
      const std::size_t each = options_.sampling ? static_cast<std::size_t>(options_.beam) : 1;
      tokens.insert(tokens.end(), admitWaiting(step, each).size(), kEndId);
    }
    return tokens;
  }

  // The words that each row may not continue with; returns the largest number of them in a row.
  std::size_t findBanned() {
    std::size_t most = 0;
    banned_.clear();
    if (options_.noRepeat == 0) return 0;
    for (const std::size_t index : activeSentences_) {
      for (const BeamHypothesis& hypothesis : beams_[index].active) {
        banned_.push_back(repeatingWords(words_.tokens(hypothesis.last), options_.noRepeat));
        most = std::max(most, banned_.back().size());
      }
    }
    return most;
  }

  // The word that a sentence must continue with in its own step 1, 2, ...: from its prefix, or its
  // end; else kFree.
  TokenId forcedWord(const Beam& beam, std::int64_t step) const {
    const auto place = static_cast<std::size_t>(step - 1);
    if (place < beam.prefix.size()) return beam.prefix[place];
    return step >= beam.maxLength ? kEndId : CandidateTable::kFree;
  }

  // The same for every row; empty if all are free.
  std::vector<TokenId> findForced(std::int64_t step) const {
    std::vector<TokenId> words;
    bool any = false;
    for (const std::size_t index : activeSentences_) {
      const TokenId word = forcedWord(beams_[index], step - beams_[index].begin);
      any = any || word != CandidateTable::kFree;
      words.insert(words.end(), beams_[index].active.size(), word);
    }
    if (!any) words.clear();
    return words;
  }

  bool isBanned(std::int64_t row, TokenId token) const {
    return !banned_.empty() &&
           std::ranges::binary_search(banned_[static_cast<std::size_t>(row)], token);
  }

  // At most 2 x beam, best first; when sampling, one per hypothesis, in their order. step: the
  // sentence's own.
  std::vector<Candidate> candidatesOf(const Beam& beam, std::int64_t firstRow,
                                      const CandidateTable& table, std::int64_t step) {
    const TokenId forced = forcedWord(beam, step);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < beam.active.size(); ++i) {
      const auto row = firstRow + static_cast<std::int64_t>(i);
      const BeamHypothesis& hypothesis = beam.active[i];
      if (forced != CandidateTable::kFree) {
        candidates.push_back(table.given(row, forced, hypothesis.total));
        if (candidates.back().token == kUnknownId)
          candidates.back().total -= options_.unknownPenalty;
      } else if (options_.sampling) {
        candidates.push_back(drawn(row, {beam.number, hypothesis}, table, step));
      } else {
        const std::size_t first = candidates.size();
        table.best(row, hypothesis.total, candidates);
        if (restricted_) restrict(candidates, first, step);
      }
    }
    if (options_.sampling) return candidates;
    const auto kept =
        std::min<std::size_t>(candidates.size(), 2 * static_cast<std::size_t>(options_.beam));
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                      candidates.end(), isBetter);
    candidates.resize(kept);
    return candidates;
  }

  bool isTooEarly(TokenId token, std::int64_t step) const {
    return token == kEndId && step < options_.minLength;
  }

  // Applies the options to one hypothesis's candidates, those from `first` on; a hypothesis with no
  // other continuation may end before the minimum length.
  void restrict(std::vector<Candidate>& candidates, std::size_t first, std::int64_t step) const {
    const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(first);
    auto end = std::remove_if(begin, candidates.end(), [&](const Candidate& candidate) {
      return isBanned(candidate.row, candidate.token);
    });
    if (end - begin > 1) {
      end = std::remove_if(begin, end, [&](const Candidate& candidate) {
        return isTooEarly(candidate.token, step);
      });
    }
    candidates.erase(end, candidates.end());
    const std::span<Candidate> own(begin, candidates.end());
    for (Candidate& candidate : own) {
      if (candidate.token == kUnknownId) candidate.total -= options_.unknownPenalty;
    }
    if (options_.unknownPenalty > 0) std::sort(own.begin(), own.end(), isBetter);
    for (std::size_t k = 0; k < own.size(); ++k)
      own[k].diversityPenalty = options_.diversity * static_cast<double>(k + 1);
  }

  struct Draw {
    std::uint64_t sentence;
    const BeamHypothesis& hypothesis;
  };
  Candidate drawn(std::int64_t row, const Draw& draw, const CandidateTable& table,
                  std::int64_t step) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    table.copyRow(row, values_);
    const double end = values_[kEndId];
    for (std::size_t id = 0; id < values_.size(); ++id) {
      const auto token = static_cast<TokenId>(id);
      if (isBanned(row, token) || isTooEarly(token, step)) values_[id] = kNever;
    }
    values_[kUnknownId] -= options_.unknownPenalty;
    if (*std::ranges::max_element(values_) == kNever) values_[kEndId] = end;
    const DrawKey key{.seed = options_.sampling->seed,
                      .sentence = draw.sentence,
                      .sample = draw.hypothesis.sample,
                      .step = static_cast<std::uint64_t>(step)};
    const TokenId token = sampler_.draw(values_, uniformOf(key));
    Candidate candidate = table.given(row, token, draw.hypothesis.total);
    if (token == kUnknownId) candidate.total -= options_.unknownPenalty;
    return candidate;
  }

  void extend(Beam& beam, const std::vector<Candidate>& candidates, std::int64_t firstRow,
              std::vector<std::int64_t>& rows, std::vector<std::int64_t>& tokens) {
    const auto width = static_cast<std::size_t>(options_.beam);
    std::vector<BeamHypothesis> next;
    const std::size_t begin = rows.size();
    for (std::size_t rank = 0; rank < candidates.size() && next.size() < width; ++rank) {
      const Candidate& candidate = candidates[rank];
      const bool ends = candidate.token == kEndId;
      if (ends && (rank >= width || beam.completed.size() >= width)) continue;
      const BeamHypothesis& parent =
          beam.active[static_cast<std::size_t>(candidate.row - firstRow)];
      const BeamHypothesis grown{
          words_.add(parent.last, {candidate.token, candidate.logProbability, candidate.row}),
          candidate.total, parent.sample};
      (ends ? beam.completed : next).push_back(grown);
      if (ends) continue;
      rows.push_back(candidate.row);
      tokens.push_back(candidate.token);
    }
    if (beam.completed.size() >= width) {  // completed: nothing more is fed
      next.clear();
      rows.resize(begin);
      tokens.resize(begin);
    }
    beam.active = std::move(next);
  }

  Hypothesis hypothesisOf(const Beam& beam, const BeamHypothesis& completed, double score) const {
    Hypothesis hypothesis;
    hypothesis.score = score;
    std::vector<std::int64_t> rows;
    for (const WordTree::Word& word : words_.path(completed.last)) {
      hypothesis.tokens.push_back(word.token);
      hypothesis.tokenLogProbabilities.push_back(word.logProbability);
      hypothesis.logProbability += word.logProbability;
      rows.push_back(word.row);
    }
    if (recording_)
      hypothesis.recordings = recordings_.recordings(beam.sentence, beam.sourceLength, rows);
    return hypothesis;
  }

  std::vector<Hypothesis> ranked(const Beam& beam) const {
    std::vector<std::pair<double, BeamHypothesis>> order;
    for (const BeamHypothesis& completed : beam.completed) {
      const auto length = static_cast<double>(words_.path(completed.last).size());
      order.emplace_back(options_.lengthRule.score(completed.total, length), completed);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (options_.nbest > 0 && order.size() > static_cast<std::size_t>(options_.nbest))
      order.resize(static_cast<std::size_t>(options_.nbest));
    std::vector<Hypothesis> hypotheses;
    for (const auto& [score, completed] : order)
      hypotheses.push_back(hypothesisOf(beam, completed, score));
    return hypotheses;
  }

  TranslationModel& model_;
  const BeamOptions& options_;
  std::span<const TokenId> ids_;
  const Places places_;
  Recorder recorder_;
  bool recording_;
  HypothesisRecorder recordings_;
  std::vector<Beam> beams_;
  std::vector<std::size_t> activeSentences_;  // their rows are consecutive
  std::size_t waiting_ = 0;                   // the first sentence that waits
  WordTree words_;
  // Whether options restrict the candidates.
  const bool restricted_ = options_.noRepeat > 0 || options_.unknownPenalty > 0 ||
                           options_.diversity > 0 || options_.minLength > 1;
  std::vector<std::vector<TokenId>> banned_;  // one per row, ascending; empty: no words are banned
  WordSampler sampler_;
  std::vector<double> values_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<DecoderState> state_;
};

}  // namespace

static_assert(std::is_same_v<TokenId, decltype(Hypothesis::tokens)::value_type>);

std::vector<std::vector<Hypothesis>> beamSearch(TranslationModel& model, const BeamInput& input,
                                                const BeamOptions& options, const Places& places) {
  checkOptions(options);
  if (input.sources.empty()) return {};
  for (const auto& source : input.sources) {
    if (source.empty()) throw Error("A source sentence has no tokens; expected </s> at least");
  }
  requireKnownIds(model, CorpusSide::kSource, input.sources);
  requireKnownIds(model, CorpusSide::kTarget, input.prefixes);
  requirePositions(model, CorpusSide::kSource, input.sources);
  requirePositions(model, CorpusSide::kTarget, input.prefixes, /*more=*/1);
  const torch::NoGradGuard frozen;
  model.eval();
  Arithmetic used = model.searchArithmetic(options.compute);
  std::optional<OutputWords> words;
  std::span<const TokenId> ids;
  if (options.shortlist != nullptr) {
    words.emplace(options.shortlist->wordsFor(input.sources, input.prefixes));
    ids = words->ids();
    used.outputWords = &*words;
  }
  const ArithmeticScope scope(used);
  return Search(model, input, options, ids, places).run();
}

}  // namespace strata
