#pragma once
#include <string>

#include "core/report/table.h"

namespace strata {

// Titles and rows as comma-separated values, numbers with all digits: RFC 4180, but lines end
// with \n. The caption is left out.
std::string csvTable(const Table& table);

// A cell, in quotes if it contains what separates cells or lines.
std::string csvCell(std::string cell);

}  // namespace strata
