#pragma once
#include <QString>
#include <QStringList>
#include <QVector>
#include <memory>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/systems/imported_scores.h"
#include "core/systems/stored_systems.h"

namespace strata::ui {

// Test sets that systems can be compared on and the systems of all of them.
struct TrashedItem {
  enum class Kind { kSystem, kScores };
  Kind kind = Kind::kSystem;
  QString id;    // in the trash
  QString text;  // what it is, for a menu
};

struct SystemsList {
  std::vector<TestSet> sets;
  std::vector<StoredSystem> systems;
  QStringList problems;          // entries that exist but cannot be opened
  QVector<TrashedItem> trashed;  // what can be restored, the newest first
};

struct CompareRequest {
  QString testSet;
  QStringList systems;  // ids, at least one
  QString baseline;     // an id
  TextState state = TextState::kRaw;
  std::vector<std::string> metrics;  // of metricNames(), or names of imported scores
  SignificanceTest test = SignificanceTest::kBootstrap;
  bool lowercase = false;
  std::vector<double> lengthEdges;  // lower edges of length buckets; ascending, above 0
  int lengthBuckets = 0;            // additional buckets of equal counts; 0: none

  bool operator==(const CompareRequest&) const = default;
};

struct ExportTarget {
  enum class Kind { kPage, kSentences, kLatex };
  Kind kind;
  QString path;
};

// A file of scores made elsewhere, as the user wants it to be read, and what of it to import.
struct ScoresRequest {
  QString path = {}, testSet = {};
  ScoreFileOptions how = {};
  ImportedMetricInfo metric = {};  // to import
  QStringList systems = {};        // to import: the id of each list's system; empty: not this list
};

// What was recognised in a file.
struct ScoresPreview {
  QString path = {}, testSet = {};
  ScoreFile file = {};
  struct Match {
    QString system = {};   // id; empty: none was found
    QString problem = {};  // why the list cannot be imported for it; empty: it can
  };
  QVector<Match> matches = {};  // one per list
  QString error = {};           // why the file cannot be read; empty: it can
};

using ComparisonPointer = std::shared_ptr<const Comparison>;

}  // namespace strata::ui
