#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/queue_settings.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestQueueSettings : public QObject {
  Q_OBJECT
 private slots:
  void aWorkspaceKeepsThem() {
    TemporaryFolder folder;
    const Workspace workspace(folder / "w");
    QVERIFY(queueSettings(workspace) == (QueueSettings{.atOnce = 1, .devices = {}}));
    const QueueSettings wanted{.atOnce = 2, .devices = {"cpu", "cuda:1"}};
    setQueueSettings(workspace, wanted);
    QVERIFY(queueSettings(workspace) == wanted);
    QCOMPARE(wanted.places(), 4);
    for (const QueueSettings& wrong :
         {QueueSettings{0, {}}, QueueSettings{65, {}}, QueueSettings{1, {"auto"}},
          QueueSettings{1, {"gpu"}}, QueueSettings{1, {"cpu", "cpu"}}})
      QVERIFY_EXCEPTION_THROWN(setQueueSettings(workspace, wrong), Error);
    QVERIFY(queueSettings(workspace) == wanted);
    writeFileAtomic(folder / "w" / "queue.json", "{\"at_once\": \"many\", \"devices\": []}");
    try {
      queueSettings(workspace);
      QFAIL("a damaged file is read");
    } catch (const Error& error) {
      QVERIFY2(std::string(error.what()).find("queue.json is damaged") != std::string::npos,
               error.what());
    }
  }

  void devicesAreRead() {
    QCOMPARE(parseDevices("cpu, cuda:0 ,cuda:12"),
             (std::vector<std::string>{"cpu", "cuda:0", "cuda:12"}));
    QVERIFY(parseDevices(" ").empty());
    for (const char* wrong : {"cuda:", "cuda:x", "gpu", "cpu,cpu"})
      QVERIFY_EXCEPTION_THROWN(parseDevices(wrong), Error);
  }

  void runsAreSpread() {
    const auto place = [](const QueueSettings& settings, const std::vector<std::string>& busy,
                          const std::string& wanted = "") {
      const auto found = freePlace(settings, busy, wanted);
      return found ? found->device : std::string("none");
    };
    const QueueSettings own{.atOnce = 2, .devices = {}};
    QCOMPARE(place(own, {}), std::string());
    QCOMPARE(place(own, {""}, "cuda:1"), std::string("cuda:1"));
    QCOMPARE(place(own, {"", "cuda:1"}), std::string("none"));
    const QueueSettings two{.atOnce = 1, .devices = {"cuda:0", "cuda:1"}};
    QCOMPARE(place(two, {}), std::string("cuda:0"));
    QCOMPARE(place(two, {"cuda:0"}), std::string("cuda:1"));
    QCOMPARE(place(two, {"cuda:1"}), std::string("cuda:0"));
    QCOMPARE(place(two, {"cuda:0", "cuda:1"}), std::string("none"));
    QCOMPARE(place(two, {"cuda:0"}, "cuda:0"), std::string("none"));  // it waits for its own
    QCOMPARE(place({.atOnce = 2, .devices = {"cuda:0", "cuda:1"}}, {"cuda:0", "cuda:0"}),
             std::string("cuda:1"));
  }
};

STRATA_TEST(TestQueueSettings)
#include "test_queue_settings.moc"
