#include "ui/window/help_dock.h"

#include <QAction>
#include <QFile>
#include <QHBoxLayout>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/resources.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/window/help_browser.h"

namespace strata::ui {
namespace {

constexpr int kHelpWidth = 400;
constexpr int kWideWindow = 1700;  // has room for the stage and the pages
constexpr int kHeadingSpace = 14, kCellPadding = 4;
const QString kOverview = QStringLiteral("index");

// A picture is chosen like a link: by the mouse, or by Tab and Enter.
void linkPictures(QTextDocument* document) {
  const QString text = document->toRawText();
  QTextCursor cursor(document);
  for (qsizetype at = 0; at < text.size(); ++at) {
    if (text[at] != QChar::ObjectReplacementCharacter) continue;
    cursor.setPosition(int(at));
    cursor.setPosition(int(at) + 1, QTextCursor::KeepAnchor);
    QTextImageFormat format = cursor.charFormat().toImageFormat();
    format.setAnchor(true);
    format.setAnchorHref(format.name());
    cursor.setCharFormat(format);
  }
}

}  // namespace

QString helpText(const QString& name) {
  QFile file(QStringLiteral(":/help/%1.md").arg(name));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

const QVector<HelpPage>& helpPages() {
  static const QVector<HelpPage> pages = [] {
    loadResources();
    QVector<HelpPage> all;
    for (const char* name : {"index", "prepare", "train", "watch", "inside", "compare", "papers"}) {
      const QString text = helpText(QLatin1String(name));
      const QString title = text.section(QLatin1Char('\n'), 0, 0).mid(2).trimmed();
      if (!title.isEmpty()) all << HelpPage{QLatin1String(name), title};
    }
    return all;
  }();
  return pages;
}

void layOutHelp(QTextDocument* document) {
  linkPictures(document);
  QTextCursor cursor(document);
  for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || block.position() == 0) continue;
    QTextBlockFormat format;
    format.setTopMargin(kHeadingSpace);
    cursor.setPosition(block.position());
    cursor.mergeBlockFormat(format);
  }
  for (QTextFrame* frame : document->rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (!table) continue;
    QTextTableFormat format = table->format();
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setBorderBrush(theme().border);
    format.setCellPadding(kCellPadding);
    table->setFormat(format);
  }
}

HelpDock::HelpDock(QWidget* parent) : QDockWidget(tr("Help"), parent) {
  setObjectName(QStringLiteral("helpDock"));
  setFeatures(DockWidgetClosable | DockWidgetFloatable | DockWidgetMovable);
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  auto* bar = makeBar(content);
  auto* browser = named(new HelpBrowser(content), QStringLiteral("helpText"), tr("Help"));
  text_ = browser;
  styled(text_, "flat");
  text_->setOpenExternalLinks(false);
  text_->document()->setDocumentMargin(14);
  const auto addButton = [&](const char* name, const char* icon, const QString& title) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), title, this);
    action->setObjectName(QLatin1String(name));
    addTool(bar, action);
    return action;
  };
  QAction* back = addButton("helpBack", "back", tr("Back"));
  QAction* overview = addButton("helpOverview", "help", tr("Overview"));
  bar->addStretch();
  layout->addWidget(bar->parentWidget());
  layout->addWidget(text_, 1);
  content->setMinimumWidth(kHelpWidth);
  setWidget(content);
  setVisible(false);
  back->setEnabled(false);
  connect(text_, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
  connect(text_, &QTextBrowser::sourceChanged, this, [this] { layOutHelp(text_->document()); });
  connect(browser, &HelpBrowser::pictureChosen, this,
          [this](const QString& panel) { openHelpPicture(panel, this); });
  connect(back, &QAction::triggered, text_, &QTextBrowser::backward);
  connect(overview, &QAction::triggered, this, [this] { showPage(kOverview); });
}

void HelpDock::present() {
  if (isHidden()) {
    const QWidget* window = parentWidget();
    setFloating(window->width() < kWideWindow);
    if (isFloating()) {
      const QSize size(kHelpWidth + 40, window->height() * 4 / 5);
      resize(size);
      move(window->mapToGlobal(
          QPoint(window->width() - size.width() - 12, (window->height() - size.height()) / 2)));
    }
  }
  setVisible(true);
  raise();
  text_->setFocus();
}

void HelpDock::showPage(const QString& name) {
  const QString wanted = helpText(name).isEmpty() ? kOverview : name;
  const QUrl page(QStringLiteral("qrc:/help/%1.md").arg(wanted));
  // After the shortcuts the source is still the page before them.
  page == text_->source() ? text_->reload() : text_->setSource(page);
  present();
}

void HelpDock::showShortcuts(const QList<QAction*>& actions) {
  QList<const QAction*> with;
  for (const QAction* action : actions) {
    if (!action->shortcut().isEmpty() && !with.contains(action)) with << action;
  }
  std::ranges::stable_sort(with, {}, [](const QAction* action) {
    return action->shortcut().toString(QKeySequence::NativeText);
  });
  QString page = QStringLiteral("# %1\n\n| %2 | %3 |\n|---|---|\n")
                     .arg(tr("Keyboard shortcuts"), tr("keys"), tr("command"));
  for (const QAction* action : with) {
    QStringList keys;
    for (const QKeySequence& each : action->shortcuts())
      keys << each.toString(QKeySequence::NativeText);
    page +=
        QStringLiteral("| %1 | %2 |\n")
            .arg(keys.join(tr(" or ")).toHtmlEscaped(), shownEntry(action->text()).toHtmlEscaped());
  }
  page += QStringLiteral("\n%1\n").arg(
      tr("Tab and Shift+Tab walk through the fields of a panel, the arrow keys through lists, "
         "trees and pictures. Enter activates a row, Escape closes a popup."));
  text_->setMarkdown(page);
  layOutHelp(text_->document());
  present();
}

}  // namespace strata::ui
