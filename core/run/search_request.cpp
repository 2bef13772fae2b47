#include "core/run/search_request.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr StrictMap::Range kPenalty{0, 1e6};
constexpr StrictMap::Range kLength{1, 1024};  // tokens
constexpr StrictMap::Range kBeam{1, kLargestBeam};
constexpr std::array<std::string_view, 3> kTooLong{"error", "cut", "skip"};

std::optional<MaximumLength> readMaximumLength(RequestParams& params) {
  if (!params.has("maxLength")) return {};
  const Json& value = params.any("maxLength");
  if (!value.is_array())
    return MaximumLength{0, static_cast<double>(params.integer("maxLength", 1, kLength))};
  if (value.size() != 2 || !value[0].is_number() || !value[1].is_number() || value[0] < 0 ||
      value[1] < 0)
    params.refuse("'maxLength' expects a number of tokens, or [A, B] for A x source + B");
  return MaximumLength{value[0].get<double>(), value[1].get<double>()};
}

}  // namespace

std::string_view nameOf(TooLong choice) {
  return kTooLong[static_cast<std::size_t>(choice)];
}

std::vector<std::string> tooLongNames() {
  return {kTooLong.begin(), kTooLong.end()};
}

TooLong tooLongNamed(std::string_view name) {
  const auto at = std::ranges::find(kTooLong, name);
  if (at != kTooLong.end()) return static_cast<TooLong>(at - kTooLong.begin());
  throw usageError("'{}' is not what can be done with a sentence that is too long: expected {}",
                   name, fmt::join(kTooLong, ", "));
}

Json toJson(const SearchRequest& request) {
  const SearchRequest usual;
  Json json = Json::object();
  if (request.beam) json["beam"] = *request.beam;
  if (request.nbest != usual.nbest) json["nbest"] = request.nbest;
  if (request.lengthPenalty) json["lengthPenalty"] = request.lengthPenalty->text();
  if (request.maximumLength)
    json["maxLength"] = {request.maximumLength->factor, request.maximumLength->offset};
  if (request.minimumLength != usual.minimumLength) json["minLength"] = request.minimumLength;
  if (request.noRepeat != usual.noRepeat) json["noRepeat"] = request.noRepeat;
  if (request.unknownPenalty != 0) json["unknownPenalty"] = request.unknownPenalty;
  if (request.diversity != 0) json["diversity"] = request.diversity;
  if (request.compute != usual.compute) json["compute"] = nameOf(request.compute);
  if (request.tooLong != usual.tooLong) json["tooLong"] = nameOf(request.tooLong);
  return json;
}

SearchRequest readSearch(RequestParams& params) {
  SearchRequest request;
  if (params.has("beam")) request.beam = static_cast<int>(params.integer("beam", 1, kBeam));
  request.nbest = static_cast<int>(params.integer("nbest", 1, kBeam));
  if (params.has("lengthPenalty"))
    request.lengthPenalty = LengthRule::parse(params.text("lengthPenalty"));
  request.maximumLength = readMaximumLength(params);
  request.minimumLength = params.integer("minLength", 1, kLength);
  request.noRepeat = static_cast<int>(params.integer("noRepeat", 0, {0, kLargestBeam}));
  request.unknownPenalty = params.number("unknownPenalty", 0, kPenalty);
  request.diversity = params.number("diversity", 0, kPenalty);
  request.compute = computeNamed(params.text("compute", std::string(nameOf(request.compute))));
  request.tooLong = tooLongNamed(params.text("tooLong", std::string(nameOf(request.tooLong))));
  return request;
}

}  // namespace strata
