#include "core/papers/paper_fields.h"

#include <algorithm>

namespace strata {

PaperDecode readDecode(StrictMap& map) {
  PaperDecode decode;
  decode.ensemble = map.choice("ensemble", {"", "linear", "log"});
  decode.posunk = map.flag("posunk");
  decode.beam = static_cast<int>(map.integer("beam", 0));
  if (decode.beam < 0) map.refuse("beam", "must be at least 1");
  map.done();
  return decode;
}

PaperScorer readScorer(StrictMap& map) {
  PaperScorer scorer;
  scorer.metric = map.choice("metric", {"multi-bleu", "mteval-bleu", "bleu"});
  scorer.lowercase = map.flag("lowercase");
  scorer.splitHyphens = map.flag("split_hyphens");
  if (scorer.splitHyphens && scorer.metric != "multi-bleu")
    map.refuse("split_hyphens", "is for the metric multi-bleu only");
  map.done();
  return scorer;
}

VocabularySizes readVocabulary(StrictMap& map) {
  const auto sizes = map.numbers("vocabulary");
  if (sizes.size() != 2 || sizes[0] < 5 || sizes[1] < 5)
    map.refuse("vocabulary", "must be two sizes: [source, target]");
  return {static_cast<std::int64_t>(sizes[0]), static_cast<std::int64_t>(sizes[1])};
}

std::map<std::string, PrintedNumber> readPrinted(StrictMap& map,
                                                 const std::vector<std::string>& keys,
                                                 const char* kind) {
  std::map<std::string, PrintedNumber> printed;
  for (const auto& [key, value] : map.entries("printed")) {
    const std::string path = "printed." + key;
    if (!value.is_number()) map.refuse(path, "must be a number");
    if (std::ranges::find(keys, key) == keys.end())
      map.refuse(path, fmt::format("is not the key of a {}", kind));
    printed[key] = {value.get<double>(), map.numeral(path, value)};
  }
  return printed;
}

std::vector<std::pair<std::string, std::string>> readFacts(StrictMap& map) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [key, value] : map.entries("facts"))
    facts.emplace_back(
        key, value.is_string() ? value.get<std::string>() : map.numeral("facts." + key, value));
  return facts;
}

void readSource(StrictMap& map, PaperRow& row) {
  const int kinds = int{map.has("preset")} + int{map.has("derived")} + int{map.has("quoted")};
  if (kinds != 1)
    map.refuse("preset",
               fmt::format("or 'derived' or 'quoted': expected exactly one, {} are given", kinds));
  row.overrides = map.texts("set");
  row.oneRun = map.flag("one_run");
  if (row.oneRun && !map.has("preset")) map.refuse("one_run", "is for rows with a preset");
  if (map.has("vocabulary")) row.vocabulary = readVocabulary(map);
  if (map.has("quoted")) {
    row.kind = PaperRow::Kind::kQuoted;
    row.quoted = map.text("quoted");
    if (!row.overrides.empty()) map.refuse("set", "cannot be given for a quoted row");
    if (row.vocabulary) map.refuse("vocabulary", "cannot be given for a quoted row");
    return;
  }
  if (map.has("preset")) {
    row.kind = PaperRow::Kind::kPreset;
    row.preset = map.text("preset");
    return;
  }
  StrictMap derived = *map.map("derived");
  row.kind = PaperRow::Kind::kDerived;
  row.preset = derived.text("of");
  row.seeds = static_cast<int>(derived.integer("seeds", 1));
  if (row.seeds < 1) derived.refuse("seeds", "must be at least 1");
  if (auto decode = derived.map("decode")) row.decode = readDecode(*decode);
  row.subset = derived.choice("subset", {"", "references-in-vocabulary"});
  if (!row.decode.ensemble.empty() && row.seeds < 2)
    derived.refuse("seeds", "must be at least 2 for an ensemble");
  if (row.decode.plain() && row.subset.empty() && row.seeds == 1)
    derived.refuse("decode", "or 'subset' is missing: nothing is derived without one");
  derived.done();
}

}  // namespace strata
