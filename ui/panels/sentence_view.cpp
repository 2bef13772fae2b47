#include "ui/panels/sentence_view.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTextEdit>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/data/text.h"
#include "ui/panels/sentence_model.h"
#include "ui/widgets/building.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/translation_diff.h"

namespace strata::ui {
namespace {

constexpr int kSentenceHeight = 26;
constexpr int kSentenceWidth = 420, kMaximumScoreWidth = 190, kNumberMargin = 16;

// Right-to-left texts start at the right.
class SentenceDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->text.isRightToLeft()) option->direction = Qt::RightToLeft;
  }
};

// Keeps a score on one line with its name. U+2060 is the word joiner.
QString unbroken(QString text) {
  text.replace(QLatin1Char(' '), QChar(0x00A0));
  text.replace(QChar(0x2026), QStringLiteral("\u2026\u2060"));
  return text.replace(QLatin1Char('-'), QStringLiteral("-\u2060"));
}

QString pText(double p) {
  return p < 0.001 ? QStringLiteral("p < 0.001") : QStringLiteral("p %1").arg(p, 0, 'f', 3);
}

}  // namespace

SentenceView::SentenceView(QWidget* parent)
    : QWidget(parent),
      model_(new SentenceModel(this)),
      filters_(new FilterBar(this)),
      scores_(named(new QLabel(this), "sentenceScores")),
      table_(named(new QTableView(this), "sentenceTable", tr("Sentences"))),
      diff_(new TranslationDiff(this)) {
  setObjectName(QStringLiteral("sentenceView"));
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  scores_->setTextFormat(Qt::PlainText);
  scores_->setWordWrap(true);
  scores_->setContentsMargins(10, 0, 10, 6);
  scores_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  scores_->setToolTip(
      tr("Corpus scores of the sentences shown, with half the 95 % interval; p-values against the "
         "baseline after Holm's correction over the systems"));
  makeTable();
  auto* empty = new EmptyState(QStringLiteral("search"), tr("No matching sentences"),
                               tr("No sentence meets all conditions of the filter."));
  auto* reset = named(new QAction(tr("Reset the filter"), this), "resetFilter");
  connect(reset, &QAction::triggered, filters_, &FilterBar::reset);
  empty->addAction(reset);
  auto* splitter = named(new QSplitter(Qt::Vertical, this), "sentenceSplitter");
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(table_);
  splitter->addWidget(diff_);
  splitter->setSizes({300, 300});
  stack_ = named(new EmptyStack(empty, splitter, this), "sentenceStack");
  stack_->setEmpty(false);
  auto* layout = makeLayout<QVBoxLayout>(this);
  layout->addWidget(filters_);
  layout->addWidget(scores_);
  layout->addWidget(stack_, 1);
  connect(filters_, &FilterBar::changed, this, [this](const SentenceFilter& filter) {
    scores_->setText(tr("Filtering…"));
    emit filterChanged(filter);
  });
  connect(diff_, &TranslationDiff::wordActivated, this, &SentenceView::wordActivated);
  setComparison(nullptr);
}

void SentenceView::makeTable() {
  table_->setItemDelegate(new SentenceDelegate(table_));
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setTabKeyNavigation(false);
  table_->setMinimumHeight(3 * kSentenceHeight);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(kSentenceHeight);
  QHeaderView* header = table_->horizontalHeader();
  header->setHighlightSections(false);
  header->setSectionsMovable(true);  // with many systems, texts can be moved to the front
  header->setStretchLastSection(true);
  header->setTextElideMode(Qt::ElideMiddle);
  header->setSortIndicator(-1, Qt::AscendingOrder);
  header->setSortIndicatorClearable(true);  // a third click restores the order of the files
  table_->setSortingEnabled(true);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (!now.isValid()) return;
            const std::size_t position = model_->positionAt(now.row());
            diff_->showSentence(position);
            if (table_->hasFocus()) emit sentencePicked(position);
          });
  connect(table_, &QTableView::activated, this, [this] { diff_->text()->setFocus(); });
}

