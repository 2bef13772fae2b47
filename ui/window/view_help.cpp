#include "ui/window/view_help.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/panels/panel.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/window/help_dock.h"

namespace strata::ui {
namespace {

constexpr int kTextWidth = 480, kGap = 8, kSmallest = 120;  // pixels
constexpr int kAgainMs = 200;  // run, step and sentence change as well as the cursor

// A text that Markdown takes as it is, on one line: words of a sentence may be its marks.
QString literal(QString text) {
  static const QRegularExpression kMarks(QStringLiteral("([\\\\`*_{}\\[\\]()#+.!|<>&~-])"));
  text.replace(QLatin1Char('\n'), QStringLiteral(" · "));
  return text.replace(kMarks, QStringLiteral("\\\\1"));
}

QString firstCell(const QString& line) {
  return line.section(QLatin1Char('|'), 1, 1).trimmed();
}

}  // namespace

QString viewHelpText(const QString& panel, const Here& here) {
  QStringList lines = helpText(QStringLiteral("views/") + panel).trimmed().split(QLatin1Char('\n'));
  if (lines.size() < 2) return {};
  const auto valueOf = [&](const QString& cell) {
    QStringList found;
    for (const auto& [symbol, value] : here.values) {
      if (symbol == cell) return value;
      if (cell.split(QStringLiteral(", ")).contains(symbol))
        found << symbol + QStringLiteral(" = ") + value;
    }
    return found.join(QStringLiteral(", "));
  };
  const bool values = !here.values.isEmpty();
  for (QString& line : lines) {
    if (!values || !line.startsWith(QLatin1Char('|'))) continue;
    const QString cell = firstCell(line);
    line += cell.startsWith(QLatin1String("---")) ? QStringLiteral("---|")
            : cell == QLatin1String("symbol") ? QStringLiteral(" %1 |").arg(ViewHelp::tr("here"))
                                              : QStringLiteral(" %1 |").arg(literal(valueOf(cell)));
  }
  lines.removeFirst();  // the tab says it
  if (!here.place.isEmpty())
    lines << QString()
          << QStringLiteral("**%1** %2").arg(ViewHelp::tr("Here:"), literal(here.place));
  return lines.join(QLatin1Char('\n')).trimmed();
}

ViewHelp::ViewHelp(Panel* panel) : QFrame(panel), panel_(panel) {
  setObjectName(QStringLiteral("viewHelp"));
  setAccessibleName(tr("What this view shows"));
  auto* layout = makeLayout<QVBoxLayout>(this, {1, 1, 1, 6});
  auto* bar = makeLayout<QHBoxLayout>(nullptr, {12, 6, 6, 2});
  bar->addWidget(styled(new QLabel(panel->info().title, this), "heading"), 1);
  auto* close = named(styled(new QToolButton(this), "flat"), QStringLiteral("viewHelpClose"),
                      tr("Close the explanation"));
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setToolTip(close->accessibleName());
  connect(close, &QToolButton::clicked, this, &ViewHelp::leave);
  bar->addWidget(close);
  layout->addLayout(bar);
  text_ = named(new QTextBrowser(this), QStringLiteral("viewHelpText"), accessibleName());
  styled(text_, "flat");
  text_->setOpenLinks(false);
  text_->setTabChangesFocus(true);
  text_->document()->setDocumentMargin(10);
  layout->addWidget(text_, 1);
  again_.setInterval(kAgainMs);
  connect(&again_, &QTimer::timeout, this, &ViewHelp::refresh);
  panel->installEventFilter(this);
  hide();
}

void ViewHelp::toggle(Panel* panel) {
  auto* help = panel->findChild<ViewHelp*>(QString(), Qt::FindDirectChildrenOnly);
  if (!help) help = new ViewHelp(panel);
  if (help->isVisibleTo(panel)) return help->leave();
  QWidget* focus = QApplication::focusWidget();
  help->before_ = focus && panel->isAncestorOf(focus) ? focus : panel->focusWidget();
  if (help->before_) setTabOrder(help->before_, help->text_);  // the next Tab leads here
  help->show();
  help->raise();
}

void ViewHelp::leave() {
  if (before_ && isAncestorOf(QApplication::focusWidget())) before_->setFocus();
  hide();
}

// The panel's own charts answer what is at the cursor, also while the text has the focus.
void ViewHelp::refresh() {
  QWidget* const focus = panel_->focusWidget();
  const bool here = focus && isAncestorOf(focus);
  if (here && !shown_.isEmpty()) return;
  const QString text = viewHelpText(panel_->name(), panel_->here());
  if (text == shown_) return;
  shown_ = text;
  const int at = text_->verticalScrollBar()->value();
  text_->setMarkdown(text);
  layOutHelp(text_->document());
  place();
  text_->verticalScrollBar()->setValue(at);
}

void ViewHelp::place() {
  const int width = std::min(kTextWidth, panel_->width() - 2 * kGap);
  text_->document()->setTextWidth(width - 2);
  const int head = sizeHint().height() - text_->sizeHint().height();
  const int wanted = head + int(text_->document()->size().height()) + 2 * text_->frameWidth() + 4;
  const int height = std::min(wanted, std::max(kSmallest, panel_->height() - 2 * kGap));
  setGeometry(panel_->width() - width - kGap, kGap, width, height);
}

void ViewHelp::showEvent(QShowEvent* event) {
  QFrame::showEvent(event);
  shown_.clear();
  refresh();
  again_.start();
}

void ViewHelp::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  again_.stop();
}

void ViewHelp::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
  leave();
}

bool ViewHelp::eventFilter(QObject* watched, QEvent* event) {
  if (watched == panel_ && event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace strata::ui
