#include "ui/style/plain_text.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QRegularExpression>
#include <QTabBar>
#include <QToolTip>

namespace strata::ui {
namespace {

constexpr QChar kRich(0x2060);  // WORD JOINER: nothing that is seen

bool isMisread(const QString& tip) {
  return Qt::mightBeRichText(tip) && !tip.startsWith(kRich);
}

QString tipOfView(const QAbstractItemView* view, const QPoint& place) {
  if (view->model() == nullptr) return {};
  if (const auto* header = qobject_cast<const QHeaderView*>(view)) {
    const int section = header->logicalIndexAt(place);
    return view->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString();
  }
  return view->indexAt(place).data(Qt::ToolTipRole).toString();
}

// What Qt would show there.
QString tipAt(QWidget* widget, const QPoint& place) {
  if (const auto* menu = qobject_cast<QMenu*>(widget)) {
    const QAction* action = menu->toolTipsVisible() ? menu->actionAt(place) : nullptr;
    return action == nullptr ? QString() : action->toolTip();
  }
  if (const auto* tabs = qobject_cast<QTabBar*>(widget)) {
    const QString tip = tabs->tabToolTip(tabs->tabAt(place));
    if (!tip.isEmpty()) return tip;
  }
  const auto* view = qobject_cast<QAbstractItemView*>(widget->parentWidget());
  return view != nullptr && view->viewport() == widget ? tipOfView(view, place) : widget->toolTip();
}

class AsWritten : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() == QEvent::Polish) {
      auto* label = qobject_cast<QLabel*>(object);
      if (label != nullptr && label->textFormat() == Qt::AutoText && !isTip(label))
        label->setTextFormat(Qt::PlainText);
    } else if (event->type() == QEvent::ToolTip && object->isWidgetType()) {
      const auto* help = static_cast<QHelpEvent*>(event);
      auto* widget = static_cast<QWidget*>(object);
      const QString tip = tipAt(widget, help->pos());
      if (!isMisread(tip)) return false;
      showTip(help->globalPos(), tip, widget);
      return true;
    }
    return false;
  }

 private:
  static bool isTip(const QLabel* label) { return label->inherits("QTipLabel"); }
};

}  // namespace

void showTextsAsWritten() {
  static auto* filter = new AsWritten(qApp);  // owned by the application
  qApp->installEventFilter(filter);           // a second time changes nothing
}

QString richTip(const QString& html) {
  return kRich + html;
}

void showTip(const QPoint& global, const QString& text, QWidget* widget) {
  const QString shown =
      isMisread(text)
          ? QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped())
          : text;
  QToolTip::showText(global, shown, widget);
}

QString asEntry(QString text) {
  return text.replace(QLatin1Char('&'), QLatin1String("&&"));
}

QString shownEntry(const QString& entry) {
  static const QRegularExpression kMnemonic(QStringLiteral("&(.)"));
  return QString(entry).replace(kMnemonic, QStringLiteral("\\1"));
}

}  // namespace strata::ui
