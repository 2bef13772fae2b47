#pragma once
#include <QComboBox>

class QTreeView;

namespace strata::ui {
class PresetFilter;
class PresetModel;

// Chooses a preset: a list grouped by paper with each one's parameters, or words of its name or
// description typed into the line. What is no preset's name gives way to the chosen one when the
// line is left.
class PresetBox : public QComboBox {
  Q_OBJECT
 public:
  explicit PresetBox(PresetModel* model, QWidget* parent = nullptr);

  QString preset() const;                      // its name; empty: none is chosen
  bool choose(const QString& name);            // false: there is none of this name
  QTreeView* found() const { return found_; }  // the presets that fit what is typed

  void showPopup() override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QTreeView* makeList();
  void fit(QTreeView* list);
  void search(const QString& text);
  void chooseFirst();
  void settle();

  PresetModel* model_;
  PresetFilter* filter_;
  QTreeView *all_, *found_;
};

}  // namespace strata::ui
