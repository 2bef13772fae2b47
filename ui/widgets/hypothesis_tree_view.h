#pragma once
#include <QTreeWidget>

#include "core/run/hypothesis_tree.h"

namespace strata::ui {

// The alternatives of a sentence as a tree: words that they begin with in common stand once, each
// branch with its probability. Enter or a double click on a branch asks for translations that begin
// with the words up to its first one.
class HypothesisTreeView : public QTreeWidget {
  Q_OBJECT
 public:
  explicit HypothesisTreeView(QWidget* parent = nullptr);

  void setHypotheses(const std::vector<Hypothesis>& hypotheses);
  // The model's tokens from the beginning to the first one of this branch.
  QStringList prefixOf(const QTreeWidgetItem* item) const;

 signals:
  void prefixChosen(const QStringList& tokens);
  void hypothesisChosen(int index);  // a branch that ends is selected
  void lettersTyped(const QString& letters);

 protected:
  void keyboardSearch(const QString& letters) override;

 private:
  void add(QTreeWidgetItem* parent, const HypothesisNode& node);
};

}  // namespace strata::ui
