#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>

namespace strata {

// Options that stand before or after every verb.
struct GlobalOptions {
  std::filesystem::path workspace;  // --workspace, else STRATA_WORKSPACE, else ~/Strata
  bool json = false;                // --json: one JSON document on stdout and nothing else there
};

// Each verb adds its subcommand to `app`: options bound to a struct that the callback owns (a
// shared_ptr captured by value), a footer with examples, and a callback that does the work.
// `global` is filled before any callback runs. Callbacks throw strata::Error; results go to stdout,
// logs and bars to stderr.

void addDemoCommand(CLI::App& app, const GlobalOptions& global);
void addTextCommand(CLI::App& app, const GlobalOptions& global);
void addCleanCommand(CLI::App& text, const GlobalOptions& global);  // below `text`
void addDataCommand(CLI::App& app, const GlobalOptions& global);
void addGenerateCommand(CLI::App& data, const GlobalOptions& global);  // below `data`
void addLexiconCommand(CLI::App& data, const GlobalOptions& global);   // below `data`
void addEvaluateCommand(CLI::App& app, const GlobalOptions& global);
void addAlignCommand(CLI::App& app, const GlobalOptions& global);
void addCompareCommand(CLI::App& app, const GlobalOptions& global);
void addTrainCommand(CLI::App& app, const GlobalOptions& global);
void addAverageCommand(CLI::App& app, const GlobalOptions& global);
void addBenchCommand(CLI::App& app, const GlobalOptions& global);
void addVerifyCommand(CLI::App& app, const GlobalOptions& global);
void addRunsCommand(CLI::App& app, const GlobalOptions& global);
void addMergeCommand(CLI::App& runs, const GlobalOptions& global);  // below `runs`
void addWorkCommand(CLI::App& app, const GlobalOptions& global);
void addWorkspaceCommand(CLI::App& app, const GlobalOptions& global);
void addServeCommand(CLI::App& app, const GlobalOptions& global);
void addInspectCommand(CLI::App& app, const GlobalOptions& global);
void addTranslateCommand(CLI::App& app, const GlobalOptions& global);
void addTuneCommand(CLI::App& app, const GlobalOptions& global);
void addScoreCommand(CLI::App& app, const GlobalOptions& global);
void addPaperCommand(CLI::App& app, const GlobalOptions& global);
void addSweepCommand(CLI::App& app, const GlobalOptions& global);

}  // namespace strata
