#pragma once
#include "app/mcp/engine.h"
#include "app/mcp/tool.h"
#include "core/run/request_params.h"
#include "core/run/serve_protocol.h"
#include "core/store/workspace.h"

namespace strata::mcp {

// Reads preset, dataset and overrides. An Error unless everything that they name is in the
// workspace: a configuration can otherwise name files in any folder.
serve::DryRunRequest plannedRequest(RequestParams& params, Workspace& workspace);
// The members of arguments that it reads.
Json plannedProperties();

// Checks the configuration and the data and estimates parameters, memory and time.
Json dryRun(Engine& engine, const serve::DryRunRequest& request, const ToolCall& call);

}  // namespace strata::mcp
