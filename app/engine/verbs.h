#pragma once
#include "app/commands/verbs.h"

namespace strata {

// Verbs that need models and libtorch.
std::span<const Verb> engineVerbs();

void addDemoCommand(CLI::App& app, const GlobalOptions& global);
void addTrainCommand(CLI::App& app, const GlobalOptions& global);
void addAverageCommand(CLI::App& app, const GlobalOptions& global);
void addBenchCommand(CLI::App& app, const GlobalOptions& global);
void addVerifyCommand(CLI::App& app, const GlobalOptions& global);
void addServeCommand(CLI::App& app, const GlobalOptions& global);
void addInspectCommand(CLI::App& app, const GlobalOptions& global);
void addTranslateCommand(CLI::App& app, const GlobalOptions& global);
void addTuneCommand(CLI::App& app, const GlobalOptions& global);
void addScoreCommand(CLI::App& app, const GlobalOptions& global);
void addEffectsCommand(CLI::App& app, const GlobalOptions& global);
void addReadersCommand(CLI::App& app, const GlobalOptions& global);
void addLayersCommand(CLI::App& app, const GlobalOptions& global);
void addPaperCommand(CLI::App& app, const GlobalOptions& global);
void addSweepCommand(CLI::App& app, const GlobalOptions& global);

}  // namespace strata
