#pragma once
#include <string>
#include <vector>

namespace strata {

// Comma-separated values as RFC 4180 has them, but with lines that end at \n.
class CsvText {
 public:
  explicit CsvText(const std::vector<std::string>& titles);
  void row(const std::vector<std::string>& cells);  // as many as there are titles
  const std::string& text() const { return text_; }

 private:
  std::size_t columns_;
  std::string text_;
};

}  // namespace strata
