#pragma once
#include <string>

#include "core/report/table.h"

namespace strata {

// Titles and rows as comma-separated values, numbers with all digits: RFC 4180, but lines end
// with \n. The caption is left out.
std::string csvTable(const Table& table);

}  // namespace strata
