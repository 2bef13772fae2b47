#include "ui/data/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

#include "core/run/time_range.h"
#include "core/text/detokenizer.h"

namespace strata::ui {
QString translated(const char* text) {
  return QCoreApplication::translate("strata::ui", text);
}

QStringList qs(const std::vector<std::string>& texts) {
  QStringList list;
  for (const std::string& text : texts) list << qs(text);
  return list;
}

std::vector<std::string> toStd(const QStringList& texts) {
  std::vector<std::string> list;
  for (const QString& text : texts) list.push_back(toStd(text));
  return list;
}

QString wordText(std::string_view token) {
  return qs(withoutEntities(token));
}

QString sentenceText(const std::vector<std::string>& tokens) {
  QStringList list;
  for (const std::string& token : tokens) list << wordText(token);
  return list.join(QLatin1Char(' '));
}

QString numberText(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("+Inf") : QStringLiteral("-Inf");
  return QString::number(value, 'g', digits);
}

QString scoreText(double value) {
  return std::abs(value) < 1000 ? QString::number(value, 'f', 3) : numberText(value);
}

QString countText(qint64 value) {
  return QLocale(QLocale::English).toString(value);
}

QString bytesText(double bytes) {
  static const char* const kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  return QStringLiteral("%1 %2")
      .arg(QString::number(bytes, 'f', unit == 0 || bytes >= 100 ? 0 : 1))
      .arg(QLatin1String(kUnits[unit]));
}

QString durationText(double seconds) {
  if (!(seconds >= 0) || std::isinf(seconds)) return QStringLiteral("–");
  const auto whole = static_cast<qint64>(std::llround(seconds));
  if (whole < 60) return translated("%1 s").arg(whole);
  if (whole < 3600) {
    return translated("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
  }
  return translated("%1 h %2 min").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
}

QString timeText(const TimeRange& range) {
  const auto unit = [](const char* name) { return toStd(translated(name)); };
  return qs(textOf(range, {.seconds = unit(QT_TRANSLATE_NOOP("strata::ui", "s")),
                           .minutes = unit(QT_TRANSLATE_NOOP("strata::ui", "min")),
                           .hours = unit(QT_TRANSLATE_NOOP("strata::ui", "h")),
                           .days = unit(QT_TRANSLATE_NOOP("strata::ui", "days"))}));
}

}  // namespace strata::ui
