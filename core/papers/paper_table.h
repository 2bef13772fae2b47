#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace strata {

// How a table scores a translation. Formulas that differ have different names.
struct PaperScorer {
  std::string metric = "multi-bleu";  // multi-bleu: of tokens; mteval-bleu, bleu: of plain text
  bool lowercase = false;
  bool splitHyphens = false;  // a-b becomes three words on both sides first; multi-bleu only

  std::string text() const;  // "multi-bleu, lower-cased"
  bool operator==(const PaperScorer&) const = default;
};

// How a row decodes where it differs from its preset.
struct PaperDecode {
  std::string ensemble;  // "linear", "log"; empty: each seed's model alone
  bool posunk = false;
  int beam = 0;  // 0: the preset's

  bool plain() const { return ensemble.empty() && !posunk && beam == 0; }
  bool operator==(const PaperDecode&) const = default;
};

struct VocabularySizes {
  std::int64_t source = 0, target = 0;  // specials included
};

// One figure a row: a score on an evaluation set, a mean of other columns, or something measured of
// the runs.
struct PaperColumn {
  std::string key, title;
  std::string dataset;               // recipe; the table's where the file gives none
  std::string set;                   // evaluation set; empty for means and measures
  bool valid = false;                // the set that choices may look at
  std::vector<std::string> average;  // keys of the columns that it is the mean of
  // tokens_per_second, updates_per_second, annealing_epoch, hours; empty: a score
  std::string measure;
  std::string suffix;                         // of the rows' presets in this column: "-e64"
  PaperDecode decode;                         // of the rows that have none of their own
  std::string size;                           // model size as printed for the column: "8 ± 1"
  std::optional<VocabularySizes> vocabulary;  // where it differs from the table's

  bool scores() const { return average.empty() && measure.empty(); }
};

// One row: exactly one of a preset, derived from one, or quoted from elsewhere and never run.
struct PaperRow {
  enum class Kind { kPreset, kDerived, kQuoted };
  std::string name;
  Kind kind = Kind::kQuoted;
  std::string preset;                  // kPreset; kDerived: what it is derived from
  int seeds = 1;                       // kDerived: how many runs it needs
  PaperDecode decode;                  // kDerived
  std::string subset;                  // kDerived: "references-in-vocabulary"; empty: the whole set
  std::vector<std::string> overrides;  // key=value, beyond the preset
  std::string dataset;                 // recipe in place of the column's; empty: the column's
  std::string quoted;                  // kQuoted: whose figure
  std::string baseline;                // name of the row that it is compared with; empty: none
  std::optional<double> parameters;    // millions, as printed
  std::map<std::string, double> printed;                   // by column
  std::vector<std::pair<std::string, std::string>> facts;  // what the table says of it besides
  std::string note;

  bool runs() const { return kind != Kind::kQuoted; }
};

struct PaperTable {
  std::string id;  // "mlrf/table2"
  std::string title, task;
  std::string dataset;         // the recipe of most columns
  VocabularySizes vocabulary;  // of the paper, or models' usual where the paper gives none
  PaperScorer scorer;
  std::vector<PaperScorer> beside;  // others that the scores are given under, too
  std::vector<PaperColumn> columns;
  std::string headline;  // key of the column whose gains are tested in the shown table
  int averageLast = 0;   // checkpoints that the evaluated model is the mean of; 0: the best one
  std::vector<PaperRow> rows;
  std::vector<std::string> notes;

  const PaperColumn& column(const std::string& key) const;  // usage error that lists the keys
  const PaperRow& row(const std::string& name) const;       // the same
  // The mean of the printed figures that a column averages; none where one is not printed.
  std::optional<double> recomputed(const PaperRow& row, const PaperColumn& column) const;
  // Names of all presets that rows and columns need, without doubles.
  std::vector<std::string> presets() const;
};

// Reads the tables of one file: a mapping from ids. Everything is checked that can be without
// knowing presets; errors name file, line, table, row and key.
std::vector<PaperTable> parsePaperTables(std::string_view yaml, std::string_view source);

Json toJson(const PaperDecode& decode);

}  // namespace strata
