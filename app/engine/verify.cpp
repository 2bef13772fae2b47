// strata-run verify: compares models and optimizers with reference cases.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/engine/verbs.h"
#include "app/engine/verify_report.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/nn/arithmetic.h"
#include "core/nn/tensor_files.h"
#include "core/train/device.h"
#include "models/catalogue.h"

namespace strata {

bool VerifiedCase::passed() const {
  return std::ranges::all_of(comparisons, &Comparison::passed);
}

Comparison missing(const std::string& name, const std::string& note) {
  return {name, 0, 0, false, note};
}

Comparison compareTensors(const std::string& name, const torch::Tensor& actual,
                          const torch::Tensor& expected, const Tolerance& tolerance) {
  const auto a = actual.detach().to(torch::kCPU, torch::kFloat64), b = expected.to(torch::kFloat64);
  if (a.sizes() != b.sizes())
    return missing(name, fmt::format("has the shape {} instead of {}", fmt::streamed(a.sizes()),
                                     fmt::streamed(b.sizes())));
  if (b.numel() == 0) return {name, 0, tolerance.absolute, true, {}};
  const auto magnitude = tolerance.ofLargest ? b.abs().max().expand_as(b) : b.abs();
  const auto errors = (a - b).abs().reshape({-1});
  const auto allowed = (tolerance.absolute + tolerance.relative * magnitude).reshape({-1});
  const auto ratios = errors / allowed.clamp_min(1e-300);
  // NaN is worse than any number.
  const auto worst = torch::where(ratios.isnan(), std::numeric_limits<double>::infinity(), ratios)
                         .argmax()
                         .item<std::int64_t>();
  const double error = errors[worst].item<double>(), limit = allowed[worst].item<double>();
  return {name, error, limit, error <= limit, {}};
}

torch::Tensor expectedTensor(const SafetensorsFile& file, const std::string& name) {
  const TensorView& view = file.at(name);
  const torch::Tensor tensor = tensorOf(view);
  if (view.type == DType::kInt64) return tensor;
  if (view.type != DType::kFloat64 && view.type != DType::kFloat32)
    throw Error("The tensor '{}' has type {}; expected F32, F64 or I64", name, nameOf(view.type));
  return tensor.to(torch::kFloat64);
}

namespace {

struct VerifyArguments {
  std::vector<std::string> folders;
  std::string precision = "float64", device = "cpu";
  bool plain = false;
};

void verifyFolder(const std::filesystem::path& folder, const ParameterPlace& place,
                  std::vector<VerifiedCase>& cases) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) throw usageError("{} is not a folder", folder.string());
  if (fs::exists(folder / "batch.safetensors")) {
    cases.push_back(verifyModelCase(folder, place));
  } else if (fs::exists(folder / "steps.json")) {
    cases.push_back(verifyOptimizerCase(folder, place.device));
  } else {
    std::vector<fs::path> below;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) below.push_back(entry.path());
    }
    if (below.empty()) {
      throw usageError(
          "{} holds neither batch.safetensors (a model case) nor steps.json (an optimizer case) "
          "nor folders",
          folder.string());
    }
    std::sort(below.begin(), below.end());
    for (const auto& path : below) verifyFolder(path, place, cases);
  }
}

void printCases(const std::vector<VerifiedCase>& cases) {
  for (const VerifiedCase& verified : cases) {
    for (const Comparison& c : verified.comparisons) {
      fmt::print("{}  {} {}  {}\n", c.passed ? "ok  " : "FAIL", verified.folder, c.name,
                 c.note.empty()
                     ? fmt::format("error {:.3g}  tolerance {:.3g}", c.error, c.tolerance)
                     : c.note);
    }
  }
}

Json jsonOf(const std::vector<VerifiedCase>& cases) {
  Json list = Json::array();
  for (const VerifiedCase& verified : cases) {
    Json tensors = Json::array();
    for (const Comparison& c : verified.comparisons) {
      Json entry{
          {"name", c.name}, {"passed", c.passed}, {"error", c.error}, {"tolerance", c.tolerance}};
      if (!c.note.empty()) entry["note"] = c.note;
      tensors.push_back(std::move(entry));
    }
    list.push_back({{"folder", verified.folder},
                    {"passed", verified.passed()},
                    {"comparisons", std::move(tensors)}});
  }
  return {{"cases", std::move(list)}};
}

void verify(const VerifyArguments& options, bool json) {
  registerModels();
  const ParameterPlace place{
      .device = selectDevice(options.device),
      .type = options.precision == "float32" ? torch::kFloat32 : torch::kFloat64};
  setThreads(1);  // tiny tensors: a second thread only costs time
  const ArithmeticScope scope({.kernels = !options.plain});
  std::vector<VerifiedCase> cases;
  for (const std::string& folder : options.folders) verifyFolder(folder, place, cases);
  if (json) {
    fmt::print("{}\n", jsonOf(cases).dump());
  } else {
    printCases(cases);
  }
  const auto failed =
      std::count_if(cases.begin(), cases.end(), [](const VerifiedCase& c) { return !c.passed(); });
  if (failed > 0)
    throw Error("{} of {} cases differ from the expected values", failed, cases.size());
  if (!json) fmt::print("{} cases agree\n", cases.size());
}

}  // namespace

void addVerifyCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<VerifyArguments>();
  CLI::App* verb =
      app.add_subcommand("verify", "Compare models and optimizers with reference cases");
  verb->add_option("folders", options->folders, "Cases, or folders of cases at any depth")
      ->required();
  verb->add_option("--precision", options->precision, "Compute models in this precision")
      ->check(CLI::IsMember({"float64", "float32"}))
      ->capture_default_str();
  verb->add_option("--device", options->device, "Device to compute on: auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  verb->add_flag("--plain", options->plain,
                 "Use libtorch's operators, as on a GPU, instead of the CPU kernels");
  verb->footer(
      "One line per tensor: its largest error and the tolerance there. Status 1 when one is "
      "outside.\n"
      "Examples:\n"
      "  strata-run verify fixtures/models/mlrf\n"
      "  strata-run verify --precision float32 fixtures/models/mlrf/dec-sa4");
  verb->callback([options, &global] { verify(*options, global.json); });
}

}  // namespace strata
