#pragma once
#include <QFile>
#include <QFontMetricsF>
#include <QPolygonF>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QXmlStreamReader>
#include <QtTest>

#include "tests/ui/tex_pictures.h"
#include "ui/plots/chart.h"

// What a reader of an exported picture would complain of.
namespace strata::ui {

struct PictureText {
  QString text;
  QPolygonF place;  // around its letters
};

// The texts of a drawing as Qt writes it: each group has the whole transformation.
inline QVector<PictureText> textsOf(const QString& svg, QRectF* view) {
  QFile file(svg);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(svg));
  QXmlStreamReader xml(&file);
  QVector<QTransform> transforms{QTransform()};
  QVector<PictureText> texts;
  while (!xml.atEnd()) {
    const auto token = xml.readNext();
    if (token == QXmlStreamReader::EndElement) transforms.removeLast();
    if (token != QXmlStreamReader::StartElement) continue;
    const auto attributes = xml.attributes();
    const auto numbers = [&](const char* name) {
      QVector<double> values;
      static const QRegularExpression kOther(QStringLiteral("[^-+.0-9e]+"));
      for (const auto& part :
           attributes.value(QLatin1String(name)).toString().split(kOther, Qt::SkipEmptyParts))
        values << part.toDouble();
      return values;
    };
    if (xml.name() == QLatin1String("svg") && view != nullptr) {
      const auto box = numbers("viewBox");
      *view = QRectF(box.value(0), box.value(1), box.value(2), box.value(3));
    }
    auto m = numbers("transform");
    if (attributes.value(QLatin1String("transform")).startsWith(QLatin1String("matrix")))
      m = m.last(6);
    transforms << (m.size() == 6 ? QTransform(m[0], m[1], m[2], m[3], m[4], m[5])
                                 : transforms.last());
    if (xml.name() != QLatin1String("text")) continue;
    QFont font(
        attributes.value(QLatin1String("font-family")).toString().section(QLatin1Char('\''), 1, 1));
    font.setPixelSize(std::max(1, int(std::lround(numbers("font-size").value(0)))));
    font.setWeight(QFont::Weight(int(numbers("font-weight").value(0, 400))));
    const QPointF at(numbers("x").value(0), numbers("y").value(0));
    const QTransform placed = transforms.last();
    const bool invisible = attributes.value(QLatin1String("fill-opacity")) == QLatin1String("0");
    const QString text = xml.readElementText();
    transforms.removeLast();
    if (text.trimmed().isEmpty() || invisible) continue;
    const QRectF ink = QFontMetricsF(font).tightBoundingRect(text).translated(at);
    texts << PictureText{text, placed.map(QPolygonF(ink))};
  }
  return texts;
}

// Texts that leave the picture, or lie over one another.
inline QStringList faultsOfTexts(const QString& svg) {
  QRectF view;
  const auto texts = textsOf(svg, &view);
  QStringList faults;
  constexpr double kEdge = 1;  // pixels that letters may reach beyond
  for (qsizetype i = 0; i < texts.size(); ++i) {
    const QRectF box = texts[i].place.boundingRect();
    if (!view.adjusted(-kEdge, -kEdge, kEdge, kEdge).contains(box))
      faults << QStringLiteral("\"%1\" is cut: %2 to %3, %4 to %5")
                    .arg(texts[i].text)
                    .arg(box.left())
                    .arg(box.right())
                    .arg(box.top())
                    .arg(box.bottom());
    for (qsizetype j = 0; j < i; ++j) {
      const QRectF both = texts[i].place.intersected(texts[j].place).boundingRect();
      if (both.width() > kEdge && both.height() > kEdge)
        faults << QStringLiteral("\"%1\" is over \"%2\"").arg(texts[i].text, texts[j].text);
    }
  }
  return faults;
}

// The share of the pixels in which the picture is another than the drawing.
inline double differenceOf(const QString& png, const QString& svg) {
  const QImage picture = QImage(png);
  QImage drawing(picture.size(), QImage::Format_RGB32);
  drawing.fill(Qt::white);
  QPainter painter(&drawing);
  QSvgRenderer(svg).render(&painter);
  painter.end();
  const QSize small = picture.size() / 3;
  const auto shrunk = [&](const QImage& image) {
    return image.scaled(small, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
        .convertToFormat(QImage::Format_Grayscale8);
  };
  const QImage a = shrunk(picture), b = shrunk(drawing);
  qint64 differs = 0;
  for (int y = 0; y < small.height(); ++y)
    for (int x = 0; x < small.width(); ++x)
      differs += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 96;
  return double(differs) / (double(small.width()) * small.height());
}

// The width of a document's page in points, 72 per inch; 0: there is none.
inline double pageWidthOf(const QString& pdf) {
  QFile file(pdf);
  if (!file.open(QIODevice::ReadOnly)) return 0;
  static const QRegularExpression kBox(QStringLiteral("/MediaBox \\[[-0-9.]+ [-0-9.]+ ([0-9.]+)"));
  return kBox.match(QString::fromLatin1(file.readAll())).captured(1).toDouble();
}

// Exports the chart in every form and says what is wrong with the files.
inline QStringList faultsOfExports(Chart& chart, const QString& folder) {
  const QString svg = folder + QStringLiteral("/picture.svg"),
                png = folder + QStringLiteral("/picture.png"),
                pdf = folder + QStringLiteral("/picture.pdf");
  for (const QString& file : {svg, png, pdf}) chart.exportTo(file);
  QStringList faults = faultsOfTexts(svg);
  QRectF view;
  textsOf(svg, &view);
  const double differs = differenceOf(png, svg);
  if (differs > 0.02)
    faults << QStringLiteral("PNG and SVG differ in %1 of the pixels").arg(differs);
  const double width = view.width() * 72 / QGuiApplication::primaryScreen()->logicalDotsPerInch();
  if (std::abs(pageWidthOf(pdf) - width) > 1)
    faults << QStringLiteral("the PDF is %1 points wide, not %2").arg(pageWidthOf(pdf)).arg(width);
  return faults + faultsOfTex(chart, folder);
}

}  // namespace strata::ui
