#pragma once
#include <fmt/format.h>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

enum class NumberForm {
  kFixed,        // digits after the point: "34.50"
  kSigned,       // the same with a sign: "+0.41"
  kPercent,      // a share, 0 .. 1: "12.5 %"
  kSignificant,  // significant digits: "0.0314"
};

struct NumberStyle {
  int digits = 2;
  NumberForm form = NumberForm::kFixed;
  std::string_view missing = "";  // written if there is no value
};
std::string numberText(const std::optional<double>& value, const NumberStyle& style = {});

// Of differences, shares and probabilities in tables.
inline constexpr NumberStyle kSignedNumber{.form = NumberForm::kSigned};
inline constexpr NumberStyle kShareNumber{.digits = 1, .form = NumberForm::kPercent};
inline constexpr NumberStyle kProbability{.digits = 4};

// The texts that stand for no value in tables.
inline constexpr std::string_view kNoValue = "\u2013", kNotMeasured = "-";

// Better or worse than a baseline, significantly.
enum class CellMark { kNone, kBetter, kWorse };
std::string_view symbolOf(CellMark mark);  // "▲", "▼", ""

// One cell of a table: what readers see, and the exact value behind it for programs and for
// sorting. Everything that writes tables takes it: terminal, pages, CSV, TSV, LaTeX, the window.
class Cell {
 public:
  Cell() = default;
  Cell(std::string text) : text_(std::move(text)) {}
  Cell(const char* text) : text_(text) {}
  static Cell number(const std::optional<double>& value, const NumberStyle& style = {});
  static Cell count(std::integral auto value) {
    Cell cell(fmt::to_string(value));
    cell.value_ = static_cast<double>(value);
    return cell;
  }
  // "34.52 ± 0.61"; without a spread only the mean.
  static Cell plusMinus(double mean, const std::optional<double>& spread,
                        const NumberStyle& style = {});
  // "+0.41 to +1.20"
  static Cell range(double low, double high, int digits = 2);
  // A text as another program wrote it, with the value behind it.
  static Cell shown(std::string text, const std::optional<double>& value);
  // A text that is sorted by `place`: "< 10", "10-19".
  static Cell placed(std::string text, std::size_t place);

  Cell& add(std::string_view more);  // written next to the number or text
  Cell& mark(CellMark mark);         // written last
  Cell& best();                      // of its column: bold in LaTeX, without what was added

  std::string text() const;   // for readers
  std::string exact() const;  // for programs: the value with all digits, else the text
  std::string latex() const;
  // By which a column of numbers or placed texts is sorted; none for other texts.
  std::optional<double> sortKey() const;
  CellMark mark() const { return mark_; }
  bool isMissing() const;  // empty, or a dash instead of a value

  bool operator==(const Cell&) const = default;

 private:
  std::string text_, added_;
  std::optional<double> value_, place_;
  CellMark mark_ = CellMark::kNone;
  bool best_ = false;
};

}  // namespace strata
