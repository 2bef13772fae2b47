#include "core/curves/tf_events.h"

#include <cstring>
#include <limits>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/curves/curve_input.h"
#include "core/curves/log_text.h"
#include "core/curves/tf_records.h"

namespace strata {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// Numbers of the fields in TensorFlow's event.proto, summary.proto and tensor.proto.
enum Field : protozero::pbf_tag_type {
  kEventTime = 1,
  kEventStep = 2,
  kEventVersion = 3,
  kEventSummary = 5,
  kEventSession = 7,
  kSessionStatus = 1,
  kSummaryValue = 1,
  kValueTag = 1,
  kValueSimple = 2,
  kValueTensor = 8,
  kValueMetadata = 9,
  kMetadataPlugin = 1,
  kPluginName = 1,
  kTensorType = 1,
  kTensorShape = 2,
  kTensorContent = 4,
  kTensorFloat = 5,
  kTensorDouble = 6,
  kTensorInt = 7,
  kTensorInt64 = 10,
  kShapeDimension = 2,
  kDimensionSize = 1
};
enum Type : std::int64_t { kFloat = 1, kDouble = 2, kInt32 = 3, kInt64 = 9 };

constexpr auto is(Field field, pbf_wire_type type) {
  return protozero::tag_and_type(field, type);
}
constexpr auto kVarint = pbf_wire_type::varint;
constexpr auto kBytes = pbf_wire_type::length_delimited;
constexpr auto kFixed32 = pbf_wire_type::fixed32;
constexpr auto kFixed64 = pbf_wire_type::fixed64;

std::string_view viewOf(pbf_reader& reader) {
  const auto view = reader.get_view();
  return {view.data(), view.size()};
}

template <typename Number>
std::optional<double> numberIn(std::string_view bytes) {
  if (bytes.size() != sizeof(Number)) return {};
  Number value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<double>(value);
}

// The size of a tensor; a product beyond 1 is all that matters.
bool isOne(pbf_reader shape) {
  while (shape.next()) {
    if (shape.tag_and_type() != is(kShapeDimension, kBytes)) {
      shape.skip();
      continue;
    }
    pbf_reader dimension = shape.get_message();
    std::int64_t size = 0;
    while (dimension.next()) {
      if (dimension.tag_and_type() == is(kDimensionSize, kVarint))
        size = dimension.get_int64();
      else
        dimension.skip();
    }
    if (size != 1) return false;
  }
  return true;
}

std::optional<double> contentOf(std::int64_t type, std::string_view content) {
  switch (type) {
    case kFloat:
      return numberIn<float>(content);
    case kDouble:
      return numberIn<double>(content);
    case kInt32:
      return numberIn<std::int32_t>(content);
    case kInt64:
      return numberIn<std::int64_t>(content);
    default:
      return {};
  }
}

template <typename Numbers>
std::optional<double> firstOf(const Numbers& numbers) {
  if (numbers.empty()) return {};
  return static_cast<double>(*numbers.begin());
}

// A tensor with one number; none for any other.
std::optional<double> tensorValue(pbf_reader tensor) {
  std::int64_t type = 0;
  std::string_view content;
  std::optional<double> listed;
  while (tensor.next()) {
    switch (tensor.tag_and_type()) {
      case is(kTensorType, kVarint):
        type = tensor.get_enum();
        break;
      case is(kTensorShape, kBytes):
        if (!isOne(tensor.get_message())) return {};
        break;
      case is(kTensorContent, kBytes):
        content = viewOf(tensor);
        break;
      case is(kTensorFloat, kBytes):
        listed = firstOf(tensor.get_packed_float());
        break;
      case is(kTensorFloat, kFixed32):
        listed = tensor.get_float();
        break;
      case is(kTensorDouble, kBytes):
        listed = firstOf(tensor.get_packed_double());
        break;
      case is(kTensorDouble, kFixed64):
        listed = tensor.get_double();
        break;
      case is(kTensorInt, kBytes):
        listed = firstOf(tensor.get_packed_int32());
        break;
      case is(kTensorInt64, kBytes):
        listed = firstOf(tensor.get_packed_int64());
        break;
      default:
        tensor.skip();
    }
  }
  return content.empty() ? listed : contentOf(type, content);
}

// Whether a value's metadata name the scalars plugin; none: they name no plugin.
std::optional<bool> namesScalars(pbf_reader metadata) {
  std::optional<bool> scalars;
  while (metadata.next()) {
    if (metadata.tag_and_type() != is(kMetadataPlugin, kBytes)) {
      metadata.skip();
      continue;
    }
    pbf_reader plugin = metadata.get_message();
    while (plugin.next()) {
      if (plugin.tag_and_type() == is(kPluginName, kBytes))
        scalars = viewOf(plugin) == "scalars";
      else
        plugin.skip();
    }
  }
  return scalars;
}

struct Value {
  std::string_view tag;
  std::optional<double> number;
};

// A summary's value; no number if it is no scalar.
Value valueOf(pbf_reader reader, EventContext& context) {
  Value value;
  std::optional<pbf_reader> tensor;
  std::optional<bool> scalars;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case is(kValueTag, kBytes):
        value.tag = viewOf(reader);
        break;
      case is(kValueSimple, kFixed32):
        value.number = reader.get_float();
        break;
      case is(kValueTensor, kBytes):
        tensor = reader.get_message();
        break;
      case is(kValueMetadata, kBytes):
        scalars = namesScalars(reader.get_message());
        break;
      default:
        reader.skip();
    }
  }
  if (!tensor) return value;
  constexpr std::size_t kTags = 1'000'000;  // whose plugin is remembered
  if (scalars && context.isScalar.size() < kTags)
    context.isScalar[std::string(value.tag)] = *scalars;
  const auto known = context.isScalar.find(value.tag);
  if (!scalars && known != context.isScalar.end()) scalars = known->second;
  if (!scalars.value_or(false)) return value;
  value.number = tensorValue(*tensor);
  if (!value.number) ++context.otherTensors;
  return value;
}

