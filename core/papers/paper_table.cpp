#include "core/papers/paper_table.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/papers/paper_fields.h"

namespace strata {
namespace {

PaperColumn readColumn(StrictMap map, const PaperTable& table) {
  PaperColumn column;
  column.key = map.text("key");
  map.rename(fmt::format("table '{}', column '{}'", table.id, column.key));
  column.title = map.text("title", column.key);
  column.dataset = map.text("dataset", table.dataset);
  column.average = map.texts("average");
  column.measure = map.choice(
      "measure", {"", "tokens_per_second", "updates_per_second", "annealing_epoch", "hours"});
  column.set = map.text("set", "");
  column.paperSet = map.text("paper_set", column.set);
  column.valid = map.flag("valid");
  column.suffix = map.text("suffix", "");
  if (auto decode = map.map("decode")) column.decode = readDecode(*decode);
  column.size = map.text("size", "");
  if (map.has("vocabulary")) column.vocabulary = readVocabulary(map);
  const int kinds =
      int{!column.set.empty()} + int{!column.average.empty()} + int{!column.measure.empty()};
  if (kinds != 1) map.refuse("set", "or 'average' or 'measure': give exactly one");
  map.done();
  return column;
}

void checkAverages(const StrictMap& map, const PaperTable& table) {
  for (const PaperColumn& column : table.columns) {
    for (const std::string& part : column.average) {
      const auto at = std::ranges::find(table.columns, part, &PaperColumn::key);
      if (at == table.columns.end() || !at->scores())
        map.refuse("columns", fmt::format("'{}' averages '{}', which is not a scored column",
                                          column.key, part));
    }
  }
}

// Another reading of an earlier row has its printed values, baseline, data and vocabularies.
void readReading(StrictMap& map, const PaperTable& table, PaperRow& row) {
  row.readingOf = map.text("reading_of", "");
  if (row.readingOf.empty()) return;
  if (map.has("printed")) map.refuse("printed", "is that of the row that reading_of names");
  const auto of = std::ranges::find(table.rows, row.readingOf, &PaperRow::name);
  if (of == table.rows.end() || !of->runs() || !row.runs())
    map.refuse("reading_of", "must name a row with a preset before it, for a preset");
  row.printed = of->printed;
  row.baseline = of->baseline;
  row.dataset = of->dataset;
  if (!row.vocabulary) row.vocabulary = of->vocabulary;
}

PaperRow readRow(StrictMap map, const PaperTable& table, const std::string& baseline) {
  PaperRow row;
  row.name = map.text("name");
  map.rename(fmt::format("table '{}', row '{}'", table.id, row.name));
  readSource(map, row);
  row.baseline = row.runs() && row.name != baseline ? baseline : "";
  readReading(map, table, row);
  row.dataset = map.text("dataset", row.dataset);
  row.baseline = map.text("baseline", row.baseline);
  if (map.has("parameters"))
    row.parameters = {map.number("parameters"), map.numeral("parameters", map.any("parameters"))};
  std::vector<std::string> columns;
  for (const PaperColumn& column : table.columns) columns.push_back(column.key);
  if (row.readingOf.empty()) row.printed = readPrinted(map, columns, "column");
  row.facts = readFacts(map);
  row.note = map.text("note", "");
  map.done();
  return row;
}

void checkRows(const StrictMap& map, const PaperTable& table) {
  std::set<std::string> names;
  for (const PaperRow& row : table.rows) {
    if (!names.insert(row.name).second)
      map.refuse("rows", fmt::format("contain the name '{}' twice", row.name));
  }
  for (const PaperRow& row : table.rows) {
    if (row.baseline.empty()) continue;
    const auto at = std::ranges::find(table.rows, row.baseline, &PaperRow::name);
    if (at == table.rows.end())
      map.refuse("rows", fmt::format("'{}' is compared with '{}', which is not a row", row.name,
                                     row.baseline));
    if (!row.runs() || !at->runs())
      map.refuse("rows", fmt::format("'{}' or its baseline '{}' is quoted and never run", row.name,
                                     row.baseline));
  }
}

PaperTable readTable(StrictMap map, const std::string& id) {
  PaperTable table;
  table.id = id;
  table.title = map.text("title");
  table.task = map.text("task");
  table.dataset = map.text("dataset");
  table.vocabulary = readVocabulary(map);
  auto scorer = map.map("scorer");
  if (!scorer) map.refuse("scorer", "is missing");
  table.scorer = readScorer(*scorer);
  for (StrictMap& item : map.maps("beside", "scorer")) table.beside.push_back(readScorer(item));
  for (const StrictMap& item : map.maps("columns", "column"))
    table.columns.push_back(readColumn(item, table));
  if (table.columns.empty()) map.refuse("columns", "is missing or empty");
  std::set<std::string> keys;
  for (const PaperColumn& column : table.columns) {
    if (!keys.insert(column.key).second)
      map.refuse("columns", fmt::format("contain the key '{}' twice", column.key));
  }
  checkAverages(map, table);
  table.headline = map.text("headline", table.columns.back().key);
  if (!keys.contains(table.headline)) map.refuse("headline", "is not the key of a column");
  table.averageLast = static_cast<int>(map.integer("average_last", 0));
  const std::string baseline = map.text("baseline", "");
  for (const StrictMap& item : map.maps("rows", "row"))
    table.rows.push_back(readRow(item, table, baseline));
  if (table.rows.empty()) map.refuse("rows", "is missing or empty");
  checkRows(map, table);
  table.notes = map.texts("notes");
  map.done();
  return table;
}

// The item of a table with this name; an unknown one is a usage error.
template <typename Item>
const Item& named(const PaperTable& table, std::vector<Item> PaperTable::*items,
                  std::string Item::*nameOf, const std::string& name, const char* kind) {
  const auto at = std::ranges::find(table.*items, name, nameOf);
  if (at != (table.*items).end()) return *at;
  std::vector<std::string> names;
  for (const Item& item : table.*items) names.push_back(item.*nameOf);
  throw usageError("{} has no {} '{}'; its {}s: {}", table.id, kind, name, kind,
                   fmt::join(names, ", "));
}

}  // namespace

std::string PaperScorer::text() const {
  return metric + (lowercase ? ", lower-cased" : "") + (splitHyphens ? ", hyphens split" : "");
}

std::string VocabularySizes::text() const {
  return fmt::format("{}/{}", source, target);
}

std::string PaperRow::fact(const std::string& name) const {
  const auto at = std::ranges::find(facts, name, &std::pair<std::string, std::string>::first);
  return at == facts.end() ? "" : at->second;
}

const PaperColumn& PaperTable::column(const std::string& key) const {
  return named(*this, &PaperTable::columns, &PaperColumn::key, key, "column");
}

const PaperRow& PaperTable::row(const std::string& name) const {
  return named(*this, &PaperTable::rows, &PaperRow::name, name, "row");
}

std::size_t PaperTable::columnIndex(const std::string& key) const {
  return static_cast<std::size_t>(&column(key) - columns.data());
}

const VocabularySizes& PaperTable::vocabularyOf(const PaperRow* row,
                                                const PaperColumn& column) const {
  if (row != nullptr && row->vocabulary) return *row->vocabulary;
  return column.vocabulary ? *column.vocabulary : vocabulary;
}

std::vector<std::string> PaperTable::factNames() const {
  std::vector<std::string> names;
  for (const PaperRow& row : rows) {
    for (const auto& [name, text] : row.facts) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::optional<double> PaperTable::recomputed(const PaperRow& row, const PaperColumn& column) const {
  if (column.average.empty()) return {};
  double sum = 0;
  for (const std::string& part : column.average) {
    const auto at = row.printed.find(part);
    if (at == row.printed.end()) return {};
    sum += at->second.value;
  }
  return sum / static_cast<double>(column.average.size());
}

std::vector<std::string> PaperTable::presets() const {
  std::set<std::string> suffixes, names;
  for (const PaperColumn& column : columns) suffixes.insert(column.suffix);
  for (const PaperRow& row : rows) {
    if (!row.runs()) continue;
    for (const std::string& suffix : suffixes) names.insert(row.preset + suffix);
  }
  return {names.begin(), names.end()};
}

std::vector<PaperTable> parsePaperTables(std::string_view yaml, std::string_view source) {
  return readItems<PaperTable>(yaml, source, "table", readTable);
}

Json toJson(const PaperDecode& decode) {
  Json json = Json::object();
  if (!decode.ensemble.empty()) json["ensemble"] = decode.ensemble;
  if (decode.posunk) json["posunk"] = true;
  if (decode.beam > 0) json["beam"] = decode.beam;
  return json;
}

}  // namespace strata
