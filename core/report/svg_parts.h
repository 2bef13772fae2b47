#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Building blocks of the SVG pictures.

// Based on Okabe and Ito's colours, which colour-blind readers can distinguish.
inline constexpr std::array<const char*, 8> kSvgColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                        "#E69F00", "#56B4E9", "#7F7F7F", "#B8A900"};

// About five round numbers within [low, high].
std::vector<double> roundTicks(double low, double high);
std::string svgText(double x, double y, const char* anchor, std::string_view words,
                    std::string_view extra = "");

// A picture: its elements, and the attributes of what holds them.
struct SvgPicture {
  double width = 0, height = 0;
  std::string title;
  std::string style;  // attributes, such as fill
  std::string body = {};

  std::string text() const;  // a complete SVG file
};
// Pictures one below the other.
SvgPicture stacked(const std::vector<SvgPicture>& pictures);

}  // namespace strata
