#include <algorithm>
#include <protozero/pbf_writer.hpp>

#include "core/base/error.h"
#include "core/base/replacing_file.h"
#include "core/curves/tf_events.h"
#include "core/curves/tf_records.h"

namespace strata {
namespace {

// Numbers of the fields, as in the reader.
constexpr protozero::pbf_tag_type kTime = 1, kStep = 2, kVersion = 3, kSummary = 5;
constexpr protozero::pbf_tag_type kValue = 1, kTag = 1, kSimple = 2;

struct Entry {
  std::int64_t step;
  double time;
  std::uint32_t curve;
  double value;
};

// By steps, so that a reader which is interrupted has seen all curves up to one.
std::vector<Entry> entriesOf(std::span<const Curve> curves) {
  std::vector<Entry> entries;
  std::size_t count = 0;
  for (const Curve& curve : curves) count += curve.points.size();
  entries.reserve(count);
  for (std::uint32_t c = 0; c < curves.size(); ++c) {
    for (const ScalarPoint& point : curves[c].points)
      entries.push_back({point.step, point.wallTime, c, point.value});
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return a.step != b.step ? a.step < b.step : a.time < b.time;
  });
  return entries;
}

std::string versionEvent(double time) {
  std::string data;
  protozero::pbf_writer event(data);
  event.add_double(kTime, time);
  event.add_string(kVersion, "brain.Event:2");
  return data;
}

// One event with the values of the same step and time.
std::string eventOf(std::span<const Entry> entries, std::span<const Curve> curves) {
  std::string data;
  protozero::pbf_writer event(data);
  event.add_double(kTime, entries.front().time);
  event.add_int64(kStep, entries.front().step);
  protozero::pbf_writer summary(event, kSummary);
  for (const Entry& entry : entries) {
    protozero::pbf_writer value(summary, kValue);
    value.add_string(kTag, curves[entry.curve].name);
    value.add_float(kSimple, static_cast<float>(entry.value));
  }
  return data;
}

void write(const ReplacingFile& out, std::span<const Curve> curves, double time,
           const ReadOptions& options) {
  constexpr std::size_t kBlock = 1 << 20;  // bytes that are written at once
  const std::vector<Entry> entries = entriesOf(curves);
  std::string block = tfRecord(versionEvent(time));
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    constexpr std::size_t kTogether = 1000;  // values of an event
    while (end < entries.size() && end - begin < kTogether &&
           entries[end].step == entries[begin].step && entries[end].time == entries[begin].time)
      ++end;
    block += tfRecord(eventOf(std::span(entries).subspan(begin, end - begin), curves));
    if (block.size() >= kBlock) {
      out.write(block);
      block.clear();
    }
    checkCancelled(options.stop);
    if (options.progress != nullptr) options.progress->advance(static_cast<std::int64_t>(end));
  }
  out.write(block);
}

}  // namespace

void writeEventFile(const fs::path& file, std::span<const Curve> curves, double time,
                    const ReadOptions& options) {
  // TensorBoard reads every file with "tfevents" in its name, also one that grows.
  ReplacingFile out(file, file.parent_path() / ".strata.partial");
  write(out, curves, time, options);
  out.commit();
}

}  // namespace strata
