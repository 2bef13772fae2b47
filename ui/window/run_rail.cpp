#include "ui/window/run_rail.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/share_delegate.h"
#include "ui/widgets/short_names.h"

namespace strata::ui {
namespace {
constexpr int kNarrowestState = 44, kWidestState = 92, kStateMargin = 12,
              kIndentation = 14;  // pixels
constexpr int kActivityMs = 1000;
constexpr int kMostWidths = 10000;

bool isUnfoldedAtFirst(const RunTree::Node& node) {
  return node.kind == RunTree::Kind::kGroup;
}
}  // namespace

RunRail::RunRail(QWidget* parent) : QWidget(parent), tree_(new RunTree(this)) {
  setObjectName(QStringLiteral("runRail"));
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 6, 2, 4}, 4);
  auto* head = makeLayout<QHBoxLayout>(nullptr, {0, 0, 6, 0}, 6);
  head->addWidget(styled(new QLabel(tr("Runs"), this), "heading"));
  head->addStretch();
  count_ = named(styled(new QLabel(this), "muted"), QStringLiteral("railCount"));
  head->addWidget(count_);
  layout->addLayout(head);
  filter_ = named(new QLineEdit(this), QStringLiteral("railFilter"), tr("Filter of the runs"));
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  layout->addWidget(filter_);
  makeView();
  layout->addWidget(view_, 1);
  connect(filter_, &QLineEdit::textChanged, tree_, &RunTree::setFilter);
  connect(filter_, &QLineEdit::textChanged, this, [this] { setRunsShown(); });
  connect(tree_, &RunTree::drawRequested, this, [this](const QVector<qint64>& runs, bool drawn) {
    toggled_ = true;
    emit drawRequested(runs, drawn);
  });
  activityTimer_.setInterval(kActivityMs);
  activityTimer_.setSingleShot(true);
  connect(&activityTimer_, &QTimer::timeout, this, &RunRail::showActivity);
  connect(tree_, &RunTree::aboutToRebuild, this, &RunRail::keepView);
  connect(tree_, &RunTree::rebuilt, this, &RunRail::restoreView);
  connect(tree_, &RunTree::rebuilt, this, [this] { names_->setNames(tree_->names()); });
  connect(tree_, &RunTree::rebuilt, this, &RunRail::fitState);
  connect(tree_, &RunTree::statesChanged, this, &RunRail::fitState);
}

void RunRail::makeView() {
  view_ = named(new QTreeView(this), QStringLiteral("runTree"), tr("Runs"));
  view_->setModel(tree_);
  view_->setHeaderHidden(true);
  view_->setIndentation(kIndentation);
  view_->setUniformRowHeights(true);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->setIconSize(QSize(16, 16));
  view_->setExpandsOnDoubleClick(false);
  view_->setTabKeyNavigation(false);
  view_->header()->setStretchLastSection(false);
  view_->header()->setMinimumSectionSize(20);
  view_->header()->setSectionResizeMode(RunTree::kName, QHeaderView::Stretch);
  view_->header()->setSectionResizeMode(RunTree::kState, QHeaderView::Fixed);
  view_->header()->resizeSection(RunTree::kState, kNarrowestState);
  names_ = new ShortNameDelegate(this);
  view_->setItemDelegateForColumn(RunTree::kName, names_);
  view_->setItemDelegateForColumn(RunTree::kState, new ShareDelegate(this));
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  view_->installEventFilter(this);
  connect(view_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    if (std::exchange(toggled_, false)) return;
    choose(index, QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier));
  });
  connect(view_, &QTreeView::customContextMenuRequested, this, &RunRail::openMenu);
  connect(view_, &QTreeView::expanded, this,
          [this](const QModelIndex& index) { noteFold(index, true); });
  connect(view_, &QTreeView::collapsed, this,
          [this](const QModelIndex& index) { noteFold(index, false); });
}

void RunRail::setRuns(const QVector<RunRow>& runs) {
  runs_ = int(std::ranges::count(runs, false, &RunRow::trashed));
  tree_->setRuns(runs);
  setRunsShown();
}

void RunRail::setRunsShown() {
  count_->setText(tree_->runs() == runs_ ? countText(runs_)
                                         : tr("%1 of %2").arg(tree_->runs()).arg(runs_));
}

void RunRail::setActivity(const std::vector<RunActivity>& runs) {
  activity_ = runs;
  if (!activityTimer_.isActive()) showActivity();
}

