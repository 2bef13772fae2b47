#include "core/base/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {

constexpr std::size_t kPrefix = 8;                 // the header's length, little-endian
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit

struct TypeRow {
  std::string_view name;
  std::size_t size;
};
// In the order of DType.
constexpr std::array<TypeRow, 10> kTypes{{{"F64", 8},
                                          {"F32", 4},
                                          {"F16", 2},
                                          {"BF16", 2},
                                          {"I64", 8},
                                          {"I32", 4},
                                          {"I16", 2},
                                          {"I8", 1},
                                          {"U8", 1},
                                          {"BOOL", 1}}};

TensorView parseTensor(const std::string& file, const std::string& name, const Json& entry,
                       std::string_view data) {
  const auto fail = [&](std::string_view what) {
    return Error("{}: tensor '{}' {}", file, name, what);
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    throw fail("has no dtype, shape or data_offsets");
  }
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& candidate) {
    return entry["dtype"] == candidate.name;
  });
  if (row == kTypes.end()) throw fail("has an unknown type");
  TensorView view{.type = static_cast<DType>(row - kTypes.begin()), .shape = {}, .bytes = {}};
  std::uint64_t bytes = row->size;
  for (const auto& size : entry["shape"]) {
    if (!size.is_number_unsigned()) throw fail("has a bad shape");
    const auto extent = size.get<std::uint64_t>();
    if (extent > (1ULL << 40) ||
        (extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent)) {
      throw fail("has a shape that is too large");
    }
    bytes *= extent;
    view.shape.push_back(static_cast<std::int64_t>(extent));
  }
  const auto& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    throw fail("has bad offsets");
  }
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  if (begin > end || end > data.size() || end - begin != bytes) {
    throw fail("extends beyond the end of the file: truncated or damaged");
  }
  view.bytes = data.substr(begin, bytes);
  return view;
}

// The format requires that every byte of the data belongs to one tensor.
void checkCoverage(const std::string& file, const std::map<std::string, TensorView>& tensors,
                   std::string_view data) {
  std::vector<std::string_view> ranges;
  for (const auto& [name, view] : tensors) ranges.push_back(view.bytes);
  std::sort(ranges.begin(), ranges.end(), [](auto a, auto b) {
    return std::pair(a.data(), a.size()) < std::pair(b.data(), b.size());
  });
  const char* at = data.data();
  for (const auto range : ranges) {
    if (range.data() != at && !range.empty())
      throw Error("{}: its tensors overlap or leave a gap", file);
    at += range.size();
  }
  if (at != data.data() + data.size())
    throw Error("{}: contains bytes that belong to no tensor", file);
}

}  // namespace

std::size_t sizeOf(DType type) {
  return kTypes[static_cast<std::size_t>(type)].size;
}

std::string_view nameOf(DType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::int64_t TensorView::elements() const {
  std::int64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const std::string name = path.string();
  const std::string_view all = file_.view();
  if (all.size() < kPrefix) throw Error("{}: too short for a safetensors file", name);
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), kPrefix);
  if (length > kMaxHeader || length > all.size() - kPrefix) {
    throw Error(
        "{}: its header extends beyond the end of the file: truncated or not a safetensors file",
        name);
  }
  const Json header = parseJson(all.substr(kPrefix, length), name, {.bytes = kMaxHeader});
  if (!header.is_object()) throw Error("{}: its header is not an object", name);
  const std::string_view data = all.substr(kPrefix + length);
  for (const auto& [key, entry] : header.items()) {
    if (key != "__metadata__") {
      tensors_.emplace(key, parseTensor(name, key, entry, data));
      continue;
    }
    for (const auto& [item, text] : entry.items()) {
      if (!text.is_string()) throw Error("{}: its metadata must be strings", name);
      metadata_.emplace(item, text.get<std::string>());
    }
  }
  checkCoverage(name, tensors_, data);
}

const TensorView& SafetensorsFile::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw Error("{}: has no tensor '{}'", file_.path().string(), name);
  return found->second;
}

std::string packSafetensors(const std::map<std::string, TensorView>& tensors,
                            const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Names are already distinct; header[name] would search all earlier ones.
  auto& entries = header.get_ref<Json::object_t&>();
  std::uint64_t offset = 0;
  for (const auto& [name, view] : tensors) {
    entries.emplace_back(name, Json{{"dtype", nameOf(view.type)},
                                    {"shape", view.shape},
                                    {"data_offsets", {offset, offset + view.bytes.size()}}});
    offset += view.bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the format aligns the data to 8 bytes
  const std::uint64_t length = text.size();
  std::string content(kPrefix, '\0');
  std::memcpy(content.data(), &length, kPrefix);
  content.reserve(kPrefix + length + offset);
  content += text;
  for (const auto& [name, view] : tensors) content += view.bytes;
  return content;
}

void writeSafetensors(const std::filesystem::path& path,
                      const std::map<std::string, TensorView>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  writeFileAtomic(path, packSafetensors(tensors, metadata));
}

}  // namespace strata
