#pragma once
#include <QString>
#include <QStringList>
#include <string>
#include <string_view>
#include <vector>

namespace strata::ui {

// Strings of the core are UTF-8 std::string; those of the window are QString.
inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), qsizetype(text.size()));
}
QStringList qs(const std::vector<std::string>& texts);
inline std::string toStd(const QString& text) {
  return text.toStdString();
}

// A text of the window outside its widgets, which have tr().
QString translated(const char* text);

// A token as a reader writes it: without the escapes of Moses's tokenizer ("&apos;s" is "'s").
QString wordText(std::string_view token);
QString sentenceText(const std::vector<std::string>& tokens);  // with a space between them

// Figures as the panels write them. A number that is not finite is named.
QString numberText(double value, int digits = 4);  // significant digits
QString countText(qint64 value);                   // 5,271,040
QString bytesText(double bytes);                   // 1.4 GB
QString durationText(double seconds);              // 2 h 05 min

}  // namespace strata::ui
