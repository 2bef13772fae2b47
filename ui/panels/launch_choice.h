#pragma once
#include <QString>
#include <QStringList>

#include "core/run/sweep.h"
#include "ui/panels/preset_model.h"

namespace strata::ui {

// What the form of Launch says: the names of the run or the runs, and the command that trains them.
struct LaunchChoice {
  PresetRow entry = {};  // without a name: none is chosen
  QString dataset = {};
  qint64 version = 1;          // of the dataset
  QString name = {};           // as typed; empty: generated
  QStringList overrides = {};  // key=value, without the seed
  quint64 seed = 1;

  // Whether the run is exactly what the chosen row of a table trains.
  bool isTableRow() const;
  // By which a paper's table knows the runs, without their seed.
  QString paperName() const;
  QString runName(quint64 seed) const;  // empty: generated
  // The verb of strata-run that trains one run, with these settings.
  QStringList trainCommand(const QStringList& settings) const;
  // Without its grid; its seeds are this one.
  Sweep sweep() const;
};

}  // namespace strata::ui
