#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/store/workspace.h"

namespace strata {

// A run's status, as named in the index.
enum class RunStatus {
  kCreated,
  kQueued,
  kRunning,
  kPaused,
  kStopped,
  kFinished,
  kFailed,
  kInterrupted
};
std::string_view nameOf(RunStatus status);  // "queued", "running", ...
RunStatus runStatusFrom(std::string_view name);
bool isRunStatus(std::string_view name);

struct NewRun {
  std::string name = {};    // unique; see checkRunName. Empty: derived from the preset or dataset
  Json config = {};         // effective; `preset` in it is optional
  std::string preset = {};  // "" if none was used
};

// One line of the table of runs.
struct RunSummary {
  std::int64_t id = 0;
  std::string name, preset, dataset, family;
  std::string group;  // configurationGroup at its creation; "" if an older version created it
  RunStatus status = RunStatus::kCreated;
  std::string message;    // why it failed, stopped or was interrupted
  bool diverged = false;  // it failed at numbers that are not finite
  std::string
      metric;  // the series that best and last are of (the configuration's checkpoint.metric)
  // NaN: no value yet; of `best` also if nobody knows which values are better.
  double best = std::numeric_limits<double>::quiet_NaN();
  double last = std::numeric_limits<double>::quiet_NaN();
  std::int64_t bestStep = -1, lastStep = -1;  // bestStep: the last one with that value; -1: none
  std::int64_t firstBestStep = -1;
  std::int64_t step = 0;       // updates done, as far as known
  double tokensPerSecond = 0;  // newest value of "train/tokens_per_second"; 0: none
  double seconds = 0;          // of training, over all its starts
  std::int64_t seed = 0;
  std::vector<std::string> tags;  // sorted
  std::string note;
  std::string pending;  // "stop", "pause" or "checkpoint" until its process has acknowledged it
  std::filesystem::path folder;  // absolute
  bool trashed = false;
  double created = 0;      // seconds since the Unix epoch
  std::int64_t looks = 0;  // number of times a test set was scored
};

// The pairs of a training text that a run is trained on, and those that it is not.
struct TrainedPairs {
  std::int64_t pairs = 0;    // in both directions twice; 0: unknown (of an earlier version)
  std::int64_t leftOut = 0;  // longer than `longest`
  std::int64_t longest = 0;  // tokens of the longer side, </s> included; 0: no limit
  std::int64_t dropped = 0;  // when the dataset was prepared: more units than --max-subwords
};
// "1200 pairs; 12 are left out: longer than 100 tokens (data.max_length, or a full batch)"; empty:
// unknown.
std::string textOf(const TrainedPairs& pairs);

// The circumstances of a start of a run; one for each start (resumptions too).
struct RunStart {
  double time = 0;            // seconds since the Unix epoch
  std::int64_t fromStep = 0;  // 0: from the beginning
  std::int64_t job = 0;       // 0: not from the queue
  std::string program = {};   // version of strata-run
  std::string libtorch = {};  // version
  std::string device = {};    // "cpu", "cuda:0 (NVIDIA ...)"
  int threads = 0;            // of each process
  int processes = 1;          // that train together
  bool mklFast = true;        // STRATA_MKL_FAST (docs/speed.md)
  std::string command = {};   // the command line
  std::string datasetDigest = {}, sourceVocabularyDigest = {}, targetVocabularyDigest = {};
  TrainedPairs trained = {};
  std::int64_t targetVocabulary = 0;  // its words; 0: unknown
  // Filled by the store:
  std::string host = {};
  std::int64_t pid = 0;
  std::string process =
      {};  // start time and boot of the process, so that a reused pid is not mistaken for it
  double lastSeen = 0;  // time of its last event
};

// A start without its job and process, as in the run's log and in what `--json` prints.
Json toJson(const RunStart& start);

struct RunFilter {
  bool trashed = false;  // with those in the trash
  std::string tag = {};  // only those with it; empty: all
};

// Creates the folder (config.effective.yaml, events.log, checkpoints/, recordings/, text/) and the
// index row; safe between processes. A name in use is a usage error.
RunSummary createRun(Workspace& workspace, const NewRun& run);
// The first record of a run's log: the parts of its configuration that a table shows.
Json createdEvent(const NewRun& run);

std::vector<RunSummary> listRuns(Workspace& workspace, const RunFilter& filter = {});
RunSummary runById(Workspace& workspace, std::int64_t id);
// Accepts an id or a name, like --run. An unknown one is a usage error that suggests the nearest.
RunSummary findRun(Workspace& workspace, std::string_view idOrName);
bool isRun(Workspace& workspace, std::string_view idOrName);  // whether findRun would find one
// The run's config.effective.yaml.
Json runConfig(const RunSummary& run);
std::vector<RunStart> runStarts(Workspace& workspace, std::int64_t run);

// Valid names: not empty, no '/', '@' or control characters, not only digits, at most 200 bytes of
// UTF-8.
void checkRunName(std::string_view name);
// The name in lower case, with '-' for characters outside [a-z0-9.-].
std::string slugOf(std::string_view name);
// `wanted`, or "wanted-2", "wanted-3", ... if it is taken.
std::string freeRunName(Workspace& workspace, const std::string& wanted);

// The folder keeps its original name.
void renameRun(Workspace& workspace, std::int64_t run, const std::string& name);
void setTags(Workspace& workspace, std::int64_t run, std::vector<std::string> tags);
void setNote(Workspace& workspace, std::int64_t run, const std::string& note);
// Moves the folder to trash/ of the workspace and back. A running run is an error; a queued one
// leaves the queue.
void trashRun(Workspace& workspace, std::int64_t run);
void restoreRun(Workspace& workspace, std::int64_t run);
// Removes the checkpoint of a step, even a pinned one. A running run is an error.
void removeRunCheckpoint(Workspace& workspace, std::int64_t run, std::int64_t step);
// Writes the run's configuration in the folder and in the index, after a resumption changed
// resumable keys.
void replaceConfig(Workspace& workspace, std::int64_t run, const Json& config);

struct StoredCheckpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;  // absolute
  bool best = false;             // was the best when it was saved
  bool present = false;          // not removed since
  double time = 0;
};
std::vector<StoredCheckpoint> listCheckpointRows(Workspace& workspace, std::int64_t run);

struct StoredRecording {
  std::int64_t step = 0;
  std::filesystem::path folder;  // absolute; readRecordings reads it
  bool present = false;
};
std::vector<StoredRecording> listRecordingRows(Workspace& workspace, std::int64_t run);

struct StoredSample {
  std::string set;
  std::int64_t step = 0, sentence = 0;
  std::string source, reference, hypothesis;
};
// All samples of one step, of the newest if `step` is negative; ordered by set and sentence.
std::vector<StoredSample> readSamples(Workspace& workspace, std::int64_t run,
                                      std::int64_t step = -1);

// A sentence that a run translates at each validation.
struct SampledSentence {
  struct Translation {
    std::int64_t step = 0;
    std::string text;

    bool operator==(const Translation&) const = default;
  };
  std::string set;
  std::int64_t sentence = 0;
  std::string source, reference;
  std::vector<Translation> translations;  // ascending steps

  bool operator==(const SampledSentence&) const = default;
};
// Ordered by set and sentence.
std::vector<SampledSentence> sampledSentences(Workspace& workspace, std::int64_t run);

}  // namespace strata
