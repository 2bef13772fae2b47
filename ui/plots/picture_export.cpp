#include "ui/plots/picture_export.h"

#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QPrinter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QTextStream>
#include <cmath>

#include "core/base/error.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

using Paint = std::function<void(QPainter&, const QSizeF&)>;

bool paintOn(QPaintDevice* device, const QSize& size, const Paint& paint) {
  QPainter painter;
  if (!painter.begin(device)) return false;
  paint(painter, size);
  return painter.end();
}

bool exportPng(const QString& path, const QSize& size, const Paint& paint) {
  QImage image(size * 2, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(2);
  return paintOn(&image, size, paint) && image.save(path);
}

bool exportSvg(const QString& path, const QSize& size, const Paint& paint) {
  QSvgGenerator generator;
  generator.setFileName(path);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  return paintOn(&generator, size, paint);
}

bool exportPdf(const QString& path, const QSize& size, const Paint& paint) {
  QPrinter printer(QPrinter::ScreenResolution);
  printer.setOutputFormat(QPrinter::PdfFormat);
  printer.setOutputFileName(path);
  printer.setPageMargins(QMarginsF(0, 0, 0, 0));
  printer.setPageSize(QPageSize(QSizeF(size) * 72 / printer.resolution(), QPageSize::Point));
  return paintOn(&printer, size, paint);
}

}  // namespace

void exportPicture(const QString& path, const QSize& size, const Paint& paint) {
  const QString type = QFileInfo(path).suffix().toLower();
  const bool done = (type == QLatin1String("png") && exportPng(path, size, paint)) ||
                    (type == QLatin1String("svg") && exportSvg(path, size, paint)) ||
                    (type == QLatin1String("pdf") && exportPdf(path, size, paint));
  if (!done) {
    throw Error(
        "{}: cannot be written: use a name that ends in .png, .svg or .pdf in a folder that can be "
        "written",
        toStd(path));
  }
}

void exportText(const QString& path, const std::function<void(QTextStream&)>& write) {
  QSaveFile file(path);
  const bool open = file.open(QIODevice::WriteOnly | QIODevice::Text);
  if (open) {
    QTextStream out(&file);
    write(out);
    out.flush();
  }
  if (!open || !file.commit())
    throw Error("{}: cannot be written: {}", toStd(path), toStd(file.errorString()));
}

QString csvField(QString text) {
  if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) &&
      !text.contains(QLatin1Char('\n')))
    return text;
  return QLatin1Char('"') + text.replace(QStringLiteral("\""), QStringLiteral("\"\"")) +
         QLatin1Char('"');
}

QString csvLine(const QStringList& fields) {
  QStringList quoted;
  for (const QString& field : fields) quoted << csvField(field);
  return quoted.join(QLatin1Char(',')) + QLatin1Char('\n');
}

QString csvNumber(double value) {
  return std::isfinite(value) ? QString::number(value, 'g', 9) : QString();
}

QString siblingPath(const QString& path, const QString& part) {
  const QFileInfo file(path);
  return file.path() + QLatin1Char('/') + file.completeBaseName() + QLatin1Char('-') + part +
         QLatin1Char('.') + file.suffix();
}

}  // namespace strata::ui
