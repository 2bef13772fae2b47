#include "ui/style/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata::ui {
namespace {
constexpr int kEntries = 256;
constexpr double kDarkest = 0.24, kLightest = 0.95;  // OKLab lightness at 0 and 1

double toGamma(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

double toLinear(double gamma) {
  return gamma <= 0.04045 ? gamma / 12.92 : std::pow((gamma + 0.055) / 1.055, 2.4);
}

struct Rgb {
  double r, g, b;
  bool inGamut() const {
    const auto inside = [](double v) { return v >= -1e-6 && v <= 1 + 1e-6; };
    return inside(r) && inside(g) && inside(b);
  }
};

// OKLCH to linear sRGB (the matrices of the OKLab colour space); hue in radians.
Rgb fromOklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// With the largest chroma up to this one that a screen can show.
QColor colourNear(double lightness, double chroma, double hue) {
  Rgb rgb = fromOklch(lightness, chroma, hue);
  while (!rgb.inGamut() && chroma > 0) rgb = fromOklch(lightness, chroma -= 0.002, hue);
  const auto byte = [](double v) {
    return int(std::lround(255 * toGamma(std::clamp(v, 0.0, 1.0))));
  };
  return QColor(byte(rgb.r), byte(rgb.g), byte(rgb.b));
}

QColor entry(double t) {
  const double lightness = kDarkest + (kLightest - kDarkest) * t;
  const double hue = (275 - 172 * t) * M_PI / 180;  // blue, teal, green, yellow
  return colourNear(lightness, 0.09 + 0.06 * std::sin(M_PI * t), hue);
}

const std::array<QColor, kEntries>& table() {
  static const std::array<QColor, kEntries> colours = [] {
    std::array<QColor, kEntries> made;
    for (int i = 0; i < kEntries; ++i) made[i] = entry(i / double(kEntries - 1));
    return made;
  }();
  return colours;
}
}  // namespace

QColor mapColour(double value) {
  if (!std::isfinite(value)) return QColor(0, 0, 0, 0);
  return table()[int(std::lround(std::clamp(value, 0.0, 1.0) * (kEntries - 1)))];
}

QColor differenceColour(double value) {
  if (!std::isfinite(value)) return QColor(0, 0, 0, 0);
  static const std::array<QColor, 2 * kEntries - 1> colours = [] {
    std::array<QColor, 2 * kEntries - 1> made;
    for (int i = 0; i < int(made.size()); ++i) {
      const double t = i / double(kEntries - 1) - 1;
      const double hue = (t < 0 ? 255 : 50) * M_PI / 180;  // blue, orange
      made[i] = colourNear(kLightest - 0.5 * std::abs(t), 0.19 * std::abs(t), hue);
    }
    return made;
  }();
  return colours[int(std::lround((std::clamp(value, -1.0, 1.0) + 1) * (kEntries - 1)))];
}

QColor textOn(double value) {
  return textOn(mapColour(value));
}

QColor textOn(const QColor& colour) {
  return lightnessOf(colour) < 0.62 ? QColor(255, 255, 255) : QColor(18, 22, 30);
}

double lightnessOf(const QColor& colour) {
  const double r = toLinear(colour.redF()), g = toLinear(colour.greenF()),
               b = toLinear(colour.blueF());
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

}  // namespace strata::ui
