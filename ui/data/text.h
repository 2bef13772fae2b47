#pragma once
#include <QString>
#include <QStringList>
#include <string>
#include <string_view>
#include <vector>

namespace strata {
struct TimeRange;
}

namespace strata::ui {

// Strings of the core are UTF-8 std::string; those of the window are QString.
inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), qsizetype(text.size()));
}
QStringList qs(const std::vector<std::string>& texts);
inline std::string toStd(const QString& text) {
  return text.toStdString();
}
std::vector<std::string> toStd(const QStringList& texts);

// Translates a text outside of widgets, which have tr().
QString translated(const char* text);

// A token without the escapes of the Moses tokenizer ("&apos;s" becomes "'s").
QString wordText(std::string_view token);
QString sentenceText(const std::vector<std::string>& tokens);  // joined by spaces

// Numbers as the panels write them; non-finite ones as NaN, +Inf, -Inf.
QString numberText(double value, int digits = 4);  // significant digits
// Of a column: three digits after the point, unless it is above 1,000.
QString scoreText(double value);
QString countText(qint64 value);           // 5,271,040
QString bytesText(double bytes);           // 1.4 GB
QString durationText(double seconds);      // 2 h 05 min
QString timeText(const TimeRange& range);  // 14–40 min

}  // namespace strata::ui
