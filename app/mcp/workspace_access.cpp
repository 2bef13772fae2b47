#include "app/mcp/workspace_access.h"

#include "core/base/error.h"

namespace strata::mcp {

Workspace openExisting(const std::filesystem::path& root) {
  if (!std::filesystem::exists(root / "workspace.db"))
    throw usageError("{} is not a workspace; start strata-run mcp with --workspace DIR",
                     root.string());
  Workspace workspace(root);
  refreshWorkspace(workspace);
  return workspace;
}

}  // namespace strata::mcp
