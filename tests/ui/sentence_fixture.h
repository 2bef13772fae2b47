#pragma once
#include <QStringList>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/comparison.h"

// Comparisons of a few real and of many generated sentences.
namespace fixture {

using Lines = std::vector<std::string>;
using Shared = std::shared_ptr<const strata::Comparison>;

inline strata::Comparison compared(Lines reference, std::vector<strata::ComparedSystem> systems,
                                   Lines source = {}, const std::string& metric = "bleu") {
  strata::ComparisonInput input;
  input.testSet = "small";
  input.references = {std::move(reference)};
  input.systems = std::move(systems);
  input.source = std::move(source);
  input.options.metrics = {metric};
  input.options.bootstrap.samples = 40;
  return strata::compareSystems(input);
}

inline strata::ComparedSystem system(const std::string& name, Lines lines) {
  strata::ComparedSystem made;
  made.name = name;
  made.lines = std::move(lines);
  return made;
}

// The first line is better by "ours", the second worse, the third equal.
inline strata::Comparison small(const std::string& metric = "bleu") {
  return compared({"the cat sat on the mat .", "a b c d e f", "one two three four five"},
                  {system("base", {"the cat sat on a mats .", "a b c d e f", "one two three"}),
                   system("ours", {"the cat sat on the mat !", "a b c d x f", "one two three"})},
                  {"die Katze", "a b", "eins"}, metric);
}

// Random sentences, and ten systems that change some of their words.
inline strata::Comparison generated(std::size_t sentences) {
  std::mt19937 random(7);
  const auto word = [&] { return "w" + std::to_string(random() % 300); };
  Lines reference;
  std::vector<strata::ComparedSystem> systems;
  for (std::size_t i = 0; i < sentences; ++i) {
    std::string line = word();
    for (std::size_t n = 3 + random() % 20; n > 0; --n) line += " " + word();
    reference.push_back(line);
  }
  for (int s = 0; s < 10; ++s) {
    Lines lines;
    for (const std::string& line : reference) {
      QStringList words = QString::fromStdString(line).split(' ');
      for (QString& w : words) {
        if (random() % 4 == 0) w = QString::fromStdString(word());
      }
      lines.push_back(words.join(' ').toStdString());
    }
    systems.push_back(system("s" + std::to_string(s), lines));
  }
  return compared(reference, systems);
}

}  // namespace fixture
