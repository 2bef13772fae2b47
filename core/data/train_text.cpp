#include "core/data/train_text.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/files.h"
#include "core/base/threads.h"
#include "core/text/line_stream.h"

namespace strata {
namespace {

fs::path inFolder(const fs::path& folder, const char* name) {
  fs::create_directories(folder);
  return folder / name;
}

}  // namespace

TrainText::TrainText(const fs::path& folder, int threads)
    : threads_(threads),
      sides_{NumberedText(inFolder(folder, "numbers.source")),
             NumberedText(inFolder(folder, "numbers.target"))} {}

void TrainText::finish(std::int64_t lines) {
  for (NumberedText& side : sides_) side.finish();
  left_.assign(static_cast<std::size_t>(lines), false);
}

void TrainText::truecase(int side, const Truecaser& truecaser) {
  NumberedText& before = sides_[index(side)];
  NumberedText after(before.path().string() + ".truecased");
  NumberedReader reader(before);
  for (std::string text, cased; reader.next(); text.clear()) {
    reader.appendText(text);
    truecaser.truecase(text, cased);
    after.add(cased);
  }
  after.finish();
  fs::remove(before.path());
  before = std::move(after);
}

std::int64_t TrainText::pairs() const {
  return static_cast<std::int64_t>(std::count(left_.begin(), left_.end(), false));
}

void TrainText::recountWords() {
  if (pairs() == lines()) return;
  inParallel(2, threads_, [&](std::size_t side) { recounted_[side] = recounted(sides_[side]); });
}

std::vector<WordCounter::Entry> TrainText::recounted(const NumberedText& side) const {
  const auto& words = side.words().entries();
  std::vector<std::int64_t> counts(words.size(), 0);
  std::vector<std::uint32_t> order;  // numbers of words as they first appear
  NumberedReader reader(side);
  for (std::int64_t line = 0; reader.next(); ++line) {
    if (!has(line)) continue;
    for (const std::uint32_t number : reader.numbers()) {
      if (counts[number]++ == 0) order.push_back(number);
    }
  }
  std::vector<WordCounter::Entry> left;
  left.reserve(order.size());
  for (const std::uint32_t number : order) left.push_back({words[number].word, counts[number]});
  return left;
}

void TrainText::writeText(int side, const fs::path& path) const {
  NumberedReader reader(sides_[index(side)]);
  LineWriter kept(path);
  std::string text;
  for (std::int64_t line = 0; reader.next(); ++line) {
    if (!has(line)) continue;
    text.clear();
    reader.appendText(text);
    kept.add(text);
  }
  kept.flush();
}

}  // namespace strata
