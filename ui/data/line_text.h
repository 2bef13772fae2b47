#pragma once
#include <QString>

namespace strata::ui {

// The part of a text that an entry of a list can show: shaping what nobody sees takes long.
inline QString lineText(const QString& text) {
  static constexpr qsizetype kMost = 400;  // characters
  return text.size() > kMost ? text.left(kMost) + QStringLiteral("…") : text;
}

}  // namespace strata::ui
