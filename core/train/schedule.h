#pragma once
#include <cstdint>

#include "core/base/json.h"
#include "core/run/experiment.h"

namespace strata {

// State of a schedule between epochs; part of TrainingState. Only kPlateau uses it.
struct ScheduleState {
  double factor = 1;          // kPlateau: the shrinking so far, as a factor of the optimizer's rate
  bool latched = false;       // kPlateau in mode kLatch: shrinks at every epoch from now on
  bool hasReference = false;  // kPlateau: a validation value to compare with has been seen
  double reference = 0;
};
Json toJson(const ScheduleState& state);
ScheduleState scheduleStateFrom(const Json& json);

// The learning rate of one phase (models.md 5.4). `baseRate` is the optimizer's rate or a group's;
// Noam defines its own rate, which a group scales by its ratio to the optimizer's.
class Schedule {
 public:
  explicit Schedule(const ScheduleSpec& spec) : spec_(spec) {}

  // The rate of update t = 1, 2, ... in epoch `epoch` = 1, 2, ... of the phase.
  double rate(double baseRate, std::int64_t t, std::int64_t epoch,
              const ScheduleState& state) const;
  // The rate of a parameter group whose own rate is `groupRate`; `optimizerRate` is the default
  // group's.
  double groupRate(double groupRate, double optimizerRate, std::int64_t t, std::int64_t epoch,
                   const ScheduleState& state) const;
  // Plateau: receives the watched value after epoch `epoch` = 1, 2, ...; an equal value counts as
  // no improvement. Others: does nothing. With higherIsBetter the value is an accuracy or a BLEU
  // instead of a loss.
  void observe(double value, bool higherIsBetter, std::int64_t epoch, ScheduleState& state) const;

  const ScheduleSpec& spec() const { return spec_; }

 private:
  ScheduleSpec spec_;
};

}  // namespace strata
