#include "core/curves/unread_formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curves/curve_input.h"
#include "core/curves/log_text.h"

namespace strata {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;  // bytes of a file that tell what it is
constexpr int kFolderDepth = 3;                       // of folders in folders
constexpr std::size_t kEntries = 2000, kFiles = 300;  // of a folder that are looked at

// What is known of a file.
struct Beginning {
  std::string name;       // without .gz
  std::string_view head;  // its first bytes
  std::vector<std::string_view> lines;

  bool holds(std::string_view part) const { return head.find(part) != head.npos; }
  std::string_view firstLine() const { return lines.empty() ? std::string_view() : lines.front(); }
};

// "[2024-01-31 12:00:00] Ep. 1 : Up. 100 : ..." and the line that names the version.
bool isMarianLog(const Beginning& file) {
  return std::ranges::any_of(file.lines, [](std::string_view line) {
    if (!line.starts_with('[')) return false;
    const auto epoch = line.find("] Ep. "), update = line.find(" : Up. ");
    return line.find("] [marian] Marian v") != line.npos ||
           (epoch != line.npos && update != line.npos && epoch < update) ||
           (line.find("] [valid] Ep. ") != line.npos && update != line.npos);
  });
}

// "[2024-01-31 12:00:00,000 INFO] Step 50/ 1000; acc: 3.10; ppl: 220.00; ...".
bool isOpenNmtLog(const Beginning& file) {
  return std::ranges::any_of(file.lines, [](std::string_view line) {
    const auto step = line.find("Step "), accuracy = line.find("; acc");
    return step != line.npos && accuracy != line.npos && step < accuracy &&
           line.find("ppl:", accuracy) != line.npos;
  });
}

// CHECKPOINT and pairs NAME=VALUE, separated by tabs.
bool isSockeyeMetrics(const Beginning& file) {
  std::string_view rest = file.firstLine();
  if (!wholeNumberIn(takeUntil(rest, "\t")) || rest.empty()) return false;
  while (!rest.empty()) {
    const std::string_view pair = takeUntil(rest, "\t");
    if (pair.find('=') == pair.npos || pair.starts_with('=')) return false;
  }
  return true;
}

bool isSockeyeLog(const Beginning& file) {
  return std::ranges::any_of(file.lines, [](std::string_view line) {
    return line.find(":sockeye.") != line.npos ||
           (line.find("Checkpoint [") != line.npos && line.find("]\tUpdates=") != line.npos);
  });
}

bool isTrainerState(const Beginning& file) {
  const auto start = file.head.find_first_not_of(" \t\r\n");
  return start != file.head.npos && file.head[start] == '{' && file.holds("\"log_history\"");
}

bool isWandb(const Beginning& file) {
  return file.head.starts_with(":W&B");
}

// What TensorBoard exports has any name.
bool isCsv(const Beginning& file) {
  const std::string_view first = file.firstLine();
  return first.find(',') != first.npos &&
         (file.name.ends_with(".csv") || first.starts_with("Wall time,Step,Value"));
}

bool isTsv(const Beginning& file) {
  return file.name.ends_with(".tsv") && file.firstLine().find('\t') != std::string_view::npos;
}

bool isJsonLines(const Beginning& file) {
  return file.name.ends_with(".jsonl") && file.head.starts_with('{');
}

// The description of an experiment or run, or a metric: TIME VALUE STEP, the time in ms.
bool isMlflow(const Beginning& file) {
  if (file.name == "meta.yaml") return file.holds("experiment_id:") || file.holds("run_uuid:");
  std::string_view rest = file.firstLine();
  const auto time = wholeNumberIn(takeUntil(rest, " "));
  constexpr std::int64_t kYear2001 = 1'000'000'000'000;
  return time && *time > kYear2001 && strata::numberIn(takeUntil(rest, " ")) && wholeNumberIn(rest);
}

struct Known {
  bool (*is)(const Beginning&);
  std::string_view name, advice;
};

constexpr std::string_view kOfTables =
    "make event files of it, as docs/other-tools.md shows for a table (section 2)";

constexpr std::array<Known, 10> kKnown{{
    {isWandb, "the file of a Weights & Biases run",
     "export its history as CSV (`wandb sync`, then run.history() of wandb.Api) and make event "
     "files of it, as docs/other-tools.md shows for a table (section 2)"},
    {isTrainerState, "the state of Hugging Face's Trainer",
     "import the folder `runs` that it writes with `report_to=\"tensorboard\"`, or make event "
     "files of its `log_history`, as docs/other-tools.md shows for a table (section 2)"},
    {isMarianLog, "Marian's log",
     "make event files of it with marian-tensorboard (`marian-tensorboard --offline --port 0 "
     "--log-file LOG --work-dir FOLDER`) and import that folder"},
    {isOpenNmtLog, "OpenNMT-py's log",
     "import the event files that it writes with `tensorboard: true`, or make some of the log's "
     "figures, as docs/other-tools.md shows for a table (section 2)"},
    {isSockeyeMetrics, "Sockeye's metrics file",
     "import the folder `tensorboard` next to it, which has the same curves"},
    {isSockeyeLog, "Sockeye's log",
     "import the folder `tensorboard` next to it, which has the same curves"},
    {isMlflow, "a part of MLflow's folder",
     "export the metrics of a run as a table and make event files of it, as docs/other-tools.md "
     "shows (section 2)"},
    {isCsv, "CSV", kOfTables},
    {isTsv, "TSV", kOfTables},
    {isJsonLines, "JSON lines", kOfTables},
}};

std::optional<UnreadFormat> formatOfFile(const fs::path& path, const ReadOptions& options) {
  std::string head;
  try {
    CurveInput input(path, {.limits = options.limits, .stop = options.stop});
    input.read(kHead, head);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
  fs::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  Beginning file{.name = name.string(), .head = head, .lines = {}};
  if (file.head.starts_with("\xEF\xBB\xBF")) file.head.remove_prefix(3);
  for (std::string_view rest = file.head; !rest.empty();) {
    std::string_view line = takeUntil(rest, "\n");
    if (line.ends_with('\r')) line.remove_suffix(1);
    file.lines.push_back(line);
  }
  const auto* found =
      std::ranges::find_if(kKnown, [&](const Known& known) { return known.is(file); });
  if (found == kKnown.end()) return std::nullopt;
  return UnreadFormat{path, found->name, found->advice};
}

// Files whose names are those of logs and tables, in the order of their names.
std::vector<fs::path> likelyFilesIn(const fs::path& folder, const ReadOptions& options) {
  constexpr std::array<std::string_view, 9> kEndings{".wandb", ".csv", ".tsv", ".jsonl",  ".log",
                                                     ".txt",   ".out", ".err", ".metrics"};
  constexpr std::array<std::string_view, 4> kNames{"trainer_state.json", "meta.yaml", "metrics",
                                                   "log"};
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (std::size_t count = 0;
       !failed && at != fs::recursive_directory_iterator() && count < kEntries; ++count) {
    checkCancelled(options.stop);
    if (at.depth() >= kFolderDepth) at.disable_recursion_pending();
    std::string name = at->path().filename().string();
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    const bool likely =
        std::ranges::find(kNames, name) != kNames.end() ||
        std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
    std::error_code unknown;
    if (likely && at->is_regular_file(unknown)) files.push_back(at->path());
    at.increment(failed);
  }
  std::ranges::sort(files);
  if (files.size() > kFiles) files.resize(kFiles);
  return files;
}

}  // namespace

std::optional<UnreadFormat> unreadFormatOf(const fs::path& path, const ReadOptions& options) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return formatOfFile(path, options);
  for (const fs::path& file : likelyFilesIn(path, options)) {
    checkCancelled(options.stop);
    if (auto found = formatOfFile(file, options)) return found;
  }
  return std::nullopt;
}

}  // namespace strata
