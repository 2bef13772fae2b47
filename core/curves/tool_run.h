#pragma once
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/run/events.h"

namespace strata {

// The tools whose curves can be read.
inline constexpr const char* kTensorBoard = "tensorboard";
inline constexpr const char* kFairseq = "fairseq";
inline constexpr const char* kJoeyNmt = "joeynmt";

struct Curve {
  std::string name;  // of the series
  std::vector<ScalarPoint> points;

  std::int64_t firstStep() const { return points.front().step; }
};

// A file that was read, and how much of it.
struct CurveFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;  // on the disk
};

// One training run as another tool's files show it.
struct ToolRun {
  std::string tool = {};
  std::string name = {};  // as the files suggest it
  std::string part = {};  // what tells it from the other runs of its folder; empty: nothing
  std::filesystem::path source = {};    // the folder, or the file, that it is read from; absolute
  int training = 1;                     // of those in the source, from 1
  std::vector<CurveFile> files = {};    // in the order of reading
  std::vector<Curve> curves = {};       // by name, none without points
  std::vector<std::string> notes = {};  // what was left out or is damaged, one sentence each

  std::int64_t points() const;
  std::int64_t firstStep() const;  // of all curves; -1: no points
  std::int64_t lastStep() const;
  // The curve that says how good the run is: the likelihood of the validation set, a loss, or one
  // of which it is known which values are better, if there is one.
  std::string metric() const;
};

struct CurveLimits {
  std::size_t series = 10'000;         // of a run
  std::size_t points = 50'000'000;     // of a run: 1.2 GB of memory
  std::size_t nameBytes = 500;         // of a series
  std::size_t lineBytes = 1u << 20;    // of a text file; the rest of a longer line is not looked at
  std::size_t recordBytes = 1u << 30;  // of an event file
  std::size_t files = 100'000;         // of a folder and what is below it
};

struct ReadOptions {
  CurveLimits limits = {};
  Progress* progress = nullptr;  // of the bytes read
  std::stop_token stop = {};
};

}  // namespace strata
