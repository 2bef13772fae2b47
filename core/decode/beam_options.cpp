#include <algorithm>

#include "core/base/error.h"
#include "core/decode/beam_search.h"

namespace strata {

BeamOptions beamOptionsOf(const DecodingSpec& decoding) {
  BeamOptions options;
  options.beam = decoding.beam;
  options.lengthRule = decoding.lengthPenalty;
  options.maxLengthFactor = decoding.maxLengthFactor;
  options.maxLengthOffset = decoding.maxLengthOffset;
  return options;
}

BeamOptions beamOptionsOf(const SearchRequest& request, const DecodingSpec& decoding) {
  BeamOptions options = beamOptionsOf(decoding);
  options.nbest = std::max(1, request.nbest);
  if (request.beam) options.beam = *request.beam;
  if (request.sampling) options.beam = options.nbest;
  if (options.nbest > options.beam) {
    throw usageError("nbest {} needs a beam of as many hypotheses; the beam is {}", options.nbest,
                     options.beam);
  }
  options.sampling = request.sampling;
  if (request.lengthPenalty) options.lengthRule = *request.lengthPenalty;
  if (request.maximumLength) {
    options.maxLengthFactor = request.maximumLength->factor;
    options.maxLengthOffset = request.maximumLength->offset;
  }
  options.minLength = request.minimumLength;
  options.noRepeat = request.noRepeat;
  options.unknownPenalty = request.unknownPenalty;
  options.diversity = request.diversity;
  options.compute = request.compute;
  options.tooLong = request.tooLong;
  return options;
}

}  // namespace strata
