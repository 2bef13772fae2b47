#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// What our SVG pictures are made of.

// Okabe and Ito's colours: told apart also by colour-blind readers.
inline constexpr std::array<const char*, 8> kSvgColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                        "#E69F00", "#56B4E9", "#7F7F7F", "#B8A900"};

// About five round numbers within [low, high].
std::vector<double> roundTicks(double low, double high);
std::string svgText(double x, double y, const char* anchor, std::string_view words,
                    std::string_view extra = "");
// The beginning of a picture; `style` holds more attributes.
std::string svgOpen(double width, double height, std::string_view title, std::string_view style);

}  // namespace strata
