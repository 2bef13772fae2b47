// Rows from the cache are exactly those that were computed.
#include <QTest>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/compare/comparison.h"
#include "core/metrics/metrics.h"
#include "core/systems/score_cache.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;

// Counts computations.
class Counting : public Metric {
 public:
  Counting(std::string signature, std::size_t sentences)
      : signature_(std::move(signature)), sentences_(sentences) {}
  std::string name() const override { return "counting"; }
  std::string signature() const override { return signature_; }
  std::size_t sentences() const override { return sentences_; }
  std::size_t width() const override { return 2; }
  void compare(std::size_t sentence, std::string_view line, std::span<double> row) const override {
    ++computed;
    row[0] = static_cast<double>(sentence) / 3;
    row[1] = static_cast<double>(line.size()) / 7;
  }
  double score(std::span<const double> sums) const override { return sums[0]; }

  mutable std::atomic<int> computed{0};

 private:
  std::string signature_;
  std::size_t sentences_;
};

bool same(const MetricRows& a, const MetricRows& b) {
  return a.width == b.width && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

struct Fixture {
  TemporaryFolder folder;
  Workspace workspace{folder / "ws", {.networkFileSystem = false}};
  ScoreCache cache{workspace};
  Lines lines{"a b c d e", "one two three four", "x"};

  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(workspace.root() / "cache/scores", ignored))
      files.push_back(entry.path());
    return files;
  }
  // How many sentences are computed for these lines.
  int computed(const Counting& metric, const Lines& hypotheses,
               const std::string& references = "r") const {
    const int before = metric.computed;
    const MetricRows rows = cache.rows(metric, hypotheses, references, 1);
    return same(rows, compareAll(metric, hypotheses, 1))
               ? metric.computed - before - static_cast<int>(hypotheses.size())
               : -1;
  }
};

}  // namespace

class TestScoreCache : public QObject {
  Q_OBJECT

 private slots:
  void givesTheSameRows();
  void tellsInputsApart();
  void survivesDamage();
  void worksWhereItCannotWrite();
  void keepsNoErrors();
  void trimsWhatWasUsedLongestAgo();
  void servesManyThreads();
};

void TestScoreCache::givesTheSameRows() {
  const Fixture fixture;
  const std::vector<Lines> references{{"a b c d f", "one two three five", "x y"},
                                      {"a b", "", "\xc3\xa4"}};
  const std::string digest = referencesDigest(references);
  for (const std::string& name : metricNames()) {
    const MetricPointer metric = makeMetric(name, references);
    const MetricRows expected = compareAll(*metric, fixture.lines);
    QVERIFY2(same(fixture.cache.rows(*metric, fixture.lines, digest), expected), name.c_str());
    const std::size_t entries = fixture.entries().size();
    QVERIFY2(same(fixture.cache.rows(*metric, fixture.lines, digest), expected), name.c_str());
    QCOMPARE(fixture.entries().size(), entries);
  }
  QCOMPARE(fixture.entries().size(), metricNames().size());
  // A new metric, and another object for the same workspace, find the cached rows.
  const Counting metric("s", 3), again("s", 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 0);
  QCOMPARE(fixture.computed(again, fixture.lines), 0);
}

void TestScoreCache::tellsInputsApart() {
  const Fixture fixture;
  const Counting metric("tok:13a", 3), other("tok:intl", 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 3);
  QCOMPARE(fixture.computed(other, fixture.lines), 3);
  QCOMPARE(fixture.computed(metric, fixture.lines, "q"), 3);
  QCOMPARE(fixture.computed(metric, {"a b c d eone two three four", "", "x"}), 3);
  QCOMPARE(fixture.computed(metric, {"x", "a b c d e", "one two three four"}), 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 0);
  QHOLDS(errorOf([&] { fixture.computed(metric, {"a"}); }), "there are 1 hypotheses and 3");
  // BLEU under two tokenizers, of a line that they split differently.
  const std::vector<Lines> references{{"a\xe2\x82\xac b", "c", "d"}};
  const Lines lines{"a\xe2\x82\xac b", "c", "d"};
  MetricOptions intl;
  intl.bleu.tokenizer = BleuTokenizer::kInternational;
  const auto a = makeMetric("bleu", references), b = makeMetric("bleu", references, intl);
  const std::string digest = referencesDigest(references);
  const MetricRows first = fixture.cache.rows(*a, lines, digest);
  const MetricRows second = fixture.cache.rows(*b, lines, digest);
  QVERIFY(same(first, compareAll(*a, lines)) && same(second, compareAll(*b, lines)));
  QVERIFY(!same(first, second));
}

