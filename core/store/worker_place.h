#pragma once
#include <string>

#include "core/base/open_file.h"
#include "core/store/workspace.h"

namespace strata {

// The place of the one worker (`strata-run work`) per device and workspace, as long as this exists.
class WorkerPlace {
 public:
  // `device`: empty: any. Another worker may have the place: see isHeld.
  WorkerPlace(const Workspace& workspace, std::string device);
  ~WorkerPlace();
  WorkerPlace(const WorkerPlace&) = delete;
  WorkerPlace& operator=(const WorkerPlace&) = delete;

  bool isHeld() const { return held_; }  // by this process

 private:
  OpenFile file_;
  bool held_ = false;
};

// Whether a worker of any device takes jobs from the queue. One on another computer counts from its
// start to its end, even if it was killed.
bool hasWorker(const Workspace& workspace);

}  // namespace strata
