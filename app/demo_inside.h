#pragma once
#include "app/demo_systems.h"
#include "core/report/html.h"
#include "core/report/svg_parts.h"
#include "core/store/workspace.h"

namespace strata {

Picture svgPicture(const SvgPicture& picture, std::string caption);

// One picture of the inside of each paper's system: what to see in it, the panel and the command
// that show it live. What has not been recorded or measured is left out.
void addInside(HtmlPage& page, Workspace& workspace, const DemoSystems& systems);

}  // namespace strata
