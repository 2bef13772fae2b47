#include "app/commands/interruption.h"

#include <csignal>

namespace strata {
namespace {
volatile std::sig_atomic_t interruptedBy = 0;
void noteSignal(int signal) {
  interruptedBy = signal;
}
}  // namespace

Interruption::Interruption(Progress& shown)
    : progress_(shown, stop_),
      interrupt_(std::signal(SIGINT, noteSignal)),
      term_(std::signal(SIGTERM, noteSignal)) {}

Interruption::~Interruption() {
  std::signal(SIGINT, interrupt_);
  std::signal(SIGTERM, term_);
}

int Interruption::status() {
  return 128 + interruptedBy;
}

void Interruption::Watched::begin(std::string_view what, std::int64_t total,
                                  std::string_view unit) {
  shown_.begin(what, total, unit);
}

void Interruption::Watched::advance(std::int64_t done) {
  if (interruptedBy != 0) stop_.request_stop();
  shown_.advance(done);
}

void Interruption::Watched::end() {
  shown_.end();
}

}  // namespace strata
