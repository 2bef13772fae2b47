#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curves/curve_input.h"
#include "core/curves/find_runs.h"
#include "core/curves/tf_events.h"
#include "core/curves/tf_records.h"

namespace strata {
namespace {

constexpr int kDepth = 32;  // of folders in folders

// Event files by their folder; links to folders are not followed, so that there are no circles.
std::map<fs::path, std::vector<fs::path>> filesBelow(const fs::path& root,
                                                     const ReadOptions& options) {
  std::map<fs::path, std::vector<fs::path>> found;
  std::size_t count = 0;
  std::error_code failed;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    checkCancelled(options.stop);
    if (++count > options.limits.files)
      throw Error("{} contains more than {} files: import its subfolders one by one", root.string(),
                  options.limits.files);
    if (at.depth() >= kDepth) at.disable_recursion_pending();
    std::error_code unknown;
    if (hasEventName(at->path()) && at->is_regular_file(unknown))
      found[at->path().parent_path()].push_back(at->path());
  }
  if (failed) throw Error("cannot read {}: {}", root.string(), failed.message());
  for (auto& [folder, files] : found) std::ranges::sort(files);
  return found;
}

ToolRun readRun(const std::vector<fs::path>& files, const ReadOptions& options,
                std::uint64_t before) {
  ToolRun run{.tool = kTensorBoard};
  EventContext context;
  CurveSet curves(options.limits);
  for (const fs::path& file : files) {
    try {
      readEventFile(file, options, before, context, curves, run.notes);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      if (files.size() == 1) throw;
      run.notes.push_back(error.what());
    }
    run.files.push_back({file, fileBytes(file)});
    before += run.files.back().bytes;
  }
  for (const std::string& note : curves.notes()) run.notes.push_back(note);
  if (context.notEvents > 0)
    run.notes.push_back(fmt::format("{} records are no events: left out", context.notEvents));
  if (context.otherTensors > 0)
    run.notes.push_back(
        fmt::format("{} scalars are tensors of another kind than one float32, float64, int32 or "
                    "int64: left out",
                    context.otherTensors));
  run.curves = curves.take();
  return run;
}

}  // namespace

bool hasEventName(const fs::path& file) {
  return file.filename().string().find("tfevents") != std::string::npos;
}

bool isEventFile(const fs::path& file) {
  ReadOptions options;
  CurveInput input(file, options);
  return startsWithRecord(input.read(12));
}

std::vector<ToolRun> readTensorBoard(const fs::path& path, const ReadOptions& options) {
  std::vector<ToolRun> runs;
  if (!fs::is_directory(path)) {
    runs.push_back(readRun({path}, options, 0));
    runs.back().source = path;
    runs.back().name = runNameOf(path);
    return runs;
  }
  std::uint64_t before = 0;
  for (const auto& [folder, files] : filesBelow(path, options)) {
    runs.push_back(readRun(files, options, before));
    ToolRun& run = runs.back();
    run.source = folder;
    const std::string below = folder.lexically_relative(path).generic_string();
    run.part = below == "." ? "" : below;
    run.name = runNameOf(path) + (run.part.empty() ? "" : "-" + run.part);
    for (const CurveFile& file : run.files) before += file.bytes;
  }
  return runs;
}

}  // namespace strata
