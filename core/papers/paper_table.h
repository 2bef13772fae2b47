#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/papers/printed_number.h"

namespace strata {

// How a table scores a translation. Different formulas have different names.
struct PaperScorer {
  std::string metric = "multi-bleu";  // multi-bleu: of tokens; mteval-bleu, bleu: of plain text
  bool lowercase = false;
  bool splitHyphens = false;  // first splits a-b into three words on both sides; multi-bleu only

  std::string text() const;  // "multi-bleu, lower-cased"
  bool operator==(const PaperScorer&) const = default;
};

// A row's decoding settings that differ from its preset.
struct PaperDecode {
  std::string ensemble;  // "linear", "log"; empty: each seed's model alone
  bool posunk = false;
  int beam = 0;  // 0: the preset's

  bool plain() const { return ensemble.empty() && !posunk && beam == 0; }
  bool operator==(const PaperDecode&) const = default;
};

struct VocabularySizes {
  std::int64_t source = 0, target = 0;  // specials included
  bool operator==(const VocabularySizes&) const = default;
  std::string text() const;  // "30000/30000"
};

// PaperColumn::paperSet where no set of the dataset has the sentences that the paper scores.
inline constexpr const char* kNoPaperSet = "none";

// One value per row: a score on an evaluation set, a mean of other columns, or a measure of the
// runs.
struct PaperColumn {
  std::string key, title;
  std::string dataset;               // recipe; the table's if the file gives none
  std::string set;                   // evaluation set; empty for means and measures
  std::string paperSet;              // the dataset's set that the paper scores; or kNoPaperSet
  bool valid = false;                // a validation set: may be used to choose between systems
  std::vector<std::string> average;  // keys of the columns that it averages
  // tokens_per_second, updates_per_second, annealing_epoch, hours; empty: a score
  std::string measure;
  std::string suffix;                         // of the rows' presets in this column: "-e64"
  PaperDecode decode;                         // for rows without their own
  std::string size;                           // model size as printed for the column: "8 ± 1"
  std::optional<VocabularySizes> vocabulary;  // if it differs from the table's

  bool scores() const { return average.empty() && measure.empty(); }
};

// One row: a preset, derived from a preset, or quoted from another publication and never run.
struct PaperRow {
  enum class Kind { kPreset, kDerived, kQuoted };
  std::string name;
  Kind kind = Kind::kQuoted;
  std::string preset;   // kPreset; kDerived: what it is derived from
  int seeds = 1;        // kDerived: how many runs it needs
  bool oneRun = false;  // compared with no other row: one run of it, however many are asked for
  PaperDecode decode;   // kDerived
  std::string subset;   // kDerived: "references-in-vocabulary"; empty: the full set
  std::vector<std::string> overrides;  // key=value, beyond the preset
  std::string dataset;                 // recipe instead of the column's; empty: the column's
  std::string quoted;                  // kQuoted: the publication
  std::string baseline;                // name of the row to compare with; empty: none
  std::string readingOf;               // name of the row whose system it reads differently, and
                                       // whose printed values and baseline it has; empty: none
  std::optional<VocabularySizes> vocabulary;               // if it differs from the column's
  std::optional<PrintedNumber> parameters;                 // millions
  std::map<std::string, PrintedNumber> printed;            // by column
  std::vector<std::pair<std::string, std::string>> facts;  // other columns as printed
  std::string note;

  bool runs() const { return kind != Kind::kQuoted; }
  std::string fact(const std::string& name) const;  // empty: not printed for this row
};

struct PaperTable {
  std::string id;  // "mlrf/table2"
  std::string title, task;
  std::string dataset;         // the recipe of most columns
  VocabularySizes vocabulary;  // of the paper, or usual sizes if the paper gives none
  PaperScorer scorer;
  std::vector<PaperScorer> beside;  // further scorers to report
  std::vector<PaperColumn> columns;
  std::string headline;  // key of the column whose gains are tested in the shown table
  int averageLast = 0;   // number of last checkpoints to average and evaluate; 0: the best one
  std::vector<PaperRow> rows;
  std::vector<std::string> notes;

  // Unknown keys and names are usage errors that list the known ones.
  const PaperColumn& column(const std::string& key) const;
  const PaperRow& row(const std::string& name) const;
  std::size_t columnIndex(const std::string& key) const;
  // For which a row's parameters are counted in a column if no dataset is there: the nearest that
  // is declared, of the row, the column or the table. Null: of no row.
  const VocabularySizes& vocabularyOf(const PaperRow* row, const PaperColumn& column) const;
  // The names of all rows' facts, in their order.
  std::vector<std::string> factNames() const;
  // The mean of the printed values that a column averages; none if one of them is not printed.
  std::optional<double> recomputed(const PaperRow& row, const PaperColumn& column) const;
  // Names of all presets that rows and columns need, without duplicates.
  std::vector<std::string> presets() const;
};

// Reads the tables of one file, a mapping from ids. Checks everything except whether presets exist;
// errors name file, line, table, row and key.
std::vector<PaperTable> parsePaperTables(std::string_view yaml, std::string_view source);

Json toJson(const PaperDecode& decode);

}  // namespace strata
