#pragma once
#include "core/papers/figure_data.h"
#include "core/report/svg_parts.h"

namespace strata {

// A network as boxes with width and parameters of each part, its connections in the colour of their
// kind, and a legend; readable on light and dark pages.
SvgPicture drawn(const NamedNetwork& named);

}  // namespace strata
