// The tools of `strata-run mcp`, by group. Each opens the workspace anew, so that calls may run at
// the same time; none reads or writes a file outside it.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "app/mcp/engine.h"
#include "app/mcp/tool.h"

namespace strata::mcp {

// list_runs, show_run, read_curves, wait_for_runs
std::vector<Tool> runTools(const std::filesystem::path& workspace);
// query
std::vector<Tool> queryTools(const std::filesystem::path& workspace);
// list_translations, compare_translations
std::vector<Tool> comparisonTools(const std::filesystem::path& workspace);
// translate, intervene, list_internals
std::vector<Tool> modelTools(std::shared_ptr<Engine> engine);
// list_presets, list_datasets, plan_run
std::vector<Tool> planTools(const std::filesystem::path& workspace, std::shared_ptr<Engine> engine);
// launch_run, stop_run: only if the user has allowed changes
std::vector<Tool> changeTools(const std::filesystem::path& workspace,
                              std::shared_ptr<Engine> engine);

}  // namespace strata::mcp
