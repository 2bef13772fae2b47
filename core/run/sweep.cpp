#include "core/run/sweep.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/shell.h"
#include "core/base/strict_map.h"
#include "core/run/configuration_group.h"
#include "core/run/slurm.h"

namespace strata {
namespace {

SlurmOptions readSlurm(const YamlDocument& document, StrictMap map) {
  // Minutes and megabytes may be written as numbers.
  const auto option = [&](const std::string& key) {
    const bool given = map.has(key);
    const Json& values = document.value.at("slurm");
    return given && values.at(key).is_number_integer() ? values.at(key).dump() : map.text(key, "");
  };
  SlurmOptions slurm;
  slurm.time = option("time");
  slurm.partition = option("partition");
  slurm.account = option("account");
  slurm.qos = option("qos");
  slurm.gres = option("gres");
  slurm.memory = option("memory");
  slurm.cpus = map.integer("cpus", 0);
  slurm.atOnce = map.integer("at_once", 0);
  slurm.lines = map.texts("lines");
  slurm.before = map.texts("before");
  for (const std::string& line : slurm.lines) {
    if (!line.starts_with("--")) map.refuse("lines", "must be options of sbatch: --KEY=VALUE");
  }
  map.done();
  return slurm;
}

// The grid's values keep their types only as far as `--set` parses them again.
std::vector<std::pair<std::string, std::vector<std::string>>> readGrid(const YamlDocument& document,
                                                                       StrictMap& map) {
  std::vector<std::pair<std::string, std::vector<std::string>>> grid;
  if (!map.has("grid")) return grid;
  const Json& value = document.value.at("grid");
  if (!value.is_object()) map.refuse("grid", "must be a mapping from keys to lists");
  for (const auto& [key, values] : value.items()) {
    if (!values.is_array() || values.empty()) map.refuse("grid." + key, "must be a list of values");
    auto& texts = grid.emplace_back(key, std::vector<std::string>{}).second;
    for (const Json& each : values) texts.push_back(settingText(each));
  }
  return grid;
}

std::vector<std::uint64_t> readSeeds(const YamlDocument& document, StrictMap& map) {
  if (!map.has("seeds")) return {1};
  std::vector<std::uint64_t> seeds;
  for (const double seed : map.numbers("seeds")) {
    if (seed < 0 || seed != static_cast<double>(static_cast<std::uint64_t>(seed)))
      map.refuse("seeds", "must be a count or a list of integers");
    seeds.push_back(static_cast<std::uint64_t>(seed));
  }
  if (document.value.at("seeds").is_array()) return seeds;
  const std::uint64_t count = seeds.front();
  if (count < 1) map.refuse("seeds", "must be at least 1");
  seeds.clear();
  for (std::uint64_t seed = 1; seed <= count; ++seed) seeds.push_back(seed);
  return seeds;
}

// The form of a setting in a run's name: "training.optimizer.lr" = "5e-4" as "lr-5e-4".
std::string partOf(const std::string& key, const std::string& value) {
  std::string text = key.substr(key.rfind('.') + 1) + "-" + value;
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; },
      '-');
  return text;
}

std::string header(const Sweep& sweep, std::size_t tasks, const SlurmPlaces& places) {
  const SlurmOptions& slurm = sweep.slurm;
  std::string array = fmt::format("0-{}", tasks - 1);
  if (slurm.atOnce > 0) array += fmt::format("%{}", slurm.atOnce);
  const std::vector<std::pair<std::string, std::string>> chosen = {
      {"job-name", sweep.name},
      {"array", array},
      {"signal", "B:USR1@120"},
      {"open-mode", "append"},
      {"output", slurmOutput(places.folder, "slurm-%A_%a.log")},
      {"time", slurm.time},
      {"partition", slurm.partition},
      {"account", slurm.account},
      {"qos", slurm.qos},
      {"gres", slurm.gres},
      {"mem", slurm.memory},
      {"cpus-per-task", slurm.cpus > 0 ? fmt::to_string(slurm.cpus) : ""}};
  return sbatchHeader(chosen, slurm.lines);
}

