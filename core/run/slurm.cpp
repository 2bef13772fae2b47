#include "core/run/slurm.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/shell.h"

namespace strata {
namespace {

// A line end in a value would begin a line of the script's own.
const std::string& withoutControls(const std::string& what, const std::string& text) {
  if (printable(text) == text) return text;
  throw usageError("{}: '{}' contains a control character or is not valid UTF-8", what,
                   printable(text));
}

// sbatch expects a value with blanks, quotes or '#' in double quotes.
std::string quotedForSbatch(const std::string& text) {
  const auto isPlain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_.,:;=/%@+*[]()").find(c) != std::string_view::npos;
  };
  if (std::all_of(text.begin(), text.end(), isPlain)) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// SIGTERM (scancel, preemption) reaches the program too on some clusters, and a second SIGTERM
// makes it exit without saving.
constexpr const char* kToTheProgram = R"sh(
# Whether a sleeping process was killed shows who received a signal.
sleep infinity &
witness=$!
disown "$witness"
trap 'kill "$witness" 2>/dev/null' EXIT
send() { kill -TERM "$child" 2>/dev/null; }
reached() {
  sleep 1
  ! kill -0 "$witness" 2>/dev/null
}
)sh";

// srun would not pass it on, but end the tasks at once; what ends a job has been sent to its steps.
constexpr const char* kToTheStep = R"sh(
send() { scancel --signal=TERM "$SLURM_JOB_ID"; }
reached() { true; }
)sh";

constexpr const char* kSignals = R"sh(
# Near the time limit Slurm sends SIGUSR1 only to this shell: the run is saved, the task requeued.
child='' told='' asked='' requeue=''
ask() {
  [ -n "$asked" ] || send
  asked=1
}
nearLimit() {
  told=1 requeue=1
  ask
}
cancelled() {
  told=1 requeue=''
  reached && asked=1
  ask
}
trap 'told=1 requeue=1' USR1
trap "told=1 requeue=''" TERM

)sh";

constexpr const char* kWaiting = R"sh(trap nearLimit USR1
trap cancelled TERM
[ -z "$told" ] || ask

# A trapped signal ends wait before the child has ended: it is saving, so wait again.
while :; do
  told=''
  wait "$child"
  status=$?
  [ -n "$told" ] || break
done
trap '' USR1 TERM
)sh";

// The program is a step of as many tasks as the job has.
constexpr const char* kTraining = R"sh(
set -u
srun --kill-on-bad-exit=0 "${command[@]}" &
child=$!
)sh";

constexpr const char* kRequeue = R"sh(
if [ -n "$requeue" ] && [ "$status" = 143 ]; then
  scontrol requeue "$SLURM_JOB_ID" && exit 0
  echo "could not be requeued; to continue, submit the same script again" >&2
fi
exit "$status"
)sh";

}  // namespace

std::string slurmOutput(const std::string& folder, const std::string& name) {
  if (folder.find_first_of("\\\n") != std::string::npos)
    throw usageError("Slurm cannot write its output to '{}': choose a folder without backslash",
                     folder);
  std::string pattern;
  for (const char c : folder) pattern += c == '%' ? std::string("%%") : std::string(1, c);
  return pattern + "/" + name;
}

std::string sbatchHeader(const std::vector<std::pair<std::string, std::string>>& options,
                         const std::vector<std::string>& lines) {
  std::string text = "#!/bin/bash\n#SBATCH --requeue\n";
  for (const auto& [name, value] : options) {
    if (value.empty()) continue;
    text += fmt::format("#SBATCH --{}={}\n", name,
                        quotedForSbatch(withoutControls("--" + name + " of sbatch", value)));
  }
  for (const std::string& line : lines)
    text += "#SBATCH " + withoutControls("an option of sbatch", line) + "\n";
  return text;
}

std::string wordOfScript(const std::string& text) {
  return quotedForShell(withoutControls("a word of the script", text));
}

std::string slurmSignals() {
  return std::string(kToTheProgram) + kSignals;
}

std::string slurmWaiting() {
  return kWaiting;
}

std::string slurmTrainingScript(const SlurmTraining& job) {
  for (const std::string& line : job.lines) {
    if (!line.starts_with("--"))
      throw usageError("--sbatch {}: expected an option of sbatch, such as --time=24:00:00", line);
  }
  std::string text = sbatchHeader({{"job-name", job.name},
                                   {"nodes", fmt::to_string(job.nodes)},
                                   {"ntasks-per-node", fmt::to_string(job.tasksPerNode)},
                                   {"signal", "B:USR1@120"},
                                   {"open-mode", "append"},
                                   {"output", slurmOutput(job.folder, "slurm-%j.log")}},
                                  job.lines);
  text += "\ncommand=(\n";
  for (const std::string& word : job.command) text += "  " + wordOfScript(word) + "\n";
  return text + ")\n" + kToTheStep + kSignals + kTraining + kWaiting + kRequeue;
}

}  // namespace strata
