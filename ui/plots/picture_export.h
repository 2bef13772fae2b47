#pragma once
#include <QSize>
#include <QString>
#include <QStringList>
#include <functional>

class QPainter;
class QTextStream;

namespace strata::ui {

// Writes what `paint` draws into a rectangle of `size` pixels from the origin as .png (at twice the
// resolution), .svg or .pdf, by the ending of `path`. Throws Error.
void exportPicture(const QString& path, const QSize& size,
                   const std::function<void(QPainter&, const QSizeF&)>& paint);

// Writes a text file atomically. Throws Error.
void exportText(const QString& path, const std::function<void(QTextStream&)>& write);

// Text of a CSV field: quoted if it contains a separator.
QString csvField(QString text);

// A line of such fields.
QString csvLine(const QStringList& fields);

// A number with nine digits; empty if it is not finite.
QString csvNumber(double value);

// PATH/NAME.END becomes PATH/NAME-PART.END: one of several files written for one chosen name.
QString siblingPath(const QString& path, const QString& part);

}  // namespace strata::ui
