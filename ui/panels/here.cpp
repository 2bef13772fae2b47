#include "ui/panels/here.h"

#include <cmath>

#include "ui/data/text.h"

namespace strata::ui {

void Here::add(const QString& symbol, double value) {
  add(symbol, std::isfinite(value) ? QString::number(value, 'f', 3) : numberText(value));
}

void Here::add(const QString& symbol, const QString& value) {
  if (!value.isEmpty()) values.push_back({symbol, value});
}

}  // namespace strata::ui