void SentenceView::sizeColumns() {
  QHeaderView* header = table_->horizontalHeader();
  for (int column = 0; column < int(model_->columns().size()); ++column) {
    const SentenceModel::Column& kind = model_->columns()[std::size_t(column)];
    // A name may be shortened, a number never.
    const int title = std::min(header->sectionSizeHint(column), kMaximumScoreWidth);
    int number = 0;
    for (const QString& text : model_->extremes(column))
      number = std::max(number, table_->fontMetrics().horizontalAdvance(text) + kNumberMargin);
    table_->setColumnWidth(column, kind.isText() ? kSentenceWidth : std::max(title, number));
  }
}

void SentenceView::setComparison(std::shared_ptr<const Comparison> comparison) {
  setEnabled(comparison != nullptr);
  {
    const QSignalBlocker blocker(table_->horizontalHeader());
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  }
  model_->setComparison(comparison);
  diff_->setComparison(comparison);
  stack_->setEmpty(false);
  QStringList names;
  if (comparison) {
    for (const ComparedSystem& system : comparison->systems) names << qs(system.name);
  }
  filters_->setSystems(names, comparison ? comparison->baseline : 0);
  filters_->setUnknownWordsKnown(comparison && !comparison->unknownWords.empty());
  filters_->setSourceKnown(comparison && !comparison->source.empty());
  shownScores_.clear();
  if (comparison) {
    sizeColumns();
    FilteredScores all{.sentences = std::vector<std::size_t>(comparison->sentences.size()),
                       .share = 1,
                       .systems = comparison->first().systems};
    shownScores_ = scoresText(all);
    choose(0);
  }
  scores_->setText(shownScores_);
}

void SentenceView::setFiltered(const FilteredScores& scores) {
  if (!model_->comparison()) return;
  const std::size_t before = diff_->position().value_or(0);
  filters_->showError({});
  model_->setShown(scores.sentences);
  shownScores_ = scoresText(scores);
  scores_->setText(shownScores_);
  stack_->setEmpty(scores.sentences.empty());
  if (scores.sentences.empty()) {
    diff_->clear();
  } else {
    choose(model_->rowOf(before) >= 0 ? before : model_->positionAt(0));
  }
}

void SentenceView::setFilterError(const QString& message) {
  filters_->showError(message);
  scores_->setText(shownScores_);
}

void SentenceView::choose(std::size_t position) {
  const int row = model_->rowOf(position);
  if (row < 0) return;
  table_->selectRow(row);
  table_->scrollTo(model_->index(row, 0));
  diff_->showSentence(position);
}

void SentenceView::showSentence(std::size_t position) {
  if (model_->rowOf(position) >= 0) {
    choose(position);
  } else {
    table_->clearSelection();
    diff_->showSentence(position);
  }
}

QString SentenceView::scoresText(const FilteredScores& scores) const {
  const Comparison& comparison = *model_->comparison();
  const qint64 kept = qint64(scores.sentences.size()), all = qint64(comparison.sentences.size());
  QString text = tr("%1 sentences").arg(countText(all));
  if (kept != all) {
    const QString share =
        QString::number(100 * scores.share, 'f', kept > 0 && scores.share < 0.1 ? 1 : 0);
    text = tr("%1 of %2 sentences (%3 %)").arg(countText(kept), countText(all), share);
  }
  QStringList parts{unbroken(text)};
  if (kept == 0) return parts.front();
  parts << qs(comparison.first().metric->name());
  for (std::size_t s = 0; s < scores.systems.size() && s < comparison.systems.size(); ++s) {
    const SystemScore& system = scores.systems[s];
    QString part = SentenceModel::shortName(qs(comparison.systems[s].name));
    part += QLatin1Char(' ') + scoreText(comparison.first(), system.score);
    if (system.interval)
      part += tr(" ± %1").arg(scoreText(comparison.first(), system.interval->halfWidth));
    if (s != comparison.baseline) {
      const QString difference = differenceText(comparison.first(), system.difference);
      part += QStringLiteral(" (%1%2)").arg(
          difference, system.test ? QStringLiteral(", ") + pText(system.test->pHolm) : QString());
    }
    parts << unbroken(part);
  }
  return parts.join(QStringLiteral(" · "));
}

}  // namespace strata::ui
