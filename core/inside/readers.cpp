#include "core/inside/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr int kReadersFormat = 1;
constexpr NumberStyle kReadNumber{.digits = 3, .missing = kNoValue};
constexpr double kNotRead = std::numeric_limits<double>::quiet_NaN();

std::optional<double> known(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Json toJson(const ReaderReads& reader) {
  Json blocks = Json::array();
  for (std::size_t b = 0; b < reader.blocks.size(); ++b) {
    const BlockRead& block = reader.blocks[b];
    blocks.push_back({{"name", block.name},
                      {"weight", block.weight},
                      {"input", block.input},
                      {"read", block.read},
                      {"scaled", reader.value(b, ReadMeasure::kScaled)},
                      {"share", orNull(known(reader.value(b, ReadMeasure::kShare)))}});
  }
  return {{"map", reader.map},
          {"name", reader.name},
          {"parameters", reader.parameters},
          {"blocks", blocks}};
}

ReaderReads readerFrom(const Json& json) {
  ReaderReads reader{.map = json.at("map"),
                     .name = json.at("name"),
                     .parameters = json.at("parameters"),
                     .blocks = {}};
  for (const Json& block : json.at("blocks"))
    reader.blocks.push_back({.name = block.at("name"),
                             .weight = block.at("weight"),
                             .input = block.at("input"),
                             .read = block.at("read")});
  return reader;
}

// Its place in the list, at the end of which it is added if it is not there.
std::size_t placeIn(std::vector<std::string>& list, const std::string& name) {
  const auto found = std::ranges::find(list, name);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(name);
  return list.size() - 1;
}

}  // namespace

std::string_view nameOf(ReadMeasure measure) {
  switch (measure) {
    case ReadMeasure::kShare:
      return "share";
    case ReadMeasure::kWeight:
      return "weight";
    case ReadMeasure::kScaled:
      return "scaled";
  }
  return "";
}

std::string_view describe(ReadMeasure measure) {
  switch (measure) {
    case ReadMeasure::kShare:
      return "read share: RMS of W_b x_b, as a share of the reader's blocks";
    case ReadMeasure::kWeight:
      return "weight: Frobenius norm of W_b over the square root of its entries";
    case ReadMeasure::kScaled:
      return "weight times the RMS of x_b";
  }
  return "";
}

ReadMeasure readMeasureNamed(std::string_view name) {
  for (const ReadMeasure each : kReadMeasures) {
    if (nameOf(each) == name) return each;
  }
  throw usageError("There is no measure '{}'; expected share, weight or scaled", name);
}

double ReaderReads::value(std::size_t block, ReadMeasure measure) const {
  const BlockRead& own = blocks[block];
  if (measure == ReadMeasure::kWeight) return own.weight;
  if (measure == ReadMeasure::kScaled) return own.weight * own.input;
  double sum = 0;
  for (const BlockRead& each : blocks) sum += each.read;
  return sum > 0 ? own.read / sum : kNotRead;
}

std::vector<std::string> ReadersReport::maps() const {
  std::vector<std::string> names;
  for (const ReaderReads& reader : readers) placeIn(names, reader.map);
  return names;
}

ReadMap readMap(const ReadersReport& report, const std::string& map, ReadMeasure measure) {
  ReadMap picture;
  std::vector<const ReaderReads*> readers;
  for (const ReaderReads& reader : report.readers) {
    if (reader.map != map) continue;
    readers.push_back(&reader);
    picture.rows.push_back(reader.name);
    for (const BlockRead& block : reader.blocks) placeIn(picture.columns, block.name);
  }
  picture.values.assign(picture.rows.size() * picture.columns.size(), kNotRead);
  for (std::size_t row = 0; row < readers.size(); ++row) {
    for (std::size_t b = 0; b < readers[row]->blocks.size(); ++b) {
      const std::size_t column = placeIn(picture.columns, readers[row]->blocks[b].name);
      picture.values[row * picture.columns.size() + column] = readers[row]->value(b, measure);
    }
  }
  return picture;
}

std::string readersLackOf(const Json& model) {
  const auto fuses = [&](const char* side) {
    const auto fusion = model.find(side);
    if (fusion == model.end()) return false;
    const std::string type = fusion->value("type", "none");
    return type == "fnn" || (type == "sa" && fusion->value("hops", 2) > 1);
  };
  const bool transformer = model.contains("heads"), dense = model.contains("dense_attention"),
             dhea = model.contains("history"), deep = model.contains("fast_forward");
  if (!transformer && !dense && !dhea && !deep) return {};
  const bool has =
      deep ||
      (dense && (model.value("dense_encoder", true) || model.value("dense_decoder", true))) ||
      (transformer && (fuses("encoder_fusion") || fuses("decoder_fusion")));
  return has ? std::string()
             : "This model has no such blocks: none of its layers reads several earlier ones side "
               "by side.";
}

Json toJson(const ReadersReport& report) {
  Json json{
      {"format", kReadersFormat},
      {"run", report.run},
      {"source_positions", report.sourcePositions},
      {"target_positions", report.targetPositions},
      {"readers", jsonList(report.readers, [](const ReaderReads& each) { return toJson(each); })}};
  addMembers(json, report.on);
  return json;
}

ReadersReport readersReportFrom(const Json& json) {
  ReadersReport report;
  report.run = json.at("run");
  report.on = measuredOnFrom(json);
  report.sourcePositions = json.at("source_positions");
  report.targetPositions = json.at("target_positions");
  for (const Json& each : json.at("readers")) report.readers.push_back(readerFrom(each));
  return report;
}

std::filesystem::path readersFile(const std::filesystem::path& runFolder, const MeasuredOn& on) {
  return runFolder / "readers" / (on.fileStem() + ".json");
}

void storeReaders(const std::filesystem::path& runFolder, const ReadersReport& report) {
  storeReport(readersFile(runFolder, report.on), toJson(report));
}

std::vector<ReadersReport> storedReaders(const std::filesystem::path& runFolder) {
  std::vector<ReadersReport> reports;
  readReports(runFolder / "readers", kReadersFormat,
              [&](const Json& json) { reports.push_back(readersReportFrom(json)); });
  return reports;
}

std::string captionOf(const ReadersReport& report, ReadMeasure measure) {
  return fmt::format("{}, {}, {}: {}, on {} sentences ({} source and {} target positions)",
                     report.run, report.on.checkpoint, report.on.set, describe(measure),
                     report.on.sentences, report.sourcePositions, report.targetPositions);
}

Table readTable(const ReadersReport& report, const std::string& map, ReadMeasure measure) {
  const ReadMap picture = readMap(report, map, measure);
  Table table;
  for (std::size_t row = 0; row < picture.rows.size(); ++row) {
    table.beginRow(map, picture.rows[row]);
    for (std::size_t column = 0; column < picture.columns.size(); ++column) {
      const double value = picture.values[row * picture.columns.size() + column];
      table.addNumber(picture.columns[column], Cell::number(known(value), kReadNumber));
    }
  }
  return table;
}

}  // namespace strata