void TestScoreCache::survivesDamage() {
  const Fixture fixture;
  const Counting metric("s", 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 3);
  const fs::path file = fixture.entries().front();
  const std::string whole = readFile(file);
  std::vector<std::string> damaged{"", "x", whole.substr(0, whole.size() - 1), whole + "x",
                                   std::string(whole.size(), '\0')};
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{16}, std::size_t{24},
                               whole.size() - 48, whole.size() - 1}) {
    damaged.push_back(whole);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 1);
  }
  for (const std::string& content : damaged) {
    put(file, content);
    QCOMPARE(fixture.computed(metric, fixture.lines), 3);
    QCOMPARE(readFile(file), whole);  // mended
  }
  // An entry under another one's name is not taken for it.
  const Counting other("t", 3);
  QCOMPARE(fixture.computed(other, fixture.lines), 3);
  for (const fs::path& entry : fixture.entries()) put(entry, whole);
  QCOMPARE(fixture.computed(other, fixture.lines), 3);
}

void TestScoreCache::worksWhereItCannotWrite() {
  const Fixture fixture;
  put(fixture.workspace.root() / "cache", "a file where the folder should be");
  const Counting metric("s", 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 3);
  QCOMPARE(fixture.computed(metric, fixture.lines), 3);
  fixture.cache.trim(0);
  QCOMPARE(readFile(fixture.workspace.root() / "cache"),
           std::string("a file where the folder should be"));
}

void TestScoreCache::keepsNoErrors() {
  const Fixture fixture;
  const std::vector<Lines> references{{"a", "b", "c"}};
  const MetricPointer metric = makeMetric("chrf", references);
  for (int i = 0; i < 2; ++i) {
    QHOLDS(errorOf([&] {
             fixture.cache.rows(*metric, Lines{"a", "\xff", "c"}, "r");
           }),
           "not UTF-8");
  }
  QVERIFY(fixture.entries().empty());
}

void TestScoreCache::trimsWhatWasUsedLongestAgo() {
  const Fixture fixture;
  const Counting a("a", 3), b("b", 3), c("c", 3);
  const auto age = [](const fs::path& file, int hours) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  fixture.computed(a, fixture.lines);
  const fs::path first = fixture.entries().front();
  fixture.computed(b, fixture.lines);
  for (const fs::path& entry : fixture.entries()) age(entry, entry == first ? 30 : 20);
  fixture.computed(c, fixture.lines);
  const std::uintmax_t one = fs::file_size(first);
  put(fixture.workspace.root() / "cache/scores/x.rows.partial-1-1", "of a dead process");
  age(fixture.workspace.root() / "cache/scores/x.rows.partial-1-1", 2);
  QCOMPARE(fixture.computed(a, fixture.lines), 0);  // used now, so b's is the oldest
  fixture.cache.trim(3 * one);
  QCOMPARE(fixture.entries().size(), std::size_t{3});
  fixture.cache.trim(2 * one);
  QCOMPARE(fixture.entries().size(), std::size_t{2});
  QCOMPARE(fixture.computed(a, fixture.lines), 0);
  QCOMPARE(fixture.computed(c, fixture.lines), 0);
  QCOMPARE(fixture.computed(b, fixture.lines), 3);
  fixture.cache.trim(0);
  QVERIFY(fixture.entries().empty());
}

void TestScoreCache::servesManyThreads() {
  const Fixture fixture;
  const Counting metric("s", 2000);
  const Lines lines(2000, "a line");
  const MetricRows expected = compareAll(metric, lines, 1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        if (!same(fixture.cache.rows(metric, lines, "r", 1), expected)) ++wrong;
        if (i % 5 == 4) fixture.cache.trim(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(wrong.load(), 0);
  for (const fs::path& entry : fixture.entries()) QVERIFY(entry.extension() == ".rows");
}

STRATA_GUILESS_TEST(TestScoreCache)
#include "test_score_cache.moc"
