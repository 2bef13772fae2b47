#pragma once
#include <QWidget>

#include "core/data/preview.h"
#include "core/report/table.h"

class QLabel;
class QTabWidget;
class QToolButton;

namespace strata::ui {
class CategoryPlot;
class LinePlot;
class ReportTable;

// The figures of a parallel text: pictures of lengths, vocabulary growth and coverage, and tables
// of pairs, rejected lines, merges, outliers and sentences that the evaluation sets share with
// train.
class TextFiguresView : public QWidget {
  Q_OBJECT
 public:
  explicit TextFiguresView(QWidget* parent = nullptr);

  void showPreview(const DatasetPreview& preview);
  void showFigures(const DatasetFigures& figures);
  void clear();
  void addPage(QWidget* page, const QString& title);  // a further list; becomes its parent
  void exportTo(const QString& path);  // the three pictures, as PATH-lengths, ... Throws Error

 private:
  void showText(const TextFigures& figures, const std::vector<TextPair>& pairs);
  void setTab(ReportTable* table, const QString& title, Table content);

  CategoryPlot* lengths_;
  LinePlot *growth_, *coverage_;
  QTabWidget* tabs_;
  ReportTable *pairs_, *rejected_, *merges_, *shared_, *outliers_;
  QLabel *mergesNote_, *sharedLine_;
  QToolButton* showShared_;
};

}  // namespace strata::ui