bool isStart(pbf_reader session) {
  bool start = false;
  while (session.next()) {
    if (session.tag_and_type() == is(kSessionStatus, kVarint))
      start = session.get_enum() == 1;  // START
    else
      session.skip();
  }
  return start;
}

struct Event {
  double time = 0;
  std::int64_t step = 0;
  std::optional<std::string_view> version = {};
  bool starts = false;  // a session
  bool hasSummary = false;
  std::vector<Value> values = {};
};

void addSummary(pbf_reader summary, EventContext& context, Event& event) {
  event.hasSummary = true;
  while (summary.next()) {
    if (summary.tag_and_type() == is(kSummaryValue, kBytes))
      event.values.push_back(valueOf(summary.get_message(), context));
    else
      summary.skip();
  }
}

// Throws protozero::exception if the bytes are no event.
Event eventOf(std::string_view data, EventContext& context) {
  Event event;
  pbf_reader reader(data.data(), data.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case is(kEventTime, kFixed64):
        event.time = reader.get_double();
        break;
      case is(kEventStep, kVarint):
        event.step = reader.get_int64();
        break;
      case is(kEventVersion, kBytes):
        event.version = viewOf(reader);
        break;
      case is(kEventSession, kBytes):
        event.starts = isStart(reader.get_message());
        break;
      case is(kEventSummary, kBytes):
        addSummary(reader.get_message(), context, event);
        break;
      default:
        reader.skip();
    }
  }
  return event;
}

// 2 of "brain.Event:2".
double versionOf(std::string_view text) {
  constexpr std::string_view kBegin = "brain.Event:";
  if (const std::size_t at = text.rfind(kBegin); at != std::string_view::npos)
    text.remove_prefix(at + kBegin.size());
  return strata::numberIn(text).value_or(-1);
}

void purgeBefore(const Event& event, EventContext& context, CurveSet& curves) {
  if (context.version >= 2) {
    if (event.starts && std::exchange(context.hasStarted, true)) curves.cutFrom(event.step);
  } else if (event.hasSummary && event.step < context.newestStep) {
    for (const Value& value : event.values) curves.cutFrom(value.tag, event.step);
  }
  if (event.hasSummary) context.newestStep = event.step;
}

void addEvent(std::string_view data, EventContext& context, CurveSet& curves) {
  const Event event = eventOf(data, context);
  if (event.version) context.version = versionOf(*event.version);
  purgeBefore(event, context, curves);
  for (const Value& value : event.values) {
    if (value.number) curves.put(value.tag, {event.step, event.time, *value.number});
  }
}

}  // namespace

void readEventFile(const std::filesystem::path& file, const ReadOptions& options,
                   std::uint64_t before, EventContext& context, CurveSet& curves,
                   std::vector<std::string>& notes) {
  CurveInput input(file, options, before);
  TfRecordReader records(input, options.limits.recordBytes);
  std::string data;
  std::int64_t events = 0;
  while (records.next(data)) {
    try {
      addEvent(data, context, curves);
      ++events;
    } catch (const protozero::exception&) {
      ++context.notEvents;
    }
  }
  const std::string problem = records.problem();
  const bool damaged = records.end() == TfRecordReader::End::kDamaged;
  if (events == 0 && (damaged || context.notEvents > 0))
    throw Error("{} is no event file of TensorBoard{}{}", file.string(),
                problem.empty() ? "" : ": ", problem);
  if (!problem.empty()) notes.push_back(problem);
}

}  // namespace strata
