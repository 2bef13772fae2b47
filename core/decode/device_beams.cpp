#include "core/decode/device_beams.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/decode/candidates.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr double kNone = -std::numeric_limits<double>::infinity();

// [N, .., parts] in float64, which holds totals, words and rows exactly.
Tensor together(const std::vector<Tensor>& parts) {
  std::vector<Tensor> exact;
  for (const Tensor& part : parts) exact.push_back(part.to(torch::kFloat64));
  return torch::stack(exact, 2);
}

// places undefined: all go on.
Tensor ofLiving(const Tensor& x_N, const Tensor& places) {
  return places.defined() ? x_N.index_select(0, places) : x_N;
}

}  // namespace

DeviceBeams::DeviceBeams(Options options, std::vector<std::size_t> sentences,
                         const torch::Device& device)
    : options_(std::move(options)), device_(device), sentences_(std::move(sentences)) {
  const auto count = std::ssize(sentences_);
  limits_N_ = limitsOf(sentences_);
  totals_NM_ = torch::zeros({count, 1}, torch::dtype(torch::kFloat64).device(device));
  completed_N_ = torch::zeros_like(limits_N_);
  if (options_.ids.empty()) return;
  const std::vector<std::int64_t> ids(options_.ids.begin(), options_.ids.end());
  ids_V_ = uploaded(torch::tensor(ids, torch::kInt64), device);
}

Tensor DeviceBeams::limitsOf(std::span<const std::size_t> sentences) const {
  std::vector<std::int64_t> limits;
  for (const std::size_t sentence : sentences) limits.push_back(options_.limits[sentence]);
  return uploaded(torch::tensor(limits, torch::kInt64), device_);
}

void DeviceBeams::admit(std::span<const std::size_t> sentences, std::int64_t step) {
  for (const std::size_t sentence : sentences) options_.limits[sentence] += step;
  sentences_.insert(sentences_.end(), sentences.begin(), sentences.end());
  limits_N_ = torch::cat({limits_N_, limitsOf(sentences)});
  const auto count = std::ssize(sentences);
  completed_N_ = torch::constant_pad_nd(completed_N_, {0, count});
  // One hypothesis each: the others' rows are there, but nothing comes of them.
  totals_NM_ = torch::constant_pad_nd(totals_NM_, {0, 0, 0, count}, kNone);
  totals_NM_.narrow(0, totals_NM_.size(0) - count, count).select(1, 0).zero_();
}

void DeviceBeams::endAtLimit(const Tensor& logProbabilities_RV, std::int64_t step,
                             Tensor& values_RC, Tensor& columns_RC) const {
  const bool any = std::ranges::any_of(
      sentences_, [&](std::size_t sentence) { return options_.limits[sentence] <= step; });
  if (!any) return;
  const Tensor ends_R1 = (limits_N_ <= step).unsqueeze(1).expand_as(totals_NM_).reshape({-1, 1});
  const Tensor end_R1 = logProbabilities_RV.narrow(1, kEndId, 1).to(torch::kFloat64);
  const Tensor end_RC = torch::constant_pad_nd(end_R1, {0, values_RC.size(1) - 1}, kNone);
  values_RC = torch::where(ends_R1, end_RC, values_RC);
  columns_RC = columns_RC.masked_fill(ends_R1, kEndId);
}

DeviceBeams::Candidates DeviceBeams::candidates(const Tensor& logProbabilities_RV,
                                                std::int64_t step) const {
  const std::int64_t sentences = totals_NM_.size(0), hypotheses = totals_NM_.size(1),
                     each = std::min(2 * options_.beam, logProbabilities_RV.size(1));
  auto [values_RC, columns_RC] = topWords(logProbabilities_RV, each);
  // In the order of ids, which stable sorting keeps where totals are equal.
  const auto [ascending_RC, order_RC] = columns_RC.sort(1);
  values_RC = values_RC.gather(1, order_RC).to(torch::kFloat64);
  columns_RC = ascending_RC;
  endAtLimit(logProbabilities_RV, step, values_RC, columns_RC);

  const auto bySentence = [&](const Tensor& x_RC) { return x_RC.view({sentences, -1}); };
  const auto [totals, places] = bySentence(totals_NM_.reshape({-1, 1}) + values_RC)
                                    .sort(/*stable=*/true, 1, /*descending=*/true);
  const std::int64_t width = std::min(2 * options_.beam, totals.size(1));
  const Tensor places_NW = places.narrow(1, 0, width);
  const Tensor firstRows_N1 =
      torch::arange(sentences, places.options()).mul(hypotheses).unsqueeze(1);
  return {totals.narrow(1, 0, width), bySentence(columns_RC).gather(1, places_NW),
          bySentence(values_RC).gather(1, places_NW), places_NW.div(each, "floor") + firstRows_N1};
}

