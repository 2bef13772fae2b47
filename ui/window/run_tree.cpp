#include "ui/window/run_tree.h"

#include <QFont>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ui/data/text.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/share_delegate.h"

namespace strata::ui {
namespace {

using Node = RunTree::Node;

constexpr double kUnknownShare = std::numeric_limits<double>::quiet_NaN();

void add(Node* parent, std::unique_ptr<Node> child) {
  child->parent = parent;
  child->row = int(parent->children.size());
  parent->children.push_back(std::move(child));
}

std::unique_ptr<Node> makeNode(Node node) {
  return std::make_unique<Node>(std::move(node));
}

QString percentText(double share) {
  return RunTree::tr("%1 %").arg(qRound(share * 100));
}

// What the names of a group's runs begin with, without a started "seed" or separator.
QString commonName(const QVector<const RunRow*>& runs) {
  QString common = runs.first()->name;
  for (const RunRow* run : runs) {
    qsizetype length = 0;
    while (length < std::min(common.size(), run->name.size()) &&
           common[length] == run->name[length])
      ++length;
    common.truncate(length);
  }
  for (const QString& ending : {QStringLiteral("seed"), QStringLiteral("s")}) {
    if (common.size() > ending.size() && common.endsWith(ending) &&
        !common[common.size() - ending.size() - 1].isLetterOrNumber())
      common.chop(ending.size());
  }
  while (!common.isEmpty() && !common.back().isLetterOrNumber()) common.chop(1);
  return common.isEmpty() ? runs.first()->preset : common;
}

QString outputText(const StoredSystem& system) {
  return QStringLiteral("%1 · %2").arg(qs(system.testSet), qs(system.checkpoint));
}

}  // namespace

RunTree::RunTree(QObject* parent) : QAbstractItemModel(parent), root_(makeNode({})) {}
RunTree::~RunTree() = default;

void RunTree::setRuns(const QVector<RunRow>& runs) {
  runs_ = newestFirst(runs);
  rebuild();
}

void RunTree::setSystems(const SystemsList& systems) {
  systems_ = systems;
  outputs_.clear();
  for (const StoredSystem& system : systems_.systems) outputs_[system.run] << &system;
  rebuild();
}

void RunTree::setFilter(const QString& text) {
  filter_ = text;
  rebuild();
}

void RunTree::setDrawn(const QVector<DrawnRun>& runs) {
  lines_.clear();
  for (const DrawnRun& run : runs) lines_.insert(run.run, run.line);
  announceAll();
}

void RunTree::setCurrent(qint64 run, qint64 other, const QString& system) {
  if (current_ == run && other_ == other && system_ == system) return;
  const QSet<qint64> changed{std::exchange(current_, run), std::exchange(other_, other), run,
                             other};
  refresh(changed);
  if (std::exchange(system_, system) != system) announceAll();
}

void RunTree::setActivity(const std::vector<RunActivity>& runs) {
  const auto before = activity_.keys();
  QSet<qint64> changed(before.begin(), before.end());
  activity_.clear();
  for (const RunActivity& run : runs) {
    if (run.place != 0) continue;
    activity_.insert(run.run, run);
    changed << run.run;
  }
  refresh(changed);
}

const RunRow* RunTree::row(qint64 run) const {
  const auto found = std::ranges::lower_bound(shown_, run, std::ranges::greater(),
                                              [](const RunRow* each) { return each->id; });
  return found == shown_.end() || (*found)->id != run ? nullptr : *found;
}

void RunTree::refresh(const QSet<qint64>& runs) {
  for (const qint64 run : runs) {
    const QModelIndex place = findRun(run);
    const RunRow* shown = row(run);
    if (!place.isValid() || !shown) continue;
    auto* node = static_cast<Node*>(place.internalPointer());
    node->state = shownState(*shown);
    node->share = shareOf(*shown);
    emit dataChanged(place, place.siblingAtColumn(kState));
  }
  emit statesChanged();
}

void RunTree::announceAll() {
  const std::function<void(const QModelIndex&)> announce = [&](const QModelIndex& parent) {
    const int rows = rowCount(parent);
    if (rows == 0) return;
    emit dataChanged(index(0, kName, parent), index(rows - 1, kState, parent));
    for (int row = 0; row < rows; ++row) announce(index(row, kName, parent));
  };
  announce({});
}

QString RunTree::shownState(const RunRow& run) const {
  return run.id == other_ ? tr("vs · %1").arg(stateOf(run)) : stateOf(run);
}

double RunTree::shareOf(const RunRow& run) const {
  return run.isRunning() ? activity_.value(run.id).share() : kUnknownShare;
}

// What a run does, or how well it did, in a few characters.
QString RunTree::stateOf(const RunRow& run) const {
  if (!run.pending.isEmpty()) return tr("%1…").arg(run.pending);
  const RunActivity activity = activity_.value(run.id);
  switch (run.status) {
    case RunStatus::kRunning:
      if (activity.left) return timeText(*activity.left);
      return std::isnan(activity.share()) ? countText(run.step) : percentText(activity.share());
    case RunStatus::kFailed:
      return tr("failed @%1").arg(countText(run.step));
    case RunStatus::kFinished:
    case RunStatus::kStopped:
      if (run.lastStep >= 0) return scoreText(run.bestStep >= 0 ? run.best : run.last);
      [[fallthrough]];
    default:
      return qs(nameOf(run.status));
  }
}

QString RunTree::tipOf(const RunRow& run) const {
  QStringList lines{run.name, tr("%1, step %2").arg(qs(nameOf(run.status)), countText(run.step))};
  const RunActivity activity = activity_.value(run.id);
  if (activity.left && run.isRunning())
    lines << tr("%1 of %2 steps at most, %3 left")
                 .arg(percentText(activity.share()), countText(activity.lastStep.value_or(0)),
                      timeText(*activity.left));
  if (run.bestStep >= 0)
    lines << tr("best %1: %2 at step %3")
                 .arg(run.metric, numberText(run.best), countText(run.bestStep));
  else if (run.lastStep >= 0)
    lines << tr("last %1: %2 at step %3")
                 .arg(run.metric, numberText(run.last), countText(run.lastStep));
  lines << tr("%1 on %2, seed %3").arg(run.preset, run.dataset).arg(run.seed);
  if (!run.tags.isEmpty()) lines << run.tags.join(QStringLiteral(", "));
  if (!run.message.isEmpty()) lines << run.message;
  return lines.join(QLatin1Char('\n'));
}

bool RunTree::matches(const RunRow& run) const {
  const auto contains = [this](const QString& text) {
    return text.contains(filter_, Qt::CaseInsensitive);
  };
  return contains(run.name) || contains(run.preset) || contains(run.dataset) ||
         std::ranges::any_of(run.tags, contains);
}

void RunTree::rebuild() {
  shown_.clear();
  for (const RunRow& run : std::as_const(runs_)) {
    if (matches(run)) shown_ << &run;
  }
  std::unique_ptr<Node> fresh = build();
  if (takeOver(root_.get(), fresh.get())) {
    announceAll();
    emit statesChanged();
    return;
  }
  emit aboutToRebuild();
  beginResetModel();
  root_ = std::move(fresh);
  endResetModel();
  emit rebuilt();
}

bool RunTree::takeOver(Node* present, Node* fresh) {
  const auto sameKey = [](const auto& a, const auto& b) { return a->key == b->key; };
  if (!std::ranges::equal(present->children, fresh->children, sameKey)) return false;
  for (std::size_t i = 0; i < present->children.size(); ++i) {
    Node* child = present->children[i].get();
    Node* other = fresh->children[i].get();
    if (!takeOver(child, other)) return false;
    child->text = other->text;
    child->state = other->state;
    child->tip = other->tip;
    child->share = other->share;
  }
  return true;
}

std::unique_ptr<Node> RunTree::build() const {
  QHash<QString, QVector<const RunRow*>> groups;
  for (const RunRow* run : shown_) {
    if (!run->group.isEmpty()) groups[run->group] << run;
  }
  auto root = makeNode({});
  for (const RunRow* run : shown_) {
    const QVector<const RunRow*> members = groups.value(run->group);
    if (members.size() < 2)
      add(root.get(), runNode(*run, run->name));
    else if (members.first() == run)
      add(root.get(), groupNode(members));
  }
  if (auto imported = systemsNode(); !imported->children.empty())
    add(root.get(), std::move(imported));
  return root;
}

std::unique_ptr<Node> RunTree::groupNode(const QVector<const RunRow*>& members) const {
  const RunRow& first = *members.first();
  auto group = makeNode(
      {.kind = Kind::kGroup,
       .key = QStringLiteral("group ") + first.group,
       .text = commonName(members),
       .state = tr("%n seed(s)", nullptr, int(members.size())),
       .tip = tr("%n run(s) that differ only in their seed", nullptr, int(members.size()))});
  for (const RunRow* run : members) add(group.get(), runNode(*run, tr("seed %1").arg(run->seed)));
  return group;
}

std::unique_ptr<Node> RunTree::runNode(const RunRow& run, const QString& text) const {
  auto node = makeNode({.kind = Kind::kRun,
                        .key = QStringLiteral("run %1").arg(run.id),
                        .text = text,
                        .state = shownState(run),
                        .share = shareOf(run),
                        .run = run.id});
  for (const RunCheckpoint& checkpoint : run.checkpoints) {
    const bool last = &checkpoint == &run.checkpoints.last();
    QStringList roles;
    if (checkpoint.best) roles << tr("best");
    if (last) roles << tr("last");
    add(node.get(),
        makeNode({.kind = Kind::kCheckpoint,
                  .key = QStringLiteral("run %1 step %2").arg(run.id).arg(checkpoint.step),
                  .text = tr("step %1").arg(countText(checkpoint.step)),
                  .state = roles.join(QStringLiteral(", ")),
                  .tip = tr("A checkpoint of %1").arg(run.name),
                  .run = run.id,
                  .step = checkpoint.step}));
  }
  for (const StoredSystem* system : outputs_.value(run.id)) {
    add(node.get(), makeNode({.kind = Kind::kOutput,
                              .key = qs(system->id),
                              .text = outputText(*system),
                              .state = {},
                              .tip = tr("The translation of %1 by %2, %3")
                                         .arg(qs(system->testSet), run.name, qs(system->decode)),
                              .run = run.id,
                              .testSet = qs(system->testSet)}));
  }
  return node;
}

std::unique_ptr<Node> RunTree::systemsNode() const {
  auto group = makeNode({.kind = Kind::kImportedSystems,
                         .key = QStringLiteral("imported"),
                         .text = tr("Imported systems"),
                         .tip = tr("Translations of other toolkits")});
  for (const StoredSystem& system : systems_.systems) {
    if (system.run != 0 || !qs(system.name).contains(filter_, Qt::CaseInsensitive)) continue;
    add(group.get(), makeNode({.kind = Kind::kSystem,
                               .key = QStringLiteral("system ") + qs(system.id),
                               .text = qs(system.name),
                               .state = {},
                               .tip = tr("%1 of %2").arg(qs(system.fileName), qs(system.testSet)),
                               .testSet = qs(system.testSet)}));
  }
  group->state = countText(qint64(group->children.size()));
  return group;
}

const Node* RunTree::node(const QModelIndex& index) const {
  return index.isValid() ? static_cast<const Node*>(index.internalPointer()) : root_.get();
}

QModelIndex RunTree::find(const QString& key) const {
  const std::function<const Node*(const Node*)> search = [&](const Node* node) -> const Node* {
    if (node->key == key) return node;
    for (const auto& child : node->children) {
      if (const Node* found = search(child.get())) return found;
    }
    return nullptr;
  };
  const Node* found = key.isEmpty() ? nullptr : search(root_.get());
  return found ? createIndex(found->row, kName, found) : QModelIndex();
}

QSet<QString> RunTree::states() const {
  QSet<QString> states;
  const std::function<void(const Node*)> collect = [&](const Node* node) {
    states << node->state;
    if (node->kind == Kind::kRun) return;
    for (const auto& child : node->children) collect(child.get());
  };
  collect(root_.get());
  return states;
}

QStringList RunTree::names() const {
  QStringList names;
  for (const auto& child : root_->children) names << child->text;
  return names;
}

QModelIndex RunTree::findRun(qint64 run) const {
  return find(QStringLiteral("run %1").arg(run));
}

QModelIndex RunTree::index(int row, int column, const QModelIndex& parent) const {
  const Node* above = node(parent);
  if (row < 0 || row >= int(above->children.size()) || column < 0 || column >= kColumns) return {};
  return createIndex(row, column, above->children[std::size_t(row)].get());
}

QModelIndex RunTree::parent(const QModelIndex& index) const {
  const Node* above = index.isValid() ? node(index)->parent : nullptr;
  return above == nullptr || above == root_.get() ? QModelIndex()
                                                  : createIndex(above->row, kName, above);
}

int RunTree::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : int(node(parent)->children.size());
}

