#include "core/nn/decoder_cache.h"

#include <numeric>

#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

using cpu::byType, cpu::pointer;
using torch::Tensor;

// `a`: what says where the keys and values are. In a row, values follow their keys.
template <typename T>
Tensor runStep(kernels::StepArguments<T> a, const Tensor& q, const StepOptions& options) {
  const std::int64_t width = a.valueOffset - a.keyOffset;
  a.q = q.data_ptr<T>();
  a.qStride = q.stride(0);
  a.rows = q.size(0);
  a.heads = options.heads;
  a.width = width / options.heads;
  a.scale = scoreScale(options.scale, a.width);
  a.threads = at::get_num_threads();
  Tensor context_RD = torch::empty({a.rows, a.heads * a.width}, q.options());
  a.out = context_RD.data_ptr<T>();
  Tensor weights_RH1S;
  if (options.map.wanted()) weights_RH1S = torch::empty({a.rows, a.heads, 1, a.keys}, q.options());
  a.weights = pointer<T>(weights_RH1S);
  kernels::stepAttention(a);
  if (options.map.wanted()) options.map.passWeights(weights_RH1S);
  return context_RD;
}

}  // namespace

Tensor attendRows(const Tensor& queries_RD, const Tensor& keysValues_RS2D, const Tensor& padding_RS,
                  const StepOptions& options) {
  const std::int64_t rows = queries_RD.size(0), heads = options.heads,
                     width = queries_RD.size(1) / heads;
  const auto byHead = [&](std::int64_t half) {  // [R, H, S, D/H]
    return keysValues_RS2D.narrow(2, half * queries_RD.size(1), queries_RD.size(1))
        .unflatten(2, {heads, width})
        .transpose(1, 2);
  };
  const Tensor q_RH1E = queries_RD.reshape({rows, heads, 1, width});
  const double scale = scoreScale(options.scale, width);
  if (!options.map.wanted()) {
    return softmaxProduct(q_RH1E, byHead(0), byHead(1), {.padding_BS = padding_RS, .scale = scale})
        .reshape({rows, heads * width});
  }
  Tensor scores = product(q_RH1E, byHead(0).transpose(2, 3)) * scale;
  if (padding_RS.defined())
    scores = scores.masked_fill(padding_RS.unsqueeze(1).unsqueeze(1),
                                -std::numeric_limits<double>::infinity());
  const Tensor weights = options.map.passWeights(torch::softmax(scores, 3));
  return product(weights, byHead(1)).view({rows, heads * width});
}

Backpointers::Backpointers(std::int64_t rows, EarlierWords words)
    : words_(words), rows_(rows), sentences_(rows) {
  std::iota(sentences_.begin(), sentences_.end(), 0);
}

void Backpointers::dropComputed() {
  table_.clear();
  notYet_.reset();
  if (onDevice_) return;
  places_.reset();
  sentencesOnDevice_.reset();
  beginsOnDevice_.reset();
}

void Backpointers::advance() {
  ++steps_;
  notYet_.reset();
  if (words_ == EarlierWords::kNotRead) return;
  if (onDevice_) {
    const Tensor own_R = torch::arange(allWritten_, allWritten_ + rows_, places_.options());
    places_ = torch::cat({places_.view({rows_, steps_ - 1}), own_R.unsqueeze(1)}, 1).flatten();
  } else {
    std::vector<std::int32_t>& self = backpointers_.emplace_back(rows_);
    std::iota(self.begin(), self.end(), 0);
    table_.clear();
    places_.reset();
  }
  written_.push_back(rows_);
  allWritten_ += rows_;
}

void Backpointers::reorder(const Tensor& rows) {
  rows.is_cpu() ? reorderOnHost(rows) : reorderOnDevice(rows);
  rows_ = rows.size(0);
}

