#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/json.h"

namespace strata {

// Options accepted before or after every verb.
struct GlobalOptions {
  std::filesystem::path workspace;  // --workspace, else STRATA_WORKSPACE, else ~/Strata
  bool json = false;                // --json: stdout gets one JSON document and nothing else
};

inline constexpr int kTerminated = 143;  // exit status of a program ended by SIGTERM

// Each verb adds its subcommand to `app`: options bound to a struct that the callback owns (a
// shared_ptr captured by value), a footer with examples, and a callback that does the work.
// `global` is filled before any callback runs. Callbacks throw strata::Error; results go to stdout,
// logs and progress bars to stderr.
struct Verb {
  const char* name;
  void (*add)(CLI::App& app, const GlobalOptions& global);
};

// Prints a verb's result with --json.
void printJson(const Json& document);
// Prints what a verb has done: the document with --json, else the text, which has no last line end.
void printDone(const GlobalOptions& global, const Json& document, std::string_view text);

// Verbs that need neither a model nor libtorch, so the program starts at once.
std::span<const Verb> dataVerbs();

void addTextCommand(CLI::App& app, const GlobalOptions& global);
void addCleanCommand(CLI::App& text, const GlobalOptions& global);  // below `text`
void addDataCommand(CLI::App& app, const GlobalOptions& global);
void addGenerateCommand(CLI::App& data, const GlobalOptions& global);  // below `data`
void addLexiconCommand(CLI::App& data, const GlobalOptions& global);   // below `data`
void addEvaluateCommand(CLI::App& app, const GlobalOptions& global);
void addAlignCommand(CLI::App& app, const GlobalOptions& global);
void addCompareCommand(CLI::App& app, const GlobalOptions& global);
void addSystemsCommand(CLI::App& app, const GlobalOptions& global);
void addRunsCommand(CLI::App& app, const GlobalOptions& global);
void addMergeCommand(CLI::App& runs, const GlobalOptions& global);        // below `runs`
void addPruneCommand(CLI::App& runs, const GlobalOptions& global);        // below `runs`
void addInsideCommand(CLI::App& runs, const GlobalOptions& global);       // below `runs`
void addHistogramsCommand(CLI::App& runs, const GlobalOptions& global);   // below `runs`
void addCheckpointCommands(CLI::App& runs, const GlobalOptions& global);  // below `runs`
void addDiffCommand(CLI::App& runs, const GlobalOptions& global);         // below `runs`
void addRunsSweepCommand(CLI::App& runs, const GlobalOptions& global);    // below `runs`
void addWatchCommands(CLI::App& runs, const GlobalOptions& global);       // below `runs`
void addQueueCommands(CLI::App& runs, const GlobalOptions& global);       // below `runs`
void addWaitCommand(CLI::App& runs, const GlobalOptions& global);         // below `runs`
void addWorkCommand(CLI::App& app, const GlobalOptions& global);
void addWorkspaceCommand(CLI::App& app, const GlobalOptions& global);
void addQueryCommand(CLI::App& app, const GlobalOptions& global);
void addMcpCommand(CLI::App& app, const GlobalOptions& global);          // app/mcp
void addUsageCommand(CLI::App& workspace, const GlobalOptions& global);  // below `workspace`

}  // namespace strata
