#pragma once
#include "core/base/json.h"

namespace strata::ui {
class WatchedApplication;

// How long a window over 1,000 runs takes to open, and its longest turn (ui/window/loop_watch.h)
// while each panel is brought up: for so long it answers nothing. Milliseconds of wall time.
Json benchmarkWindow(WatchedApplication& application);

}  // namespace strata::ui
