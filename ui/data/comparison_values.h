#pragma once
#include <QString>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/systems/stored_systems.h"

namespace strata::ui {

// Test sets that systems can be compared on and the systems of all of them.
struct SystemsList {
  std::vector<TestSet> sets;
  std::vector<StoredSystem> systems;
  QStringList problems;  // entries that exist but cannot be opened
};

struct CompareRequest {
  QString testSet;
  QStringList systems;  // ids, two or more
  QString baseline;     // an id
  TextState state = TextState::kRaw;
  std::vector<std::string> metrics;  // of metricNames()
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

using ComparisonPointer = std::shared_ptr<const Comparison>;

}  // namespace strata::ui
