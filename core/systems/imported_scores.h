// Scores of stored systems that other programs made.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/systems/score_files.h"
#include "core/systems/stored_systems.h"

namespace strata {

// Throws an Error that names the first line that differs and both texts, stripped at their ends, if
// a list is not of this system: its translations, its sources or its references (of which one must
// be the list's); another number of scores is an Error, too.
void checkScores(const ScoreList& list, const StoredSystem& system, const TestSet& set,
                 const std::string& file);

// Which system of a test set each list of a file belongs to: the one whose texts are equal, else
// the one of that name; if both the file and `systems` have one, that. An index; none if there is
// no such system.
std::vector<std::optional<std::size_t>> matchScores(const ScoreFile& file,
                                                    const std::vector<StoredSystem>& systems);

// Stores a list next to the system's text: one file, written atomically, with its digest and that
// of the text. A system that has scores of this metric and model is a usage error.
struct NewScores {
  const ScoreFile& file;  // with the metric as it is to be called
  const ScoreList& list;
  std::string fileName;
};
StoredScores importScores(const Workspace& workspace, const StoredSystem& system,
                          const TestSet& set, const NewScores& scores);

// The scores of a system under a metric, by its complete name, or without the model if that is
// unique; upper and lower case are the same. Others are usage errors that list them.
StoredScores findScores(const StoredSystem& system, const std::string& metric);

// Moves scores to the workspace's trash, under the returned id, and back to their system.
std::string trashScores(Workspace& workspace, const StoredScores& scores);
struct TrashedScores {
  std::string id, system, metric;  // the system's id
};
std::vector<TrashedScores> trashedScores(const Workspace& workspace);  // the newest last
// Returns what was restored. A system that no longer exists, or that has such scores, is an Error.
TrashedScores restoreScores(Workspace& workspace, const std::string& id);

// All metrics of these systems, by name; two with the same name must be equal in direction and
// scale, or it is an Error that names both systems.
std::vector<ImportedMetricInfo> importedMetrics(const std::vector<StoredSystem>& systems);
// The name of a metric of metricNames() or of `imported`, as a comparison needs it, for what a user
// wrote: see findScores.
std::string metricNamed(const std::string& wanted, const std::vector<ImportedMetricInfo>& imported);
// The scores under these metrics, for a comparison of the systems in this order.
std::vector<ImportedScores> scoresUnder(const std::vector<std::string>& metrics,
                                        const std::vector<StoredSystem>& systems);

}  // namespace strata