DeviceBeams::Next DeviceBeams::advance(const Tensor& logProbabilities_RV, std::int64_t step) {
  const std::int64_t beam = options_.beam;
  const Candidates best = candidates(logProbabilities_RV, step);
  const Tensor isCandidate_NW = best.totals_NW > kNone,
               ends_NW = isCandidate_NW & (best.columns_NW == kEndId);
  // Of the first K candidates, those that end complete hypotheses, while there are fewer than K.
  const Tensor early_NW = ends_NW & (torch::arange(ends_NW.size(1), completed_N_.options()) < beam);
  const Tensor completes_NW = early_NW & (early_NW.cumsum(1) + completed_N_.unsqueeze(1) <= beam);
  // Of the others, the first K go on; the rest share a place that is cut off.
  const Tensor goes_NW = isCandidate_NW & ~ends_NW;
  const Tensor places_NW = (goes_NW.cumsum(1) - 1).masked_fill(~goes_NW, beam).clamp_max(beam);
  const auto kept = [&](const Tensor& x_NW, const torch::Scalar& otherwise) {
    return torch::full({x_NW.size(0), beam + 1}, otherwise, x_NW.options())
        .scatter_(1, places_NW, x_NW)
        .narrow(1, 0, beam);
  };
  totals_NM_ = kept(best.totals_NW, kNone);
  completed_N_ = completed_N_ + completes_NW.sum(1);
  const Tensor columns_NK = kept(best.columns_NW, kEndId), rows_NK = kept(best.rows_NW, 0);
  steps_.push_back(
      {together({totals_NM_, kept(best.values_NW, 0), rows_NK, columns_NK}),
       together({best.totals_NW.masked_fill(~completes_NW, kNone), best.values_NW, best.rows_NW}),
       sentences_,
       {}});
  const Tensor living_N = keepLiving((completed_N_ < beam) & (totals_NM_.select(1, 0) > kNone));
  Next next;
  next.tokens_R = ofLiving(columns_NK, living_N).flatten();
  if (ids_V_.defined()) next.tokens_R = ids_V_.index_select(0, next.tokens_R);
  if (living_N.defined() || beam > 1 || step == 1)
    next.rows_R = ofLiving(rows_NK, living_N).flatten();
  return next;
}

Tensor DeviceBeams::keepLiving(const Tensor& living_N) {
  const Tensor lives = living_N.cpu();  // the step's transfer
  std::vector<std::int64_t> places;
  std::vector<std::size_t> sentences;
  for (std::int64_t n = 0; n < lives.size(0); ++n) {
    const bool goesOn = lives.const_data_ptr<bool>()[n];
    steps_.back().places.push_back(goesOn ? std::ssize(places) : -1);
    if (!goesOn) continue;
    places.push_back(n);
    sentences.push_back(sentences_[static_cast<std::size_t>(n)]);
  }
  const bool all = sentences.size() == sentences_.size();
  sentences_ = std::move(sentences);
  if (all) return {};
  const Tensor places_N = uploaded(torch::tensor(places, torch::kInt64), device_);
  for (Tensor* const kept : {&totals_NM_, &completed_N_, &limits_N_})
    *kept = ofLiving(*kept, places_N);
  return places_N;
}

std::vector<std::vector<DeviceBeams::Word>> DeviceBeams::history() const {
  std::vector<Tensor> all;
  for (const Step& step : steps_) {
    all.push_back(step.ended.flatten());
    all.push_back(step.kept.flatten());
  }
  if (all.empty()) return {};
  const Tensor values = torch::cat(all).cpu();
  const double* value = values.const_data_ptr<double>();
  const auto idOf = [&](double column) {
    const auto number = static_cast<std::size_t>(column);
    return options_.ids.empty() ? static_cast<TokenId>(number) : options_.ids[number];
  };
  std::vector<std::vector<Word>> history;
  for (const Step& step : steps_) {
    std::vector<Word>& words = history.emplace_back();
    for (const std::size_t sentence : step.sentences) {
      for (std::int64_t w = 0; w < step.ended.size(1); ++w, value += 3) {
        if (value[0] > kNone)
          words.push_back(
              {sentence, static_cast<std::int64_t>(value[2]), kEndId, value[1], value[0]});
      }
    }
    for (std::size_t n = 0; n < step.sentences.size(); ++n) {
      for (std::int64_t k = 0; k < options_.beam; ++k, value += 4) {
        if (step.places[n] < 0 || !(value[0] > kNone)) continue;
        words.push_back({step.sentences[n], static_cast<std::int64_t>(value[2]), idOf(value[3]),
                         value[1], value[0], step.places[n] * options_.beam + k});
      }
    }
  }
  return history;
}

}  // namespace strata
