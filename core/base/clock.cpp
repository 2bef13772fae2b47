#include "core/base/clock.h"

#include <time.h>

#include <chrono>

namespace strata {
namespace {

double sinceBoot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double nowSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double countedSeconds() {
  static const double kBoot = nowSeconds() - sinceBoot();
  return kBoot + sinceBoot();
}

}  // namespace strata
