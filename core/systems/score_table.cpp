#include "core/systems/score_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/systems/score_ids.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Lines = std::vector<std::string>;
using Column = std::optional<std::size_t>;

// Whether it is a number as people and other programs write it: with a decimal comma, thousands
// apart, a percent sign, an infinity.
bool looksLikeNumber(std::string_view text) {
  text = trimmed(text);
  if (isScore(text)) return true;
  if (text.ends_with('%')) text = trimmed(text.substr(0, text.size() - 1));
  for (const std::string_view sign : {"+", "-", "\u2212"}) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    break;
  }
  if (text == "inf" || text == "Inf" || text == "Infinity" || text == "infinity") return true;
  return text.find_first_of("0123456789") != text.npos &&
         text.find_first_not_of("0123456789.,'") == text.npos && std::ranges::count(text, '.') < 2;
}

std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

// The cells of a table. Rows are counted without the line of titles.
class Cells {
 public:
  Cells(const Lines& lines, const std::filesystem::path& path) : file_(path.string()) {
    for (const std::string& line : lines) rows_.push_back(cellsOf(line));
    const std::size_t width = rows_.front().size();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].size() == width) continue;
      throw Error("{}: line {} has {} columns and line 1 has {}", file_, r + 1, rows_[r].size(),
                  width);
    }
    const auto isValue = [](std::string_view cell) {
      return !trimmed(cell).empty() && (scoreValue(cell) || looksLikeNumber(cell));
    };
    titled_ = rows_.size() > 1 && std::ranges::none_of(rows_.front(), isValue);
    for (std::size_t c = 0; c < width; ++c)
      columns_.push_back(titled_ ? std::string(trimmed(rows_.front()[c])) : fmt::to_string(c + 1));
    if (titled_) rows_.erase(rows_.begin());
  }

  const std::string& file() const { return file_; }
  const Lines& columns() const { return columns_; }
  const std::string& title(std::size_t column) const { return columns_[column]; }
  bool isTitled() const { return titled_; }
  std::size_t rows() const { return rows_.size(); }
  std::size_t line(std::size_t row) const { return row + (titled_ ? 2 : 1); }
  std::string_view at(std::size_t row, std::size_t column) const { return rows_[row][column]; }

  // By title or number; `what` it is to be, for the usage error.
  std::size_t named(const std::string& wanted, const char* what) const {
    const auto found = std::ranges::find(columns_, wanted);
    if (std::ranges::count(columns_, wanted) > 1)
      throw usageError("{}: several columns are called '{}': give them different titles", file_,
                       wanted);
    if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
    const auto number = parseNumber<std::size_t>(wanted);
    if (number && *number > 0 && *number <= columns_.size()) return *number - 1;
    throw usageError("{}: there is no {} column '{}'; there are: {}", file_, what, wanted,
                     fmt::join(columns_, ", "));
  }

 private:
  std::string file_;
  std::vector<std::vector<std::string_view>> rows_;
  Lines columns_;
  bool titled_ = false;
};

struct Chosen {
  std::size_t score = 0;
  Column text = {}, system = {}, id = {};
  bool inOrder = false;  // of the test set, as the user says
};

IdColumn idsIn(const Cells& cells, std::size_t column, const Column& system) {
  IdColumn ids{.title = cells.title(column), .cells = {}, .firstLine = cells.line(0)};
  for (std::size_t r = 0; r < cells.rows(); ++r) {
    ids.cells.push_back(cells.at(r, column));
    if (system) ids.systems.push_back(cells.at(r, *system));
  }
  return ids;
}

// At least half of what is not missing.
bool holdsNumbers(const Cells& cells, std::size_t column) {
  std::size_t numbers = 0, others = 0;
  for (std::size_t r = 0; r < cells.rows(); ++r) {
    const std::string_view cell = cells.at(r, column);
    if (looksLikeNumber(cell)) {
      ++numbers;
    } else if (!scoreValue(cell)) {
      ++others;
    }
  }
  return numbers > 0 && numbers >= others;
}

