#include "app/contrastive.h"

#include <fmt/format.h>

#include <map>
#include <ranges>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/data/lines.h"
#include "core/report/table.h"

namespace strata {

ContrastiveCases readContrastive(const std::string& path) {
  ContrastiveCases cases;
  for (const std::string& line : readLines(path)) {
    std::vector<std::string> columns;
    for (const auto column : std::views::split(line, '\t'))
      columns.emplace_back(column.begin(), column.end());
    const std::size_t number = cases.phenomena.size() + 1;
    const auto distance = columns.size() == 5 ? parseNumber<int>(columns[1]) : std::nullopt;
    if (!distance || *distance < 0) {
      throw Error("{}:{}: expected phenomenon, distance, source, correct, wrong, separated by tabs",
                  path, number);
    }
    cases.phenomena.push_back(columns[0]);
    cases.distances.push_back(*distance);
    cases.sources.push_back(columns[2]);
    cases.correct.push_back(columns[3]);
    cases.wrong.push_back(columns[4]);
  }
  return cases;
}

std::vector<ContrastiveAccuracy> accuracyByDistance(const ContrastiveCases& cases,
                                                    const std::vector<double>& correct,
                                                    const std::vector<double>& wrong) {
  std::map<std::pair<std::string, int>, ContrastiveAccuracy> cells;
  for (std::size_t i = 0; i < cases.phenomena.size(); ++i) {
    for (const int distance : {-1, cases.distances[i]}) {
      auto& cell = cells[{cases.phenomena[i], distance}];
      cell.phenomenon = cases.phenomena[i];
      cell.distance = distance;
      ++cell.pairs;
      if (correct.at(i) > wrong.at(i)) ++cell.right;
    }
  }
  std::vector<ContrastiveAccuracy> rows;
  for (auto& [key, cell] : cells) rows.push_back(std::move(cell));
  return rows;
}

std::string contrastiveTable(const std::vector<ContrastiveAccuracy>& rows) {
  Table table{.columns = {{"phenomenon"}}};
  for (const char* title : {"distance", "pairs", "accuracy"}) table.addColumn(title);
  for (const auto& row : rows) {
    table.rows.push_back(
        {row.phenomenon, row.distance < 0 ? "all" : Cell::count(row.distance),
         Cell::count(row.pairs),
         Cell::number(100.0 * static_cast<double>(row.right) / static_cast<double>(row.pairs),
                      {.digits = 1})
             .add(" %")});
  }
  return textTable(table);
}

Json contrastiveJson(const std::vector<ContrastiveAccuracy>& rows) {
  Json all = Json::array();
  for (const auto& row : rows) {
    all.push_back({{"phenomenon", row.phenomenon},
                   {"distance", row.distance < 0 ? Json(nullptr) : Json(row.distance)},
                   {"pairs", row.pairs},
                   {"right", row.right},
                   {"accuracy", static_cast<double>(row.right) / static_cast<double>(row.pairs)}});
  }
  return {{"contrastive", std::move(all)}};
}

}  // namespace strata
