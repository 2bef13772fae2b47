#include "core/papers/paper_engine.h"

namespace strata {

std::optional<std::int64_t> parametersOf(const PaperEngine& engine, const std::string& preset,
                                         const std::vector<std::string>& overrides,
                                         const VocabularySizes& vocabulary) {
  if (!engine.isPreset(preset)) return {};
  const Json config = resolveConfig({.preset = preset, .overrides = overrides}, engine.sources);
  return engine.parameters(config.at("model"), vocabulary);
}

RowParameters parametersOf(const PaperEngine& engine, const PaperTable& table,
                           const RowCounting& counting) {
  const auto count = [&](const std::string& suffix, const VocabularySizes& sizes) {
    return parametersOf(engine, counting.preset(suffix), counting.overrides, sizes);
  };
  RowParameters counted{.sizes = counting.sizes(table.column(table.headline)), .row = {}};
  counted.row = count("", counted.sizes);
  for (const PaperColumn& column : table.columns) {
    const VocabularySizes sizes = counting.sizes(column);
    if (column.suffix.empty() && sizes == counted.sizes) continue;
    if (const auto own = count(column.suffix, sizes)) counted.columns[column.key] = *own;
  }
  return counted;
}

VocabularySizes sizesOf(const Dataset& dataset) {
  return {dataset.sourceVocabularySize(), dataset.targetVocabularySize()};
}

}  // namespace strata
