// strata-run inspect: shows the tensors of a model, a checkpoint or any safetensors file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "app/commands/listing.h"
#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/safetensors.h"
#include "core/nn/tensor_files.h"
#include "core/report/table.h"
#include "core/run/config.h"
#include "core/store/imported.h"
#include "core/store/runs.h"
#include "core/train/checkpoint.h"

namespace strata {
namespace {

struct InspectOptions {
  std::string run, model, file;
};

// Over all elements except NaN; infinite ones count, so that they show.
struct TensorStatistics {
  double minimum = std::numeric_limits<double>::quiet_NaN(), maximum = minimum;
  double mean = minimum, deviation = minimum;  // population standard deviation
  double norm = 0;                             // Euclidean
  std::int64_t nan = 0, infinite = 0;
};

TensorStatistics statisticsOf(const TensorView& tensor) {
  const torch::Tensor numbers = tensorOf(tensor).to(torch::kFloat64);
  const std::span values(numbers.data_ptr<double>(), static_cast<std::size_t>(numbers.numel()));
  TensorStatistics result;
  double sum = 0, squares = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  for (const double value : values) {
    if (std::isnan(value)) {
      ++result.nan;
      continue;
    }
    result.infinite += std::isinf(value) ? 1 : 0;
    sum += value;
    squares += value * value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  result.norm = std::sqrt(squares);
  const auto count = static_cast<double>(tensor.elements() - result.nan);
  if (count == 0) return result;
  result.minimum = smallest;
  result.maximum = largest;
  result.mean = sum / count;
  double deviations = 0;  // two passes: the difference of large sums would lose precision
  for (const double value : values) {
    if (!std::isnan(value)) deviations += (value - result.mean) * (value - result.mean);
  }
  result.deviation = std::sqrt(deviations / count);
  return result;
}

// Finding the file.

struct Inspected {
  fs::path file;
  std::optional<std::int64_t> step;
};

Inspected inRun(const GlobalOptions& global, const std::string& text) {
  const std::size_t at = text.rfind('@');
  const std::string selector = at == std::string::npos ? "last" : text.substr(at + 1);
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const RunSummary run = findRun(workspace, text.substr(0, at));
  requireModel(run);
  const std::string metric = configAt(runConfig(run), "checkpoint.metric").get<std::string>();
  const CheckpointInfo found = findCheckpoint(run.folder, selector, metric);
  return {found.folder / "model.safetensors", found.step};
}

Inspected inspectedOf(const GlobalOptions& global, const InspectOptions& options) {
  const int given =
      int(!options.run.empty()) + int(!options.model.empty()) + int(!options.file.empty());
  if (given != 1)
    throw usageError("Give one of --run RUN, --model DIR or a file (strata-run inspect --help)");
  if (!options.run.empty()) return inRun(global, options.run);
  const fs::path path = options.model.empty() ? options.file : options.model;
  if (!fs::exists(path)) throw usageError("There is no file or folder {}", path.string());
  const fs::path file = fs::is_directory(path) ? path / "model.safetensors" : path;
  // A checkpoint is checked against its manifest before it is read.
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (fs::exists(folder / "manifest.json")) {
    if (const std::string damage = damageOf(folder); !damage.empty()) throw Error("{}", damage);
  }
  return {file, {}};
}

// Output.

Json reportOf(const Inspected& inspected) {
  const SafetensorsFile file(inspected.file);
  Json tensors = Json::array();
  std::int64_t parameters = 0, nan = 0, bytes = 0;
  for (const auto& [name, tensor] : file.tensors()) {
    const TensorStatistics found = statisticsOf(tensor);
    parameters += tensor.elements();
    nan += found.nan;
    bytes += static_cast<std::int64_t>(tensor.bytes.size());
    tensors.push_back({{"name", name},
                       {"type", nameOf(tensor.type)},
                       {"shape", tensor.shape},
                       {"elements", tensor.elements()},
                       {"min", finiteOrNull(found.minimum)},
                       {"max", finiteOrNull(found.maximum)},
                       {"mean", finiteOrNull(found.mean)},
                       {"std", finiteOrNull(found.deviation)},
                       {"norm", finiteOrNull(found.norm)},
                       {"nan", found.nan},
                       {"infinite", found.infinite}});
  }
  Json report{{"file", inspected.file.string()}};
  if (inspected.step) report["step"] = *inspected.step;
  report["parameters"] = parameters;
  report["bytes"] = bytes;
  report["nan"] = nan;
  report["metadata"] = file.metadata();
  report["tensors"] = std::move(tensors);
  return report;
}

void print(const Json& report) {
  const auto number = [](const Json& value) {
    return Cell::number(value.is_null() ? std::nullopt : std::optional(value.get<double>()),
                        {.digits = 4, .form = NumberForm::kSignificant, .missing = kNotMeasured});
  };
  Table table{.columns = {{"name"}, {"type"}, {"shape"}}};
  for (const char* title : {"min", "max", "mean", "std", "norm", "NaN"}) table.addColumn(title);
  for (const Json& tensor : report["tensors"]) {
    const auto shape = tensor["shape"].get<std::vector<std::int64_t>>();
    table.rows.push_back({tensor["name"].get<std::string>(), tensor["type"].get<std::string>(),
                          fmt::format("{}", fmt::join(shape, " x ")), number(tensor["min"]),
                          number(tensor["max"]), number(tensor["mean"]), number(tensor["std"]),
                          number(tensor["norm"]), Cell::count(tensor["nan"].get<std::int64_t>())});
  }
  fmt::print("{}", textTable(table));
  if (report.contains("step")) fmt::print("step {}\n", report["step"].get<std::int64_t>());
  fmt::print("{} parameters in {} tensors, {} bytes, {} NaN: {}\n",
             report["parameters"].get<std::int64_t>(), report["tensors"].size(),
             report["bytes"].get<std::int64_t>(), report["nan"].get<std::int64_t>(),
             report["file"].get<std::string>());
}

void inspect(const GlobalOptions& global, const InspectOptions& options) {
  const Json report = reportOf(inspectedOf(global, options));
  if (global.json) return printJson(report);
  print(report);
}

}  // namespace

void addInspectCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<InspectOptions>();
  auto* verb = app.add_subcommand("inspect", "List a model's tensors with shapes and statistics");
  verb->add_option("file", options->file, "A safetensors file");
  verb->add_option("--run", options->run, "Run by id or name, with @best, @last or @STEP");
  verb->add_option("--model", options->model, "Model's folder, or a safetensors file");
  verb->footer(
      "Examples:\n"
      "  strata-run inspect --run first@best\n"
      "  strata-run inspect --model first-average --json\n"
      "  strata-run inspect runs/1-first/checkpoints/step-00001000/training.safetensors");
  verb->callback([options, &global] { inspect(global, *options); });
}

}  // namespace strata
