#pragma once
#include <QFile>
#include <QMap>
#include <QStringList>
#include <QVector>

#include "core/base/json.h"

// What panels export, as tests compare it.
namespace strata::ui {

using Fields = QVector<QStringList>;
using Records = QVector<QMap<QString, QString>>;  // by title

// Empty if it cannot be read.
inline QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The fields of a CSV file as the panels write it, the titles first.
inline Fields fieldsOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
  Fields lines{{QString()}};
  bool quoted = false, closed = false;  // closed: a quote has just ended, which may be doubled
  for (const QChar c : QString::fromUtf8(file.readAll())) {
    QString& field = lines.last().last();
    if (c == '"') {
      if (closed) field += c;
      closed = quoted;
      quoted = !quoted;
      continue;
    }
    closed = false;
    if (quoted || (c != ',' && c != '\n')) {
      field += c;
    } else if (c == ',') {
      lines.last() << QString();
    } else {
      lines << QStringList{QString()};
    }
  }
  lines.removeLast();  // after the last line end
  return lines;
}

inline Records recordsOf(const QString& path) {
  const Fields lines = fieldsOf(path);
  Records records;
  for (const QStringList& line : lines.mid(1)) {
    QMap<QString, QString> record;
    for (qsizetype i = 0; i < line.size(); ++i) record[lines[0][i]] = line[i];
    records << record;
  }
  return records;
}

// A number as the exports of plots and maps write it; none if there is none.
inline QString exported(const Json& value) {
  return value.is_number() ? QString::number(value.get<double>(), 'g', 9) : QString();
}

}  // namespace strata::ui
