// Whether a training diverges although all its numbers are finite.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/events.h"

namespace strata {

struct Divergence {
  std::int64_t step = 0;
  double time = 0;   // seconds since the Unix epoch
  std::string what;  // "valid/nll is 125.7 at step 300: above 7.70, ..."
};

// Of a validation loss, nats per token, by its newest finite value: above ln V, the loss of a model
// that gives all V words the same probability (by 0.75 if it was never lower: new models begin up
// to 0.5 above); or more than three times its best so far and above ln V / 2, which a model that
// overfits is not. `vocabulary`: V; 0: unknown, then only what holds for every vocabulary.
std::optional<Divergence> lossDivergence(const std::string& series,
                                         std::span<const ScalarPoint> points,
                                         std::int64_t vocabulary);

// Of gradient norms: the newest three points are each above 1 and more than a hundred times the
// median of the last interval between validations before them, or of the one before that if it is
// lower; without validations, of all points before them. `validations`: their steps, ascending.
std::optional<Divergence> gradientJump(const std::string& series,
                                       std::span<const ScalarPoint> norms,
                                       std::span<const std::int64_t> validations);

// Whether gradientJump() can find any, by the lowest and the newest norm of all.
bool mayHaveJumped(double lowest, double newest);

// Whether a series is a loss of a validation, nats per token: "valid/nll", but not "train/nll".
bool isValidationLoss(std::string_view series);
// The series of norms that is looked at, and how many of its newest points.
inline constexpr const char* kGradientNorms = "grad_norm/all";
inline constexpr std::int64_t kNewestNorms = 4000;

// What to do about a run of this name; `running`: that goes on.
std::string divergenceAdvice(std::string_view run, bool running);

// Follows the points of a training and tells when they begin to show divergence.
class DivergenceWatch {
 public:
  explicit DivergenceWatch(std::int64_t vocabulary) : vocabulary_(vocabulary) {}
  // What the newest points show and those before did not.
  std::vector<Divergence> add(const std::vector<ScalarEvent>& events);

 private:
  std::int64_t vocabulary_;
  std::map<std::string, std::vector<ScalarPoint>> losses_;  // of validations, by series
  std::vector<ScalarPoint> norms_;
  std::vector<std::int64_t> validations_;  // their steps
  bool lossTold_ = false, jumpTold_ = false;
};

}  // namespace strata
