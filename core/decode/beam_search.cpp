#include "core/decode/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/decode/candidates.h"
#include "core/decode/hypothesis_recorder.h"

namespace strata {
namespace {

// A produced word; hypotheses share their beginnings.
struct Node {
  std::int32_t parent = -1;
  TokenId token = 0;
  double logProbability = 0;
  std::int64_t row = 0;  // of the step that produced it
};

struct Live {
  std::int32_t node = -1;
  double total = 0;
};

// One sentence's search.
struct Beam {
  std::int64_t sentence = 0, sourceLength = 0, maxLength = 0;
  std::vector<TokenId> prefix;
  std::vector<Live> live, finished;
};

// Better first: by total, then the earlier hypothesis, then the smaller id.
bool isBetter(const Candidate& a, const Candidate& b) {
  if (a.total != b.total) return a.total > b.total;
  return a.row != b.row ? a.row < b.row : a.token < b.token;
}

class Search {
 public:
  Search(TranslationModel& model, const BeamInput& input, const BeamOptions& options)
      : model_(model),
        options_(options),
        recorder_(options.record),
        recording_(!options.record.empty()) {
    makeBeams(input);
    encode(input);
  }

  std::vector<std::vector<Hypothesis>> run() {
    std::vector<std::int64_t> tokens(active_.size(), kEndId);
    for (std::int64_t step = 1; !active_.empty(); ++step) {
      checkCancelled(options_.stop);
      recorder_.clear();
      const auto device = model_.parameters().front().device();
      const auto table = model_.step(*state_, torch::tensor(tokens, torch::kInt64).to(device),
                                     recording_ ? &recorder_ : nullptr);
      if (recording_) recordings_.addStep(recorder_);
      tokens = advance(CandidateTable(table, 2 * options_.beam), step);
    }
    std::vector<std::vector<Hypothesis>> results;
    for (const Beam& beam : beams_) results.push_back(ranked(beam));
    return results;
  }

 private:
  void makeBeams(const BeamInput& input) {
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
      Beam beam;
      beam.sentence = static_cast<std::int64_t>(i);
      beam.sourceLength = static_cast<std::int64_t>(input.sources[i].size());
      if (i < input.prefixes.size()) beam.prefix = input.prefixes[i];
      const double limit =
          std::floor(options_.maxLengthFactor * static_cast<double>(beam.sourceLength) +
                     options_.maxLengthOffset);
      const auto needed = static_cast<std::int64_t>(beam.prefix.size()) + 1;
      beam.maxLength = std::max(static_cast<std::int64_t>(limit), needed);
      beam.live.emplace_back();
      beams_.push_back(std::move(beam));
      active_.push_back(i);
    }
  }

  void encode(const BeamInput& input) {
    const TokenMatrix matrix = padded(input.sources);
    const auto device = model_.parameters().front().device();
    const auto ids = torch::tensor(matrix.ids, torch::kInt64).view({matrix.rows, matrix.columns});
    const auto lengths = torch::tensor(matrix.lengths, torch::kInt64);
    memory_ =
        model_.encode(makeSourceBatch(ids.to(device), lengths), recording_ ? &recorder_ : nullptr);
    if (recording_) recordings_.addEncoder(recorder_);
    state_ = model_.begin(*memory_);
  }

  // Continues every active sentence by one word; returns what the next step feeds.
  std::vector<std::int64_t> advance(const CandidateTable& table, std::int64_t step) {
    std::vector<std::int64_t> rows, tokens;
    std::vector<std::size_t> stillActive;
    std::int64_t firstRow = 0;
    for (const std::size_t index : active_) {
      Beam& beam = beams_[index];
      const auto before = static_cast<std::int64_t>(beam.live.size());
      extend(beam, candidatesOf(beam, firstRow, table, step), firstRow, rows, tokens);
      if (!beam.live.empty()) stillActive.push_back(index);
      firstRow += before;
    }
    active_ = std::move(stillActive);
    std::vector<std::int64_t> same(static_cast<std::size_t>(firstRow));
    std::iota(same.begin(), same.end(), 0);
    if (!rows.empty() && rows != same) state_->reorder(torch::tensor(rows, torch::kInt64));
    return tokens;
  }

