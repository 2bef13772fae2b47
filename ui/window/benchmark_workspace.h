#pragma once
#include <QString>
#include <QVector>

namespace strata {
class Workspace;
}

namespace strata::ui {

struct BenchmarkSizes {
  int runs = 1000;             // all of them
  int curves = 50;             // runs with a long series
  int points = 100'000;        // of each of these
  int words = 512;             // of a recorded sentence: its attention has words x words weights
  int pointsPerSecond = 1000;  // that arrive while the window looks on
  double seconds = 5;          // how long
  int repeats = 9;

  // With so much of everything, but of each enough for every figure.
  BenchmarkSizes scaled(double factor) const;
};

// What a generated workspace has to look at.
struct BenchmarkRuns {
  QVector<qint64> curves;
  qint64 sentence = 0;  // the run with a recorded sentence
};

// The series of the long curves.
inline constexpr const char* kBenchmarkSeries = "train/nll";
// A noisy loss that falls.
double benchmarkLoss(qint64 run, qint64 step);

// Fills an empty workspace with runs that have ended, as trainers leave them.
BenchmarkRuns makeBenchmarkRuns(Workspace& workspace, const BenchmarkSizes& sizes);

}  // namespace strata::ui
