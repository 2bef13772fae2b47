#pragma once
#include <QString>
#include <QVector>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

#include "core/compare/comparison.h"
#include "core/report/table.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace strata::ui {
class CategoryPlot;
class ChartGrid;
class EmptyStack;
class IntervalPlot;
class NGramList;
struct NGramRow;
class ReportTable;

// One aspect of a comparison as plots and tables. It only draws what was computed elsewhere, and
// only once it is shown.
class ComparisonView : public QWidget {
  Q_OBJECT
 public:
  void setComparison(std::shared_ptr<const Comparison> comparison);  // null: none
  const std::shared_ptr<const Comparison>& comparison() const { return comparison_; }
  bool isEmpty() const;  // no comparison, or nothing to show of it

  // Writes the view's plots (.png, .svg, .pdf) or their values (.csv). Several plots go to several
  // files in the same folder, each with the plot's name in its own. Throws Error.
  void exportTo(const QString& path);

  // The names of several plots in those of their files; fewer than two: one, in the chosen file.
  virtual QStringList exportedParts() const { return {}; }

 signals:
  void failed(const QString& message);
  void notice(const QString& message);  // not an error

 protected:
  ComparisonView(QString name, QWidget* parent);

  struct Texts {
    QString title, text;  // of the empty state
    QString exportTitle;
  };
  // Puts a bar above the content; the view adds its selectors to it.
  void setUp(const Texts& texts, QWidget* content);
  QComboBox* addChoice(const QString& label, const QString& name);
  // Fills a selector of systems; keeps the selected one, else selects the first non-baseline.
  void fillSystems(QComboBox* choice, bool withBaseline) const;
  QString systemName(std::size_t system) const;  // marks the baseline

  virtual bool hasContent() const { return true; }
  virtual void draw() = 0;  // called only when there is content
  virtual void write(const QString& path) = 0;
  void redraw();  // now, or when it is shown
  void showEvent(QShowEvent* event) override;

 private:
  void drawIfNeeded();

  std::shared_ptr<const Comparison> comparison_;
  EmptyStack* stack_ = nullptr;
  QHBoxLayout* bar_ = nullptr;
  bool drawn_ = true;
};

// Scores of all systems under each metric, the histogram of sentence differences, all significance
// tests, notes and other system-level results.
class ScoresView : public ComparisonView {
  Q_OBJECT
 public:
  explicit ScoresView(QWidget* parent = nullptr);
  QStringList exportedParts() const override;

 protected:
  void draw() override;
  void write(const QString& path) override;

 private:
  void makePlots(int metrics, bool seeds);
  void drawPlots();
  void drawSeeds();
  void drawHistogram();
  void drawTables();
  void fillTables(const std::vector<Table>& tables);

  QVBoxLayout* gridColumn_;
  ChartGrid* grid_ = nullptr;      // recreated with all plots when the number of metrics changes
  QVector<IntervalPlot*> plots_;   // one per metric
  IntervalPlot* seeds_ = nullptr;  // groups of runs; null: there are none
  CategoryPlot* histogram_ = nullptr;
  QComboBox* system_;
  QLabel* notes_;
  QVBoxLayout* tableColumn_;
  struct TitledTable {
    QLabel* title;
    ReportTable* table;
  };
  QVector<TitledTable> tables_;  // unused ones are hidden
};

// Scores of the systems in parts of the test set.
class BucketsView : public ComparisonView {
  Q_OBJECT
 public:
  explicit BucketsView(QWidget* parent = nullptr);

 protected:
  bool hasContent() const override;
  void draw() override;
  void write(const QString& path) override;

 private:
  void drawBuckets();

  QComboBox* choice_;
  CategoryPlot* plot_;
  QLabel* note_;
  ReportTable* table_;
};

// N-grams that a system gets right or wrong more often than the baseline or the references.
class NGramsView : public ComparisonView {
  Q_OBJECT
 public:
  explicit NGramsView(QWidget* parent = nullptr);

 signals:
  void ngramActivated(const QString& text);  // words joined by a space

 protected:
  void changeEvent(QEvent* event) override;
  bool hasContent() const override;
  void draw() override;
  void write(const QString& path) override;

 private:
  struct List {
    QWidget* box;
    QLabel *title, *legend;  // what it lists; the meaning of the two bars
    NGramList* list;
  };
  List makeList(const QString& name, QWidget* parent);
  using Sides = std::pair<QString, QString>;  // what the two counts of a row count
  void fill(const List& list, const QString& title, const Sides& sides,
            const QVector<NGramRow>& rows);
  QVector<List> shownLists() const;
  void writeValues(const QString& path) const;
  void drawLists();

  QComboBox* system_;
  List here_, baseline_, over_, under_;
  QLabel* totalsTitle_;
  ReportTable* totals_;
};

// How well systems translate words, by frequency in the training text.
class WordsView : public ComparisonView {
  Q_OBJECT
 public:
  explicit WordsView(QWidget* parent = nullptr);

 protected:
  bool hasContent() const override;
  void draw() override;
  void write(const QString& path) override;

 private:
  void drawPlot();

  QComboBox* measure_;
  CategoryPlot* plot_;
  ReportTable* table_;
};

}  // namespace strata::ui
