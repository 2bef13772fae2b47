#include "core/systems/stored_files.h"

#include <algorithm>
#include <system_error>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/data/growing_folder.h"

namespace strata {
namespace {

constexpr int kFormatVersion = 1;

}  // namespace

std::string textOf(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line) += '\n';
  return text;
}

std::vector<std::string> storedLines(const fs::path& file, const std::string& digest) {
  const std::string text = readFile(file);
  if (digestOf(text) != digest) {
    throw Error("{}: its content has changed since it was stored; import or translate it again",
                file.string());
  }
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void checkFree(const NewFolder& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(pathInside(folder.parent, folder.name), ignored))) return;
  removeDeadFolders(folder.parent);
  throw usageError("there is already a {} '{}': choose another name", folder.what, folder.name);
}

void makeFolder(const NewFolder& folder, const std::map<std::string, std::string>& files,
                Json manifest) {
  std::error_code failed;
  fs::create_directories(folder.parent, failed);
  if (failed) throw Error("cannot create {}: {}", folder.parent.string(), failed.message());
  const FolderLock lock(folder.parent);
  checkFree(folder);
  const GrowingFolder grown(folder.parent, folder.name);
  Json facts = Json::object();
  for (const auto& [name, content] : files) {
    writeFileAtomic(pathInside(grown.path(), name), content);
    facts[name] = {{"bytes", content.size()}, {"digest", digestOf(content)}};
  }
  manifest["format_version"] = kFormatVersion;
  manifest["files"] = std::move(facts);
  // File names need not be UTF-8.
  writeFileAtomic(grown.path() / folder.manifest,
                  manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  const fs::path place = pathInside(folder.parent, folder.name);
  moveDurably(grown.path(), place);
}

std::vector<fs::path> storedFolders(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (entry.is_directory(ignored) && !entry.path().filename().string().starts_with('.'))
      folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

Json readManifest(const fs::path& file, std::string_view format) {
  Json manifest = readJson(file);
  try {
    if (!manifest.is_object() || manifest.value("format", "") != format)
      throw Error("{}: is not a manifest of the kind {}", file.string(), format);
    if (const int version = manifest.at("format_version"); version != kFormatVersion) {
      throw Error("{}: has format {}, but this program reads format {}", file.string(), version,
                  kFormatVersion);
    }
    for (const auto& [name, facts] : manifest.at("files").items()) {
      std::error_code failed;
      const fs::path path = pathInside(file.parent_path(), name);
      const auto size = fs::file_size(path, failed);
      if (failed || size != facts.at("bytes").get<std::uintmax_t>()) {
        throw Error("{}: is missing or has another size than {} says; import it again",
                    path.string(), file.string());
      }
      if (!facts.at("digest").is_string())
        throw Error("{}: a digest is not a string", file.string());
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: is damaged: {}", file.string(), error.what());
  }
  return manifest;
}

std::map<std::string, std::string> fileDigests(const Json& manifest) {
  std::map<std::string, std::string> digests;
  for (const auto& [name, facts] : manifest.at("files").items())
    digests[name] = facts.at("digest").get<std::string>();
  return digests;
}

}  // namespace strata
