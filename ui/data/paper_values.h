// What `strata-run paper` prints, as the Papers panel shows it.
#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVector>

#include "core/base/json.h"
#include "core/report/report_json.h"
#include "core/run/network.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"

namespace strata::ui {

// A table or figure that can be chosen.
struct PaperItem {
  QString id = {}, title = {};
  QString recipe = {};  // of a table's main task
  bool isTable = true;
};

// How a table or figure is run and shown: the options of the command line.
struct PaperChoice {
  QString id = {};
  QString dataset = {};  // empty: the paper's
  QString suffix = {};   // of the presets; empty: none
  int seeds = 3;

  bool operator==(const PaperChoice&) const = default;
  // {"paper", VERB, ID, "--data", ...}; `rows`: only these.
  QStringList command(const char* verb, const QStringList& rows = {}) const;
};

// A run that a table or figure needs.
struct PaperRunState {
  QString name = {};
  QStringList rows = {};
  QString status = {};    // empty: it does not exist
  qint64 maxUpdates = 0;  // 0: unknown
  bool missing = false;   // `paper run` queues it
};

// A table row in a column.
struct PaperCellState {
  struct Run {
    QString name = {}, text = {};  // the score as shown; empty: none yet
    qint64 seed = 0;
  };
  QString column = {}, missing = {};  // why it cannot be measured here; empty: it can
  QVector<Run> runs = {};
};

struct PaperRowState {
  QString name = {}, quoted = {};  // quoted: where its results come from; it is never run
  QVector<PaperCellState> cells = {};
};

struct PaperArcs {
  QString title = {};
  QStringList words = {};
  std::vector<Arc> arcs = {};
};

// A model that a figure draws.
struct PaperNetwork {
  QString title = {}, preset = {};
  Network network = {};
};

// A measured table or figure.
struct PaperResult {
  QString id = {}, title = {};
  bool isTable = true;
  Table shown = {};                  // as `paper show` prints it; of most figures without columns
  QVector<PaperRowState> rows = {};  // of the table
  std::vector<LineChart> charts = {};
  struct Map {
    QString title = {};
    QStringList columns = {};
    HeatMap map = {};
  };
  QVector<Map> maps = {};
  QVector<PaperArcs> arcs = {};
  QVector<PaperNetwork> networks = {};
  QVector<PaperRunState> runs = {};
  QStringList notes = {};    // below the table or figure
  QStringList missing = {};  // why parts cannot be run here
  QStringList lacks = {};    // of a figure: what would have to be run first
  int toScore = 0;

  // Its file is a table: that of a table, or of a figure that only lists properties.
  bool exportsTable() const { return isTable || (networks.isEmpty() && !shown.columns.empty()); }
};

// Throw Error if the text is not what this version of strata-run prints.
QVector<PaperItem> paperItemsFrom(const QByteArray& json);
PaperResult paperResultFrom(const QByteArray& json);

}  // namespace strata::ui
