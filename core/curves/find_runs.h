#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/curves/tool_run.h"

namespace strata {

// The runs at a path: of a folder of TensorBoard one for each subfolder with event files, in the
// order of their names; of a log one. `tool`: which it is; empty: found out from the contents.
// Throws a usage error if nothing there is known.
std::vector<ToolRun> readToolRuns(const std::filesystem::path& path, const std::string& tool,
                                  const ReadOptions& options = {});

// The readers of each tool. A log: one run for each training in it, at least one, which may have no
// curves.
std::vector<ToolRun> readTensorBoard(const std::filesystem::path& path, const ReadOptions& options);
std::vector<ToolRun> readFairseq(const std::filesystem::path& log, const ReadOptions& options);
// `path`: the model's folder, its train.log or its validations.txt.
std::vector<ToolRun> readJoeyNmt(const std::filesystem::path& path, const ReadOptions& options);

// Says of the trainings of one source, in their order, where they come from, and numbers them.
void nameTrainings(std::vector<ToolRun>& runs, const std::filesystem::path& source,
                   const std::vector<CurveFile>& files);

// Whether a file, from what it begins with, is one of the tool's.
bool isEventFile(const std::filesystem::path& file);
bool isFairseqLog(const std::filesystem::path& file);
bool isJoeyNmtFile(const std::filesystem::path& file);

// "base" of /models/base/train.log and of /logs/base.log.
std::string runNameOf(const std::filesystem::path& path);
// A name of an event file, as its writers choose it.
bool hasEventName(const std::filesystem::path& file);

}  // namespace strata
