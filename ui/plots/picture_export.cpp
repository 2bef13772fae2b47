#include "ui/plots/picture_export.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QFontInfo>
#include <QGuiApplication>
#include <QImage>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QScreen>
#include <QSvgGenerator>
#include <QTextStream>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

using Paint = std::function<void(QPainter&, const QSizeF&)>;
constexpr int kPngScale = 3;

// Pixels per inch by which widgets measure texts: a device of another resolution would draw them in
// another size than the layout has room for.
int pixelsPerInch() {
  return int(std::lround(QGuiApplication::primaryScreen()->logicalDotsPerInchY()));
}

bool paintOn(QPaintDevice* device, const QSize& size, const Paint& paint) {
  QCPPainter painter;
  if (!painter.begin(device)) return false;
  const LightTheme light;
  painter.fillRect(QRect(QPoint(0, 0), size), Qt::white);
  paint(painter, size);
  return painter.end();
}

void setPixelsPerInch(QImage& image, int pixels) {
  const int perMetre = int(std::lround(pixels / 0.0254));
  image.setDotsPerMeterX(perMetre);
  image.setDotsPerMeterY(perMetre);
}

bool exportPng(QIODevice* file, const QSize& size, const Paint& paint) {
  QImage image(size * kPngScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kPngScale);
  setPixelsPerInch(image, pixelsPerInch());  // the ratio scales texts already
  if (!paintOn(&image, size, paint)) return false;
  setPixelsPerInch(image, kPngScale * pixelsPerInch());
  return image.save(file, "PNG");
}

// Qt writes the family that was asked for, such as "Sans Serif", which no other program knows.
QString withRealFamilies(const QString& svg) {
  static const QRegularExpression kFamily(QStringLiteral("font-family=\"([^\"]*)\""));
  QString text;
  qsizetype end = 0;
  for (auto found = kFamily.globalMatch(svg); found.hasNext();) {
    const auto match = found.next();
    const QString family = QFontInfo(QFont(match.captured(1))).family().toHtmlEscaped();
    text += svg.sliced(end, match.capturedStart() - end);
    text += QStringLiteral("font-family=\"'%1', sans-serif\"").arg(family);
    end = match.capturedEnd();
  }
  return text + svg.sliced(end);
}

bool exportSvg(QIODevice* file, const QSize& size, const Paint& paint) {
  QBuffer drawn;
  QSvgGenerator generator;
  generator.setOutputDevice(&drawn);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setResolution(pixelsPerInch());
  if (!paintOn(&generator, size, paint)) return false;
  const QByteArray text = withRealFamilies(QString::fromUtf8(drawn.data())).toUtf8();
  return file->write(text) == text.size();
}

bool exportPdf(QIODevice* file, const QSize& size, const Paint& paint) {
  QPdfWriter writer(file);
  writer.setResolution(pixelsPerInch());
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  writer.setPageSize(
      QPageSize(QSizeF(size) * 72 / pixelsPerInch(), QPageSize::Point, {}, QPageSize::ExactMatch));
  return paintOn(&writer, size, paint);
}

}  // namespace

void exportPicture(const QString& path, const QSize& size, const Paint& paint) {
  const QString type = QFileInfo(path).suffix().toLower();
  QSaveFile file(path);
  const bool done = file.open(QIODevice::WriteOnly) &&
                    ((type == QLatin1String("png") && exportPng(&file, size, paint)) ||
                     (type == QLatin1String("svg") && exportSvg(&file, size, paint)) ||
                     (type == QLatin1String("pdf") && exportPdf(&file, size, paint))) &&
                    file.commit();
  if (!done) {
    throw Error(
        "{}: cannot be written: use a name that ends in .png, .svg, .pdf or .csv in a folder that "
        "can be written",
        toStd(path));
  }
  ExportedFiles::add(path);
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
  ExportedFiles::add(path);
}

QString valuesPath(const QString& picture) {
  const QFileInfo file(picture);
  return file.path() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral(".csv");
}

ExportedFiles* ExportedFiles::current_ = nullptr;

ExportedFiles::ExportedFiles() : outer_(std::exchange(current_, this)) {}

ExportedFiles::~ExportedFiles() {
  current_ = outer_;
}

void ExportedFiles::add(const QString& path) {
  if (current_ != nullptr && !current_->paths_.contains(path)) current_->paths_ << path;
}

QString ExportedFiles::message() const {
  if (paths_.isEmpty()) return {};
  const QString first = QDir::toNativeSeparators(QFileInfo(paths_[0]).absoluteFilePath());
  if (paths_.size() == 1) return translated("Exported %1").arg(first);
  QStringList others;
  for (const QString& path : paths_.mid(1)) others << QFileInfo(path).fileName();
  return translated("Exported %1, and beside it %2").arg(first, others.join(QStringLiteral(", ")));
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
