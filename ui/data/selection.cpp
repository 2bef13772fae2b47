#include "ui/data/selection.h"

namespace strata::ui {

Selection Selection::after(const Selection& choice) const {
  Selection now = *this;
  const bool otherRun = choice.run && choice.run != run;
  const bool otherSentence = otherRun || (choice.sentence && choice.sentence != sentence);
  const bool otherHypothesis =
      otherSentence || (choice.hypothesis && choice.hypothesis != hypothesis);
  if (otherRun) {
    now.step.reset();
    now.checkpoint.reset();
  }
  if (otherSentence) now.hypothesis.reset();
  if (otherHypothesis) now.word.reset();
  const auto take = [](auto& field, const auto& chosen) {
    if (chosen) field = chosen;
  };
  take(now.drawn, choice.drawn);
  take(now.run, choice.run);
  take(now.other, choice.other);
  take(now.step, choice.step);
  take(now.checkpoint, choice.checkpoint);
  take(now.testSet, choice.testSet);
  take(now.sentence, choice.sentence);
  take(now.hypothesis, choice.hypothesis);
  take(now.word, choice.word);
  return now;
}

}  // namespace strata::ui
