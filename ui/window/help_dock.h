#pragma once
#include <QDockWidget>
#include <QList>
#include <QVector>

class QAction;
class QTextBrowser;
class QTextDocument;

namespace strata::ui {

// A page of resources/help. Its first line is its title.
struct HelpPage {
  QString name, title;  // "watch", "Watch: ..."
};
const QVector<HelpPage>& helpPages();  // the overview first, then the perspectives in their order

// The text of "watch" or of "views/curves"; empty if there is none.
QString helpText(const QString& name);
// Space above headings and within tables, which markdown has no say in.
void layOutHelp(QTextDocument* document);

// The pages of help, at the right side of the window, or over it if it is too narrow for both. Only
// these are loaded: no link leads outside.
class HelpDock : public QDockWidget {
  Q_OBJECT
 public:
  explicit HelpDock(QWidget* parent);

  // The overview if there is no page of this name.
  void showPage(const QString& name);
  // The keys of these actions, as they are now.
  void showShortcuts(const QList<QAction*>& actions);
  QTextBrowser* text() const { return text_; }

 private:
  void present();

  QTextBrowser* text_;
};

}  // namespace strata::ui
