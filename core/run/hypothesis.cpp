#include "core/run/hypothesis.h"

namespace strata {
namespace {

Recording recordingFrom(const Json& json) {
  return {.info = recordingInfoFrom(json),
          .shape = json.at("shape").get<std::vector<std::int64_t>>(),
          .values = json.at("values").get<std::vector<float>>()};
}

}  // namespace

SentenceRecordings sentenceOf(const std::vector<std::string>& source,
                              const Hypothesis& hypothesis) {
  return {.source = source, .target = hypothesis.words, .recordings = hypothesis.recordings};
}

Json toJson(const Hypothesis& hypothesis, bool withRecordings) {
  Json json{{"text", hypothesis.text},
            {"tokens", hypothesis.words},
            {"score", hypothesis.score},
            {"logProbability", hypothesis.logProbability},
            {"logProbabilities", hypothesis.tokenLogProbabilities}};
  if (!hypothesis.replaced.empty()) json["replaced"] = hypothesis.replaced;
  if (!withRecordings) return json;
  Json recordings = Json::array();
  for (const Recording& recording : hypothesis.recordings) {
    Json entry = toJson(recording.info);
    entry["shape"] = recording.shape;
    entry["values"] = recording.values;
    recordings.push_back(std::move(entry));
  }
  json["recordings"] = std::move(recordings);
  return json;
}

Hypothesis hypothesisFrom(const Json& json) {
  Hypothesis hypothesis;
  hypothesis.text = json.at("text").get<std::string>();
  hypothesis.words = json.at("tokens").get<std::vector<std::string>>();
  hypothesis.score = json.at("score").get<double>();
  hypothesis.logProbability = json.at("logProbability").get<double>();
  hypothesis.tokenLogProbabilities = json.at("logProbabilities").get<std::vector<double>>();
  hypothesis.replaced = json.value("replaced", std::vector<std::string>());
  for (const Json& recording : json.value("recordings", Json::array()))
    hypothesis.recordings.push_back(recordingFrom(recording));
  return hypothesis;
}

}  // namespace strata
