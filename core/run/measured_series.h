#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Series that are wanted of a run, such as "test/nll". Only those of scored sets depend on the
// configuration: what training reports itself ("train/nll", "lr", "grad_norm/...") is always there.
//
// Those that a run of this effective configuration does not measure.
std::vector<std::string> unmeasuredSeries(const Json& config,
                                          const std::vector<std::string>& series);
// Adds what measures them: sets to validation.monitor, where no decision depends on them, metrics
// to validation.metrics.
void measureSeries(Json& config, const std::vector<std::string>& series);

}  // namespace strata
