// The bookkeeping of a search on a device against the rules of models.md 6, followed word by word
// for one sentence at a time.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <algorithm>
#include <map>
#include <numeric>

#include "core/decode/device_beams.h"
#include "tests/program.h"

namespace strata {
namespace {

using Words = std::vector<TokenId>;

struct Language {
  int words = 6;                  // of the vocabulary
  int levels = 8;                 // different log-probabilities: few of them are often equal
  std::vector<TokenId> ids = {};  // of the words; empty: their numbers

  TokenId idOf(int word) const {
    return ids.empty() ? static_cast<TokenId>(word) : ids[static_cast<std::size_t>(word)];
  }
  double logProbability(std::int64_t sentence, const Words& before, int word) const {
    std::uint64_t hash = 1469598103934665603u + static_cast<std::uint64_t>(sentence);
    const auto mix = [&](std::int64_t value) {
      hash = (hash ^ static_cast<std::uint64_t>(value + 7)) * 1099511628211u;
      hash ^= hash >> 29;
    };
    for (const TokenId id : before) mix(id);
    mix(word);
    return -0.25 * static_cast<double>(hash % static_cast<std::uint64_t>(levels)) - 0.125;
  }
};

struct Followed {
  Words words;
  double total = 0;
  bool operator==(const Followed&) const = default;
};

std::vector<Followed> followRules(const Language& language, std::int64_t sentence, int beam,
                                  std::int64_t limit) {
  std::vector<Followed> live(1), finished;
  for (std::int64_t step = 1; !live.empty() && std::ssize(finished) < beam; ++step) {
    struct Candidate {
      double total;
      std::size_t parent;
      int word;
    };
    std::vector<Candidate> candidates;
    for (std::size_t parent = 0; parent < live.size(); ++parent) {
      for (int word = kEndId; word < language.words; ++word) {
        if (step == limit && word != kEndId) continue;
        candidates.push_back(
            {live[parent].total + language.logProbability(sentence, live[parent].words, word),
             parent, word});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.total > b.total; });
    candidates.resize(std::min<std::size_t>(candidates.size(), 2 * static_cast<std::size_t>(beam)));
    std::vector<Followed> next;
    for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
      const Candidate& candidate = candidates[rank];
      Followed grown{live[candidate.parent].words, candidate.total};
      grown.words.push_back(language.idOf(candidate.word));
      if (candidate.word != kEndId) {
        if (std::ssize(next) < beam) next.push_back(grown);
      } else if (std::cmp_less(rank, beam) && std::ssize(finished) < beam) {
        finished.push_back(grown);
      }
    }
    live = std::move(next);
  }
  return finished;
}

// The words that the beams kept; rows of sentences that begin have none before.
std::vector<std::vector<Followed>> read(const DeviceBeams& beams, std::size_t sentences) {
  std::vector<std::vector<Followed>> results(sentences);
  std::map<std::int64_t, Words> words;  // of every row
  for (const auto& step : beams.history()) {
    std::map<std::int64_t, Words> grown;
    for (const DeviceBeams::Word& word : step) {
      Words all = words[word.row];
      all.push_back(word.token);
      if (word.next >= 0)
        grown[word.next] = all;
      else
        results[word.sentence].push_back({all, word.total});
    }
    words = std::move(grown);
  }
  return results;
}

// At most `atOnce` sentences at once; the others wait.
std::vector<std::vector<Followed>> search(const Language& language, int beam,
                                          const std::vector<std::int64_t>& limits,
                                          std::size_t atOnce) {
  std::vector<std::size_t> first(std::min(atOnce, limits.size()));
  std::iota(first.begin(), first.end(), 0);
  std::size_t waiting = first.size();
  DeviceBeams beams({beam, limits, language.ids}, first, torch::kCPU);
  struct Row {
    std::int64_t sentence;
    Words words;
  };
  std::vector<Row> rows;
  for (const std::size_t s : first) rows.push_back({static_cast<std::int64_t>(s), {}});
  for (std::int64_t step = 1; !beams.done(); ++step) {
    const auto table = torch::empty({std::ssize(rows), language.words}, torch::kFloat64);
    for (std::int64_t r = 0; r < std::ssize(rows); ++r) {
      for (int word = 0; word < language.words; ++word)
        table[r][word] = language.logProbability(rows[r].sentence, rows[r].words, word);
    }
    const auto next = beams.advance(table, step);
    std::vector<Row> continued;
    for (std::int64_t r = 0; r < next.tokens_R.size(0); ++r) {
      Row row = rows[next.rows_R.defined() ? next.rows_R[r].item<std::int64_t>() : r];
      row.words.push_back(static_cast<TokenId>(next.tokens_R[r].item<std::int64_t>()));
      continued.push_back(std::move(row));
    }
    rows = std::move(continued);
    std::vector<std::size_t> begins;
    for (; beams.sentences().size() + begins.size() < atOnce && waiting < limits.size(); ++waiting)
      begins.push_back(waiting);
    if (begins.empty()) continue;
    beams.admit(begins, step);
    for (const std::size_t s : begins)
      rows.insert(rows.end(), beam, {static_cast<std::int64_t>(s), {}});
  }
  return read(beams, limits.size());
}

}  // namespace

class TestDeviceBeams : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followsTheRules_data();
  void followsTheRules();
};

void TestDeviceBeams::followsTheRules_data() {
  QTest::addColumn<int>("beam");
  QTest::addColumn<int>("words");
  QTest::addColumn<int>("levels");
  QTest::addColumn<bool>("shortlist");
  QTest::newRow("greedy") << 1 << 9 << 100'000 << false;
  QTest::newRow("two, many ties") << 2 << 4 << 3 << false;
  QTest::newRow("four, many ties") << 4 << 6 << 8 << false;
  QTest::newRow("four, fewer words than hypotheses") << 4 << 4 << 5 << false;
  QTest::newRow("five, no ties") << 5 << 40 << 1'000'000 << false;
  QTest::newRow("four, some words only") << 4 << 7 << 8 << true;
}

void TestDeviceBeams::followsTheRules() {
  QFETCH(int, beam);
  QFETCH(int, words);
  QFETCH(int, levels);
  QFETCH(bool, shortlist);
  Language language{.words = words, .levels = levels};
  if (shortlist) language.ids = {0, 1, 2, 3, 11, 17, 30};
  const std::vector<std::int64_t> limits{1, 2, 7, 3, 12, 5, 9, 12, 4, 12};
  for (const std::size_t atOnce : {1, 3, 10}) {
    const auto found = search(language, beam, limits, atOnce);
    for (std::size_t s = 0; s < limits.size(); ++s) {
      const auto expected = followRules(language, static_cast<std::int64_t>(s), beam, limits[s]);
      QVERIFY(!expected.empty());
      QVERIFY2(found[s] == expected, qPrintable(QString("sentence %1 of %2").arg(s).arg(atOnce)));
    }
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestDeviceBeams)
#include "test_device_beams.moc"
