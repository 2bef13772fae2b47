#pragma once
#include <QColor>
#include <QImage>

namespace strata::ui {

// The sequential colour map of every heat-map: dark blue over teal to pale yellow. Its lightness
// rises in equal steps (in OKLab), so equal differences look equal, it keeps its order in greyscale
// and for colour-blind readers. `value` is clamped to [0, 1]; one that is not finite has the
// transparent colour.
QColor mapColour(double value);

// Text that reads well on mapColour(value).
QColor textOn(double value);

// The OKLab lightness (0 black .. 1 white) of an sRGB colour.
double lightnessOf(const QColor& colour);

}  // namespace strata::ui
