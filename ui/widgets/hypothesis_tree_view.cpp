#include "ui/widgets/hypothesis_tree_view.h"

#include <QHeaderView>
#include <cmath>

#include "ui/data/text.h"

namespace strata::ui {
namespace {
constexpr int kWordsRole = Qt::UserRole, kHypothesisRole = Qt::UserRole + 1;
}

HypothesisTreeView::HypothesisTreeView(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(2);
  setHeaderLabels({tr("words"), tr("probability")});
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(0, QHeaderView::Stretch);
  header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  setUniformRowHeights(true);
  setTabKeyNavigation(false);
  setToolTip(tr("Enter translates again with this beginning"));
  connect(this, &QTreeWidget::itemActivated, this,
          [this](const QTreeWidgetItem* item) { emit prefixChosen(prefixOf(item)); });
  connect(this, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
    if (item && item->data(0, kHypothesisRole).toInt() >= 0)
      emit hypothesisChosen(item->data(0, kHypothesisRole).toInt());
  });
}

void HypothesisTreeView::keyboardSearch(const QString& letters) {
  emit lettersTyped(letters);
}

void HypothesisTreeView::setHypotheses(const std::vector<Hypothesis>& hypotheses) {
  clear();
  if (hypotheses.empty()) return;
  const HypothesisNode root = treeOf(hypotheses);
  if (root.words.empty()) {
    for (const HypothesisNode& child : root.children) add(nullptr, child);
  } else {
    add(nullptr, root);
  }
  expandAll();
}

void HypothesisTreeView::add(QTreeWidgetItem* parent, const HypothesisNode& node) {
  auto* item = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(this);
  item->setText(0, sentenceText(node.words));
  item->setText(1, QString::number(std::exp(node.logProbability), 'f', 3));
  item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  item->setToolTip(1, tr("log-probability %1").arg(node.logProbability, 0, 'f', 3));
  item->setData(0, kWordsRole, qs(node.words));
  item->setData(0, kHypothesisRole, node.hypothesis);
  for (const HypothesisNode& child : node.children) add(item, child);
}

QStringList HypothesisTreeView::prefixOf(const QTreeWidgetItem* item) const {
  QStringList tokens = item->data(0, kWordsRole).toStringList().mid(0, 1);
  for (const QTreeWidgetItem* above = item->parent(); above; above = above->parent())
    tokens = above->data(0, kWordsRole).toStringList() + tokens;
  return tokens;
}

}  // namespace strata::ui
