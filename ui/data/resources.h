#pragma once

namespace strata::ui {

// Brings the files of resources/strata.qrc (":/style.qss", ":/icons/...") into the
// program. May be called any number of times.
void loadResources();

}  // namespace strata::ui
