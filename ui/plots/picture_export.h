#pragma once
#include <QSize>
#include <QString>
#include <QStringList>
#include <functional>

class QPainter;
class QTextStream;

namespace strata::ui {

// Writes what `paint` draws into a rectangle of `size` of the screen's logical pixels, from the
// origin, as .png (at three times the resolution), .svg or .pdf, by the ending of `path`: in the
// light theme, on white, whatever the window shows; as a whole or not at all. The painter is a
// QCPPainter. Throws Error.
void exportPicture(const QString& path, const QSize& size,
                   const std::function<void(QPainter&, const QSizeF&)>& paint);

// Writes a text file atomically. Throws Error.
void exportText(const QString& path, const std::function<void(QTextStream&)>& write);

// The file that the values of a picture are written to.
QString valuesPath(const QString& picture);

// Collects the paths of the files that are exported during its life. GUI thread only.
class ExportedFiles {
 public:
  ExportedFiles();
  ~ExportedFiles();
  ExportedFiles(const ExportedFiles&) = delete;
  ExportedFiles& operator=(const ExportedFiles&) = delete;

  const QStringList& paths() const { return paths_; }
  QString message() const;  // says where they are; empty: there are none

 private:
  friend void exportPicture(const QString&, const QSize&,
                            const std::function<void(QPainter&, const QSizeF&)>&);
  friend void exportText(const QString&, const std::function<void(QTextStream&)>&);
  static void add(const QString& path);

  static ExportedFiles* current_;
  ExportedFiles* outer_;
  QStringList paths_;
};

// Text of a CSV field: quoted if it contains a separator.
QString csvField(QString text);

// A line of such fields.
QString csvLine(const QStringList& fields);

// A number with nine digits; empty if it is not finite.
QString csvNumber(double value);

// PATH/NAME.END becomes PATH/NAME-PART.END: one of several files written for one chosen name.
QString siblingPath(const QString& path, const QString& part);

}  // namespace strata::ui
