// strata-run: the headless program. Composition only: global options, verbs, and the boundary at
// which errors become messages and exit statuses.
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace strata {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;

using Verb = void (*)(CLI::App& app, const GlobalOptions& global);
constexpr Verb kVerbs[] = {
    addDemoCommand,    addRunsCommand,  addWorkCommand,     addWorkspaceCommand,
    addTextCommand,    addDataCommand,  addEvaluateCommand, addAlignCommand,
    addCompareCommand, addTrainCommand, addAverageCommand,  addBenchCommand,
    addVerifyCommand,  addServeCommand, addInspectCommand,  addTranslateCommand,
    addScoreCommand,   addTuneCommand,  addPaperCommand,    addSweepCommand,
};

std::filesystem::path defaultWorkspace() {
  if (const char* chosen = std::getenv("STRATA_WORKSPACE"); chosen != nullptr && *chosen != '\0')
    return chosen;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : ".") / "Strata";
}

int run(int argc, char** argv) {
  CLI::App app("Research workbench for deep neural machine translation, without a window.",
               "strata-run");
  GlobalOptions global{.workspace = defaultWorkspace()};
  std::string logLevel = "info";
  app.add_option("--workspace", global.workspace, "Folder of datasets and runs")
      ->capture_default_str();
  app.add_option("--log-level", logLevel, "trace, debug, info, warning, error or off")
      ->capture_default_str();
  app.add_flag("--json", global.json, "Print one JSON document on stdout and nothing else there");
  app.require_subcommand(1);
  app.fallthrough();
  app.parse_complete_callback([&] { setUpLog(logLevel); });
  for (const Verb add : kVerbs) add(app, global);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();  // a verb that is done and says with which status
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  return 0;
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  try {
    return strata::run(argc, argv);
  } catch (const strata::Error& error) {
    std::fprintf(stderr, "strata-run: %s\n", error.what());
    return error.kind() == strata::ErrorKind::kUsage ? strata::kWrongUsage : strata::kFailure;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strata-run: internal error: %s\n", error.what());
    return strata::kFailure;
  }
}
