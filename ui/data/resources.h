#pragma once

namespace strata::ui {

// Registers the files of resources/strata.qrc (":/style.qss", ":/icons/..."). May be called any
// number of times.
void loadResources();

}  // namespace strata::ui
