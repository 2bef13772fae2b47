#pragma once
#include <QList>
#include <QTimer>
#include <QWidget>
#include <functional>

#include "core/base/json.h"
#include "ui/data/selection.h"
#include "ui/panels/here.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/palette_entry.h"

class QAction;
class QLayout;

namespace strata::ui {

// A view of the workspace, shown in the stage of the window. It receives values by slots and sends
// requests by signals: it has no service, and knows neither the window nor another panel.
// ui/connect creates each panel and connects it with the services. Its actions() are its commands
// in the palette.
class Panel : public QWidget {
  Q_OBJECT
 public:
  struct Info {
    QString name;       // in the session and on the command line: "hop-weights"
    QString icon;       // of resources/icons
    QString title;      // of its tab
    QString menu = {};  // title of a menu of its commands; empty: none
  };

  const Info& info() const { return info_; }
  QString name() const { return info_.name; }

  // Shows what was chosen elsewhere; what it does not have is ignored.
  void select(const Selection& choice);
  // A pinned panel keeps what it shows: it is not told what is chosen elsewhere.
  bool isPinned() const { return pinned_; }
  void setPinned(bool pinned);

  // The settings of its view, kept over a restart. What is invalid, or of another version, is
  // ignored; what is not there yet (a run, a preset) is chosen as soon as it is.
  virtual Json saveState() const = 0;
  virtual void restoreState(const Json& state) = 0;

  // Somebody looks at it, or at others of its perspective.
  bool isWatched() const { return pageShown_ || isVisible(); }
  void setPageShown(bool shown);  // its perspective

  bool isEmpty() const;  // it shows its empty state
  QString lack() const;  // what the choice lacks for this view, which it says; empty: nothing
  virtual bool isUpToDate() const { return true; }  // its data have arrived and are drawn
  virtual QString error() const { return {}; }      // why it cannot show its data; empty: it can
  // What the keyboard's cursor is at: by default what its chart with the cursor has read out.
  virtual Here here() const;
  virtual void showExample() {}  // if it shows something on request only
  // What it knows that can be chosen in the window's selection bar.
  virtual SelectionChoices choices() const { return {}; }
  // What the command palette finds of it besides its actions(). What it first has to ask for
  // arrives later, with foundChanged().
  virtual QList<PaletteEntry> findable() { return {}; }

 signals:
  void selected(const strata::ui::Selection& choice);  // by the user: other panels follow
  void pinnedChanged(bool pinned);
  void showRequested(const QString& perspective);  // or a panel
  void failed(const QString& message);
  void notice(const QString& message);  // not an error
  void foundChanged();                  // findable() has changed
  // The command line that does what the panel would start: a verb of strata-run and its arguments,
  // without the workspace.
  void commandCopied(const QStringList& arguments);

 protected:
  // What it shows, under its icon, while it has no content: what would be here, and what to do
  // next.
  struct Empty {
    QString title, text;
    QList<QAction*> actions;
  };

  Panel(Info info, QWidget* parent);
  void setContent(const Empty& empty, QWidget* content);
  void setEmpty(bool empty);  // initially it is
  // Says in the place of the content what the choice lacks; empty: it lacks nothing.
  void setLack(const QString& text, const LackPage::Remedy& remedy = {});
  // A button that chooses another run, for all panels.
  LackPage::Remedy remedyOf(qint64 run, const QString& name);
  // Emits `selected`, unless the panel is following a choice made elsewhere.
  void share(const Selection& choice);
  // A tool, "copyCommand", at the end of a bar, for the command line that does the same.
  QAction* addCopyCommand(QLayout* bar, std::function<QStringList()> arguments);

  // Does what a choice made elsewhere asks of the engine, as soon as somebody looks, 300 ms after
  // the last choice: a later one takes its place.
  void workLater(std::function<void()> work);
  void dropWork() { work_ = {}; }
  bool hasWork() const { return bool(work_); }
  void showEvent(QShowEvent* event) override;

 private:
  virtual void follow(const Selection&) {}
  void work();
  void lackModelOf(const QString& system);

  Info info_;
  EmptyStack* stack_ = nullptr;  // null: it always has content
  bool following_ = false, pinned_ = false, pageShown_ = false;
  QTimer workTimer_;
  std::function<void()> work_;  // empty: nothing waits
};

}  // namespace strata::ui
