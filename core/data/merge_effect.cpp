#include "core/data/merge_effect.h"

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/progress.h"
#include "core/base/string_map.h"
#include "core/text/bpe.h"
#include "core/text/bpe_learner.h"
#include "core/text/words.h"

namespace strata {
namespace {

double shareOf(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Calls use(units, count) with each word of the counter, split.
template <typename Use>
void forEachSplit(const WordCounter& words, Bpe* bpe, Use use) {
  std::string units;
  for (const auto& [word, count] : words.entries()) {
    units.clear();
    if (bpe)
      bpe->apply(word, units);
    else
      units = word;
    use(units, count);
  }
}

MergeSide sideOf(const WordCounter& words, const WordCounter& valid, Bpe* bpe, StringSet& joint) {
  MergeSide side;
  StringSet vocabulary;
  std::int64_t units = 0, split = 0, unknown = 0;
  forEachSplit(words, bpe, [&](const std::string& text, std::int64_t count) {
    std::int64_t here = 0;
    forEachWord(text, [&](std::string_view unit) {
      ++here;
      if (!vocabulary.contains(unit)) vocabulary.emplace(unit);
      if (!joint.contains(unit)) joint.emplace(unit);
    });
    units += here * count;
    if (here > 1) split += count;
  });
  side.vocabulary = std::ssize(vocabulary);
  side.unitsPerWord = shareOf(units, words.total());
  side.split = shareOf(split, words.total());
  if (valid.total() == 0) return side;
  forEachSplit(valid, bpe, [&](const std::string& text, std::int64_t count) {
    bool known = true;
    forEachWord(text, [&](std::string_view unit) { known = known && vocabulary.contains(unit); });
    if (!known) unknown += count;
  });
  side.unknown = shareOf(unknown, valid.total());
  return side;
}

}  // namespace

std::vector<MergeRow> mergeRows(const MergeText& text, std::vector<std::int64_t> merges,
                                bool separate, const std::stop_token& stop) {
  merges.push_back(0);
  std::ranges::sort(merges);
  merges.erase(std::unique(merges.begin(), merges.end()), merges.end());
  std::array<BpeLearned, 2> learned;
  if (merges.back() > 0 && separate) {
    for (std::size_t side = 0; side < 2; ++side) {
      checkCancelled(stop);
      learned[side] = learnBpe(text.words[side], {.merges = merges.back()});
    }
  } else if (merges.back() > 0) {
    WordCounter both;
    for (const WordCounter& words : text.words) both.add(words.entries());
    learned[0] = learned[1] = learnBpe(both, {.merges = merges.back()});
  }
  std::vector<MergeRow> rows;
  for (const std::int64_t count : merges) {
    MergeRow row;
    row.merges = count;
    row.learned = std::min(count, std::max(learned[0].merges, learned[1].merges));
    StringSet joint;
    for (std::size_t side = 0; side < 2; ++side) {
      checkCancelled(stop);
      std::unique_ptr<Bpe> bpe;
      BpeOptions options;
      options.merges = count;
      if (count > 0) bpe = std::make_unique<Bpe>(learned[side].codes, "the learned codes", options);
      row.sides[side] = sideOf(text.words[side], text.valid[side], bpe.get(), joint);
    }
    row.joint = std::ssize(joint);
    rows.push_back(row);
  }
  return rows;
}

Json MergeEffect::json() const {
  const auto side = [](const MergeSide& each) {
    return Json{{"vocabulary", each.vocabulary},
                {"units_per_word", each.unitsPerWord},
                {"split", each.split},
                {"unknown_on_valid", orNull(each.unknown)}};
  };
  return {{"sample_pairs", pairs},
          {"pairs", of},
          {"is_sample", isSample()},
          {"separate", separate},
          {"rows", jsonList(rows, [&](const MergeRow& row) {
             return Json{{"merges", row.merges},
                         {"learned", row.learned},
                         {"joint_vocabulary", row.joint},
                         {"source", side(row.sides[0])},
                         {"target", side(row.sides[1])}};
           })}};
}

}  // namespace strata
