#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/base/open_file.h"

namespace strata {

// The hidden folder in which a dataset, or another folder, is built. Removed with its contents
// unless it is moved to its final place. Folders left by killed processes are removed on the way; a
// lock tells them from those of processes that live, on this computer or on another one.
class GrowingFolder {
 public:
  GrowingFolder(const std::filesystem::path& parent, const std::string& name);
  ~GrowingFolder();
  GrowingFolder(const GrowingFolder&) = delete;
  GrowingFolder& operator=(const GrowingFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<OpenFile> lock_;  // of a file next to the folder
};

// Removes what killed processes have left of such folders: where nothing is built, since what is to
// be built is there already, the next one may never come.
void removeDeadFolders(const std::filesystem::path& parent);

// Held while dataset folders are renamed or removed, so that two processes do not interfere.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& datasets);

 private:
  OpenFile file_;
};

// Moves the finished folder to its place and sets the manifest's version; an existing dataset
// becomes NAME@VERSION. Call it under a FolderLock.
void publishDataset(const std::filesystem::path& datasets, const std::filesystem::path& grown,
                    Json manifest);

}  // namespace strata
