#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/histogram.h"

namespace strata {

// The histograms of a run are records of its event log (core/store/event_log.h): about 10 kB a
// step, since only bins with values are written. runId is not stored.
std::string packHistograms(const HistogramEvent& event);

// What is wanted of a run's histograms: everything that is set has to match.
struct HistogramFilter {
  std::optional<HistogramKind> kind = {};
  std::optional<std::string> layer = {};
  std::optional<std::int64_t> step = {};
};

// Reads a run's histograms and goes on where it stopped, since a run that trains adds some. The
// steps that a resumed run repeats take the place of those before.
class HistogramLog {
 public:
  // A filter of one kind and layer keeps thousands of steps in a few megabytes.
  HistogramLog(const std::filesystem::path& runFolder, HistogramFilter filter);

  // Reads what has been written since the last call. False: nothing that changes the values below.
  bool read();

  const std::vector<std::int64_t>& steps() const { return steps_; }   // all recorded, ascending
  const std::vector<StepHistogram>& found() const { return found_; }  // that match, by step
  // All that were ever recorded.
  const std::set<std::pair<HistogramKind, std::string>>& layers() const { return layers_; }

 private:
  bool add(std::string_view payload);
  bool cut(std::int64_t last);  // drops what is after this step

  std::filesystem::path file_;
  HistogramFilter filter_;
  std::uint64_t offset_ = 0;
  std::vector<std::int64_t> steps_;
  std::vector<StepHistogram> found_;
  std::set<std::pair<HistogramKind, std::string>> layers_;
};

}  // namespace strata
