// Requests and replies of `strata-run serve`, for both ends of the pipe. Unknown members of
// requests are errors; clients ignore unknown members of replies.
//   hello     {} -> {program, version, protocol, libtorch, device}
//   schema    {preset? | config?} -> {keys, config}; `config` is a complete effective configuration
//   tables    {id?, dataset? | vocabulary?}; see app/server/paper_methods.h
//   cancel    {id} -> {cancelled}; the request `id` then fails with rpc::kCancelled
// `latest` in any request drops the unanswered requests of the same method.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/run/hypothesis.h"
#include "core/run/network.h"
#include "core/run/request_params.h"
#include "core/run/search_request.h"
#include "core/run/time_range.h"

namespace strata {

// Selects a model: a run (id or name, followed by @best, @last or @STEP unless `checkpoint` gives
// it; then +ema for the moving average of its parameters) or a model directory. The default is the
// best checkpoint, or the last if none was scored.
struct ModelChoice {
  std::string run = {}, model = {}, checkpoint = {};

  static ModelChoice read(RequestParams& params);
};

namespace serve {

inline constexpr int kProtocol = 1;

// translate {MODEL, text, SEARCH, record?, intervene?, latest?}; force: the same with `prefix`, the
// beginning of every hypothesis, or `target`, the only hypothesis (forced decoding). Both are
// texts, which go through the target side's pipeline, or lists of the model's tokens. MODEL and
// SEARCH: ModelChoice, SearchRequest.
struct TranslateRequest {
  ModelChoice model;
  std::string text;  // line ends count as spaces
  SearchRequest search = {};
  std::vector<std::string> record = {};     // names of internals, or PREFIX*
  std::vector<std::string> intervene = {};  // replaced internals: core/nn/interventions.h
  bool latest = false;
  // With this beginning, as the model's tokens, it is a request for `force`.
  std::vector<std::string> prefix = {};
  std::string prefixText = {};  // or as plain text

  bool isForced() const { return !prefix.empty() || !prefixText.empty(); }
  Json json() const;
  // The verb of strata-run that prints the same of these texts, and its arguments.
  std::vector<std::string> command(const std::vector<std::string>& texts) const;
};
struct TranslateReply {
  std::vector<std::string> tokens;  // of the source as the model reads them, </s> included
  std::vector<Hypothesis> hypotheses;
  bool recorded = false;  // hypotheses carry recordings
  // What SEARCH's tooLong has made of a source that the model has no positions for; empty: it is
  // translated as it is.
  std::string warning = {};

  Json json() const;
  static TranslateReply read(const Json& json);
};

// load {MODEL}
struct LoadRequest {
  ModelChoice model;

  Json json() const;
};
struct LoadReply {
  std::int64_t parameters = 0;
  std::string family;
  std::optional<std::int64_t> step;  // of a run's checkpoint
  std::vector<RecordingInfo> recordings;

  Json json() const;
  static LoadReply read(const Json& json);
};

// step {MODEL, text, prefix?, topk?}: the most likely next tokens after a prefix.
struct StepRequest {
  ModelChoice model;
  std::string text;
  std::vector<std::string> prefix = {};  // the model's tokens
  int topk = 10;

  Json json() const;
};
struct StepReply {
  struct Next {
    std::string token;
    std::int32_t id = 0;
    double logProbability = 0;
  };
  std::vector<std::string> tokens, prefix;
  std::vector<Next> next;

  Json json() const;
  static StepReply read(const Json& json);
};

// presets {dataset? | vocabulary?: [SOURCE, TARGET]}: parameters are counted if sizes are given.
struct PresetsRequest {
  std::string dataset = {};
  std::optional<std::pair<std::int64_t, std::int64_t>> vocabulary = {};  // specials included

  Json json() const;
};
struct PresetsReply {
  struct Paper {
    std::string name, title;
  };
  struct Preset {
    std::string name, paper, description;
    std::optional<std::int64_t> parameters = {};
    std::string problem = {};  // why parameters cannot be counted for these sizes
  };
  std::vector<Paper> papers = {};
  std::vector<Preset> presets = {};
  std::optional<std::pair<std::int64_t, std::int64_t>> vocabulary = {};

  Json json() const;
  static PresetsReply read(const Json& json);
};

// dryRun {preset, dataset?, overrides?: ["training.batch.size=64", ...], latest?} checks a complete
// configuration; estimates that need a dataset are left out without one.
struct DryRunRequest {
  std::string preset, dataset = {};
  std::vector<std::string> overrides = {};
  bool latest = false;

  Json json() const;
  static DryRunRequest read(const Json& params);
};
struct DryRunReply {
  // Batches of an epoch whose longest side has at most `longest` tokens, and more than the entry
  // before.
  struct Batches {
    std::int64_t longest = 0, batches = 0, sentences = 0;
    std::int64_t tokens = 0, positions = 0;  // of both sides, without and with padding
  };
  struct Estimate {
    std::int64_t parameters = 0;
    std::int64_t memoryBytes = 0;
    double tokensPerSecond = 0;
    std::int64_t updatesPerEpoch = 0;
    double padding = 0;        // share of a batch
    std::int64_t leftOut = 0;  // sentence pairs too long for a batch
    std::optional<double> secondsPerUpdate = {}, seconds = {};  // `seconds`: of the complete run
    std::optional<std::int64_t> updates = {};
    std::optional<TimeRange> range = {};  // of `seconds`
    std::optional<TimeBasis> basis = {};  // what times rest on
    std::vector<Batches> batches = {};    // of one epoch of the first phase
  };
  std::optional<Estimate> estimate = {};
  Network network = {};  // without a dataset: for the vocabularies that the reply to presets counts
                         // with; empty: not known without a dataset
  std::vector<std::pair<std::int64_t, double>> learningRate;  // (update, rate)
  Json config;                                                // effective

  Json json() const;
  static DryRunReply read(const Json& json);
};

}  // namespace serve
}  // namespace strata