// A column that has ids, by its title, or in a table without titles by its numbers. Texts are none,
// whatever their title.
bool isIdColumn(const Cells& cells, std::size_t column, const Chosen& chosen) {
  if (column == chosen.text || column == chosen.system) return false;
  if (!cells.isTitled())
    return column == 0 && cells.columns().size() > 1 &&
           fittingNumbers(idsIn(cells, column, chosen.system)).has_value();
  for (std::size_t r = 0; r < cells.rows(); ++r) {
    if (trimmed(cells.at(r, column)).find(' ') != std::string_view::npos) return false;
  }
  return isIdTitle(cells.title(column));
}

std::size_t onlyScores(const Cells& cells, const Chosen& chosen) {
  std::vector<std::size_t> found;
  Lines ids, numbers;
  for (std::size_t c = 0; c < cells.columns().size(); ++c) {
    if (c == chosen.text || c == chosen.system) continue;
    if (c == chosen.id || (cells.columns().size() > 1 && isIdColumn(cells, c, chosen))) {
      ids.push_back(cells.title(c));
    } else if (holdsNumbers(cells, c)) {
      found.push_back(c);
      numbers.push_back(cells.title(c));
    }
  }
  const bool counts = found.size() == 1 && cells.columns().size() > 1 && cells.rows() > 1 &&
                      fittingNumbers(idsIn(cells, found.front(), chosen.system));
  if (found.size() == 1 && !counts) return found.front();
  std::string why = found.size() > 1
                        ? fmt::format("several columns hold numbers ({})", fmt::join(numbers, ", "))
                        : "no columns hold numbers";
  if (counts) ids = std::move(numbers);
  if (found.size() < 2 && !ids.empty())
    why += fmt::format(" besides '{}', which numbers the sentences", fmt::join(ids, "', '"));
  if (cells.columns().size() == 1 && cells.rows() > 0 &&
      cells.at(0, 0).find_first_of(",; ") != std::string_view::npos)
    why += " (columns are to be separated by tabs)";
  throw usageError("{}: {}: choose the scores' column; there are: {}", cells.file(), why,
                   fmt::join(cells.columns(), ", "));
}

// The column of ids that orders the rows; none if there is none, or only names.
Column idColumn(const Cells& cells, const ScoreFileOptions& options, const Chosen& chosen) {
  const auto& titles = cells.columns();
  const bool isTitle = std::ranges::find(titles, options.idColumn) != titles.end();
  if (!isTitle && options.idColumn == "none") return std::nullopt;
  if (!options.idColumn.empty()) return cells.named(options.idColumn, "id");
  std::vector<std::size_t> ids;
  for (std::size_t c = 0; c < titles.size(); ++c) {
    if (c != chosen.score && isIdColumn(cells, c, chosen)) ids.push_back(c);
  }
  Column found;
  std::optional<std::vector<std::int64_t>> order;
  for (const std::size_t c : ids) {
    auto numbers = fittingNumbers(idsIn(cells, c, chosen.system));
    if (!numbers) continue;
    if (order && *order != *numbers) {
      throw usageError(
          "{}: the columns '{}' and '{}' both number the sentences, in different orders: choose "
          "the column of ids, or none",
          cells.file(), cells.title(*found), cells.title(c));
    }
    if (!order) found = c;
    order = std::move(numbers);
  }
  if (found || ids.empty()) return found;
  return ids.back();  // of a document and a segment, the segment
}

// The rows in the order of the ids.
std::vector<std::size_t> orderedRows(const Cells& cells, const Chosen& chosen, Lines& warnings) {
  std::vector<std::size_t> rows(cells.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (!chosen.id) return rows;
  const IdColumn ids = idsIn(cells, *chosen.id, chosen.system);
  if (const auto numbers = fittingNumbers(ids)) {
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return (*numbers)[row]; });
    if (!isInOrder(ids, *numbers))
      warnings.push_back(
          fmt::format("{}: the rows are ordered by column '{}'", cells.file(), ids.title));
    return rows;
  }
  if (const std::string misfit = misfitOf(ids); !misfit.empty()) {
    throw usageError(
        "{}: {}: ids must be 0 to n-1 or 1 to n, or names; choose the column of ids, or `none` if "
        "the rows are in the order of the test set",
        cells.file(), misfit);
  }
  warnings.push_back(fmt::format(
      "{}: the ids in column '{}' are names: the rows are taken to be in the order of the test set",
      cells.file(), ids.title));
  return rows;
}

