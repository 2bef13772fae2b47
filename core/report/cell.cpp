#include "core/report/cell.h"

#include <cmath>

#include "core/report/latex.h"

namespace strata {

std::string numberText(const std::optional<double>& value, const NumberStyle& style) {
  if (!value) return std::string(style.missing);
  switch (style.form) {
    case NumberForm::kSigned:
      return fmt::format("{:+.{}f}", *value, style.digits);
    case NumberForm::kPercent:
      return fmt::format("{:.{}f} %", 100 * *value, style.digits);
    case NumberForm::kSignificant:
      return fmt::format("{:.{}g}", *value, style.digits);
    case NumberForm::kFixed:
      break;
  }
  return fmt::format("{:.{}f}", *value, style.digits);
}

std::string_view symbolOf(CellMark mark) {
  if (mark == CellMark::kNone) return "";
  return mark == CellMark::kBetter ? "\u25b2" : "\u25bc";
}

Cell Cell::number(const std::optional<double>& value, const NumberStyle& style) {
  Cell cell(numberText(value, style));
  cell.value_ = value;
  return cell;
}

Cell Cell::plusMinus(double mean, const std::optional<double>& spread, const NumberStyle& style) {
  Cell cell = number(mean, style);
  if (spread) cell.add(" \u00b1 " + numberText(spread, style));
  return cell;
}

Cell Cell::range(double low, double high, int digits) {
  const NumberStyle style{.digits = digits, .form = NumberForm::kSigned};
  return number(low, style).add(" to " + numberText(high, style));
}

Cell Cell::shown(std::string text, const std::optional<double>& value) {
  Cell cell(std::move(text));
  cell.value_ = value;
  return cell;
}

Cell Cell::placed(std::string text, std::size_t place) {
  Cell cell(std::move(text));
  cell.place_ = static_cast<double>(place);
  return cell;
}

Cell& Cell::add(std::string_view more) {
  added_ += more;
  return *this;
}

Cell& Cell::mark(CellMark mark) {
  mark_ = mark;
  return *this;
}

Cell& Cell::best() {
  best_ = true;
  return *this;
}

std::string Cell::text() const {
  return fmt::format("{}{}{}{}", text_, added_, mark_ == CellMark::kNone ? "" : " ",
                     symbolOf(mark_));
}

std::string Cell::exact() const {
  return value_ ? fmt::format("{}", *value_) : text();
}

std::string Cell::latex() const {
  std::string out = texEscaped(text_);
  if (best_) out = "\\textbf{" + out + "}";
  out += texEscaped(added_);
  if (mark_ == CellMark::kNone) return out;
  return out + (mark_ == CellMark::kBetter ? " $\\uparrow$" : " $\\downarrow$");
}

std::optional<double> Cell::sortKey() const {
  if (place_) return place_;
  return value_ && !std::isnan(*value_) ? value_ : std::nullopt;
}

bool Cell::isMissing() const {
  if (value_ || place_) return false;
  const std::string shown = text();
  return shown.find_first_not_of(' ') == std::string::npos || shown == kNoValue ||
         shown == kNotMeasured;
}

}  // namespace strata
