#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace strata {

// What test sets and systems of a workspace share: folders of texts whose manifest names every
// file's size and digest.

// Every line with its end. Lines hold no line ends.
std::string textOf(const std::vector<std::string>& lines);
// The lines of a file that textOf wrote. A missing file and one with another digest are Errors.
std::vector<std::string> storedLines(const std::filesystem::path& file, const std::string& digest);

// Makes the folder NAME in `parent` with these files and the manifest, to which "files" is added:
// whole or not at all. A name that is taken is a usage error, which calls the thing `what`.
struct NewFolder {
  std::filesystem::path parent;
  std::string name;
  std::string_view what;      // "system"
  std::string_view manifest;  // its file's name
};
void makeFolder(const NewFolder& folder, const std::map<std::string, std::string>& files,
                Json manifest);
// Usage error where NAME is taken.
void checkFree(const NewFolder& folder);

// A manifest that makeFolder wrote, of this "format". Damage, other versions and files that are
// absent or of another size are Errors.
Json readManifest(const std::filesystem::path& file, std::string_view format);
// Digests by name of a manifest's files.
std::map<std::string, std::string> fileDigests(const Json& manifest);

}  // namespace strata
