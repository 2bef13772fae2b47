#pragma once
#include <filesystem>
#include <vector>

#include "core/store/workspace.h"

namespace strata {

// How folders of the workspace are removed: first renamed, so that nothing sees a part of one, then
// deleted. A process that is killed in between leaves a folder that counts as gone.

// The name of a folder that is being deleted: ".NAME.removed" next to it.
std::filesystem::path removalOf(const std::filesystem::path& folder);
// Renames; returns the new name, to be passed to endRemoval. An Error if it cannot.
std::filesystem::path beginRemoval(const std::filesystem::path& folder);
// Deletes; another process may do the same at once.
void endRemoval(const std::filesystem::path& removal);
// Those in a folder that a killed process has left.
std::vector<std::filesystem::path> unfinishedRemovals(const std::filesystem::path& parent);

// Removes the rows of runs from the index whose folders in the trash are being deleted: a process
// was killed between the two. Returns their number.
int forgetRemovedRuns(Workspace& workspace);

}  // namespace strata
