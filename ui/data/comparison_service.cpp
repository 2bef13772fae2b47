#include "ui/data/comparison_service.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/systems/stored_comparison.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

StoredSystem systemWithId(const StoredSystems& all, const QString& id) {
  for (const StoredSystem& system : all.systems) {
    if (system.id == toStd(id)) return system;
  }
  throw Error("the system {} is no longer in the workspace", toStd(id));
}

ComparisonInput inputOf(Workspace& workspace, const CompareRequest& request) {
  const StoredSystems all = listSystems(workspace, toStd(request.testSet));
  StoredComparison stored{.testSet = toStd(request.testSet), .systems = {}, .state = request.state};
  for (const QString& id : request.systems) stored.systems.push_back(systemWithId(all, id));
  stored.options.baseline = systemWithId(all, request.baseline).name;
  stored.options.metrics = request.metrics;
  stored.options.test = request.test;
  stored.options.of.setLowercase(request.lowercase);
  stored.options.lengthEdges = request.lengthEdges;
  stored.options.lengthBuckets = std::size_t(request.lengthBuckets);
  return comparisonInput(workspace, stored);
}

std::string contentOf(const Comparison& comparison, ExportTarget::Kind kind) {
  switch (kind) {
    case ExportTarget::Kind::kPage:
      return comparisonPage(comparison);
    case ExportTarget::Kind::kSentences:
      return sentencesTsv(comparison);
    case ExportTarget::Kind::kLatex:
      return latexOf(comparison);
  }
  return {};
}

}  // namespace

ComparisonService::ComparisonService(const QString& workspace, QObject* parent)
    : QObject(parent), root_(workspace), worker_(new QObject) {
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("comparisons"));
  thread_.start();
}

ComparisonService::~ComparisonService() {
  ++comparison_;  // pending comparisons are dropped
  ++filter_;
  thread_.quit();
  thread_.wait();
}

Workspace& ComparisonService::workspace() {
  if (!workspace_) {
    workspace_ = std::make_unique<Workspace>(
        toStd(root_), WorkspaceOptions{.access = Access::kRead, .networkFileSystem = {}});
  }
  return *workspace_;
}

void ComparisonService::post(std::function<void(Workspace&)> task,
                             void (ComparisonService::*report)(const QString&)) {
  const auto run = [this, task = std::move(task), report] {
    try {
      task(workspace());
    } catch (const std::exception& error) {
      emit(this->*report)(QString::fromUtf8(error.what()));
    }
  };
  QMetaObject::invokeMethod(worker_, run, Qt::QueuedConnection);
}

void ComparisonService::list() {
  post([this](Workspace& workspace) {
    SystemsList list;
    std::vector<std::string> problems;
    list.sets = listTestSets(workspace, &problems);
    StoredSystems stored = listSystems(workspace);
    list.systems = std::move(stored.systems);
    problems.insert(problems.end(), stored.problems.begin(), stored.problems.end());
    list.problems = qs(problems);
    emit listed(list);
  });
}

void ComparisonService::compare(const CompareRequest& request) {
  const int number = ++comparison_;
  const auto task = [this, request, number](Workspace& workspace) {
    if (number != comparison_) return;
    auto comparison =
        std::make_shared<const Comparison>(compareSystems(inputOf(workspace, request)));
    if (number == comparison_) emit compared(std::move(comparison));
  };
  post(task, &ComparisonService::compareFailed);
}

void ComparisonService::filter(const ComparisonPointer& comparison, const SentenceFilter& filter) {
  const int number = ++filter_;
  const auto task = [this, comparison, filter, number](Workspace&) {
    if (number != filter_) return;
    const auto scores = scoreSentences(*comparison, 0, filteredSentences(*comparison, filter));
    if (number == filter_) emit filtered(scores);
  };
  post(task, &ComparisonService::filterFailed);
}

void ComparisonService::importSystem(const NewSystem& system) {
  post([this, system](Workspace& workspace) {
    const ImportedSystem made = strata::importSystem(workspace, system);
    emit imported(qs(made.system.name), qs(made.warnings));
  });
}

void ComparisonService::importTestSet(const NewTestSet& set) {
  post([this, set](Workspace& workspace) {
    emit testSetImported(qs(strata::importTestSet(workspace, set).id));
  });
}

void ComparisonService::trashSystem(const QString& id) {
  post([this, id](Workspace& workspace) {
    strata::trashSystem(workspace, systemWithId(listSystems(workspace), id));
    list();
  });
}

void ComparisonService::exportTo(const ComparisonPointer& comparison, const ExportTarget& target) {
  post([this, comparison, target](Workspace&) {
    writeFileAtomic(toStd(target.path), contentOf(*comparison, target.kind));
    emit exported(target.path);
  });
}

}  // namespace strata::ui
