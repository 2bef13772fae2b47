#pragma once
#include <QString>
#include <QStringList>
#include <QVector>
#include <utility>

#include "ui/data/paper_values.h"
#include "ui/data/values.h"

namespace strata::ui {

// A measured table or figure of a paper with the runs that it needs: which of them there are in the
// workspace, and how far they are.
class PaperRuns {
 public:
  void setRuns(const QVector<RunRow>& runs) { runs_ = runs; }  // of the workspace
  void setResult(PaperResult result) { result_ = std::move(result); }
  const QVector<RunRow>& runs() const { return runs_; }
  const PaperResult& result() const { return result_; }

  const RunRow* find(const QString& name) const;  // null: there is none
  QString statusOf(const QString& name) const;  // "missing", "running 62 %", "trained, not scored"
  QStringList namesOfRow(int row) const;
  bool hasRunsOfRow(int row) const;         // in the workspace
  int missingOf(const QString& row) const;  // empty: of all
  QString stateOfRow(int row) const;        // "1 running 62 %, 2 missing"
  QStringList statesOfRows() const;
  // Of the runs that it needs, by which a measurement is out of date.
  QStringList statusesNow() const;
  QStringList statusesMeasured() const;

 private:
  QVector<RunRow> runs_;
  PaperResult result_;
};

}  // namespace strata::ui
