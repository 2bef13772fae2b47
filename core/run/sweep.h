#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// Options for sbatch, each value in sbatch's format; empty: sbatch's default.
struct SlurmOptions {
  std::string time, partition, account, qos, gres, memory;
  std::int64_t cpus = 0;            // 0: sbatch's default
  std::int64_t atOnce = 0;          // tasks at the same time; 0: all
  std::vector<std::string> lines;   // more options: "--account=x"
  std::vector<std::string> before;  // shell lines before training: "module load ..."
};

// A grid over configuration keys, times seeds.
struct Sweep {
  std::string name, preset, dataset;
  std::vector<std::string> overrides;                                  // key=value of every run
  std::vector<std::pair<std::string, std::vector<std::string>>> grid;  // key, values
  std::vector<std::uint64_t> seeds{1};
  SlurmOptions slurm;
};

struct SweepRun {
  std::string name;                    // "SWEEP.dropout-0.1.lr-5e-4.s1"
  std::vector<std::string> overrides;  // all, with dataset and seed
  std::uint64_t seed = 1;
};

// Reads a sweep: {sweep, preset, data, set, grid: {KEY: [VALUES]}, seeds: N or [..], slurm}.
// Unknown keys and wrong types are usage errors that name file, line and key.
Sweep parseSweep(std::string_view yaml, std::string_view source);

// The same parts as written on a command line. `values`: "0.1, 0.2", strings with commas or
// brackets in quotation marks; a usage error names the key.
std::vector<std::string> parseGridValues(const std::string& key, const std::string& values);
std::string gridText(const std::vector<std::string>& values);
// "3": 1 to 3; "4-6"; "1,5".
std::vector<std::uint64_t> parseSeeds(const std::string& text);
std::string seedsText(const std::vector<std::uint64_t>& seeds);
// The verb of strata-run that queues the sweep, and its arguments. Options for Slurm are left out.
std::vector<std::string> sweepCommand(const Sweep& sweep);

std::size_t runCount(const Sweep& sweep);  // combinations times seeds

// Every combination, the last key of the grid fastest, seeds fastest of all. Names are the same at
// every call; two runs with the same name are a usage error.
std::vector<SweepRun> expandSweep(const Sweep& sweep);

struct SlurmPlaces {
  std::string program;   // absolute path of strata-run
  std::string folder;    // absolute: specs/, task folders, logs
  std::string datasets;  // absolute: the workspace's datasets
};
// A script for sbatch: an array with one task per run. Each task trains in its own workspace below
// the folder, so that only the datasets are shared. Two minutes before the time limit the run is
// saved and the task requeued, where it continues from its checkpoint; a cancelled task is saved
// and stays out of the queue until its index is submitted again. A task that ended otherwise leaves
// its status in the file "ended" of its folder.
std::string slurmScript(const Sweep& sweep, const std::vector<SweepRun>& runs,
                        const SlurmPlaces& places);

}  // namespace strata
