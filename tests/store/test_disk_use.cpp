#include <QTest>
#include <fstream>

#include "core/store/disk_use.h"
#include "core/store/index.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestDiskUse : public QObject {
  Q_OBJECT

 private:
  static void fill(const fs::path& file, std::size_t bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(bytes, 'x');
  }

 private slots:
  void countsEachByteOnce() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    fill(folder / "w" / "datasets" / "toy" / "text" / "codes", 7000);
    const auto run = createRun(workspace, {"a", smallConfig(), ""});
    const auto other = createRun(workspace, {"b", smallConfig(), ""});
    for (const auto& each : {run, other})
      fs::create_hard_link(folder / "w" / "datasets" / "toy" / "text" / "codes",
                           each.folder / "text" / "codes");
    fill(run.folder / "checkpoints" / "step-1" / "ema" / "model.safetensors", 500);
    fill(run.folder / "averages" / "steps-1" / "model.safetensors", 60);
    fill(run.folder / "layers" / "x.json", 5);
    fill(run.folder / "tuning" / "x.json", 2);
    fs::create_symlink("/etc/passwd", run.folder / "outputs-elsewhere");
    trashRun(workspace, other.id);
    const WorkspaceUse use = workspaceUse(workspace);
    QCOMPARE(use.datasets, std::uint64_t(7000));
    QCOMPARE(use.runs.at(0).name, std::string("a"));
    const DiskUse& first = use.runs.at(0).use;
    QCOMPARE(first.checkpoints, std::uint64_t(500));
    QCOMPARE(first.averages, std::uint64_t(60));
    QCOMPARE(first.analyses, std::uint64_t(7));
    QCOMPARE(first.text, std::uint64_t(0));
    QCOMPARE(first.events, std::uint64_t(fs::file_size(eventLogOf(run.folder))));
    QCOMPARE(first.rest, std::uint64_t(fs::file_size(configFileOf(run.folder))));
    QVERIFY(use.runs.at(1).trashed);
    QCOMPARE(use.trash.all(), use.runs.at(1).use.all());
    QCOMPARE(use.all.all(), first.all());
    QCOMPARE(diskUseOf(run.folder).text, std::uint64_t(7000));  // of the run by itself
  }
};

STRATA_GUILESS_TEST(TestDiskUse)
#include "test_disk_use.moc"
