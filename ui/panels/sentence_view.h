#pragma once
#include <QString>
#include <QWidget>
#include <cstddef>
#include <memory>

#include "core/compare/comparison_filter.h"

class QAction;
class QLabel;
class QTableView;

namespace strata::ui {
class EmptyStack;
class FilterBar;
class SentenceModel;
class TranslationDiff;

// The sentences of a comparison: filter, scores of the filtered sentences, table, and the selected
// sentence side by side. It does not filter itself: on filterChanged the owner does, and answers
// with setFiltered or setFilterError.
class SentenceView : public QWidget {
  Q_OBJECT
 public:
  explicit SentenceView(QWidget* parent = nullptr);

  void setComparison(std::shared_ptr<const Comparison> comparison);  // shows all; nullptr: nothing
  void setFiltered(const FilteredScores& scores);
  void setFilterError(const QString& message);  // invalid pattern; the sentences shown stay
  // Selects it in the table; a sentence that the filter excludes is shown below the table only.
  void showSentence(std::size_t position);

  SentenceModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  TranslationDiff* diff() const { return diff_; }
  FilterBar* filters() const { return filters_; }

 signals:
  void filterChanged(const strata::SentenceFilter& filter);
  void wordActivated(std::size_t system, std::size_t sentencePosition, int word);
  void sentencePicked(std::size_t position);  // by the user

 private:
  void makeTable();
  void sizeColumns();
  void choose(std::size_t position);
  QString scoresText(const FilteredScores& scores) const;

  SentenceModel* model_;
  FilterBar* filters_;
  QLabel* scores_;
  QTableView* table_;
  TranslationDiff* diff_;
  EmptyStack* stack_;
  QString shownScores_;  // of the sentences in the table
};

}  // namespace strata::ui
