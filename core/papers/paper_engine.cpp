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
  RowParameters counted;
  for (const PaperColumn& column : table.columns) {
    const bool headline = column.key == table.headline;
    const bool own = !column.suffix.empty() || column.vocabulary.has_value();
    if (!headline && !own) continue;
    const VocabularySizes sizes = counting.sizes(column);
    if (headline)
      counted.row = parametersOf(engine, counting.preset(""), counting.overrides, sizes);
    if (!own) continue;
    if (const auto count =
            parametersOf(engine, counting.preset(column.suffix), counting.overrides, sizes))
      counted.columns[column.key] = *count;
  }
  return counted;
}

VocabularySizes sizesOf(const Dataset& dataset) {
  return {dataset.sourceVocabularySize(), dataset.targetVocabularySize()};
}

}  // namespace strata