constexpr const char* kStart = R"sh(
set -u
index=${SLURM_ARRAY_TASK_ID:?comes from sbatch, which takes this script}
if [ "$index" -ge ${#names[@]} ]; then
  echo "there is no task $index: the last one is $((${#names[@]} - 1))" >&2
  exit 2
fi
task=$(printf '%04d' "$index")
name=${names[$index]}
workspace=$folder/task-$task
mkdir -p "$workspace" || exit
rm -f "$workspace/ended"
ln -sfn "$datasets" "$workspace/datasets"

# A run that was started continues from its last good checkpoint.
if ls -d "$workspace"/runs/*/events.log >/dev/null 2>&1; then
  "$program" --workspace "$workspace" train --resume "$name" &
else
  "$program" --workspace "$workspace" train "$folder/specs/$task.yaml" --name "$name" &
fi
child=$!
)sh";

constexpr const char* kEnd = R"sh(
if [ -n "$requeue" ] && [ "$status" = 143 ]; then
  # By its index: the last task's own job number is that of the whole array.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$index" && exit 0
  echo "could not be requeued; to continue: sbatch --array=$index '$folder/array.sbatch'" >&2
fi
# Tells those who follow the sweep that this task has ended by itself.
if [ "$status" != 143 ]; then
  echo "$status" >"$workspace/.ended" && mv "$workspace/.ended" "$workspace/ended"
fi
exit "$status"
)sh";

}  // namespace

Sweep parseSweep(std::string_view yaml, std::string_view source) {
  const YamlDocument document = parseYaml(yaml, source);
  StrictMap map(document, "", document.value, "the sweep");
  Sweep sweep;
  sweep.name = map.text("sweep");
  map.rename(fmt::format("sweep '{}'", sweep.name));
  sweep.preset = map.text("preset");
  sweep.dataset = map.text("data");
  sweep.overrides = map.texts("set");
  sweep.grid = readGrid(document, map);
  sweep.seeds = readSeeds(document, map);
  if (auto slurm = map.map("slurm")) sweep.slurm = readSlurm(document, *slurm);
  map.done();
  return sweep;
}

std::vector<std::string> parseGridValues(const std::string& key, const std::string& values) {
  // Within a mapping a bracket too many is an error, too.
  const Json read = parseYaml("{values: [" + values + "]}", "the values of " + key).value;
  if (read.size() != 1 || !read.at("values").is_array() || read.at("values").empty())
    throw usageError("{}: '{}' is no list of values, such as 0.1, 0.2", key, values);
  std::vector<std::string> texts;
  for (const Json& each : read.at("values")) texts.push_back(settingText(each));
  return texts;
}

std::string gridText(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) {
    std::vector<std::string> read;
    try {
      read = parseGridValues("a key", value);
    } catch (const Error&) {
    }
    const bool plain = read.size() == 1 && read.front() == value;
    words.push_back(plain ? value : Json(value).dump());
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::uint64_t> parseSeeds(const std::string& text) {
  constexpr std::uint64_t kMostSeeds = 10000;
  std::vector<std::uint64_t> seeds;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    if (first > last || last - first >= kMostSeeds)
      throw usageError("seeds '{}': give a count, FIRST-LAST or a list, at most {}", text,
                       kMostSeeds);
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  };
  const auto number = [&](std::string_view part) {
    const auto value = parseNumber<std::uint64_t>(part);
    if (!value)
      throw usageError("seeds '{}': '{}' is no number; give a count, FIRST-LAST or a list", text,
                       part);
    return *value;
  };
  const std::string_view whole = text;
  if (const auto dash = whole.find('-'); dash != std::string_view::npos) {
    add(number(whole.substr(0, dash)), number(whole.substr(dash + 1)));
  } else if (whole.find(',') == std::string_view::npos) {
    add(1, number(whole));
  } else {
    for (std::size_t begin = 0; begin <= whole.size();) {
      const auto comma = std::min(whole.find(',', begin), whole.size());
      const std::uint64_t seed = number(whole.substr(begin, comma - begin));
      add(seed, seed);
      begin = comma + 1;
    }
  }
  return seeds;
}

std::string seedsText(const std::vector<std::uint64_t>& seeds) {
  bool successive = true;
  for (std::size_t i = 1; i < seeds.size(); ++i)
    successive = successive && seeds[i] == seeds[i - 1] + 1;
  if (seeds.empty() || !successive) return fmt::format("{}", fmt::join(seeds, ","));
  return seeds.front() == 1 ? fmt::to_string(seeds.back())
                            : fmt::format("{}-{}", seeds.front(), seeds.back());
}

std::vector<std::string> sweepCommand(const Sweep& sweep) {
  std::vector<std::string> words{"sweep",       "--name",     sweep.name,
                                 "--preset",    sweep.preset, "--data",
                                 sweep.dataset, "--seeds",    seedsText(sweep.seeds)};
  for (const auto& [key, values] : sweep.grid)
    words.insert(words.end(), {"--grid", key + "=" + gridText(values)});
  for (const std::string& each : sweep.overrides) words.insert(words.end(), {"--set", each});
  return words;
}

std::size_t runCount(const Sweep& sweep) {
  std::size_t count = sweep.seeds.size();
  for (const auto& [key, values] : sweep.grid) count *= values.size();
  return count;
}

std::vector<SweepRun> expandSweep(const Sweep& sweep) {
  std::size_t combinations = 1;
  for (const auto& [key, values] : sweep.grid) combinations *= values.size();
  std::vector<SweepRun> runs;
  std::set<std::string> names;
  for (std::size_t c = 0; c < combinations; ++c) {
    SweepRun base{.name = sweep.name, .overrides = sweep.overrides};
    std::size_t rest = combinations, index = c;
    for (const auto& [key, values] : sweep.grid) {
      rest /= values.size();
      const std::string& value = values[index / rest];
      index %= rest;
      base.name += "." + partOf(key, value);
      base.overrides.push_back(key + "=" + value);
    }
    base.overrides.push_back("data.dataset=" + sweep.dataset);
    for (const std::uint64_t seed : sweep.seeds) {
      SweepRun run = base;
      run.seed = seed;
      run.name += fmt::format(".s{}", seed);
      run.overrides.push_back(fmt::format("seed={}", seed));
      if (!names.insert(run.name).second)
        throw usageError("sweep '{}': two runs would be named '{}'", sweep.name, run.name);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::string slurmScript(const Sweep& sweep, const std::vector<SweepRun>& runs,
                        const SlurmPlaces& places) {
  if (runs.empty()) throw usageError("sweep '{}' has no runs", sweep.name);
  std::string text = header(sweep, runs.size(), places);
  text +=
      fmt::format("\nprogram={}\nfolder={}\ndatasets={}\nnames=(\n", wordOfScript(places.program),
                  wordOfScript(places.folder), wordOfScript(places.datasets));
  for (const SweepRun& run : runs) text += "  " + wordOfScript(run.name) + "\n";
  text += ")\n" + slurmSignals();
  for (const std::string& line : sweep.slurm.before) text += line + "\n";
  return text + kStart + slurmWaiting() + kEnd;
}

}  // namespace strata
