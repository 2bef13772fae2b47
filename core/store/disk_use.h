#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace strata {

// Bytes of the files in a run's folder.
struct DiskUse {
  std::uint64_t checkpoints = 0, averages = 0, recordings = 0, outputs = 0;
  std::uint64_t events = 0;    // the event log and the logs of its program
  std::uint64_t analyses = 0;  // effects, readers, layers, means, tuning
  std::uint64_t text = 0, rest = 0;

  std::uint64_t all() const {
    return checkpoints + averages + recordings + outputs + events + analyses + text + rest;
  }
  DiskUse& operator+=(const DiskUse& other);
};
// Files that disappear meanwhile count nothing; links are not followed. A file with several names
// (hard links) counts once.
DiskUse diskUseOf(const std::filesystem::path& runFolder);
// The same for any folder, as one number.
std::uint64_t bytesBelow(const std::filesystem::path& folder);

struct RunUse {
  std::int64_t id = 0;
  std::string name;
  bool trashed = false;
  DiskUse use;
};

// Bytes of everything in a workspace. A file with several names counts once in all: text that runs
// share with their dataset is the dataset's.
struct WorkspaceUse {
  std::vector<RunUse> runs;  // largest first, with those in the trash
  DiskUse all, trash;        // sums over the runs outside the trash, and in it
  std::uint64_t datasets = 0, systems = 0, cache = 0, index = 0, rest = 0;

  std::uint64_t total() const {
    return all.all() + trash.all() + datasets + systems + cache + index + rest;
  }
};
WorkspaceUse workspaceUse(Workspace& workspace);

}  // namespace strata
