#include "core/decode/hypothesis_recorder.h"

#include <algorithm>

namespace strata {

void HypothesisRecorder::addEncoder(const Recorder& recorder) {
  encoder_ = recorder.tensors();
}

void HypothesisRecorder::addStep(const Recorder& recorder) {
  steps_.push_back(recorder.tensors());
}

RecordedTensor HypothesisRecorder::joined(std::size_t index,
                                          const std::vector<std::int64_t>& rows) const {
  const RecordingInfo& info = steps_.front()[index].info;
  const auto dimensionOf = [&](const char* axis) {
    const auto at = std::find(info.axes.begin(), info.axes.end(), axis);
    return at == info.axes.end() ? std::int64_t{-1} : at - info.axes.begin();
  };
  const std::int64_t target = dimensionOf("target"),
                     history = std::max(dimensionOf("history"), dimensionOf("memory"));
  const auto length = static_cast<std::int64_t>(rows.size());
  std::vector<torch::Tensor> parts;
  for (std::int64_t step = 0; step < length; ++step) {
    torch::Tensor part = steps_[step][index].values[rows[step]];
    if (history >= 0) {  // future words have no weight
      auto missing = part.sizes().vec();
      missing[history] = length - (step + 1);
      part = torch::cat({part, torch::zeros(missing, part.options())}, history);
    }
    parts.push_back(part);
  }
  return {info, torch::cat(parts, target).unsqueeze(0)};
}

std::vector<Recording> HypothesisRecorder::recordings(std::int64_t sentence,
                                                      std::int64_t sourceLength,
                                                      const std::vector<std::int64_t>& rows) const {
  const SentenceLengths lengths{sourceLength, static_cast<std::int64_t>(rows.size())};
  std::vector<Recording> all;
  for (const RecordedTensor& recorded : encoder_)
    all.push_back(recordingOf(recorded, sentence, lengths));
  if (steps_.empty()) return all;
  for (std::size_t index = 0; index < steps_.front().size(); ++index)
    all.push_back(recordingOf(joined(index, rows), 0, lengths));
  return all;
}

}  // namespace strata
