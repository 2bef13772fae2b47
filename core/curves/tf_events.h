#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_map.h"
#include "core/curves/curve_set.h"
#include "core/curves/tool_run.h"

namespace strata {

// The scalars of TensorBoard's event files: protocol buffers in TFRecords. Images, histograms,
// texts and graphs are passed over.

// What a run's files say in common, one after the other: the plugin of a tag is given with its
// first value only.
struct EventContext {
  StringMap<bool> isScalar = {};  // of tags whose plugin is known
  double version = 0;             // of the events; 0: none is given, -1: it is no number
  bool hasStarted = false;        // a session
  std::int64_t newestStep = -1;   // of the newest event with a summary
  std::int64_t notEvents = 0;     // records that are no event
  std::int64_t otherTensors = 0;  // values of the scalars plugin that are no single number
};

// Adds the scalars of one file, and removes what TensorBoard's Python loader removes before an
// event: from version 2 on all points from the step on at which a session starts that is not the
// first; before, if a summary's step is below that of the summary before it, the points of its own
// tags from there on. Says in `notes` if its end is missing or damaged; what comes before
// counts. Throws an Error if it is no event file.
void readEventFile(const std::filesystem::path& file, const ReadOptions& options,
                   std::uint64_t before, EventContext& context, CurveSet& curves,
                   std::vector<std::string>& notes);

// Writes curves as one event file that TensorBoard shows, atomically; values are rounded to single
// precision, as TensorBoard's own `simple_value` is. `time`: of the file, seconds since 1970.
void writeEventFile(const std::filesystem::path& file, std::span<const Curve> curves, double time,
                    const ReadOptions& options = {});

}  // namespace strata
