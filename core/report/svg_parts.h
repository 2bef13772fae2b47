#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Building blocks of the SVG pictures.

// Based on Okabe and Ito's colours, which colour-blind readers can distinguish.
inline constexpr std::array<const char*, 8> kSvgColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                        "#E69F00", "#56B4E9", "#7F7F7F", "#B8A900"};
// Of a system or series, by its place.
inline const char* svgColour(std::size_t place) {
  return kSvgColours[place % kSvgColours.size()];
}

// From values to pixels.
struct SvgAxis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // pixels

  double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
  // About five round numbers within [low, high].
  std::vector<double> ticks() const;
};

// The lowest and the highest of some values; those that are not finite are ignored.
struct Extent {
  bool any = false;
  double low = 0, high = 0;

  void add(double value);
};

std::string svgText(double x, double y, const char* anchor, std::string_view words,
                    std::string_view extra = "");
// The title of a vertical axis, from bottom to top.
std::string svgSideTitle(double x, double y, std::string_view words);

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
