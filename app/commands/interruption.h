#pragma once
#include <stop_token>

#include "core/base/progress.h"

namespace strata {

// During its lifetime Ctrl+C and SIGTERM request a stop, at the next report of progress, instead of
// ending the program at once. One at a time.
class Interruption {
 public:
  explicit Interruption(Progress& shown);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }
  Progress& progress() { return progress_; }  // passes everything on to the one shown

  // The exit status of a program that a signal ended: 130 after Ctrl+C.
  static int status();

 private:
  class Watched : public Progress {
   public:
    Watched(Progress& shown, std::stop_source& stop) : shown_(shown), stop_(stop) {}
    void begin(std::string_view what, std::int64_t total, std::string_view unit) override;
    void advance(std::int64_t done) override;
    void end() override;

   private:
    Progress& shown_;
    std::stop_source& stop_;
  };

  std::stop_source stop_;
  Watched progress_;
  void (*interrupt_)(int);
  void (*term_)(int);
};

}  // namespace strata
