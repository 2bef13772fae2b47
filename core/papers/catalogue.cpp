#include "core/papers/catalogue.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "embedded/paperFigures.h"
#include "embedded/paperTables.h"

namespace strata {
namespace {

template <typename Item>
const Item* findById(const std::vector<Item>& items, const std::string& id) {
  const auto at = std::ranges::find(items, id, &Item::id);
  return at == items.end() ? nullptr : &*at;
}

template <typename Item, typename Files>
std::vector<Item> readAll(const Files& files,
                          std::vector<Item> (*parse)(std::string_view, std::string_view)) {
  std::vector<Item> all;
  for (const auto& [file, text] : files) {
    for (Item& item : parse(text, file)) {
      if (findById(all, item.id) != nullptr)
        throw usageError("{}: the id '{}' occurs twice", file, item.id);
      all.push_back(std::move(item));
    }
  }
  return all;
}

}  // namespace

const std::vector<PaperTable>& paperTables() {
  static const auto all = readAll<PaperTable>(embedded::paperTables(), parsePaperTables);
  return all;
}

const std::vector<PaperFigure>& paperFigures() {
  static const auto all = readAll<PaperFigure>(embedded::paperFigures(), parsePaperFigures);
  return all;
}

const PaperTable* findPaperTable(const std::string& id) {
  return findById(paperTables(), id);
}

const PaperFigure* findPaperFigure(const std::string& id) {
  return findById(paperFigures(), id);
}

std::vector<std::string> paperIds() {
  std::vector<std::string> ids;
  for (const PaperTable& table : paperTables()) ids.push_back(table.id);
  for (const PaperFigure& figure : paperFigures()) ids.push_back(figure.id);
  return ids;
}

Json paperIndex() {
  Json tables = Json::array(), figures = Json::array();
  for (const PaperTable& table : paperTables()) {
    tables.push_back({{"id", table.id},
                      {"title", table.title},
                      {"task", table.task},
                      {"recipe", table.dataset},
                      {"scorer", table.scorer.text()},
                      {"rows", table.rows.size()}});
  }
  for (const PaperFigure& figure : paperFigures())
    figures.push_back({{"id", figure.id}, {"title", figure.title}, {"kind", nameOf(figure.kind)}});
  return {{"tables", std::move(tables)}, {"figures", std::move(figures)}};
}

std::vector<std::string> missingPresets(const std::string& family,
                                        const std::vector<std::string>& presets) {
  std::vector<std::string> problems;
  const auto check = [&](const std::string& where, const std::string& preset) {
    if (!preset.starts_with(family + "/") || std::ranges::find(presets, preset) != presets.end())
      return;
    problems.push_back(fmt::format("{}: there is no preset '{}'; the nearest is '{}'", where,
                                   preset, nearestOf(preset, presets)));
  };
  for (const PaperTable& table : paperTables()) {
    for (const PaperRow& row : table.rows) {
      if (!row.runs()) continue;
      for (const PaperColumn& column : table.columns)
        check(fmt::format("table '{}', row '{}', column '{}'", table.id, row.name, column.key),
              row.preset + column.suffix);
    }
  }
  for (const PaperFigure& figure : paperFigures()) {
    for (const std::string& preset : figure.presets())
      check(fmt::format("figure '{}'", figure.id), preset);
  }
  return problems;
}

}  // namespace strata
