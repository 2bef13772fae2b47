#include "tests/distributed/processes.h"

#include <QtTest>
#include <algorithm>
#include <mutex>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#include <torch/csrc/distributed/c10d/FlightRecorder.hpp>

#include "core/distributed/await_work.h"
#include "core/distributed/gpu_connection.h"
#include "tests/program.h"
#endif

namespace strata {

using testing::together;

class TestProcessGroup : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sumsAreTheSameEverywhereAndEachTime();
  void whatTheFirstSharesIsReceived();
  void textsAreGatheredInOrder();
  void severalSumsGoOnAtOnce();
  void sumsAreNotRecorded();
  void gpusAreConnectedIfEachProcessHasOne();
  void processesWithoutAGpuSumThroughTheHost();
  void aSumThatIsDoneAsItsTimeEndsIsDone();
  void aFailureIsToldToTheOthers();
  void aProcessThatDoesNotComeIsNamed();
  void aFirstProcessThatGivesUpIsTold();
  void anotherProgramIsRefused();
  void anotherRequestIsNamed();
  void whoIsMissingIsSaid();
};

namespace {

const std::vector<std::string> kAllWell(3);

// What each of these processes says that cannot meet; `set` changes their options.
std::vector<std::string> meetingOf(int count, const std::function<void(GroupOptions&)>& set) {
  std::vector<std::string> errors(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      GroupOptions options{.rank = rank,
                           .size = count,
                           .program = "test",
                           .timeout = std::chrono::duration<double>(20)};
      set(options);
      try {
        const ProcessGroup group(options);
      } catch (const std::exception& failure) {
        errors[static_cast<std::size_t>(rank)] = failure.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

// A sum that is done just after a wait for it has taken too long.
class LateSum : public c10d::Work {
 public:
  explicit LateSum(bool fails) : fails_(fails) {}
  bool wait(std::chrono::milliseconds timeout) override {
    if (isCompleted()) return Work::wait(timeout);
    fails_ ? finish(std::make_exception_ptr(std::runtime_error("Connection closed"))) : finish();
    throw std::runtime_error("Operation timed out!");
  }

 private:
  bool fails_;
};

}  // namespace

void TestProcessGroup::sumsAreTheSameEverywhereAndEachTime() {
  std::vector<torch::Tensor> sums(3), again(3), parts(3);
  QCOMPARE(together(3,
                    [&](ProcessGroup& group) {
                      const auto rank = static_cast<std::size_t>(group.rank());
                      auto generator = at::make_generator<at::CPUGeneratorImpl>(rank + 1);
                      parts[rank] = torch::randn({1000}, generator);
                      sums[rank] = parts[rank].clone();
                      group.sum(sums[rank]);
                      again[rank] = parts[rank].clone();
                      group.sum(again[rank]);
                      if (group.size() != 3 || group.localRank() != group.rank() ||
                          group.coreSharers() != 3)
                        throw Error("the places are wrong");
                    }),
           kAllWell);
  const auto wanted = parts[0] + parts[1] + parts[2];
  QVERIFY(torch::allclose(sums[0], wanted, 1e-5, 1e-5));
  for (std::size_t rank = 0; rank < 3; ++rank) {
    QVERIFY(torch::equal(sums[rank], sums[0]));
    QVERIFY(torch::equal(again[rank], sums[0]));
  }
}

void TestProcessGroup::whatTheFirstSharesIsReceived() {
  std::vector<std::string> texts(3), empty(3, "full");
  std::vector<double> numbers(3);
  QCOMPARE(together(3,
                    [&](ProcessGroup& group) {
                      const auto rank = static_cast<std::size_t>(group.rank());
                      texts[rank] =
                          group.share(group.isFirst() ? "der Plan\n\xf0\x9f\x8e\xb2" : "");
                      empty[rank] = group.share(std::string());
                      auto value = torch::full({1}, group.rank() + 0.1, torch::kFloat64);
                      group.share(value);
                      numbers[rank] = value.item<double>();
                      group.meet();
                    }),
           kAllWell);
  QCOMPARE(texts, std::vector<std::string>(3, "der Plan\n\xf0\x9f\x8e\xb2"));
  QCOMPARE(empty, std::vector<std::string>(3));
  QCOMPARE(numbers, std::vector<double>(3, 0.1));
}

void TestProcessGroup::textsAreGatheredInOrder() {
  std::vector<std::vector<std::string>> gathered(3);
  QCOMPARE(together(3,
                    [&](ProcessGroup& group) {
                      const auto rank = static_cast<std::size_t>(group.rank());
                      gathered[rank] = group.gather(std::string(rank * 3, 'x'));
                    }),
           kAllWell);
  for (const auto& texts : gathered)
    QCOMPARE(texts, (std::vector<std::string>{"", "xxx", "xxxxxx"}));
}

void TestProcessGroup::severalSumsGoOnAtOnce() {
  std::vector<std::vector<float>> values(3);
  QCOMPARE(together(3,
                    [&](ProcessGroup& group) {
                      const auto buffer = torch::full({4}, group.rank() + 1.0);
                      std::vector<ProcessGroup::Sum> sums;
                      for (int part = 3; part >= 0; --part)
                        sums.push_back(group.startSum(buffer.narrow(0, part, 1)));
                      for (auto& sum : sums) sum.wait();
                      const float* data = buffer.data_ptr<float>();
                      values[static_cast<std::size_t>(group.rank())].assign(data, data + 4);
                    }),
           kAllWell);
  for (const auto& part : values) QCOMPARE(part, std::vector<float>(4, 6.0F));
}

// c10d's recorder would keep a stack trace of each, and its list of groups is not safe between
// threads: two groups of one process that began at once ended it.
void TestProcessGroup::sumsAreNotRecorded() {
  QCOMPARE(together(3, [](ProcessGroup& group) { group.meet(); }), kAllWell);
  const std::string recorded = c10d::dump_fr_trace_json(true, false);
  QVERIFY2(recorded.find("gloo:") == std::string::npos, recorded.c_str());
}

void TestProcessGroup::gpusAreConnectedIfEachProcessHasOne() {
  const GpuCard first{"cuda:0", "2.28.9", "0000:17:00.0", "node-1"};
  const auto with = [&](const GpuCard& second) {
    return QString::fromStdString(obstacleToGpuSums({first, second}));
  };
  QCOMPARE(with({"cuda:0", "2.28.9", "0000:2a:00.0", "node-1"}), QString());
  QCOMPARE(with({"cuda:0", "2.28.9", "0000:17:00.0", "node-2"}), QString());
  QCOMPARE(with({"cuda:0", "2.28.9", "0000:17:00.0", "node-1"}),
           QString("ranks 0 and 1 share a GPU (0000:17:00.0 on node-1)"));
  QCOMPARE(with({"cuda:1", "2.27.3", "0000:2a:00.0", "node-1"}),
           QString("rank 1 has NCCL 2.27.3, and rank 0 2.28.9"));
  QCOMPARE(with({"cpu", "", "", "node-2"}), QString("rank 1 (cpu on node-2) has no NCCL"));
}

void TestProcessGroup::processesWithoutAGpuSumThroughTheHost() {
  std::vector<std::string> how(2);
  std::vector<float> sums(2);
  QCOMPARE(together(2,
                    [&](ProcessGroup& group) {
                      const auto rank = static_cast<std::size_t>(group.rank());
                      how[rank] = group.connectGpus(torch::kCPU);
                      const auto values = torch::full({4}, group.rank() + 1.0);
                      group.sum(values);
                      sums[rank] = values.sum().item<float>();
                    }),
           std::vector<std::string>(2));
  for (const auto& text : how) {
    QVERIFY2(text.starts_with("through the host's memory: rank 0 (cpu on ") &&
                 text.ends_with(") has no NCCL"),
             text.c_str());
  }
  QCOMPARE(sums, std::vector<float>(2, 12.0F));
}

void TestProcessGroup::aSumThatIsDoneAsItsTimeEndsIsDone() {
  int looks = 0;
  LateSum sum(/*fails=*/false), broken(/*fails=*/true);
  awaitWork(sum, std::chrono::milliseconds(1), [&] { ++looks; });
  QCOMPARE(looks, 1);
  std::string failure;
  try {
    awaitWork(broken, std::chrono::milliseconds(1), [] {});
  } catch (const std::exception& error) {
    failure = error.what();
  }
  QCOMPARE(failure, std::string("Connection closed"));
}

// The others wait in a sum that cannot end.
void TestProcessGroup::aFailureIsToldToTheOthers() {
  const auto errors = together(3, [&](ProcessGroup& group) {
    group.meet();
    if (group.rank() == 1) {
      group.tell("the disk is full");
      throw Error("the disk is full");
    }
    group.sum(torch::zeros({10}));
  });
  QCOMPARE(errors[1], std::string("the disk is full"));
  for (const std::size_t rank : {0, 2}) {
    QVERIFY2(errors[rank].starts_with("rank 1 (") &&
                 errors[rank].find("failed: the disk is full") != std::string::npos,
             errors[rank].c_str());
  }
}

void TestProcessGroup::aProcessThatDoesNotComeIsNamed() {
  std::string error;
  try {
    ProcessGroup({.rank = 0,
                  .size = 2,
                  .address = "127.0.0.1",
                  .port = freePort(),
                  .program = "test",
                  .timeout = std::chrono::duration<double>(0.05)});
  } catch (const Error& failure) {
    error = failure.what();
  }
  QVERIFY2(error.starts_with("rank 1 of 2 did not start within"), error.c_str());
}

// Rank 2 never comes. Rank 0, which serves the store, waits three seconds for it, rank 1 longer.
void TestProcessGroup::aFirstProcessThatGivesUpIsTold() {
  const int port = freePort();
  const auto errors = meetingOf(2, [&](GroupOptions& options) {
    options.size = 3;
    options.port = port;
    options.timeout = std::chrono::duration<double>(options.rank == 0 ? 3 : 20);
  });
  QVERIFY2(errors[0].starts_with("rank 2 of 3 did not start within"), errors[0].c_str());
  const std::string told = fmt::format("The processes lost each other at 127.0.0.1:{} ", port);
  QVERIFY2(errors[1].starts_with(told), errors[1].c_str());
}

void TestProcessGroup::anotherProgramIsRefused() {
  const int port = freePort();
  const auto errors = meetingOf(2, [&](GroupOptions& options) {
    options.port = port;
    options.program = options.rank == 0 ? "0.1" : "0.2";
  });
  QVERIFY2(errors[0].find("runs version 0.2") != std::string::npos, errors[0].c_str());
}

void TestProcessGroup::anotherRequestIsNamed() {
  const int port = freePort();
  const auto errors = meetingOf(3, [&](GroupOptions& options) {
    options.port = port;
    options.asked = options.rank == 1 ? "dropout 0.3" : "dropout 0.1";
    options.difference = [](const std::string& theirs) { return "they: " + theirs; };
  });
  QVERIFY2(errors[0].find("rank 1 (") != std::string::npos &&
               errors[0].ends_with("something else than rank 0: they: dropout 0.3"),
           errors[0].c_str());
  // Rank 0 may have left before rank 1 has read what it was asked.
  QVERIFY2(errors[1].find("rank 0 (") != std::string::npos ||
               errors[1].starts_with("The processes lost each other"),
           errors[1].c_str());
  QVERIFY2(!errors[2].empty(), "rank 2 goes on");
}

// Every ten seconds, by those that are there: of a rank that has not come, and of the first one.
void TestProcessGroup::whoIsMissingIsSaid() {
  for (const int missing : {0, 2}) {
    const int port = freePort();
    std::mutex mutex;
    std::vector<std::string> said;
    const auto errors = meetingOf(missing == 0 ? 1 : 2, [&](GroupOptions& options) {
      options.size = 3;
      options.rank += missing == 0 ? 1 : 0;
      options.port = port;
      options.timeout = std::chrono::duration<double>(11);
      options.waiting = [&, rank = options.rank](const std::string& sentence) {
        const std::lock_guard guard(mutex);
        said.push_back(fmt::format("{}: {}", rank, sentence));
      };
    });
    const std::string wanted = missing == 0
                                   ? fmt::format("1: waiting for rank 0 at 127.0.0.1:{}", port)
                                   : "0: waiting for rank 2 of 3 processes";
    QVERIFY2(std::ranges::find(said, wanted) != said.end(),
             said.empty() ? "nothing" : said[0].c_str());
    QVERIFY2(!errors[0].empty(), "it goes on alone");
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestProcessGroup)
#include "test_process_group.moc"
