#include "core/decode/candidates.h"

#include <algorithm>

#include "core/nn/function_cpu.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

// Ids that no hypothesis may contain, which are their own columns: lists begin with them.
constexpr TokenId kForbidden[] = {kStartId, kPadId};

}  // namespace

TopWords topWords(const torch::Tensor& logProbabilities_RV, std::int64_t count) {
  const torch::Tensor allowed_RV = logProbabilities_RV.clone();
  for (const TokenId id : kForbidden)
    allowed_RV.select(1, id).fill_(-std::numeric_limits<double>::infinity());
  const auto [values_RC, columns_RC] = allowed_RV.topk(count, 1);
  return {values_RC, columns_RC};
}

template <typename T>
void CandidateTable::chooseOnCpu() {
  const std::int64_t rows = logProbabilities_RV_.size(0), columns = logProbabilities_RV_.size(1);
  const auto excluded = std::make_unique<bool[]>(columns);
  std::fill_n(excluded.get(), columns, false);
  for (const TokenId id : kForbidden) excluded[id] = true;
  const T* data = logProbabilities_RV_.data_ptr<T>();
  kernels::bestColumns(data, excluded.get(), count_, columns_.data(),
                       {rows, columns, at::get_num_threads()});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int i = 0; i < count_; ++i) {
      const std::int64_t column = columns_[r * count_ + i];
      values_[r * count_ + i] = column >= 0 ? static_cast<double>(data[r * columns + column]) : 0;
    }
  }
}

void CandidateTable::chooseOnDevice(std::span<const TokenId> forced) {
  const torch::Tensor& table = logProbabilities_RV_;
  const auto [top, ids] = topWords(table, count_);
  std::vector<torch::Tensor> parts{top.to(torch::kFloat64), ids.to(torch::kFloat64)};
  if (!forced.empty()) {
    std::vector<std::int64_t> columns;
    for (const TokenId id : forced) columns.push_back(id == kFree ? 0 : columnOf(id));
    const auto columns_R = uploaded(torch::tensor(columns, torch::kInt64), table.device());
    parts.push_back(table.gather(1, columns_R.unsqueeze(1)).to(torch::kFloat64));
  }
  const torch::Tensor together = torch::cat(parts, 1).cpu();
  const double* row = together.data_ptr<double>();
  for (std::int64_t r = 0; r < table.size(0); ++r, row += together.size(1)) {
    for (int i = 0; i < count_; ++i) {
      const std::int64_t at = r * count_ + i;
      values_[at] = row[i];
      columns_[at] = static_cast<std::int32_t>(row[count_ + i]);
      if (std::ranges::find(kForbidden, columns_[at]) != std::end(kForbidden)) columns_[at] = -1;
    }
    if (!forced.empty()) forced_.push_back(row[2 * count_]);
  }
}

CandidateTable::CandidateTable(const torch::Tensor& logProbabilities_RV, int count,
                               std::span<const TokenId> forced, std::span<const TokenId> ids)
    : logProbabilities_RV_(logProbabilities_RV.contiguous()),
      count_(static_cast<int>(std::min<std::int64_t>(count, logProbabilities_RV.size(1)))),
      ids_(ids),
      columns_(logProbabilities_RV.size(0) * count_),
      values_(columns_.size()) {
  TORCH_CHECK(ids.empty() || std::ssize(ids) == logProbabilities_RV.size(1),
              "a step gives one column per word");
  if (count_ == 0) {
    logProbabilities_RV_ = logProbabilities_RV_.cpu();
  } else if (!logProbabilities_RV_.device().is_cpu()) {
    chooseOnDevice(forced);
  } else {
    cpu::byType(logProbabilities_RV_, [&](auto type) { chooseOnCpu<decltype(type)>(); });
  }
}

TokenId CandidateTable::idOf(std::int64_t column) const {
  return ids_.empty() ? static_cast<TokenId>(column) : ids_[static_cast<std::size_t>(column)];
}

std::int64_t CandidateTable::columnOf(TokenId id) const {
  return ids_.empty() ? id : std::ranges::lower_bound(ids_, id) - ids_.begin();
}

void CandidateTable::best(std::int64_t row, double total, std::vector<Candidate>& out) const {
  for (int i = 0; i < count_; ++i) {
    const std::int64_t at = row * count_ + i;
    if (columns_[at] >= 0)
      out.push_back({row, idOf(columns_[at]), values_[at], total + values_[at]});
  }
}

Candidate CandidateTable::given(std::int64_t row, TokenId token, double total) const {
  const double value =
      forced_.empty() ? logProbabilities_RV_[row][columnOf(token)].item<double>() : forced_[row];
  return {row, token, value, total + value};
}

void CandidateTable::copyRow(std::int64_t row, std::vector<double>& logProbabilities) const {
  const torch::Tensor values = logProbabilities_RV_[row].to(torch::kFloat64).contiguous();
  const auto* first = values.data_ptr<double>();
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  logProbabilities.assign(static_cast<std::size_t>(idOf(values.numel() - 1)) + 1, kNever);
  for (std::int64_t column = 0; column < values.numel(); ++column)
    logProbabilities[static_cast<std::size_t>(idOf(column))] = first[column];
  for (const TokenId id : kForbidden) logProbabilities[static_cast<std::size_t>(id)] = kNever;
}

}  // namespace strata
