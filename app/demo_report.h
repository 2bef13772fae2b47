#pragma once
#include <filesystem>

#include "app/demo_results.h"
#include "app/demo_systems.h"
#include "core/store/workspace.h"

namespace strata {

// Writes reports/demo/index.html in the workspace: scores, the verdict next to the learning curves,
// a picture of each paper's inside, translations, and the screenshots in reports/demo/pictures, if
// any. Returns the page's path.
std::filesystem::path writeDemoReport(Workspace& workspace, const DemoSystems& systems,
                                      const DemoResults& results);

}  // namespace strata
