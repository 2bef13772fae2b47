#include "core/decode/candidates.h"

#include <algorithm>

#include "core/nn/function_cpu.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

// Ids that no hypothesis may contain.
constexpr TokenId kForbidden[] = {kStartId, kPadId};

}  // namespace

template <typename T>
void CandidateTable::chooseOnCpu() {
  const std::int64_t rows = logProbabilities_RV_.size(0), columns = logProbabilities_RV_.size(1);
  const auto excluded = std::make_unique<bool[]>(columns);
  std::fill_n(excluded.get(), columns, false);
  for (const TokenId id : kForbidden) excluded[id] = true;
  const T* data = logProbabilities_RV_.data_ptr<T>();
  kernels::bestColumns(data, excluded.get(), count_, words_.data(),
                       {rows, columns, at::get_num_threads()});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int i = 0; i < count_; ++i) {
      const std::int64_t word = words_[r * count_ + i];
      values_[r * count_ + i] = word >= 0 ? static_cast<double>(data[r * columns + word]) : 0;
    }
  }
}

void CandidateTable::chooseOnDevice(std::span<const TokenId> forced) {
  const torch::Tensor& table = logProbabilities_RV_;
  const torch::Tensor allowed = table.clone();
  for (const TokenId id : kForbidden)
    allowed.select(1, id).fill_(-std::numeric_limits<double>::infinity());
  const auto [top, ids] = allowed.topk(count_, 1);
  std::vector<torch::Tensor> parts{top.to(torch::kFloat64), ids.to(torch::kFloat64)};
  if (!forced.empty()) {
    const at::ArrayRef<TokenId> tokens(forced.data(), forced.size());
    const auto words = uploaded(torch::tensor(tokens, torch::kInt64), table.device());
    parts.push_back(table.gather(1, words.clamp_min(0).unsqueeze(1)).to(torch::kFloat64));
  }
  const torch::Tensor together = torch::cat(parts, 1).cpu();
  const double* row = together.data_ptr<double>();
  for (std::int64_t r = 0; r < table.size(0); ++r, row += together.size(1)) {
    for (int i = 0; i < count_; ++i) {
      const std::int64_t at = r * count_ + i;
      values_[at] = row[i];
      words_[at] = static_cast<std::int32_t>(row[count_ + i]);
      if (std::ranges::find(kForbidden, words_[at]) != std::end(kForbidden)) words_[at] = -1;
    }
    if (!forced.empty()) forced_.push_back(row[2 * count_]);
  }
}

CandidateTable::CandidateTable(const torch::Tensor& logProbabilities_RV, int count,
                               std::span<const TokenId> forced)
    : logProbabilities_RV_(logProbabilities_RV.contiguous()),
      count_(static_cast<int>(std::min<std::int64_t>(count, logProbabilities_RV.size(1)))),
      words_(logProbabilities_RV.size(0) * count_),
      values_(words_.size()) {
  if (count_ == 0) {
    logProbabilities_RV_ = logProbabilities_RV_.cpu();
  } else if (!logProbabilities_RV_.device().is_cpu()) {
    chooseOnDevice(forced);
  } else {
    cpu::byType(logProbabilities_RV_, [&](auto type) { chooseOnCpu<decltype(type)>(); });
  }
}

void CandidateTable::best(std::int64_t row, double total, std::vector<Candidate>& out) const {
  for (int i = 0; i < count_; ++i) {
    const std::int64_t at = row * count_ + i;
    if (words_[at] >= 0) out.push_back({row, words_[at], values_[at], total + values_[at]});
  }
}

Candidate CandidateTable::given(std::int64_t row, TokenId token, double total) const {
  const double value =
      forced_.empty() ? logProbabilities_RV_[row][token].item<double>() : forced_[row];
  return {row, token, value, total + value};
}

void CandidateTable::copyRow(std::int64_t row, std::vector<double>& logProbabilities) const {
  const torch::Tensor values = logProbabilities_RV_[row].to(torch::kFloat64).contiguous();
  const auto* first = values.data_ptr<double>();
  logProbabilities.assign(first, first + values.numel());
  for (const TokenId id : kForbidden)
    logProbabilities[static_cast<std::size_t>(id)] = -std::numeric_limits<double>::infinity();
}

}  // namespace strata
