#pragma once
#include <QHash>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <limits>

#include "core/store/run_settings.h"
#include "core/store/workspace.h"

namespace strata::ui {

// A setting of all runs that have it.
struct SettingColumn {
  struct Value {
    QString text;  // as the configuration writes it
    double number = std::numeric_limits<double>::quiet_NaN();
  };
  QString key;          // "training.dropout"
  int values = 0;       // different ones
  bool numeric = true;  // all are numbers
  QHash<qint64, Value> ofRuns;
};

struct RunSettingColumns {
  QVector<SettingColumn> columns;  // sorted by key
  const SettingColumn* find(const QString& key) const;
};

// The settings that differ between the runs outside the trash, and those of `keys`. Runs without a
// configuration are left out.
RunSettingColumns readSettings(Workspace& workspace, const QStringList& keys,
                               RunSettings& settings);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunSettingColumns)
