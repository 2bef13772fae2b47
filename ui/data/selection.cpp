#include "ui/data/selection.h"

namespace strata::ui {

Selection Selection::after(const Selection& choice) const {
  Selection now = *this;
  const bool imported = choice.system && !choice.system->isEmpty();
  const bool otherRun = imported || (choice.run && choice.run != run);
  const bool otherSentence = otherRun || (choice.sentence && choice.sentence != sentence);
  const bool otherHypothesis =
      otherSentence || (choice.hypothesis && choice.hypothesis != hypothesis);
  if (otherRun) {
    now.run.reset();
    now.system.reset();
    now.step.reset();
    now.checkpoint.reset();
  }
  if (choice.step) now.checkpoint.reset();
  if (otherSentence) now.hypothesis.reset();
  if (otherHypothesis) now.word.reset();
  const auto take = [&](auto... field) {
    ((now.*field = choice.*field ? choice.*field : now.*field), ...);
  };
  take(&Selection::drawn, &Selection::run, &Selection::system, &Selection::other, &Selection::step,
       &Selection::checkpoint, &Selection::testSet, &Selection::sentence, &Selection::hypothesis,
       &Selection::word);
  return now;
}

}  // namespace strata::ui
