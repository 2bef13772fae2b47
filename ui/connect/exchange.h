#pragma once
#include <QObject>
#include <string>
#include <vector>

#include "core/run/hypothesis.h"

namespace strata::ui {

// Values that one panel makes and others draw.
class Exchange : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

 signals:
  void datasetChosen(const QString& dataset);  // to train a model with it
  // A new run with a run's configuration, which begins with the model in `from`; empty: as it did.
  void copyWanted(qint64 run, const QString& from);
  void settingWanted(const QString& key);  // of a run, to be shown
  // What a translation recorded of the decoder: best hypothesis first.
  void translated(qint64 run, const std::vector<std::string>& source,
                  const std::vector<strata::Hypothesis>& hypotheses);
};

}  // namespace strata::ui
