#include "core/curves/find_runs.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curves/unread_formats.h"

namespace strata {
namespace {

bool hasEventFiles(const fs::path& folder, const ReadOptions& options) {
  std::size_t count = 0;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    checkCancelled(options.stop);
    if (hasEventName(at->path())) return true;
    if (++count > options.limits.files) return false;
  }
  return false;
}

std::vector<fs::path> logsIn(const fs::path& folder) {
  std::vector<fs::path> logs;
  for (const auto& name : namesIn(folder)) {
    const fs::path file = folder / name;
    std::string_view plain = name;
    if (plain.ends_with(".gz")) plain.remove_suffix(3);
    const bool log = plain.ends_with(".log") || plain.ends_with(".txt") || plain.ends_with(".out");
    std::error_code unknown;
    if (log && fs::is_regular_file(file, unknown)) logs.push_back(file);
  }
  return logs;
}

std::vector<ToolRun> fairseqLogsIn(const fs::path& folder, const ReadOptions& options) {
  std::vector<ToolRun> runs;
  for (const fs::path& log : logsIn(folder)) {
    checkCancelled(options.stop);
    if (!isFairseqLog(log)) continue;
    for (ToolRun& run : readFairseq(log, options)) {
      run.part = run.name;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

bool isJoeyNmtFolder(const fs::path& folder) {
  return std::ranges::any_of(std::array{"train.log", "validations.txt"}, [&](const char* name) {
    return fs::is_regular_file(folder / name) && isJoeyNmtFile(folder / name);
  });
}

std::string toolOf(const fs::path& path, const ReadOptions& options) {
  if (fs::is_directory(path)) {
    if (isJoeyNmtFolder(path)) return kJoeyNmt;
    return hasEventFiles(path, options) ? kTensorBoard : kFairseq;
  }
  if (isEventFile(path)) return kTensorBoard;
  if (isJoeyNmtFile(path)) return kJoeyNmt;
  return isFairseqLog(path) ? kFairseq : "";
}

// `sought`: whose curves there are none of. `runs`: say why.
[[noreturn]] void refuse(const fs::path& path, std::string_view sought,
                         const std::vector<ToolRun>& runs, const ReadOptions& options) {
  std::string why;
  for (const ToolRun& run : runs) {
    for (const std::string& note : run.notes) why += "; " + note;
  }
  if (const auto unread = unreadFormatOf(path, options)) {
    why += fmt::format("; {} is {}, which is not read: {}",
                       unread->file == path ? "it" : unread->file.string(), unread->name,
                       unread->advice);
  }
  throw usageError("{} has no curves of {}{}", path.string(), sought, why);
}

}  // namespace

std::string runNameOf(const fs::path& path) {
  constexpr std::array<std::string_view, 8> kPlain{
      "train", "log", "output", "stdout", "fairseq", "validations", "hydra_train", "events"};
  fs::path name = path.filename();
  if (name.empty()) name = path.parent_path().filename();
  if (fs::is_directory(path)) return name.string();
  while (name.extension() == ".gz" || name.extension() == ".log" || name.extension() == ".txt" ||
         name.extension() == ".out")
    name = name.stem();
  const bool plain = std::ranges::find(kPlain, name.string()) != kPlain.end();
  const fs::path folder = path.parent_path().filename();
  return (plain || hasEventName(path)) && !folder.empty() ? folder.string() : name.string();
}

void nameTrainings(std::vector<ToolRun>& runs, const fs::path& source,
                   const std::vector<CurveFile>& files) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ToolRun& run = runs[i];
    run.source = source;
    run.files = files;
    run.name = runNameOf(source);
    run.training = static_cast<int>(i + 1);
    if (i == 0) continue;
    run.name += fmt::format("-{}", i + 1);
    run.part = fmt::format("{}", i + 1);
    run.notes.push_back(
        fmt::format("it is training {} of {} in {}: the file has several, one after "
                    "the other",
                    i + 1, runs.size(), source.string()));
  }
}

std::vector<ToolRun> readToolRuns(const fs::path& given, const std::string& tool,
                                  const ReadOptions& options) {
  std::error_code failed;
  const fs::path path = fs::canonical(given, failed);
  if (failed) throw usageError("cannot read {}: {}", given.string(), failed.message());
  const std::string from = tool.empty() ? toolOf(path, options) : tool;
  std::vector<ToolRun> runs;
  if (from == kTensorBoard) {
    runs = readTensorBoard(path, options);
  } else if (from == kJoeyNmt) {
    runs = readJoeyNmt(path, options);
  } else if (from == kFairseq && fs::is_directory(path)) {
    runs = fairseqLogsIn(path, options);
  } else if (from == kFairseq) {
    runs = readFairseq(path, options);
  }
  const bool empty =
      std::ranges::all_of(runs, [](const ToolRun& run) { return run.curves.empty(); });
  if (empty) {
    const bool any = from.empty() || (tool.empty() && runs.empty());
    refuse(path, any ? "TensorBoard, fairseq or JoeyNMT" : from, runs, options);
  }
  std::erase_if(runs, [](const ToolRun& run) { return run.curves.empty(); });
  return runs;
}

}  // namespace strata
