#pragma once
#include <QHash>
#include <QString>

#include "ui/data/values.h"

namespace strata::ui {

// "fairseq" of a run whose curves come from fairseq; empty: Strata trained it.
QString importedFrom(const RunRow& run);
// Why a panel that needs a model cannot show the run; empty: it was not imported.
QString importedLackOf(const RunRow& run);

// The imported runs of the workspace, for panels that list only runs with a model.
class ImportedRuns {
 public:
  void setRuns(const QVector<RunRow>& all);
  // `otherwise` if it is none of them.
  QString lackOf(qint64 run, const QString& otherwise) const {
    return lacks_.value(run, otherwise);
  }

 private:
  QHash<qint64, QString> lacks_;
};

}  // namespace strata::ui
