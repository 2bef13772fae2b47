#pragma once
#include <memory>
#include <string>
#include <vector>

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

  // A lock beside that of the place for each training, which the training's process inherits: it
  // tells the next worker that it goes on, even if this one was killed.
  class Slot {
   public:
    // To be passed on to the process. The lock lasts until this and that have been closed.
    int descriptor() const { return file_->fd(); }

   private:
    friend class WorkerPlace;
    explicit Slot(std::unique_ptr<OpenFile> file) : file_(std::move(file)) {}
    std::unique_ptr<OpenFile> file_;
  };
  // A free one, in which the training's device is noted ("": that of its configuration).
  Slot takeSlot(const std::string& device) const;
  // The devices of all trainings of this place that go on, those of `own` slots left out.
  std::vector<std::string> devicesOfOthers(const std::vector<const Slot*>& own) const;

 private:
  OpenFile file_;
  bool held_ = false;
};

// Whether a worker of any device takes jobs from the queue. One on another computer counts from its
// start to its end, even if it was killed.
bool hasWorker(const Workspace& workspace);

}  // namespace strata
