#pragma once
#include <QWidget>

#include "core/run/hypothesis.h"

class QLineEdit;

namespace strata::ui {
class HypothesisTreeView;

// The alternatives as a tree, and a line for the words that the translation is to begin with: what
// is typed in the tree goes there, behind the words up to the branch under the cursor.
class BeginningTree : public QWidget {
  Q_OBJECT
 public:
  explicit BeginningTree(QWidget* parent = nullptr);

  void setHypotheses(const std::vector<Hypothesis>& hypotheses);
  HypothesisTreeView* tree() const { return tree_; }

 signals:
  void typed(const QString& beginning);  // plain text

 private:
  void type(const QString& letters);

  HypothesisTreeView* tree_;
  QLineEdit* line_;
};

}  // namespace strata::ui
