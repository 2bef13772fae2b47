#include "ui/data/comparison_service.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/named_output.h"
#include "core/papers/catalogue.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/systems/imported_scores.h"
#include "core/systems/scorer_case.h"
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
  stored.options.of.setLowercase(request.lowercase || ignoreCase(workspace, stored.systems));
  stored.options.lengthEdges = request.lengthEdges;
  stored.options.lengthBuckets = std::size_t(request.lengthBuckets);
  return comparisonInput(workspace, stored);
}

QVector<TrashedItem> trashedItems(const Workspace& workspace, const StoredSystems& stored) {
  QVector<TrashedItem> items;
  for (const TrashedSystem& system : trashedSystems(workspace))
    items.prepend({TrashedItem::Kind::kSystem, qs(system.id),
                   ComparisonService::tr("%1 of %2").arg(qs(system.name), qs(system.testSet))});
  for (const TrashedScores& scores : trashedScores(workspace)) {
    QString name = qs(scores.system);
    for (const StoredSystem& system : stored.systems) {
      if (system.id == scores.system) name = qs(system.name);
    }
    items << TrashedItem{TrashedItem::Kind::kScores, qs(scores.id),
                         ComparisonService::tr("%1 scores of %2").arg(qs(scores.metric), name)};
  }
  return items;
}

// The columns to choose from, of a table that cannot be read with the choices made.
ScoreFile unreadTable(const ScoresRequest& request) {
  try {
    const auto columns = scoreColumns(toStd(request.path), request.how);
    return {.format = columns.empty() ? "" : "tsv",
            .columns = columns,
            .scoreColumn = request.how.scoreColumn};
  } catch (const std::exception&) {
    return {.format = {}};
  }
}

// Reads and matches a file; problems become texts.
ScoresPreview previewOf(Workspace& workspace, const ScoresRequest& request) {
  ScoresPreview preview{.path = request.path, .testSet = request.testSet, .file = {}};
  try {
    const TestSet set = findTestSet(workspace, toStd(request.testSet));
    const StoredSystems all = listSystems(workspace, set.id);
    preview.file = readScoreFile(toStd(request.path), request.how);
    const auto matched = matchScores(preview.file, all.systems);
    for (std::size_t i = 0; i < matched.size(); ++i) {
      ScoresPreview::Match match;
      const ScoreList& list = preview.file.systems[i];
      // Without a system by text or name: the difference from the only candidate says why.
      const std::size_t candidate = matched[i].value_or(0);
      if (matched[i]) match.system = qs(all.systems[candidate].id);
      try {
        const bool alone = matched.size() == 1 && all.systems.size() == 1;
        if (matched[i] || alone)
          checkScores(list, all.systems[candidate], set, toStd(request.path));
      } catch (const Error& error) {
        match.problem = QString::fromUtf8(error.what());
      }
      preview.matches << match;
    }
  } catch (const std::exception& error) {
    preview.error = QString::fromUtf8(error.what());
    preview.file = unreadTable(request);
  }
  return preview;
}

// Imports all chosen lists, or none. Returns how many.
int importedScores(Workspace& workspace, const ScoresRequest& request) {
  const TestSet set = findTestSet(workspace, toStd(request.testSet));
  const StoredSystems all = listSystems(workspace, set.id);
  ScoreFile file = readScoreFile(toStd(request.path), request.how);
  file.metric = request.metric;
  const fs::path path = toStd(request.path);
  std::vector<std::pair<const ScoreList*, StoredSystem>> chosen;
  for (std::size_t i = 0; i < file.systems.size(); ++i) {
    const QString id = request.systems.value(qsizetype(i));
    if (id.isEmpty()) continue;
    chosen.emplace_back(&file.systems[i], systemWithId(all, id));
    checkScores(*chosen.back().first, chosen.back().second, set, path.string());
  }
  if (chosen.empty()) throw usageError("choose the system of at least one list of scores");
  for (const auto& [list, system] : chosen)
    importScores(workspace, system, set, {file, *list, path.filename().string()});
  return int(chosen.size());
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
    paperTables();  // so that the first use on another thread does not parse them
    list.sets = listTestSets(workspace, &problems);
    StoredSystems stored = listSystems(workspace);
    list.trashed = trashedItems(workspace, stored);
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
  post(
      [this, system](Workspace& workspace) {
        const ImportedSystem made = strata::importSystem(workspace, system);
        emit imported(qs(made.system.name), qs(made.warnings));
      },
      &ComparisonService::importFailed);
}

void ComparisonService::importTestSet(const NewTestSet& set) {
  post(
      [this, set](Workspace& workspace) {
        emit testSetImported(qs(strata::importTestSet(workspace, set).id));
      },
      &ComparisonService::importFailed);
}

void ComparisonService::trashSystem(const QString& id) {
  post([this, id](Workspace& workspace) {
    strata::trashSystem(workspace, systemWithId(listSystems(workspace), id));
    list();
  });
}

void ComparisonService::restoreTrashed(const TrashedItem& item) {
  post([this, item](Workspace& workspace) {
    if (item.kind == TrashedItem::Kind::kSystem) {
      strata::restoreSystem(workspace, toStd(item.id));
    } else {
      strata::restoreScores(workspace, toStd(item.id));
    }
    list();
  });
}

void ComparisonService::restoreSystem(const QString& name) {
  post([this, name](Workspace& workspace) {
    strata::restoreSystem(workspace, toStd(name));
    list();
  });
}

void ComparisonService::trashScores(const QString& system, const QString& metric) {
  post([this, system, metric](Workspace& workspace) {
    const StoredSystem found = systemWithId(listSystems(workspace), system);
    strata::trashScores(workspace, findScores(found, toStd(metric)));
    list();
  });
}

void ComparisonService::restoreScores(const QString& system, const QString& metric) {
  post([this, system, metric](Workspace& workspace) {
    std::string id;
    for (const TrashedScores& scores : trashedScores(workspace)) {
      if (scores.system == toStd(system) && scores.metric == toStd(metric)) id = scores.id;
    }
    strata::restoreScores(workspace, id);
    list();
  });
}

void ComparisonService::previewScores(const ScoresRequest& request) {
  post([this, request](Workspace& workspace) {
    emit scoresPreviewed(previewOf(workspace, request));
  });
}

void ComparisonService::importScores(const ScoresRequest& request) {
  post(
      [this, request](Workspace& workspace) {
        const int systems = importedScores(workspace, request);
        emit scoresImported(qs(request.metric.name()), systems);
      },
      &ComparisonService::importFailed);
}

void ComparisonService::exportTo(const ComparisonPointer& comparison, const ExportTarget& target) {
  post(
      [this, comparison, target](Workspace&) {
        writeNamedOutput(toStd(target.path), contentOf(*comparison, target.kind));
        emit exported(target.path);
      },
      &ComparisonService::exportFailed);
}

}  // namespace strata::ui