int RunTree::columnCount(const QModelIndex&) const {
  return kColumns;
}

Qt::ItemFlags RunTree::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  const Kind kind = node(index)->kind;
  if (index.column() == kName && (kind == Kind::kRun || kind == Kind::kGroup))
    flags |= Qt::ItemIsUserCheckable;
  return flags;
}

QVector<qint64> RunTree::runsBelow(const Node* node) const {
  if (node->kind == Kind::kRun) return {node->run};
  QVector<qint64> runs;
  for (const auto& child : node->children) runs += runsBelow(child.get());
  return runs;
}

bool RunTree::isCurrent(const Node* node) const {
  return (node->kind == Kind::kRun && node->run == current_) ||
         (node->kind == Kind::kSystem && node->text == system_);
}

Qt::CheckState RunTree::drawnState(const Node* node) const {
  const QVector<qint64> runs = runsBelow(node);
  const auto drawn =
      std::ranges::count_if(runs, [this](qint64 run) { return lines_.contains(run); });
  if (drawn == 0) return Qt::Unchecked;
  return drawn == runs.size() ? Qt::Checked : Qt::PartiallyChecked;
}

// The line of a drawn run, or of the drawn runs of a group.
QVariant RunTree::decoration(const Node* node) const {
  if (node->kind != Kind::kRun && node->kind != Kind::kGroup) return {};
  for (const qint64 run : runsBelow(node)) {
    if (lines_.contains(run)) return lineIcon(lines_.value(run));
  }
  return emptyLineIcon();
}

