#pragma once
#include <QComboBox>

class QTreeView;

namespace strata::ui {
class PresetFilter;
class PresetModel;
struct PresetRow;

// Selects a preset or a row of a paper's table: from a list grouped by paper with parameter counts,
// or by typing words of its name or description, or several presets' names with commas; the first
// click into the line selects its text, so that typing replaces it. When the line loses focus, text
// that is not a preset's name is replaced by the selected preset.
class PresetBox : public QComboBox {
  Q_OBJECT
 public:
  explicit PresetBox(PresetModel* model, QWidget* parent = nullptr);

  const PresetRow* entry() const;              // null: none is selected
  QString preset() const;                      // the entry's name; empty: none is selected
  bool choose(const QString& name);            // false: no entry has this name
  QTreeView* found() const { return found_; }  // the presets that match the typed text

  void showPopup() override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  QTreeView* makeList();
  void fit(QTreeView* list);
  void search(const QString& text);
  void chooseFirst();
  void settle();

  PresetModel* model_;
  PresetFilter* filter_;
  QTreeView *all_, *found_;
  bool fresh_ = true;  // the line has not been clicked since it got the focus
};

}  // namespace strata::ui
