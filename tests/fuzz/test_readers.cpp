#include <QTest>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "fuzz/targets.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr int kMutations =
    400;  // of the seeds of a target; STRATA_FUZZ_SECONDS (tests/fuzz/run): so long instead
constexpr double kLongest = 20;  // seconds that reading one input may take

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Random changes as files suffer them, and as an enemy makes them.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string next() {
    std::string bytes = seeds_[pick(seeds_.size())];
    for (std::size_t edit = 0, edits = 1 + pick(6); edit < edits; ++edit) change(bytes);
    return bytes;
  }

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }

  void change(std::string& bytes) {
    if (bytes.empty()) bytes = std::string(1 + pick(64), char(pick(256)));
    const std::size_t at = pick(bytes.size()),
                      length = 1 + pick(std::min<std::size_t>(64, bytes.size() - at));
    switch (pick(8)) {
      case 0:
        bytes[at] = char(bytes[at] ^ (1 << pick(8)));
        break;
      case 1:
        bytes[at] = char(pick(256));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(pick(bytes.size()), bytes.substr(at, length));
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5: {  // numbers at the edges of their types
        constexpr std::uint64_t kEdges[] = {
            0, 1, 0x7F, 0xFF, 0x7FFF'FFFF, 0xFFFF'FFFF, 0x7FFF'FFFF'FFFF'FFFF, ~0ull};
        const std::uint64_t value = kEdges[pick(std::size(kEdges))];
        const std::size_t width =
            std::min<std::size_t>(std::size_t(1) << pick(4), bytes.size() - at);
        bytes.replace(at, width, reinterpret_cast<const char*>(&value), width);
        break;
      }
      case 6: {
        const std::string& other = seeds_[pick(seeds_.size())];
        bytes.resize(at);
        if (!other.empty()) bytes += other.substr(pick(other.size()));
        break;
      }
      default: {
        static const std::vector<std::string> kWords{"\"",
                                                     "{",
                                                     "[",
                                                     "]",
                                                     "}",
                                                     ":",
                                                     ",",
                                                     "\n",
                                                     "\r\n",
                                                     "\t",
                                                     "\\u0000",
                                                     "-",
                                                     "&a *a",
                                                     "!!x",
                                                     "1e999",
                                                     "\xff\xfe",
                                                     "\xEF\xBB\xBF",
                                                     std::string(300, '['),
                                                     std::string(5000, ' ')};
        bytes.insert(at, kWords[pick(kWords.size())]);
      }
    }
  }

  std::vector<std::string> seeds_;
  RandomStream random_{1};
};

}  // namespace

// Every reader of files of others, on every input that was ever found to matter and on changes of
// them: it ends with a value or an error that says what is wrong.
class TestReaders : public QObject {
  Q_OBJECT
 private slots:
  void seedsAndTheirChangesAreReadOrRefused_data() {
    QTest::addColumn<int>("target");
    for (std::size_t i = 0; i < fuzz::targets().size(); ++i)
      QTest::newRow(fuzz::targets()[i].name) << int(i);
  }
  void seedsAndTheirChangesAreReadOrRefused() {
    QFETCH(int, target);
    const fuzz::Target& chosen = fuzz::targets()[std::size_t(target)];
    const fs::path folder = fs::path(STRATA_SOURCE_DIR) / "tests" / "fuzz" / "seeds" / chosen.name;
    std::vector<std::string> seeds;
    for (const auto& name : namesIn(folder)) seeds.push_back(readFile(folder / name));
    QVERIFY2(!seeds.empty(), "no seed");
    int values = 0;
    for (const std::string& seed : seeds) values += reads(chosen, seed) ? 1 : 0;
    QVERIFY2(values > 0, "no seed is valid: the changes of one reach little");
    Mutator mutator(seeds);
    const char* seconds = std::getenv("STRATA_FUZZ_SECONDS");
    const double until = seconds != nullptr ? secondsNow() + std::atof(seconds) : 0;
    int inputs = 0;
    for (; seconds != nullptr ? secondsNow() < until : inputs < kMutations; ++inputs)
      reads(chosen, mutator.next());
    if (seconds != nullptr) qInfo("%d inputs", inputs);
  }

 private:
  // What is not an Error, or takes too long, fails the test and leaves its input in a file.
  static bool reads(const fuzz::Target& target, const std::string& bytes) {
    const fs::path kept = fs::temp_directory_path() / (std::string("strata-fuzz-") + target.name);
    std::ofstream(kept, std::ios::binary) << bytes;  // a crash leaves it
    const double begun = secondsNow();
    bool isValue = false;
    try {
      target.read(bytes);
      isValue = true;
    } catch (const Error&) {
    } catch (const std::exception& other) {
      QTest::qFail((std::string(other.what()) + ": " + kept.string()).c_str(), __FILE__, __LINE__);
      return false;
    }
    if (secondsNow() - begun > kLongest)
      QTest::qFail(("it takes too long: " + kept.string()).c_str(), __FILE__, __LINE__);
    else
      fs::remove(kept);
    return isValue;
  }
};

STRATA_GUILESS_TEST(TestReaders)
#include "test_readers.moc"
