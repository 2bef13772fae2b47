#pragma once
#include <QColor>
#include <QIcon>
#include <QString>
#include <QVector>
#include <optional>

namespace strata::ui {

enum class ThemeChoice { kSystem, kLight, kDark };

// "light", "dark" or "system"; nothing else.
std::optional<ThemeChoice> themeChoiceFrom(const QString& name);
QString nameOf(ThemeChoice choice);

// The colours that widgets and plots draw with.
struct Theme {
  bool dark = false;
  QColor window;   // background of everything
  QColor surface;  // panels, lists, plots
  QColor raised;   // headers, buttons, cards
  QColor border;   // hairlines
  QColor grid;     // of plots
  QColor text;
  QColor muted;     // secondary text, axis labels
  QColor accent;    // selection, default buttons
  QColor onAccent;  // text on accent
  QColor good, warning, bad;
  // Eight, told apart by colour-blind readers and, by their lightness, in grey; reused in order.
  QVector<QColor> series;
};

// The current theme. GUI thread only.
const Theme& theme();

// Sets palette, style sheet and theme() of the application; widgets get a PaletteChange event and
// restyle themselves. kSystem follows the lightness of the platform's palette at the first call.
void applyTheme(ThemeChoice choice);
// All but the style sheet: for a window whose widgets are made before they are styled, since a
// style sheet styles a widget again whenever it gets another parent.
void chooseColours(ThemeChoice choice);

// During its life theme() is the light one, whatever the window shows: pictures in files are light.
// Widgets are not restyled. GUI thread only.
class LightTheme {
 public:
  LightTheme();
  ~LightTheme();
  LightTheme(const LightTheme&) = delete;
  LightTheme& operator=(const LightTheme&) = delete;

 private:
  Theme shown_;
};

// The colour of the n-th series of a plot.
QColor seriesColour(int index);

// An icon from :/icons/NAME.svg in the current theme's text colour, sharp at every size and scale.
QIcon themedIcon(const QString& name);

}  // namespace strata::ui
