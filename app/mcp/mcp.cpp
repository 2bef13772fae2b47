// strata-run mcp: a Model Context Protocol server on stdin and stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "app/commands/verbs.h"
#include "app/mcp/server.h"
#include "app/mcp/tools.h"
#include "app/server/lines.h"

namespace strata {
namespace {

struct McpOptions {
  bool write = false;
  std::string device = "auto";
  int threads = 0;
};

std::vector<mcp::Tool> toolsOf(const GlobalOptions& global, const McpOptions& options) {
  const auto root = std::filesystem::absolute(global.workspace);
  const auto engine = std::make_shared<mcp::Engine>(
      std::vector<std::string>{"--workspace", root.string(), "serve", "--device", options.device,
                               "--threads", fmt::format("{}", options.threads)});
  std::vector<mcp::Tool> tools = mcp::runTools(root);
  const auto add = [&](std::vector<mcp::Tool> group) {
    for (mcp::Tool& tool : group) tools.push_back(std::move(tool));
  };
  add(mcp::queryTools(root));
  add(mcp::comparisonTools(root));
  add(mcp::modelTools(engine));
  add(mcp::planTools(root, engine));
  if (options.write) add(mcp::changeTools(root, engine));
  return tools;
}

std::string instructionsOf(const GlobalOptions& global, const McpOptions& options) {
  return fmt::format(
      "Strata is a workbench for research on neural machine translation. These tools work with the "
      "workspace {}: runs (trainings of translation models), datasets, and stored translations of "
      "test sets. {}",
      global.workspace.string(),
      options.write ? "Launching and stopping runs is allowed; training takes long, so check with "
                      "plan_run and ask the user first."
                    : "They only read; to launch and stop runs the user has to start the server "
                      "with --write.");
}

void runServer(const GlobalOptions& global, const McpOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed reader ends the session, not the program
  const int output = reserveOutput();
  mcp::Server(toolsOf(global, options), instructionsOf(global, options))
      .serve(STDIN_FILENO, output);
  ::close(output);
}

}  // namespace

void addMcpCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<McpOptions>();
  auto* verb = app.add_subcommand(
      "mcp", "Let an assistant work with the workspace, by the Model Context Protocol");
  verb->add_flag("--write", options->write,
                 "Also offer the tools that change the workspace: launch and stop runs");
  verb->add_option("--device", options->device, "To translate on: auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "Threads to translate with; 0: all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verb->footer(
      "A server on stdin and stdout that the assistant's program starts: register the command "
      "there.\n"
      "Tools: list_runs, show_run, read_curves, wait_for_runs, list_translations,\n"
      "compare_translations, translate, intervene, list_internals, list_presets, list_datasets,\n"
      "plan_run; with --write launch_run and stop_run.\n"
      "Examples:\n"
      "  strata-run mcp --workspace ~/Strata\n"
      "  strata-run mcp --workspace ~/Strata --write --device cpu --threads 2\n"
      "As most programs want it registered:\n"
      "  {\"mcpServers\": {\"strata\": {\"command\": \"/path/to/strata-run\",\n"
      "    \"args\": [\"--workspace\", \"/home/me/Strata\", \"mcp\"]}}}");
  verb->callback([options, &global] { runServer(global, *options); });
}

}  // namespace strata
