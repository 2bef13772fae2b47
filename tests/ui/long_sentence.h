#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/inside/recording_fixture.h"

namespace fixture {

// "word0", "word1", …, "</s>".
inline std::vector<std::string> manyWords(int count) {
  std::vector<std::string> words;
  for (int i = 0; i + 1 < count; ++i) words.push_back("word" + std::to_string(i));
  words.emplace_back("</s>");
  return words;
}

// Attention to the source and to the history, and weights of two hops, all even.
inline strata::SentenceRecordings evenSentence(std::vector<std::string> source,
                                               std::vector<std::string> target) {
  strata::SentenceRecordings sentence;
  sentence.source = std::move(source);
  sentence.target = std::move(target);
  const auto read = std::int64_t(sentence.source.size()),
             words = std::int64_t(sentence.target.size());
  std::vector<float> overSource(std::size_t(words * read), 1.f / float(read)), overPast, hops;
  for (std::int64_t i = 0; i < words; ++i) {
    for (std::int64_t j = 0; j < words; ++j) overPast.push_back(j > i ? 0 : 1.f / float(i + 1));
    for (const float weight : {0.25f, 0.75f, 0.5f, 0.5f}) hops.push_back(weight);
  }
  strata::Recording fusion{
      {"decoder.fusion.hop_weights", "hop_weights", "decoder", -1, {"target", "hop", "level"}},
      {words, 2, 2},
      hops};
  sentence.recordings = {
      recording("source_attn", "attention", {"target", "source"}, {words, read}, overSource),
      recording("buffer_attn", "history_attention", {"target", "history"}, {words, words},
                overPast),
      fusion};
  return sentence;
}

}  // namespace fixture
