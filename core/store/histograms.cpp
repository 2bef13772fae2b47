#include "core/store/histograms.h"

#include "core/base/text_limits.h"
#include "core/store/event_log.h"
#include "core/store/index.h"

namespace strata {
namespace {

// Seven bits a byte, the lowest first; the highest bit says that more follow.
void put(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7F) | 0x80));
  out.push_back(static_cast<char>(value));
}

// Reads a payload front to back. What a newer program may have written otherwise ends it.
class Unpacker {
 public:
  explicit Unpacker(std::string_view rest) : rest_(rest) {}

  bool more() const { return good_ && !rest_.empty(); }
  bool good() const { return good_; }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  std::string_view bytes() {
    const std::uint64_t length = number();
    if (length > rest_.size()) good_ = false;
    if (!good_) return {};
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

// Pairs of a bin, as the distance from the one before, and its count.
std::string packCounts(const ValueHistogram& values) {
  std::string out;
  std::size_t before = 0;
  for (std::size_t bin = 0; bin < values.counts.size(); ++bin) {
    if (values.counts[bin] == 0) continue;
    put(bin - before, out);
    put(static_cast<std::uint64_t>(values.counts[bin]), out);
    before = bin;
  }
  return out;
}

std::optional<ValueHistogram> unpackCounts(std::string_view packed) {
  ValueHistogram values;
  std::uint64_t bin = 0;
  for (Unpacker counts(packed); counts.more();) {
    bin += counts.number();
    const auto count = static_cast<std::int64_t>(counts.number());
    if (!counts.good() || bin >= values.counts.size()) return {};
    values.counts[bin] = count;
  }
  return values;
}

std::optional<std::int64_t> startOf(std::string_view payload) {
  const Json event = tryParseJson(payload).value_or(nullptr);
  if (!event.is_object() || event.value("type", Json()) != "started") return {};
  const auto from = event.find("from_step");
  return from != event.end() && from->is_number() ? from->get<std::int64_t>() : 0;
}

}  // namespace

std::string packHistograms(const HistogramEvent& event) {
  std::string out;
  put(static_cast<std::uint64_t>(event.step), out);
  for (const LayerHistogram& each : event.layers) {
    put(static_cast<std::uint64_t>(each.kind), out);
    put(each.layer.size(), out);
    out += each.layer;
    const std::string counts = packCounts(each.values);
    put(counts.size(), out);
    out += counts;
  }
  return out;
}

HistogramLog::HistogramLog(const std::filesystem::path& runFolder, HistogramFilter filter)
    : file_(eventLogOf(runFolder)), filter_(std::move(filter)) {}

bool HistogramLog::read() {
  bool changed = false;
  const LogScan scan = scanLog(file_, offset_, [&](RecordKind kind, std::string_view payload) {
    if (kind == RecordKind::kHistograms) changed |= add(payload);
    if (kind != RecordKind::kEvent || steps_.empty()) return;
    if (const auto from = startOf(payload)) changed |= cut(*from);
  });
  offset_ = scan.end;
  return changed;
}

bool HistogramLog::add(std::string_view payload) {
  Unpacker record(payload);
  const auto step = static_cast<std::int64_t>(record.number());
  if (!record.good()) return false;
  // A step whose update was refused comes in two records.
  if (!steps_.empty() && step < steps_.back()) cut(step - 1);
  if (steps_.empty() || step != steps_.back()) steps_.push_back(step);
  while (record.more()) {
    const std::uint64_t number = record.number();
    const std::string layer(record.bytes());
    const std::string_view counts = record.bytes();
    if (!record.good() || number >= kHistogramKinds.size()) break;
    const HistogramKind kind = kHistogramKinds[number];
    layers_.emplace(kind, layer);
    if (filter_.kind.value_or(kind) != kind || filter_.layer.value_or(layer) != layer ||
        filter_.step.value_or(step) != step) {
      continue;
    }
    if (const auto values = unpackCounts(counts)) found_.push_back({step, kind, layer, *values});
  }
  return true;
}

bool HistogramLog::cut(std::int64_t last) {
  const std::size_t before = steps_.size();
  while (!steps_.empty() && steps_.back() > last) steps_.pop_back();
  while (!found_.empty() && found_.back().step > last) found_.pop_back();
  return steps_.size() != before;
}

}  // namespace strata
