#include "core/nn/fused.h"

#include <algorithm>
#include <cmath>

#include "core/nn/function_cpu.h"
#include "core/nn/fused_cpu.h"

namespace strata {
namespace {

using cpu::AutogradContext, cpu::Tensor, cpu::variable_list;

// [W_1; W_2; ...] with its gradient; no copy if they are adjacent.
struct Joined : torch::autograd::Function<Joined> {
  static Tensor forward(AutogradContext* context, at::TensorList parameters) {
    std::vector<std::int64_t> rows;
    for (const Tensor& parameter : parameters) rows.push_back(parameter.size(0));
    context->saved_data["rows"] = rows;
    return joinedParameters(parameters);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    return gradOut[0].split_with_sizes(context->saved_data["rows"].toIntVector(), 0);
  }
};

Tensor heads(const Tensor& x_BTD, std::int64_t count) {  // [B, H, T, D/H]
  return x_BTD.unflatten(2, {count, x_BTD.size(2) / count}).transpose(1, 2);
}

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& padding_BS,
              const AttentionOptions& options) {
  const Tensor q_BHTE = heads(q, options.heads), k_BHSE = heads(k, options.heads),
               v_BHSE = heads(v, options.heads);
  const double scale = scoreScale(options.scale, q_BHTE.size(3));
  // The CPU's masks of dropout are those of the kernels.
  if (!options.map.wanted() && !(options.dropout.on() && q.is_cpu())) {
    return softmaxProduct(q_BHTE, k_BHSE, v_BHSE,
                          {.padding_BS = padding_BS,
                           .causal = options.causal,
                           .dropout = options.dropout.rate,
                           .scale = scale})
        .transpose(1, 2)
        .flatten(2);
  }
  Tensor scores_BHTS = product(q_BHTE * scale, k_BHSE.transpose(2, 3));
  constexpr double kMasked = -std::numeric_limits<double>::infinity();
  if (options.causal) {
    const std::int64_t length = q.size(1);
    const auto later = torch::ones({length, length}, q.options().dtype(torch::kBool)).triu(1);
    scores_BHTS = scores_BHTS.masked_fill(later, kMasked);
  }
  if (padding_BS.defined())
    scores_BHTS = scores_BHTS.masked_fill(padding_BS.unsqueeze(1).unsqueeze(1), kMasked);
  const Tensor weights_BHTS = options.map.passWeights(torch::softmax(scores_BHTS, 3));
  return product(applyDropout(weights_BHTS, options.dropout), v_BHSE).transpose(1, 2).flatten(2);
}

}  // namespace

double scoreScale(double scale, std::int64_t headWidth) {
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(headWidth));
}

Projected packedLinearAndInput(const Tensor& x, const std::vector<Linear>& projections) {
  std::vector<Tensor> weights, biases;
  for (const Linear& projection : projections) {
    weights.push_back(projection->weight);
    if (projection->bias.defined()) biases.push_back(projection->bias);
  }
  if (!torch::GradMode::is_enabled())
    return {affineFactor(x, joinedParameters(weights),
                         biases.empty() ? Tensor{} : joinedParameters(biases)),
            x};
  if (usesKernels(x)) {
    weights.insert(weights.end(), biases.begin(), biases.end());
    return cpu::packedLinear(x, weights, projections.size());
  }
  return {affineFactor(x, Joined::apply(at::TensorList(weights)),
                       biases.empty() ? Tensor{} : Joined::apply(at::TensorList(biases))),
          x};
}

Tensor packedLinear(const Tensor& x, const std::vector<Linear>& projections) {
  return packedLinearAndInput(x, projections).product;
}

Tensor feedForward(const Tensor& x, const FeedForwardSteps& steps) {
  if (usesKernels(x) && (torch::GradMode::is_enabled() || steps.inner.on()))
    return cpu::feedForward(x, steps);
  const Tensor hidden =
      applyDropout(reluFactor(x, steps.first->weight, steps.first->bias), steps.inner);
  return strata::linearDropoutNorm(hidden, steps.second, steps.residual ? x : Tensor{}, steps.norm,
                                   steps.outer);
}

Tensor linearDropoutNorm(const Tensor& x, const Linear& linear, const Tensor& residual,
                         const LayerNorm& norm, const RowDropout& dropout) {
  if (usesKernels(x)) {
    if (torch::GradMode::is_enabled())
      return cpu::linearDropoutNorm(x, linear, residual, norm, dropout);
    return cpu::dropoutNorm(affine(x, linear->weight), linear, residual, norm, dropout);
  }
  Tensor y = applyDropout(linear->forward(x), dropout);
  if (residual.defined()) y = y + residual;
  return torch::layer_norm(y, norm->weight.sizes(), norm->weight, norm->bias, kNormEpsilon);
}

Tensor scaledSum(const Tensor& a, const Tensor& b, double factor) {
  if (usesKernels(a) && a.sizes() == b.sizes()) return cpu::scaledSum(a, b, factor);
  return (a + b) * factor;
}

Tensor embed(const Tensor& table, const Tensor& ids_BT, double scale, const Tensor& positions_TD,
             const RowDropout& dropout) {
  const Tensor added_TD = positions_TD.defined()
                              ? positions_TD
                              : torch::zeros({ids_BT.size(1), table.size(1)}, table.options());
  if (usesKernels(table)) return cpu::embed(table, ids_BT, scale, added_TD, dropout);
  const Tensor words = torch::embedding(table, ids_BT.clamp_min(0), /*padding_idx=*/1) *
                       (ids_BT >= 0).unsqueeze(2).to(table.scalar_type());
  return applyDropout(words * scale + added_TD, dropout);
}

Tensor selfAttention(const Tensor& queriesKeysValues_BT3D, const WordRows& rows,
                     const AttentionOptions& options) {
  if (usesKernels(queriesKeysValues_BT3D) && !options.map.replaces())
    return cpu::attention(queriesKeysValues_BT3D, {}, {rows, rows}, options);
  const auto parts = queriesKeysValues_BT3D.chunk(3, 2);
  return attend(parts[0], parts[1], parts[2], rows.padding_BT, options);
}

Tensor crossAttention(const Tensor& queries_BTD, const Tensor& keysValues_BS2D,
                      const AttentionRows& rows, const AttentionOptions& options) {
  if (usesKernels(queries_BTD) && !options.map.replaces())
    return cpu::attention(queries_BTD, keysValues_BS2D, rows, options);
  const auto parts = keysValues_BS2D.chunk(2, 2);
  return attend(queries_BTD, parts[0], parts[1], rows.keys.padding_BT, options);
}

Tensor SummedMemory::values(std::size_t part) const {
  return forced_BSD.empty() ? (keys_BSD[part] + shared_BSD) * scale : forced_BSD[part];
}

SummedMemory readByMany(SummedMemory memory) {
  if (!usesKernels(memory.shared_BSD)) return memory;
  return cpu::readByMany(std::move(memory));
}

Tensor summedAttention(const Tensor& queries_BTD, const SummedMemory& memory,
                       const SourceBatch& source, const std::vector<AttentionOptions>& options) {
  const bool replaces = std::any_of(options.begin(), options.end(),
                                    [](const auto& each) { return each.map.replaces(); });
  if (usesKernels(queries_BTD) && !replaces && memory.forced_BSD.empty())
    return cpu::summedAttention(queries_BTD, memory, source, options);
  Tensor sum;
  for (std::size_t j = 0; j < memory.keys_BSD.size(); ++j) {
    const Tensor part =
        attend(queries_BTD, memory.keys_BSD[j], memory.values(j), source.padding_BS, options[j]);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace strata
