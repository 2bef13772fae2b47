#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/store/runs.h"

namespace strata {

// The configuration of a run, config.effective.yaml, is what the run trains with when it goes on.
// Its digest and content are in the run's log: an edited or damaged file is noticed.

// The record that a run's configuration is `config`, of which `text` is the file: now, or as soon
// as it has been written, until when the file of before is right as well.
enum class ConfigFile { kIsThere, kFollows };
Json configEvent(const Json& config, const std::string& text, ConfigFile file);

// The configuration of a run's file differs from what the run was given; the message names the
// file and shows the difference.
class ConfigEdited : public Error {
 public:
  using Error::Error;
};

// Throws ConfigEdited unless the file is as the program wrote it, or means the same. A run of an
// earlier version, which has no digest yet, is given one. Call it before the run goes on.
void checkConfig(Workspace& workspace, const RunSummary& run);

// Takes the file as it is: the run goes on with it. Throws if it is no configuration, or while the
// run is trained. Returns what differs, "training.dropout: 0.1 -> 0.5" each; empty: nothing.
std::vector<std::string> acceptConfig(Workspace& workspace, const RunSummary& run);

}  // namespace strata