void Backpointers::reorderOnHost(const Tensor& rows) {
  TORCH_CHECK(!onDevice_, "the rows of this state are on a GPU");
  const Tensor numbers = rows.to(torch::kInt64).contiguous();
  const auto* row = numbers.const_data_ptr<std::int64_t>();
  const auto count = static_cast<std::size_t>(rows.size(0));
  const auto pick = [&](auto& from) {
    std::remove_reference_t<decltype(from)> picked(count);
    for (std::size_t i = 0; i < count; ++i) picked[i] = from[row[i]];
    from = std::move(picked);
  };
  for (auto& step : backpointers_) pick(step);
  pick(sentences_);
  if (!together_) pick(begins_);
  dropComputed();
}

void Backpointers::reorderOnDevice(const Tensor& rows) {
  const auto device = rows.device();
  sentencesOnDevice_ = sentences(device).index_select(0, rows);
  if (!together_) beginsOnDevice_ = begins(device).index_select(0, rows);
  if (words_ == EarlierWords::kRead)
    places_ = places(device).view({rows_, steps_}).index_select(0, rows).flatten();
  onDevice_ = true;
  dropComputed();
}

void Backpointers::admit(const Tensor& sentences) {
  const std::int64_t more = sentences.size(0);
  if (together_ && steps_ > 0) {
    if (onDevice_)
      beginsOnDevice_ = torch::zeros({rows_}, sentencesOnDevice_.options());
    else
      begins_.assign(rows_, 0);
    together_ = false;
  }
  if (onDevice_) {
    const Tensor onDevice = uploaded(sentences, sentencesOnDevice_.device());
    sentencesOnDevice_ = torch::cat({sentencesOnDevice_, onDevice});
    if (!together_)
      beginsOnDevice_ = torch::cat({beginsOnDevice_, torch::full_like(onDevice, steps_)});
    if (words_ == EarlierWords::kRead)
      places_ = torch::constant_pad_nd(places_, {0, more * steps_});
  } else {
    const auto* first = sentences.const_data_ptr<std::int64_t>();
    sentences_.insert(sentences_.end(), first, first + more);
    if (!together_) begins_.insert(begins_.end(), more, steps_);
    for (auto& step : backpointers_) step.insert(step.end(), more, 0);
  }
  rows_ += more;
  dropComputed();
}

void Backpointers::forget(std::int64_t steps) {
  const std::int64_t before = steps_ - steps;
  if (before <= 0) return;
  steps_ = steps;
  if (rows_ == 0) {
    together_ = true;
    beginsOnDevice_.reset();
  }
  if (!together_ && onDevice_) beginsOnDevice_ = beginsOnDevice_ - before;
  for (std::int64_t& begin : begins_) begin -= before;
  if (words_ == EarlierWords::kRead) {
    const std::int64_t rows = std::accumulate(written_.begin(), written_.begin() + before, 0L);
    written_.erase(written_.begin(), written_.begin() + before);
    allWritten_ -= rows;
    forgotten_ += rows;
    if (onDevice_) {
      // Places of words that a row does not have may be any.
      places_ = (places_.view({rows_, steps + before}).narrow(1, before, steps) - rows)
                    .clamp_min(0)
                    .flatten();
    } else {
      backpointers_.erase(backpointers_.begin(), backpointers_.begin() + before);
    }
  }
  dropComputed();
}

const std::vector<std::int32_t>& Backpointers::table() const {
  TORCH_CHECK(!onDevice_, "the rows of this state are on a GPU");
  if (!table_.empty()) return table_;
  table_.reserve(backpointers_.size() * static_cast<std::size_t>(rows_));
  for (const auto& step : backpointers_) table_.insert(table_.end(), step.begin(), step.end());
  return table_;
}

const std::vector<std::int32_t>& Backpointers::sentences() const {
  TORCH_CHECK(!onDevice_, "the rows of this state are on a GPU");
  return sentences_;
}

