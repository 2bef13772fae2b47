#pragma once

namespace strata::ui {

// From now on texts that tr() gets with a number lose their "(s)" at one and get an s otherwise:
// tr("%n run(s)", nullptr, 2) is "2 runs". Once for the application; GUI thread only.
void writePlurals();

}  // namespace strata::ui
