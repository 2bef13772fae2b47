#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
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
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name_));
    QByteArray svg = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    svg.replace("currentColor", colourOf(mode, state).name().toLatin1());
    QSvgRenderer(svg).render(painter, QRectF(rect));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    if (size.isEmpty()) return {};
    const QString key = QStringLiteral("icon:%1:%2:%3x%4")
                            .arg(name_, colourOf(mode, state).name())
                            .arg(size.width())
                            .arg(size.height());
    QPixmap picture;
    if (QPixmapCache::find(key, &picture)) return picture;
    picture = QPixmap(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    painter.end();
    QPixmapCache::insert(key, picture);
    return picture;
  }

  QIconEngine* clone() const override { return new ThemedIconEngine(name_); }

 private:
  static QColor colourOf(QIcon::Mode mode, QIcon::State state) {
    const Theme& t = theme();
    if (mode == QIcon::Disabled) return t.border.darker(t.dark ? 90 : 115);
    return state == QIcon::On ? t.accent : t.text;
  }

  QString name_;
};

}  // namespace

QIcon themedIcon(const QString& name) {
  return QIcon(new ThemedIconEngine(name));
}

}  // namespace strata::ui
