#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/strict_map.h"
#include "core/papers/paper_table.h"

// Fields that the YAML files of tables and figures share.
namespace strata {

PaperDecode readDecode(StrictMap& map);
PaperScorer readScorer(StrictMap& map);
VocabularySizes readVocabulary(StrictMap& map);  // the key `vocabulary: [S, T]`
// The key `printed`: numbers for some of `keys`, each "the key of a KIND".
std::map<std::string, PrintedNumber> readPrinted(StrictMap& map,
                                                 const std::vector<std::string>& keys,
                                                 const char* kind);
// The key `facts`: texts, and numbers as they are written.
std::vector<std::pair<std::string, std::string>> readFacts(StrictMap& map);
// The items of a file, a mapping from ids; `kind`: what errors call one of them.
template <typename Item>
std::vector<Item> readItems(std::string_view yaml, std::string_view source, const char* kind,
                            Item (*read)(StrictMap map, const std::string& id)) {
  const YamlDocument document = parseYaml(yaml, source);
  if (!document.value.is_object())
    throw usageError("{}: expected a mapping from {} ids to {}s", source, kind, kind);
  std::vector<Item> items;
  for (const auto& [id, value] : document.value.items())
    items.push_back(read(StrictMap(document, id, value, fmt::format("{} '{}'", kind, id)), id));
  return items;
}
// The source of a row or of a figure's point: the keys preset, derived, quoted, set,
// one_run and vocabulary.
void readSource(StrictMap& map, PaperRow& row);

}  // namespace strata
