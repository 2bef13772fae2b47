#pragma once
#include <QFrame>
#include <QList>

#include "ui/widgets/palette_entry.h"

class QLineEdit;
class QListWidget;

namespace strata::ui {

// How well `pattern` matches `text`: its letters must occur in order, ignoring case. Higher is
// better (word beginnings and adjacent letters count more); negative: no match. The empty pattern
// matches everything equally.
int fuzzyScore(const QString& pattern, const QString& text);

// Finds commands, runs, presets and settings by a few letters of their names, under headings, best
// group first. Opens over its parent, closes on Escape or when it loses the focus; the arrow keys
// choose, Enter runs what is chosen.
class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  explicit CommandPalette(QWidget* parent);

  void open(QList<PaletteEntry> entries);
  void setEntries(QList<PaletteEntry> entries);  // while it is open: keeps what is typed
  QListWidget* list() const { return list_; }    // headings cannot be selected

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& pattern);
  void add(const PaletteEntry& entry, int index);
  void addHeading(const QString& text);
  void step(int by);
  void run();

  QLineEdit* edit_;
  QListWidget* list_;
  QList<PaletteEntry> entries_;
};

}  // namespace strata::ui
