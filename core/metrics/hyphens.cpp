#include "core/metrics/hyphens.h"

namespace strata {

std::string withSplitHyphens(const std::string& line) {
  const auto solid = [&](std::size_t at) {
    return at < line.size() && line[at] != ' ' && (line[at] < '\t' || line[at] > '\r');
  };
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    if (solid(i) && i + 2 < line.size() && line[i + 1] == '-' && solid(i + 2)) {
      out.append(1, line[i]).append(" ##AT##-##AT## ").append(1, line[i + 2]);
      i += 3;
    } else {
      out += line[i++];
    }
  }
  return out;
}

std::vector<std::string> withSplitHyphens(std::vector<std::string> lines) {
  for (std::string& line : lines) line = withSplitHyphens(line);
  return lines;
}

}  // namespace strata