const Tensor& Backpointers::sentences(const torch::Device& device) const {
  if (!sentencesOnDevice_.defined() || sentencesOnDevice_.device() != device) {
    const at::ArrayRef<std::int32_t> numbers(sentences());
    sentencesOnDevice_ = uploaded(torch::tensor(numbers, torch::kInt64), device);
  }
  return sentencesOnDevice_;
}

const Tensor& Backpointers::places(const torch::Device& device) const {
  if (places_.defined() && places_.device() == device) return places_;
  TORCH_CHECK(!onDevice_, "the rows of this state are on another device");
  const Tensor host = torch::empty({rows_ * steps()}, torch::kInt64);
  auto* const place = host.data_ptr<std::int64_t>();  // [rows, steps]
  std::int64_t begin = 0;
  for (std::int64_t s = 0; s < steps(); ++s) {
    for (std::int64_t r = 0; r < rows_; ++r) place[r * steps() + s] = begin + backpointers_[s][r];
    begin += written_[s];
  }
  return places_ = uploaded(host, device);
}

const std::vector<std::int64_t>& Backpointers::begins() const {
  TORCH_CHECK(!onDevice_, "the rows of this state are on a GPU");
  return begins_;
}

const Tensor& Backpointers::begins(const torch::Device& device) const {
  if (!together_ && (!beginsOnDevice_.defined() || beginsOnDevice_.device() != device))
    beginsOnDevice_ = uploaded(torch::tensor(begins(), torch::kInt64), device);
  return beginsOnDevice_;
}

Tensor Backpointers::newest(const torch::Device& device) const {
  if (together_) return torch::full({1}, steps_ - 1, torch::dtype(torch::kInt64).device(device));
  return steps_ - 1 - begins(device);
}

const Tensor& Backpointers::notYet(const torch::Device& device) const {
  if (!together_ && (!notYet_.defined() || notYet_.device() != device)) {
    const Tensor& begins_R = begins(device);
    notYet_ = torch::arange(steps_, begins_R.options()) < begins_R.unsqueeze(1);
  }
  return notYet_;
}

void RowState::reorder(const Tensor& rows) {
  backpointers.reorder(rows);
  Tensor chosen;  // on the device, once for all tensors
  for (const RowTensor& tensor : rowTensors()) {
    if (!tensor.kept.defined()) continue;
    if (!chosen.defined()) chosen = rows.is_cpu() ? uploaded(rows, tensor.kept.device()) : rows;
    tensor.kept = tensor.kept.index_select(tensor.axis, chosen);
  }
}

void RowState::admit(const Tensor& sentences) {
  const std::int64_t more = sentences.size(0);
  backpointers.admit(sentences);
  Tensor chosen;  // on the device, once for all tensors
  for (const RowTensor& tensor : rowTensors()) {
    if (!tensor.kept.defined()) continue;
    Tensor begun;
    if (tensor.begun.defined()) {
      if (!chosen.defined()) chosen = uploaded(sentences, tensor.kept.device());
      begun = tensor.begun.index_select(tensor.axis, chosen);
    } else {
      auto sizes = tensor.kept.sizes().vec();
      sizes[tensor.axis] = more;
      begun = torch::zeros(sizes, tensor.kept.options());
    }
    tensor.kept = torch::cat({tensor.kept, begun}, tensor.axis);
  }
}

