// Who reads whom: how much the layers that read several earlier ones side by side take from each
// (inside.md 5).
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/inside/measured_on.h"
#include "core/report/table.h"

namespace strata {

// What is compared between the blocks of a reader.
enum class ReadMeasure { kShare, kWeight, kScaled };
inline constexpr std::array kReadMeasures{ReadMeasure::kShare, ReadMeasure::kWeight,
                                          ReadMeasure::kScaled};
std::string_view nameOf(ReadMeasure measure);  // "share", "weight", "scaled"
// "RMS of what it reads of the block, as a share of all its blocks", ...
std::string_view describe(ReadMeasure measure);
ReadMeasure readMeasureNamed(std::string_view name);  // a usage error lists the names

// One block as one reader reads it, over all positions that are not padding.
struct BlockRead {
  std::string name = {};                   // "h0", "layer 2 c"
  double weight = 0, input = 0, read = 0;  // ||W_b||_F / sqrt(entries), RMS of x_b and of W_b x_b
};
struct ReaderReads {
  std::string map = {}, name = {};  // the picture, and its row: "encoder", "layer 3 conv"
  std::string parameters = {};      // of its matrix; empty: a product of several
  std::vector<BlockRead> blocks = {};

  // NaN if it reads nothing of any block, which have no shares then.
  double value(std::size_t block, ReadMeasure measure) const;
};

struct ReadersReport {
  MeasuredOn on = {};
  std::string run = {};                                   // its name
  std::int64_t sourcePositions = 0, targetPositions = 0;  // </s> included
  std::vector<ReaderReads> readers = {};

  std::vector<std::string> maps() const;  // in their order
};

// A picture: readers in rows, blocks in columns.
struct ReadMap {
  std::vector<std::string> rows = {}, columns = {};
  std::vector<double> values = {};  // rows x columns; NaN: the reader does not read the block
};
ReadMap readMap(const ReadersReport& report, const std::string& map, ReadMeasure measure);

// Why a model of this configuration has no readers, by the keys that describe its parts; empty: it
// has some, or the keys do not tell.
std::string readersLackOf(const Json& model);

Json toJson(const ReadersReport& report);
// Throws nlohmann's exceptions or an Error if something is missing or has another type.
ReadersReport readersReportFrom(const Json& json);

// RUN/readers/CHECKPOINT.SET.SENTENCES.json, replaced atomically.
std::filesystem::path readersFile(const std::filesystem::path& runFolder, const MeasuredOn& on);
void storeReaders(const std::filesystem::path& runFolder, const ReadersReport& report);
// All that are stored; damaged files count as none. Ordered by file name.
std::vector<ReadersReport> storedReaders(const std::filesystem::path& runFolder);

// "first, step-00012000, valid: ... on 200 sentences": what the numbers are.
std::string captionOf(const ReadersReport& report, ReadMeasure measure);
// A picture as a table.
Table readTable(const ReadersReport& report, const std::string& map, ReadMeasure measure);

}  // namespace strata
