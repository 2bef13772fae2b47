#pragma once
#include <QImage>

namespace strata::ui {

// A picture with its most frequent colours, at most 256, in the place of similar ones: its file is
// a fraction as large.
QImage withFewColours(const QImage& picture, int count);

}  // namespace strata::ui