void RunRail::showActivity() {
  if (!activity_) return;
  tree_->setActivity(*std::exchange(activity_, std::nullopt));
  activityTimer_.start();
}

// As wide as what the runs do needs: the rest is for their names.
void RunRail::fitState() {
  QFont bold = view_->font();
  bold.setBold(true);  // as the current run's is
  const QFontMetrics metrics(bold);
  int text = 0;
  for (const QString& state : tree_->states()) {
    auto width = stateWidths_.find(state);
    if (width == stateWidths_.end())
      width = stateWidths_.insert(state, metrics.horizontalAdvance(state));
    text = std::max(text, *width);
  }
  if (stateWidths_.size() > kMostWidths) stateWidths_.clear();
  const int width = std::clamp(text + kStateMargin, kNarrowestState, kWidestState);
  if (view_->header()->sectionSize(RunTree::kState) != width)
    view_->header()->resizeSection(RunTree::kState, width);
}

void RunRail::setSelection(const Selection& selection) {
  tree_->setCurrent(selection.run.value_or(0), selection.other.value_or(0),
                    selection.system.value_or(QString()));
}

void RunRail::choose(const QModelIndex& index, bool other) {
  using Kind = RunTree::Kind;
  const RunTree::Node* node = tree_->node(index);
  switch (node->kind) {
    case Kind::kRun:
      emit chosen(other ? Selection{.other = node->run} : Selection{.run = node->run});
      break;
    case Kind::kCheckpoint:
      emit chosen({.run = node->run, .step = node->step});
      break;
    case Kind::kOutput:
      emit chosen({.run = node->run, .testSet = node->testSet});
      break;
    case Kind::kSystem:
      emit chosen({.system = node->text, .testSet = node->testSet});
      break;
    default:
      view_->setExpanded(index, !view_->isExpanded(index));
  }
}

void RunRail::openMenu(const QPoint& position) {
  const QModelIndex index = view_->indexAt(position).siblingAtColumn(RunTree::kName);
  const RunTree::Node* node = tree_->node(index);
  if (node->kind != RunTree::Kind::kRun) return;
  choose(index, false);
  emit menuRequested(node->run);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Compare the current run with it"), this,
                  [this, run = node->run] { emit chosen({.other = run}); });
  menu->addSeparator();
  menu->addActions(actions_);
  menu->popup(view_->viewport()->mapToGlobal(position));
}

bool RunRail::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<const QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      if (view_->currentIndex().isValid())
        choose(view_->currentIndex().siblingAtColumn(RunTree::kName),
               key->modifiers().testFlag(Qt::ShiftModifier));
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void RunRail::noteFold(const QModelIndex& index, bool unfolded) {
  const RunTree::Node* node = tree_->node(index);
  if (unfolded == isUnfoldedAtFirst(*node))
    turned_.remove(node->key);
  else
    turned_ << node->key;
}

void RunRail::restoreFold(const QModelIndex& index) {
  const RunTree::Node* node = tree_->node(index);
  if (!node->children.empty())
    view_->setExpanded(index, isUnfoldedAtFirst(*node) != turned_.contains(node->key));
}

void RunRail::keepView() {
  cursor_ = view_->currentIndex().isValid() ? tree_->node(view_->currentIndex())->key : QString();
  scrolled_ = view_->verticalScrollBar()->value();
}

void RunRail::restoreView() {
  for (int row = 0; row < tree_->rowCount(); ++row) {
    const QModelIndex index = tree_->index(row, RunTree::kName);
    restoreFold(index);
    for (int below = 0; below < tree_->rowCount(index); ++below)
      restoreFold(tree_->index(below, RunTree::kName, index));
  }
  const QModelIndex cursor = tree_->find(cursor_);
  if (cursor.isValid()) view_->setCurrentIndex(cursor);
  view_->verticalScrollBar()->setValue(scrolled_);
}

Json RunRail::saveState() const {
  return {{"turned", jsonOf(QStringList(turned_.begin(), turned_.end()))},
          {"filter", toStd(filter_->text())}};
}

void RunRail::restoreState(const Json& state) {
  const SavedState saved(state);
  const QStringList keys = saved.texts("turned").value_or(QStringList());
  turned_ = QSet<QString>(keys.begin(), keys.end());
  saved.line("filter", filter_);
  restoreView();
}

}  // namespace strata::ui
