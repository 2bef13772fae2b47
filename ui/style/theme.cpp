#include "ui/style/theme.h"

#include <QApplication>
#include <QFile>
#include <QPalette>
#include <QStringList>
#include <QStyleFactory>

#include "ui/data/resources.h"

namespace strata::ui {
namespace {

const QStringList kChoiceNames{QStringLiteral("system"), QStringLiteral("light"),
                               QStringLiteral("dark")};  // by ThemeChoice

Theme lightTheme() {
  return {.dark = false,
          .window = QColor("#eef0f4"),
          .surface = QColor("#ffffff"),
          .raised = QColor("#f6f7f9"),
          .border = QColor("#d5d9e0"),
          .grid = QColor("#e7e9ee"),
          .text = QColor("#1b2330"),
          .muted = QColor("#5d6878"),
          .accent = QColor("#1f63c6"),
          .onAccent = QColor("#ffffff"),
          .good = QColor("#1a7f4b"),
          .warning = QColor("#a25c00"),
          .bad = QColor("#bf2b33"),
          .series = {QColor("#0753c3"), QColor("#b97504"), QColor("#3dab89"), QColor("#830381"),
                     QColor("#553e02"), QColor("#093b4d"), QColor("#aa453f"), QColor("#727884")}};
}

Theme darkTheme() {
  return {.dark = true,
          .window = QColor("#12151b"),
          .surface = QColor("#1a1e26"),
          .raised = QColor("#232833"),
          .border = QColor("#333a47"),
          .grid = QColor("#2a303b"),
          .text = QColor("#e4e8ef"),
          .muted = QColor("#97a2b3"),
          .accent = QColor("#5b9bf5"),
          .onAccent = QColor("#0c1420"),
          .good = QColor("#4fc48a"),
          .warning = QColor("#e8ab4c"),
          .bad = QColor("#f0757b"),
          .series = {QColor("#7396ff"), QColor("#fd873d"), QColor("#8fe0a1"), QColor("#dca6d9"),
                     QColor("#fcd909"), QColor("#d7edfc"), QColor("#dc3f45"), QColor("#8d8d9b")}};
}

Theme& current() {
  static Theme value = lightTheme();
  return value;
}

QPalette paletteOf(const Theme& t) {
  QPalette p;
  p.setColor(QPalette::Window, t.window);
  p.setColor(QPalette::WindowText, t.text);
  p.setColor(QPalette::Base, t.surface);
  p.setColor(QPalette::AlternateBase, t.raised);
  p.setColor(QPalette::Text, t.text);
  p.setColor(QPalette::PlaceholderText, t.muted);
  p.setColor(QPalette::Button, t.raised);
  p.setColor(QPalette::ButtonText, t.text);
  p.setColor(QPalette::BrightText, t.bad);
  p.setColor(QPalette::Highlight, t.accent);
  p.setColor(QPalette::HighlightedText, t.onAccent);
  p.setColor(QPalette::Link, t.accent);
  p.setColor(QPalette::ToolTipBase, t.raised);
  p.setColor(QPalette::ToolTipText, t.text);
  p.setColor(QPalette::Light, t.raised.lighter(108));
  p.setColor(QPalette::Midlight, t.raised);
  p.setColor(QPalette::Mid, t.border);
  p.setColor(QPalette::Dark, t.border.darker(115));
  p.setColor(QPalette::Shadow, QColor(0, 0, 0, t.dark ? 160 : 60));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    p.setColor(QPalette::Disabled, role, t.dark ? t.muted.darker(140) : t.muted.lighter(150));
  }
  p.setColor(QPalette::Disabled, QPalette::Highlight, t.border);
  return p;
}

// resources/style.qss with @name replaced by the theme's colours.
QString styleSheetOf(const Theme& t) {
  QFile file(QStringLiteral(":/style.qss"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QString sheet = QString::fromUtf8(file.readAll());
  const std::pair<const char*, QColor> colours[] = {
      {"@window", t.window},
      {"@surface", t.surface},
      {"@raised", t.raised},
      {"@border", t.border},
      {"@text", t.text},
      {"@muted", t.muted},
      {"@accent", t.accent},
      {"@onAccent", t.onAccent},
      {"@good", t.good},
      {"@warning", t.warning},
      {"@bad", t.bad},
      {"@hover", t.dark ? t.raised.lighter(125) : t.raised.darker(106)},
      {"@soft", t.dark ? QColor("#22344f") : QColor("#e3edfb")}};
  for (const auto& [name, colour] : colours) {
    sheet.replace(QLatin1String(name) + QLatin1Char(';'), colour.name() + QLatin1Char(';'));
  }
  sheet.replace(QLatin1String("@mode"), t.dark ? QLatin1String("dark") : QLatin1String("light"));
  return sheet;
}

// Its window colour is darker than its text.
bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() <
         palette.color(QPalette::WindowText).lightness();
}

void setCurrent(ThemeChoice choice) {
  loadResources();
  static const bool systemIsDark = isDark(QApplication::palette());
  const bool dark =
      choice == ThemeChoice::kDark || (choice == ThemeChoice::kSystem && systemIsDark);
  current() = dark ? darkTheme() : lightTheme();
}

// Each widget that there is gets the style, then the palette.
void styleWidgets() {
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(paletteOf(current()));
}

}  // namespace

std::optional<ThemeChoice> themeChoiceFrom(const QString& name) {
  const qsizetype choice = kChoiceNames.indexOf(name);
  return choice < 0 ? std::nullopt : std::optional(ThemeChoice(choice));
}

QString nameOf(ThemeChoice choice) {
  return kChoiceNames[int(choice)];
}

const Theme& theme() {
  return current();
}

// A style sheet is above style and palette.
void chooseColours(ThemeChoice choice) {
  setCurrent(choice);
  if (qApp->styleSheet().isEmpty()) styleWidgets();
}

void applyTheme(ThemeChoice choice) {
  setCurrent(choice);
  const QString style = styleSheetOf(current());
  if (qApp->styleSheet() == style) return;  // it would style every widget again
  if (QApplication::palette() != paletteOf(current())) styleWidgets();
  qApp->setStyleSheet(style);
}

LightTheme::LightTheme() : shown_(current()) {
  current() = lightTheme();
}

LightTheme::~LightTheme() {
  current() = shown_;
}

QColor seriesColour(int index) {
  const QVector<QColor>& colours = current().series;
  return colours[index % colours.size()];
}

}  // namespace strata::ui
