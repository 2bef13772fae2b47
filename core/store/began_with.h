#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/store/workspace.h"

namespace strata {

// The model whose parameters a run began with. training.from names it as it was called then; this
// goes on naming it when its run is renamed or moved to the trash, and says which checkpoint "best"
// or "last" was.
struct BeganWith {
  std::optional<std::int64_t> run;  // of the workspace, whose model it is; empty: of none
  std::filesystem::path model;      // the model's folder, in that run's folder; else absolute
};

// Writes RUN/began_with.json. `model` is an existing folder.
void recordBeginning(const Workspace& workspace, const std::filesystem::path& runFolder,
                     const std::filesystem::path& model);
// Empty for a run that began with random numbers, that an earlier version trained, or whose file is
// damaged: what its configuration says is then all that is known.
std::optional<BeganWith> beginningOf(const std::filesystem::path& runFolder);

}  // namespace strata
