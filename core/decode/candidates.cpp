#include "core/decode/candidates.h"

#include <algorithm>

#include "core/nn/kernels/kernels.h"

namespace strata {
namespace {

// Which ids no hypothesis may contain, up to the larger of the two.
constexpr TokenId kForbidden[] = {kStartId, kPadId};

template <typename T>
void chooseOnCpu(const torch::Tensor& table, int count, std::vector<std::int32_t>& words,
                 std::vector<double>& values) {
  const std::int64_t rows = table.size(0), columns = table.size(1);
  const auto excluded = std::make_unique<bool[]>(columns);
  std::fill_n(excluded.get(), columns, false);
  for (const TokenId id : kForbidden) excluded[id] = true;
  const T* data = table.data_ptr<T>();
  kernels::bestColumns(data, excluded.get(), count, words.data(),
                       {rows, columns, at::get_num_threads()});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int i = 0; i < count; ++i) {
      const std::int64_t word = words[r * count + i];
      values[r * count + i] = word >= 0 ? static_cast<double>(data[r * columns + word]) : 0;
    }
  }
}

void chooseOnDevice(const torch::Tensor& table, int count, std::vector<std::int32_t>& words,
                    std::vector<double>& values) {
  const torch::Tensor allowed = table.clone();
  for (const TokenId id : kForbidden)
    allowed.select(1, id).fill_(-std::numeric_limits<double>::infinity());
  const auto [top, ids] = allowed.topk(count, 1);
  const torch::Tensor both = torch::stack({top.to(torch::kFloat64), ids.to(torch::kFloat64)}).cpu();
  const double* data = both.data_ptr<double>();
  const std::int64_t total = table.size(0) * count;
  for (std::int64_t i = 0; i < total; ++i) {
    values[i] = data[i];
    words[i] = static_cast<std::int32_t>(data[total + i]);
    if (std::ranges::find(kForbidden, words[i]) != std::end(kForbidden)) words[i] = -1;
  }
}

}  // namespace

CandidateTable::CandidateTable(const torch::Tensor& logProbabilities_RV, int count)
    : logProbabilities_RV_(logProbabilities_RV.contiguous()),
      count_(static_cast<int>(std::min<std::int64_t>(count, logProbabilities_RV.size(1)))),
      words_(logProbabilities_RV.size(0) * count_),
      values_(words_.size()) {
  if (count_ == 0) {
    logProbabilities_RV_ = logProbabilities_RV_.cpu();
  } else if (!logProbabilities_RV_.device().is_cpu()) {
    chooseOnDevice(logProbabilities_RV_, count_, words_, values_);
  } else if (logProbabilities_RV_.scalar_type() == torch::kFloat64) {
    chooseOnCpu<double>(logProbabilities_RV_, count_, words_, values_);
  } else {
    chooseOnCpu<float>(logProbabilities_RV_, count_, words_, values_);
  }
}

void CandidateTable::best(std::int64_t row, double total, std::vector<Candidate>& out) const {
  for (int i = 0; i < count_; ++i) {
    const std::int64_t at = row * count_ + i;
    if (words_[at] >= 0) out.push_back({row, words_[at], values_[at], total + values_[at]});
  }
}

Candidate CandidateTable::forced(std::int64_t row, TokenId token, double total) const {
  const auto value = logProbabilities_RV_[row][token].item<double>();
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
