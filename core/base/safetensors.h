#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace strata {

// Element types of the safetensors format that this project reads and writes.
enum class DType {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool
};

std::size_t sizeOf(DType type);       // bytes per element
std::string_view nameOf(DType type);  // the format's own name: "F64", "F32", ...

// A view of one tensor: contiguous, little-endian, row-major.
struct TensorView {
  DType type = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::string_view bytes;

  std::int64_t elements() const;
};

// Reads a safetensors file through a memory map. The header is fully checked before any view is
// given out: names, types, shapes and ranges must match the file's size and not overlap. Damage is
// an Error naming file and tensor.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool contains(const std::string& name) const { return tensors_.contains(name); }
  const TensorView& at(const std::string& name) const;  // throws an Error naming file and tensor

 private:
  MappedFile file_;
  std::map<std::string, TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

// A file of the tensors in name order.
std::string packSafetensors(const std::map<std::string, TensorView>& tensors,
                            const std::map<std::string, std::string>& metadata = {});
// Writes it, atomically.
void writeSafetensors(const std::filesystem::path& path,
                      const std::map<std::string, TensorView>& tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace strata
