#pragma once
#include <QString>
#include <QVector>
#include <utility>

namespace strata::ui {

// What the keyboard's cursor is at in a view, for the text that explains the view
// (resources/help/views).
struct Here {
  QString place;                                // "hop 1 · layer 2: 0.250"; empty: it is nowhere
  QVector<std::pair<QString, QString>> values;  // of the symbols of the text's equations

  // Decimals as the charts read them out; a value that is not finite is said as such.
  void add(const QString& symbol, double value);
  void add(const QString& symbol, const QString& value);  // nothing if it is empty
};

}  // namespace strata::ui
