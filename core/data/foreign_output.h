#pragma once
#include <string>
#include <vector>

namespace strata {

// Refuses lines that have something besides a translation each, by the name of what writes them:
// scores or alignments between bars (Marian, OpenNMT-tf) or after a tab (OpenNMT-py, Sockeye), or a
// log (OpenNMT-py, Marian). Otherwise all of it would be taken for translations. Nothing is said of
// a single line, nor of lines of which one is none of these. A usage error names `file`.
void refuseForeignOutput(const std::string& file, const std::vector<std::string>& lines);

}  // namespace strata
