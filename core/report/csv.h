#pragma once
#include <string>
#include <vector>

namespace strata {

// Comma-separated values as in RFC 4180, but lines end with \n.
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
