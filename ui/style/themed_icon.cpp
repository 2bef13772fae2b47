#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include "ui/style/theme.h"

namespace strata::ui {
namespace {

// Draws a line icon; "currentColor" in the file becomes the theme's colour at the time of painting.
// A selected row is a little darker or lighter than others, so its icon is like theirs.
class ThemedIconEngine : public QIconEngine {
 public:
  explicit ThemedIconEngine(QString name) : name_(std::move(name)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const Theme& t = theme();
    QColor colour = state == QIcon::On ? t.accent : t.text;
    if (mode == QIcon::Disabled) colour = t.border.darker(t.dark ? 90 : 115);
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name_));
    QByteArray svg = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer(svg).render(painter, QRectF(rect));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap picture(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return picture;
  }

  QIconEngine* clone() const override { return new ThemedIconEngine(name_); }

 private:
  QString name_;
};

}  // namespace

QIcon themedIcon(const QString& name) {
  return QIcon(new ThemedIconEngine(name));
}

}  // namespace strata::ui
