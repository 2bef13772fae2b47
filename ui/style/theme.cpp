#include "ui/style/theme.h"

#include <QApplication>
#include <QFile>
#include <QFont>
#include <QPalette>
#include <QStyleFactory>

#include "ui/data/resources.h"

namespace strata::ui {
namespace {

Theme lightTheme() {
  Theme t;
  t.dark = false;
  t.window = QColor("#eef0f4");
  t.surface = QColor("#ffffff");
  t.raised = QColor("#f6f7f9");
  t.border = QColor("#d5d9e0");
  t.grid = QColor("#e7e9ee");
  t.text = QColor("#1b2330");
  t.muted = QColor("#5d6878");
  t.accent = QColor("#1f63c6");
  t.onAccent = QColor("#ffffff");
  t.good = QColor("#1a7f4b");
  t.warning = QColor("#a25c00");
  t.bad = QColor("#bf2b33");
  t.series = {QColor("#1f63c6"), QColor("#d1620b"), QColor("#12835f"), QColor("#a6327c"),
              QColor("#7a6a00"), QColor("#3a9bc4"), QColor("#8b2f1c"), QColor("#555f70")};
  return t;
}

Theme darkTheme() {
  Theme t;
  t.dark = true;
  t.window = QColor("#12151b");
  t.surface = QColor("#1a1e26");
  t.raised = QColor("#232833");
  t.border = QColor("#333a47");
  t.grid = QColor("#2a303b");
  t.text = QColor("#e4e8ef");
  t.muted = QColor("#97a2b3");
  t.accent = QColor("#5b9bf5");
  t.onAccent = QColor("#0c1420");
  t.good = QColor("#4fc48a");
  t.warning = QColor("#e8ab4c");
  t.bad = QColor("#f0757b");
  t.series = {QColor("#6aa8ff"), QColor("#f59a4a"), QColor("#45c79a"), QColor("#e27fbf"),
              QColor("#d9c74f"), QColor("#8fd4f0"), QColor("#e0806b"), QColor("#b3bdcc")};
  return t;
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

}  // namespace

std::optional<ThemeChoice> themeChoiceFrom(const QString& name) {
  if (name == QLatin1String("system")) return ThemeChoice::kSystem;
  if (name == QLatin1String("light")) return ThemeChoice::kLight;
  if (name == QLatin1String("dark")) return ThemeChoice::kDark;
  return std::nullopt;
}

QString nameOf(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::kLight:
      return QStringLiteral("light");
    case ThemeChoice::kDark:
      return QStringLiteral("dark");
    case ThemeChoice::kSystem:
      break;
  }
  return QStringLiteral("system");
}

const Theme& theme() {
  return current();
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() <
         palette.color(QPalette::WindowText).lightness();
}

void applyTheme(ThemeChoice choice) {
  loadResources();
  static const bool systemIsDark = isDark(QApplication::palette());
  const bool dark =
      choice == ThemeChoice::kDark || (choice == ThemeChoice::kSystem && systemIsDark);
  current() = dark ? darkTheme() : lightTheme();
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(paletteOf(current()));
  qApp->setStyleSheet(styleSheetOf(current()));
}

QColor seriesColour(int index) {
  const QVector<QColor>& colours = current().series;
  return colours[index % colours.size()];
}

}  // namespace strata::ui