Tensor HistoryCache::attend(const Tensor& queriesKeysValues_R3D, const Backpointers& backpointers,
                            const StepOptions& options) {
  add(queriesKeysValues_R3D);
  const std::int64_t width = queriesKeysValues_R3D.size(1) / 3;
  if (!usesKernels(queriesKeysValues_R3D) || options.map.replaces()) {
    return attendRows(queriesKeysValues_R3D.narrow(1, 0, width), gathered(backpointers),
                      backpointers.notYet(queriesKeysValues_R3D.device()), options);
  }
  forget(backpointers);
  return byType(queriesKeysValues_R3D, [&](auto type) {
    using T = decltype(type);
    std::vector<const T*> slices;
    for (const Tensor& part : parts_N2D_) {
      for (std::int64_t row = 0; row < part.size(0);
           row += backpointers.written()[slices.size() - 1])
        slices.push_back(part.data_ptr<T>() + row * 2 * width);
    }
    kernels::StepArguments<T> a{};
    a.slices = slices.data();
    a.sliceStride = 2 * width;
    a.keyOffset = 0;
    a.valueOffset = width;
    a.rowOf = backpointers.table().data();
    a.begins = backpointers.begins().empty() ? nullptr : backpointers.begins().data();
    a.keys = backpointers.steps();
    return runStep(a, queriesKeysValues_R3D, options);
  });
}

void HistoryCache::add(const Tensor& queriesKeysValues_R3D) {
  const std::int64_t width = queriesKeysValues_R3D.size(1) / 3;
  const Tensor keysValues_R2D = queriesKeysValues_R3D.narrow(1, width, 2 * width);
  // Elsewhere gathered() copies them.
  parts_N2D_.push_back(usesKernels(keysValues_R2D)
                           ? keysValues_R2D.clone(torch::MemoryFormat::Contiguous)
                           : keysValues_R2D);
}

void HistoryCache::forget(const Backpointers& backpointers) {
  std::int64_t rows = backpointers.forgotten() - forgotten_;
  forgotten_ += rows;
  auto part = parts_N2D_.begin();
  for (; part != parts_N2D_.end() && part->size(0) <= rows; ++part) rows -= part->size(0);
  part = parts_N2D_.erase(parts_N2D_.begin(), part);
  if (rows > 0) *part = part->narrow(0, rows, part->size(0) - rows);
}

Tensor HistoryCache::gathered(const Backpointers& backpointers) {
  forget(backpointers);
  parts_N2D_ = {torch::cat(parts_N2D_, 0)};
  const Tensor& all = parts_N2D_.front();
  return all.index_select(0, backpointers.places(all.device()))
      .view({backpointers.rows(), backpointers.steps(), all.size(1)});
}

SourceRows sourceRows(const Tensor& keysValues_BS2D, const Tensor& padding_BS,
                      const Backpointers& backpointers) {
  const Tensor& sentences = backpointers.sentences(keysValues_BS2D.device());
  return {keysValues_BS2D.index_select(0, sentences),
          padding_BS.defined() ? padding_BS.index_select(0, sentences) : Tensor{}};
}

Tensor attendSource(const Tensor& queries_RD, const Tensor& keysValues_BS2D, const WordRows& source,
                    const Backpointers& backpointers, const StepOptions& options) {
  const std::int64_t width = queries_RD.size(1);
  if (!usesKernels(queries_RD) || options.map.replaces()) {
    const SourceRows rows =
        sourceRows(source.spread(keysValues_BS2D), source.padding_BT, backpointers);
    return attendRows(queries_RD, rows.keysValues_RS2D, rows.padding_RS, options);
  }
  const std::int64_t positions = source.unpadded() ? source.positions : keysValues_BS2D.size(1);
  return byType(queries_RD, [&](auto type) {
    using T = decltype(type);
    std::vector<const T*> slices(positions);
    for (std::int64_t s = 0; s < positions; ++s)
      slices[s] = keysValues_BS2D.data_ptr<T>() + s * 2 * width;
    kernels::StepArguments<T> a{};
    a.slices = slices.data();
    a.sliceStride = (source.unpadded() ? 1 : positions) * 2 * width;
    a.keyOffset = 0;
    a.valueOffset = width;
    a.rowOf = backpointers.sentences().data();
    a.starts = pointer<std::int64_t>(source.starts_B);
    a.lengths = pointer<std::int64_t>(source.lengths_B);
    a.keys = positions;
    a.oneRowForAllKeys = true;
    return runStep(a, queries_RD, options);
  });
}

}  // namespace strata
