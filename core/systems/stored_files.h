#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Common to test sets and systems of a workspace: folders of texts with a manifest that contains
// every file's size and digest.

// Concatenates the lines, each with a newline. Lines contain no newlines.
std::string textOf(const std::vector<std::string>& lines);
// The lines of a file that textOf wrote. A missing file or a wrong digest is an Error.
std::vector<std::string> storedLines(const std::filesystem::path& file, const std::string& digest);

// Creates the folder NAME in `parent` with these files and the manifest, to which "files" is added,
// atomically. An existing name is a usage error, which uses `what` for the kind of thing.
struct NewFolder {
  std::filesystem::path parent;
  std::string name;
  std::string_view what;      // "system"
  std::string_view manifest;  // its file name
};
void makeFolder(const NewFolder& folder, const std::map<std::string, std::string>& files,
                Json manifest);
// Throws a usage error if NAME exists.
void checkFree(const NewFolder& folder);

// The folders that makeFolder made in `parent`, by name.
std::vector<std::filesystem::path> storedFolders(const std::filesystem::path& parent);

// A manifest that makeFolder wrote, with this "format". Damage, other versions and files that are
// missing or of another size are Errors.
Json readManifest(const std::filesystem::path& file, std::string_view format);
// Digests by name of a manifest's files.
std::map<std::string, std::string> fileDigests(const Json& manifest);

}  // namespace strata