  // At most 2 x beam, best first.
  std::vector<Candidate> candidatesOf(const Beam& beam, std::int64_t firstRow,
                                      const CandidateTable& table, std::int64_t step) const {
    const auto place = static_cast<std::size_t>(step - 1);
    const bool inPrefix = place < beam.prefix.size(), isLast = step >= beam.maxLength;
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < beam.live.size(); ++i) {
      const auto row = firstRow + static_cast<std::int64_t>(i);
      if (inPrefix || isLast) {
        candidates.push_back(
            table.forced(row, inPrefix ? beam.prefix[place] : kEndId, beam.live[i].total));
      } else {
        table.best(row, beam.live[i].total, candidates);
      }
    }
    if (!inPrefix && !isLast && step < options_.minLength)
      std::erase_if(candidates, [](const Candidate& c) { return c.token == kEndId; });
    const auto kept =
        std::min<std::size_t>(candidates.size(), 2 * static_cast<std::size_t>(options_.beam));
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                      candidates.end(), isBetter);
    candidates.resize(kept);
    return candidates;
  }

  void extend(Beam& beam, const std::vector<Candidate>& candidates, std::int64_t firstRow,
              std::vector<std::int64_t>& rows, std::vector<std::int64_t>& tokens) {
    const auto width = static_cast<std::size_t>(options_.beam);
    std::vector<Live> next;
    const std::size_t begin = rows.size();
    for (std::size_t rank = 0; rank < candidates.size() && next.size() < width; ++rank) {
      const Candidate& candidate = candidates[rank];
      const bool ends = candidate.token == kEndId;
      if (ends && (rank >= width || beam.finished.size() >= width)) continue;
      const std::int32_t parent =
          beam.live[static_cast<std::size_t>(candidate.row - firstRow)].node;
      nodes_.push_back({parent, candidate.token, candidate.logProbability, candidate.row});
      const Live grown{static_cast<std::int32_t>(nodes_.size()) - 1, candidate.total};
      (ends ? beam.finished : next).push_back(grown);
      if (ends) continue;
      rows.push_back(candidate.row);
      tokens.push_back(candidate.token);
    }
    if (beam.finished.size() >= width) {  // done: nothing of it is fed any more
      next.clear();
      rows.resize(begin);
      tokens.resize(begin);
    }
    beam.live = std::move(next);
  }

  Hypothesis hypothesisOf(const Beam& beam, const Live& finished) const {
    Hypothesis hypothesis;
    std::vector<std::int64_t> rows;
    for (std::int32_t at = finished.node; at >= 0; at = nodes_[at].parent) {
      hypothesis.tokens.push_back(nodes_[at].token);
      hypothesis.tokenLogProbabilities.push_back(nodes_[at].logProbability);
      rows.push_back(nodes_[at].row);
    }
    std::reverse(hypothesis.tokens.begin(), hypothesis.tokens.end());
    std::reverse(hypothesis.tokenLogProbabilities.begin(), hypothesis.tokenLogProbabilities.end());
    std::reverse(rows.begin(), rows.end());
    hypothesis.logProbability = finished.total;
    hypothesis.score =
        finished.total / options_.lengthRule.divisor(static_cast<double>(hypothesis.tokens.size()));
    if (recording_)
      hypothesis.recordings = recordings_.recordings(beam.sentence, beam.sourceLength, rows);
    return hypothesis;
  }

  std::vector<Hypothesis> ranked(const Beam& beam) const {
    std::vector<std::pair<double, Live>> order;
    for (const Live& finished : beam.finished) {
      double length = 0;
      for (std::int32_t at = finished.node; at >= 0; at = nodes_[at].parent) ++length;
      order.emplace_back(finished.total / options_.lengthRule.divisor(length), finished);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (options_.nbest > 0 && order.size() > static_cast<std::size_t>(options_.nbest))
      order.resize(static_cast<std::size_t>(options_.nbest));
    std::vector<Hypothesis> hypotheses;
    for (const auto& [score, finished] : order) hypotheses.push_back(hypothesisOf(beam, finished));
    return hypotheses;
  }

  TranslationModel& model_;
  const BeamOptions& options_;
  Recorder recorder_;
  bool recording_;
  HypothesisRecorder recordings_;
  std::vector<Beam> beams_;
  std::vector<std::size_t>
      active_;  // sentences with live hypotheses, in order: their rows follow one another
  std::vector<Node> nodes_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<DecoderState> state_;
};

}  // namespace

std::vector<std::vector<Hypothesis>> beamSearch(TranslationModel& model, const BeamInput& input,
                                                const BeamOptions& options) {
  if (options.beam < 1) throw usageError("A beam has at least 1 hypothesis, not {}", options.beam);
  if (input.sources.empty()) return {};
  for (const auto& source : input.sources) {
    if (source.empty()) throw Error("A source sentence has no tokens, not even </s>");
  }
  const torch::NoGradGuard frozen;
  model.eval();
  return Search(model, input, options).run();
}

}  // namespace strata