QVariant RunTree::data(const QModelIndex& index, int role) const {
  const Node* at = node(index);
  const bool name = index.column() == kName;
  switch (role) {
    case Qt::DisplayRole:
      return name ? at->text : at->state;
    case Qt::ToolTipRole:
      if (const RunRow* run = at->kind == Kind::kRun ? row(at->run) : nullptr) return tipOf(*run);
      return at->tip;
    case Qt::AccessibleTextRole:
      if (name) return at->text;
      return std::isnan(at->share) ? at->state
                                   : tr("%1 done, %2").arg(percentText(at->share), at->state);
    case ShareDelegate::kShareRole:
      return name || std::isnan(at->share) ? QVariant() : QVariant(at->share);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (name ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::CheckStateRole:
      return name && (at->kind == Kind::kRun || at->kind == Kind::kGroup) ? QVariant(drawnState(at))
                                                                          : QVariant();
    case Qt::DecorationRole:
      return name ? decoration(at) : QVariant();
    case Qt::ForegroundRole:
      return name ? QVariant() : QVariant(theme().muted);
    case Qt::FontRole:
      if (isCurrent(at)) {
        QFont font;
        font.setBold(true);
        return font;
      }
      return {};
    default:
      return {};
  }
}

bool RunTree::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole) return false;
  emit drawRequested(runsBelow(node(index)), value.toInt() != Qt::Unchecked);
  return true;
}

}  // namespace strata::ui
