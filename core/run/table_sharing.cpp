#include "core/run/table_sharing.h"

#include "core/base/error.h"

namespace strata {
namespace {

constexpr const char* kInputOutput = "share_decoder_input_output_embed";
constexpr const char* kAll = "share_all_embeddings";

}  // namespace

void describe(KeyTable& keys, TableSharing& sharing) {
  keys.add(kInputOutput, sharing.inputOutput,
           "The output matrix is the decoder's embedding table.");
  keys.add(kAll, sharing.all,
           "One table for both sides and the output; needs one joint vocabulary.");
}

void TableSharing::check(const Tables& tables, std::vector<ConfigProblem>& problems) const {
  if (all && tables.sourceWords != tables.targetWords) {
    problems.push_back(
        {std::string("model.") + kAll,
         fmt::format("needs one joint vocabulary, but the sides have {} and {} words: prepare "
                     "the dataset with --joint-vocabulary",
                     tables.sourceWords, tables.targetWords)});
  }
  if (tiesOutput() && tables.width != tables.outputWidth) {
    problems.push_back(
        {std::string("model.") + (all ? kAll : kInputOutput),
         fmt::format(
             "embeddings have {} values but the output layer reads {}: a shared table needs "
             "equal widths ({})",
             tables.width, tables.outputWidth, tables.widths)});
  }
}

TableCounts TableSharing::counts(const Tables& tables) const {
  return {.source = tables.sourceWords * tables.width,
          .target = all ? 0 : tables.targetWords * tables.width,
          .output = tiesOutput() ? 0 : tables.targetWords * tables.outputWidth};
}

std::int64_t TableSharing::parameters(const Tables& tables) const {
  const TableCounts values = counts(tables);
  return values.source + values.target + values.output;
}

}  // namespace strata
