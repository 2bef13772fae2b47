#include "ui/widgets/beginning_tree.h"

#include <QLineEdit>
#include <QVBoxLayout>

#include "core/inside/target_attention.h"
#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/hypothesis_tree_view.h"

namespace strata::ui {

BeginningTree::BeginningTree(QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QVBoxLayout>(this, {}, 4);
  tree_ = named(new HypothesisTreeView(this), "translateTree", tr("Tree of the alternatives"));
  line_ = named(new QLineEdit(this), "translateBeginning", tr("Beginning of the translation"));
  line_->setPlaceholderText(tr("Type what the translation begins with, and press Enter"));
  layout->addWidget(tree_, 1);
  layout->addWidget(line_);
  connect(tree_, &HypothesisTreeView::lettersTyped, this, &BeginningTree::type);
  connect(line_, &QLineEdit::returnPressed, this, [this] {
    if (const QString text = line_->text().simplified(); !text.isEmpty()) emit typed(text);
  });
}

void BeginningTree::setHypotheses(const std::vector<Hypothesis>& hypotheses) {
  tree_->setHypotheses(hypotheses);
  line_->clear();
}

void BeginningTree::type(const QString& letters) {
  QString before;
  if (const QTreeWidgetItem* item = tree_->currentItem()) {
    auto tokens = toStd(tree_->prefixOf(item));
    if (!tokens.empty() && tokens.back() == "</s>") tokens.pop_back();
    before = sentenceText(joinedWords(tokens, wordStarts(tokens)));
  }
  line_->setText(before.isEmpty() ? letters : before + QLatin1Char(' ') + letters);
  line_->setFocus();
}

}  // namespace strata::ui
