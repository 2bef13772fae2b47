#pragma once
#include <string>
#include <vector>

#include "core/run/recording.h"

// Recordings with values that are easy to check.
namespace fixture {

inline strata::Recording recording(const std::string& name, const std::string& kind,
                                   std::vector<std::string> axes, std::vector<std::int64_t> shape,
                                   std::vector<float> values, int layer = 0) {
  return {{"decoder.layers." + std::to_string(layer) + "." + name, kind, "decoder", layer,
           std::move(axes)},
          std::move(shape),
          std::move(values)};
}

// "ein Hund schläft" -> "a dog sle@@ eps </s>", gate: two memories, each row of either sums to 1.
// Gold: a <- dog, dog <- sleeps (the root).
inline strata::SentenceRecordings gateSentence(std::int64_t number = 0) {
  strata::SentenceRecordings made;
  made.sentence = number;
  made.source = {"ein", "Hund", "schlä@@", "ft", "</s>"};
  made.target = {"a", "dog", "sle@@", "eps", "</s>"};
  // clang-format off
  const std::vector<float> source{0.8f, 0.1f, 0.1f, 0,    0,
                                  0.1f, 0.7f, 0.1f, 0.1f, 0,
                                  0,    0,    0.5f, 0.3f, 0.2f,
                                  0,    0,    0.3f, 0.5f, 0.2f,
                                  0,    0,    0,    0,    1};
  const std::vector<float> history{1,    0,    0,     0,     0,
                                   0.4f, 0.6f, 0,     0,     0,
                                   0.1f, 0.3f, 0.6f,  0,     0,
                                   0.1f, 0.1f, 0.4f,  0.4f,  0,
                                   0,    0.5f, 0.25f, 0.125f, 0.125f};
  const std::vector<float> gate{1,    1,
                                0,    1,
                                0.5f, 0.5f,
                                0.7f, 0.3f,
                                0,    0};
  const std::vector<float> norms{1, 0,  1, 1,  3, 1,  1, 3,  0, 2};
  // clang-format on
  made.recordings = {
      recording("source_attn", "attention", {"target", "source"}, {5, 5}, source),
      recording("buffer_attn", "history_attention", {"target", "history"}, {5, 5}, history),
      recording("gate", "gate", {"target", "feature"}, {5, 2}, gate),
      recording("context_norms", "context_norms", {"target", "part"}, {5, 2}, norms)};
  return made;
}

// "er geht" -> "he goes </s>", hybrid: one softmax over three source and three history columns.
inline strata::SentenceRecordings jointSentence(std::int64_t number = 1) {
  strata::SentenceRecordings made;
  made.sentence = number;
  made.source = {"er", "geht", "</s>"};
  made.target = {"he", "goes", "</s>"};
  // clang-format off
  made.recordings = {recording("hybrid_attn", "joint_attention", {"target", "memory"}, {3, 6},
                               {0.5f, 0.25f, 0,     0.25f, 0,     0,
                                0.1f, 0.5f,  0.1f,  0.1f,  0.2f,  0,
                                0,    0.25f, 0.25f, 0,     0.25f, 0.25f})};
  // clang-format on
  return made;
}

// Two hops over three levels: hop 1 reads one level alone (its number is `level`), hop 2 reads all
// alike.
inline strata::SentenceRecordings sentence(std::int64_t index, int level) {
  strata::SentenceRecordings made;
  made.sentence = index;
  made.source = {"ein", "Haus", "</s>"};
  made.target = {"a", "house", "</s>"};
  strata::Recording recording;
  recording.info = {
      "decoder.fusion.hop_weights", "hop_weights", "decoder", -1, {"target", "hop", "level"}};
  recording.shape = {3, 2, 3};
  for (int position = 0; position < 3; ++position) {
    for (int l = 0; l < 3; ++l) recording.values.push_back(l == level ? 1.f : 0.f);
    for (int l = 0; l < 3; ++l) recording.values.push_back(1.f / 3);
  }
  made.recordings = {recording};
  return made;
}

}  // namespace fixture
