#include "app/engine/bench_scaling.h"

#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "app/child_process.h"
#include "app/mkl_vendor.h"
#include "app/timing.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/distributed/local_address.h"
#include "core/train/device.h"
#include "core/train/memory.h"

namespace strata {
namespace {

struct Member {
  int rank = 0, size = 1, port = 0;
};

Member memberOf(const std::string& text) {
  Member member;
  if (std::sscanf(text.c_str(), "%d/%d/%d", &member.rank, &member.size, &member.port) != 3)
    throw usageError("--member is set by bench --processes");
  return member;
}

Json measure(TrainingBench& bench, ProcessGroup& group, const BenchOptions& options) {
  std::vector<double> one, all, share;
  bench.rateTogether(options.warmUp);
  for (int run = 0; run < options.runs; ++run) {
    group.meet();
    if (group.isFirst()) one.push_back(bench.rate(options.updates));
    all.push_back(bench.rateTogether(options.updates));
    if (group.isFirst()) share.push_back(all.back() / (group.size() * one.back()));
  }
  if (!group.isFirst()) return {};
  return {{"gradient_bytes", bench.gradientBytes()},
          {"one_process_target_tokens_per_second", spreadOf(one)},
          {"all_processes_target_tokens_per_second", spreadOf(all)},
          {"efficiency", spreadOf(share)}};
}

void asMember(const GlobalOptions& global, const BenchOptions& options) {
  keepFreedMemory();
  const Member member = memberOf(options.member);
  ProcessGroup group({.rank = member.rank, .size = member.size, .port = member.port});
  setThreads(options.threads > 0 ? options.threads : 1);
  Json result{{"processes", member.size},
              {"threads", at::get_num_threads()},
              {"mkl_fast", mklFast()},
              {"data", options.dataset.empty() ? "synthetic" : options.dataset},
              {"models", Json::array()}};
  const TemporaryFolder folder;
  for (const auto& preset : options.presets) {
    if (group.isFirst()) spdlog::info("bench={} processes={}", preset, member.size);
    Subject subject = subjectOf(global, options, preset, folder.path());
    TrainingBench bench(subject, &group);
    Json measured = measure(bench, group, options);
    if (!group.isFirst()) continue;
    measured["preset"] = preset;
    measured["parameters"] = subject.model->parameterCount();
    result["models"].push_back(std::move(measured));
  }
  if (group.isFirst()) printJson(result);
  group.meet();
}

// This program's command line with `--member`, for each of the others.
std::vector<std::string> commandOf(const GlobalOptions& global, const BenchOptions& options,
                                   const Member& member) {
  std::vector<std::string> words{"--workspace", global.workspace, "bench"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  for (const auto& preset : options.presets) add("--preset", preset);
  for (const auto& text : options.overrides) add("--set", text);
  add("--data", options.dataset);
  add("--device", options.device);
  for (const auto& [name, value] : {std::pair("--threads", options.threads),
                                    {"--runs", options.runs},
                                    {"--updates", options.updates},
                                    {"--warm-up", options.warmUp}})
    add(name, fmt::to_string(value));
  add("--member", fmt::format("{}/{}/{}", member.rank, member.size, member.port));
  return words;
}

}  // namespace

void benchScaling(const GlobalOptions& global, const BenchOptions& options) {
  if (!options.member.empty()) return asMember(global, options);
  const int port = freePort();
  std::vector<ChildProcess> others;
  for (int rank = 1; rank < options.processes; ++rank)
    others.emplace_back(
        commandOf(global, options, {.rank = rank, .size = options.processes, .port = port}),
        ChildStreams{.errorFile = {}, .errors = 2, .ownGroup = false});
  BenchOptions first = options;
  first.member = fmt::format("0/{}/{}", options.processes, port);
  asMember(global, first);
  for (ChildProcess& other : others) other.wait();
}

}  // namespace strata
