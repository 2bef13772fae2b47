#pragma once
#include <filesystem>
#include <string>

#include "core/base/json.h"

namespace strata {

// The hidden folder in which a dataset grows. Gone with all it holds unless it is given its place.
// Those of killed processes are removed on the way.
class GrowingFolder {
 public:
  GrowingFolder(const std::filesystem::path& datasets, const std::string& name);
  ~GrowingFolder();
  GrowingFolder(const GrowingFolder&) = delete;
  GrowingFolder& operator=(const GrowingFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Held while dataset folders are renamed or removed, so that two processes do not cross.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& datasets);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

// Gives the grown folder its place and the manifest its version; the dataset that was there becomes
// NAME@VERSION. Call it under a FolderLock.
void publishDataset(const std::filesystem::path& datasets, const std::filesystem::path& grown,
                    Json manifest);

}  // namespace strata
