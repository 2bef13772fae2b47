#pragma once
#include <QTextBrowser>

namespace strata::ui {

// Shows pages of resources/help and their pictures, and loads nothing else. A picture is as wide as
// the page; chosen like a link, it opens in its own size.
class HelpBrowser : public QTextBrowser {
  Q_OBJECT
 public:
  explicit HelpBrowser(QWidget* parent = nullptr);

  QVariant loadResource(int type, const QUrl& name) override;

 signals:
  void pictureChosen(const QString& name);  // of a panel

 protected:
  void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fitPictures();

  int fitted_ = 0;  // the width that the pictures have been scaled to
};

// The picture of a panel in the current theme; null: there is none.
QImage helpPicture(const QString& panel);
// A picture in its own size, in a window that closes itself with Escape.
void openHelpPicture(const QString& panel, QWidget* parent);

}  // namespace strata::ui
