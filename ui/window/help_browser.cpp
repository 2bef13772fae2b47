#include "ui/window/help_browser.h"

#include <QDialog>
#include <QEvent>
#include <QImage>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/window/help_dock.h"

namespace strata::ui {
namespace {

const QString kPicture = QStringLiteral(".png"), kPage = QStringLiteral(".md");

// "curves" of "pictures/curves.png".
QString baseOf(const QUrl& name, const QString& ending) {
  const QString file = name.fileName();
  return name.host().isEmpty() && file.endsWith(ending) ? file.chopped(ending.size()) : QString();
}

}  // namespace

QImage helpPicture(const QString& panel) {
  if (panel.isEmpty()) return {};
  const QString folder = QStringLiteral(":/help/pictures/");
  return QImage(folder + (theme().dark ? QStringLiteral("dark/") : QString()) + panel + kPicture);
}

void openHelpPicture(const QString& panel, QWidget* parent) {
  auto* dialog = named(new QDialog(parent), QStringLiteral("helpPicture"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QObject::tr("%1 — Help").arg(panel));
  auto* scroll = makeScrollArea(dialog);
  scroll->setFocusPolicy(Qt::StrongFocus);  // the arrow keys scroll
  scroll->setAccessibleName(dialog->windowTitle());
  auto* picture = new QLabel(scroll);
  picture->setPixmap(QPixmap::fromImage(helpPicture(panel)));
  scroll->setWidget(picture);
  makeLayout<QVBoxLayout>(dialog)->addWidget(scroll);
  dialog->resize(picture->sizeHint().boundedTo(parent->window()->size()));
  dialog->show();
}

HelpBrowser::HelpBrowser(QWidget* parent) : QTextBrowser(parent) {
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // pictures keep their width
}

QVariant HelpBrowser::loadResource(int type, const QUrl& name) {
  if (type == QTextDocument::ImageResource) {
    QImage picture = helpPicture(baseOf(name, kPicture));
    if (picture.isNull()) return {};
    const double scale = devicePixelRatioF();
    const int room = viewport()->width() - 2 * int(document()->documentMargin());
    const int width = std::min(int(room * scale), picture.width());
    picture = picture.scaledToWidth(std::max(1, width), Qt::SmoothTransformation);
    picture.setDevicePixelRatio(scale);
    return picture;
  }
  const QString text = helpText(baseOf(name, kPage));
  return text.isEmpty() ? QVariant() : QVariant(text);
}

void HelpBrowser::doSetSource(const QUrl& name, QTextDocument::ResourceType type) {
  const QString picture = baseOf(name, kPicture);
  if (!picture.isEmpty()) {
    if (!helpPicture(picture).isNull()) emit pictureChosen(picture);
    return;
  }
  if (loadResource(type, name).toString().isEmpty()) return;
  fitted_ = viewport()->width();
  QTextBrowser::doSetSource(name, QTextDocument::MarkdownResource);
}

void HelpBrowser::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (viewport()->width() != fitted_) QTimer::singleShot(0, this, &HelpBrowser::fitPictures);
}

void HelpBrowser::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  fitted_ = 0;
  QTimer::singleShot(0, this, &HelpBrowser::fitPictures);
}

// They are scaled when a page is loaded.
void HelpBrowser::fitPictures() {
  const bool shown = document()->toRawText().contains(QChar::ObjectReplacementCharacter);
  if (viewport()->width() == fitted_ || !shown) return;
  const int place = verticalScrollBar()->value();
  reload();
  verticalScrollBar()->setValue(place);
}

}  // namespace strata::ui