double scoreAt(const Cells& cells, std::size_t row, std::size_t column) {
  const std::string_view cell = cells.at(row, column);
  if (const auto value = scoreValue(cell)) return *value;
  const bool number = looksLikeNumber(cell);
  throw Error("{}: line {}: '{}' is not a score; expected a number, None or nothing{}",
              cells.file(), cells.line(row), cell.substr(0, 80),
              number && cell.find(',') != cell.npos   ? "; write decimal points, not commas"
              : number && cell.find('%') != cell.npos ? "; leave out the percent signs"
                                                      : "");
}

// What the reader decided without being told.
void addNotes(const Cells& cells, const Chosen& chosen, Lines& warnings) {
  if (!cells.isTitled() && cells.columns().size() > 1) {
    warnings.push_back(fmt::format(
        "{}: has no line of titles: column {} has the scores{}", cells.file(),
        cells.title(chosen.score),
        chosen.id ? fmt::format(", column {} the ids", cells.title(*chosen.id)) : std::string()));
  }
  if (chosen.id || chosen.inOrder || cells.rows() < 2) return;
  for (std::size_t c = 0; c < cells.columns().size(); ++c) {
    if (c == chosen.score || c == chosen.text || c == chosen.system) continue;
    const IdColumn ids = idsIn(cells, c, chosen.system);
    const auto numbers = fittingNumbers(ids);
    if (!numbers || isInOrder(ids, *numbers)) continue;
    warnings.push_back(fmt::format(
        "{}: column '{}' counts the rows in another order; choose it as the column of ids if it "
        "numbers the sentences",
        cells.file(), cells.title(c)));
  }
}

}  // namespace

std::optional<double> scoreValue(std::string_view text) {
  text = trimmed(text);
  for (const char* none : {"", "None", "none", "null", "NaN", "nan", "NA", "N/A"}) {
    if (text == none) return std::numeric_limits<double>::quiet_NaN();
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = parseNumber<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool isScore(std::string_view text) {
  const auto value = scoreValue(text);
  return value && !std::isnan(*value);
}

std::vector<std::string> tableColumns(const std::vector<std::string>& lines,
                                      const std::filesystem::path& path) {
  return Cells(lines, path).columns();
}

ScoreFile readScoreTable(const std::vector<std::string>& lines, const std::filesystem::path& path,
                         const ScoreFileOptions& options) {
  const Cells cells(lines, path);
  const auto named = [&](const std::string& wanted, const char* what) {
    return wanted.empty() ? Column() : Column(cells.named(wanted, what));
  };
  Chosen chosen{.text = named(options.textColumn, "text"),
                .system = named(options.systemColumn, "system")};
  const bool known = std::ranges::find(cells.columns(), options.idColumn) != cells.columns().end();
  if (known || options.idColumn != "none") chosen.id = named(options.idColumn, "id");
  chosen.score = options.scoreColumn.empty() ? onlyScores(cells, chosen)
                                             : cells.named(options.scoreColumn, "score");
  chosen.id = idColumn(cells, options, chosen);
  chosen.inOrder = !chosen.id && !options.idColumn.empty();
  ScoreFile file{
      .format = "tsv", .columns = cells.columns(), .scoreColumn = cells.title(chosen.score)};
  file.metric.metric = cells.isTitled() ? file.scoreColumn : path.stem().string();
  addNotes(cells, chosen, file.warnings);
  const auto systemAt = [&](std::size_t row) {
    return chosen.system ? std::string(cells.at(row, *chosen.system)) : std::string();
  };
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    scoreAt(cells, row, chosen.score);  // the first line that is wrong is named, and
    listNamed(file, systemAt(row));     // systems are in the file's order
  }
  for (const std::size_t row : orderedRows(cells, chosen, file.warnings)) {
    ScoreList& list = listNamed(file, systemAt(row));
    list.values.push_back(scoreAt(cells, row, chosen.score));
    if (chosen.text) list.translations.emplace_back(cells.at(row, *chosen.text));
  }
  return file;
}

ScoreList& listNamed(ScoreFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.systems, name, &ScoreList::name);
  if (found != file.systems.end()) return *found;
  file.systems.push_back({.name = name, .values = {}});
  return file.systems.back();
}

}  // namespace strata
