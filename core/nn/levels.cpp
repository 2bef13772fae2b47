#include "core/nn/levels.h"

namespace strata {
namespace {

RecordingInfo infoOf(const std::string& side, const std::string& level, int layer) {
  return {side + ".levels." + level,
          "level",
          side,
          layer,
          {side == "encoder" ? "source" : "target", "feature"}};
}

torch::Tensor passed(const Published& level, const torch::Tensor& x) {
  return level.wanted() ? level.pass(x).contiguous() : x;
}

}  // namespace

RecordingInfo levelInfo(const std::string& side, std::size_t level) {
  return infoOf(side, std::to_string(level), static_cast<int>(level) - 1);
}

RecordingInfo fusedInfo(const std::string& side) {
  return infoOf(side, "fused", -1);
}

std::vector<RecordingInfo> levelInfos(const std::string& side, std::size_t layers) {
  std::vector<RecordingInfo> infos;
  for (std::size_t level = 0; level <= layers; ++level) infos.push_back(levelInfo(side, level));
  return infos;
}

torch::Tensor PublishedLevel::pass(std::size_t level, const torch::Tensor& x) const {
  return recorder == nullptr ? x : passed({recorder, levelInfo(side, level), timeMajor}, x);
}

torch::Tensor PublishedLevel::passFused(const torch::Tensor& x) const {
  return recorder == nullptr ? x : passed({recorder, fusedInfo(side), timeMajor}, x);
}

}  // namespace strata
