#include "core/run/table_sharing.h"

namespace strata {
namespace {

constexpr const char* kInputOutput = "share_decoder_input_output_embed";
constexpr const char* kAll = "share_all_embeddings";

}  // namespace

void TableSharing::read(KeyReader& reader) {
  reader.read(kInputOutput, inputOutput);
  reader.read(kAll, all);
}

void TableSharing::write(Json& config) const {
  config[kInputOutput] = inputOutput;
  config[kAll] = all;
}

std::vector<ConfigKey> TableSharing::keys() {
  return {switchKey(kInputOutput, false, "The output matrix is the decoder's embedding table."),
          switchKey(kAll, false,
                    "One table for both sides and the output; needs one joint vocabulary.")};
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

std::int64_t TableSharing::parameters(const Tables& tables) const {
  std::int64_t count = tables.sourceWords * tables.width;
  if (!all) count += tables.targetWords * tables.width;
  if (!tiesOutput()) count += tables.targetWords * tables.outputWidth;
  return count;
}

}  // namespace strata
