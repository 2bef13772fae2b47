#pragma once
#include <QColor>

namespace strata::ui {

// The sequential colour map of all heat maps: dark blue over teal to pale yellow. Its lightness
// rises linearly (in OKLab), so equal differences look equal and the order survives greyscale and
// colour blindness. `value` is clamped to [0, 1]; non-finite values are transparent.
QColor mapColour(double value);

// The colour map of differences: blue below 0, pale grey at 0, orange above. Its lightness falls
// with the magnitude. `value` is clamped to [-1, 1]; non-finite values are transparent.
QColor differenceColour(double value);

// Text that reads well on mapColour(value), or on any colour.
QColor textOn(double value);
QColor textOn(const QColor& colour);

// The OKLab lightness (0 black .. 1 white) of an sRGB colour.
double lightnessOf(const QColor& colour);

}  // namespace strata::ui
