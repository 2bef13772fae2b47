// strata-run paper: lists, runs, scores and shows the papers' tables and figures.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/commands/listing.h"
#include "app/engine/paper_engine.h"
#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/named_output.h"
#include "core/base/progress.h"
#include "core/papers/catalogue.h"
#include "core/papers/cell_measure.h"
#include "core/papers/figure_measure.h"
#include "core/papers/paper_outputs.h"
#include "core/papers/paper_recordings.h"
#include "core/papers/paper_work.h"
#include "core/papers/table_measure.h"
#include "core/report/report_json.h"
#include "core/store/planned_runs.h"

namespace strata {
namespace {

struct PaperRequest {
  std::string id;
  PaperOptions options;
  std::vector<double> vocabulary;
  std::string latex, csv, svg, device = "auto";
  int threads = 0;
  bool retry = false;
};
using Request = std::shared_ptr<PaperRequest>;

// Either a table or a figure.
struct PaperItem {
  const PaperTable* table = nullptr;
  const PaperFigure* figure = nullptr;

  bool describesModels() const { return figure != nullptr && figure->describesModels(); }
  // The recipe that --data NAME replaces; empty: none.
  std::string recipe() const {
    if (describesModels()) return "";
    return table != nullptr ? table->dataset : figure->panels.front().dataset;
  }
};

PaperItem itemOf(const std::string& id) {
  const PaperItem item{findPaperTable(id), findPaperFigure(id)};
  if (item.table != nullptr || item.figure != nullptr) return item;
  throw usageError(
      "there is no table or figure '{}'; the nearest is '{}' (strata-run paper list shows all)", id,
      nearestOf(id, paperIds()));
}

PaperPlanner plannerOf(const PaperEngine& engine, const GlobalOptions& global,
                       const PaperRequest& request, const PaperItem& item, Workspace& workspace) {
  if (item.table != nullptr && !request.options.sentences.empty())
    throw usageError("--sentences is for figures of recordings; {} is a table", request.id);
  if (item.figure != nullptr && !item.figure->drawsRecordings() &&
      !request.options.sentences.empty())
    throw usageError("--sentences is for figures of recordings; {} draws none", request.id);
  PaperPlanner planner(engine, global.workspace / "datasets", request.options, item.recipe());
  planner.setRuns([runs = std::make_shared<RunsByName>(workspace)](const std::string& name) {
    return runs->find(name) != nullptr;
  });
  return planner;
}

std::optional<VocabularySizes> vocabularyOf(const PaperRequest& request) {
  if (request.vocabulary.empty()) return {};
  return VocabularySizes{static_cast<std::int64_t>(request.vocabulary.at(0)),
                         static_cast<std::int64_t>(request.vocabulary.at(1))};
}

void list(const GlobalOptions& global) {
  if (global.json) return printJson(paperIndex());
  Table shown{.columns = {{"id"}, {"rows or kind", Align::kRight}, {"title"}}};
  for (const PaperTable& table : paperTables())
    shown.rows.push_back({table.id, Cell::count(table.rows.size()), table.title});
  for (const PaperFigure& figure : paperFigures())
    shown.rows.push_back({figure.id, fmt::format("{}", nameOf(figure.kind)), figure.title});
  fmt::print("{}", textTable(shown));
}

// `show` needs no workspace and creates none: without one nothing is measured.
template <typename Measure>
auto withWorkspace(const GlobalOptions& global, Measure measure) {
  if (fs::exists(global.workspace / "workspace.db")) {
    Workspace workspace = openFresh(global);
    return measure(workspace);
  }
  const TemporaryFolder empty;
  Workspace workspace(empty.path());
  return measure(workspace);
}

// The next command to run, for what the table lacks.
std::string nextStep(const MeasuredTable& measured) {
  bool unscored = false, waiting = false;
  for (const MeasuredRow& row : measured.rows) {
    for (const MeasuredCell& cell : row.cells) {
      for (const MeasuredRun& run : cell.runs) {
        unscored = unscored || (run.waitsForScore() && !cell.set.empty());
        waiting = waiting || run.status == RunStatus::kQueued;
      }
    }
  }
  if (unscored)
    return fmt::format("some finished runs are not scored; score them: strata-run paper score {}",
                       measured.table.id);
  if (waiting) return "some runs are queued; train them: strata-run work --once";
  return "";
}

// What `show` says below a table or figure beyond its values.
std::vector<std::string> workNotes(const PaperWork& work) {
  std::vector<std::string> notes;
  if (!work.notCompared.empty())
    notes.push_back(
        fmt::format("measured values are not subtracted from printed ones because of {}",
                    fmt::join(work.notCompared, "; ")));
  return notes;
}

void print(const MeasuredTable& measured) {
  fmt::print("{}", textTable(shownTable(measured)));
  const auto notes = footnotes(measured);
  if (!notes.empty()) fmt::print("\n");
  for (const std::string& line : notes) fmt::print("{}\n", line);
  if (const std::string next = nextStep(measured); !next.empty()) fmt::print("\n{}\n", next);
}

void print(const FigureData& figure) {
  if (figure.table) {
    fmt::print("{}", textTable(*figure.table));
    for (const NamedNetwork& network : figure.networks)
      fmt::print("{}: {}\n", network.title(), network.sizeText());
  } else {
    fmt::print("{}: {}\n", figure.id, figure.title);
  }
  for (const FigurePanel& panel : figure.panels) {
    Table table{.caption = panel.title + (panel.dataset.empty() ? "" : " (" + panel.dataset + ")"),
                .columns = {{"series"},
                            {"points", Align::kRight},
                            {"first", Align::kRight},
                            {"last", Align::kRight},
                            {"printed by the paper", Align::kRight}}};
    for (const FigureSeries& series : panel.series) {
      std::vector<double> values;
      std::size_t printed = 0;
      for (const FigurePoint& point : series.points) {
        if (point.y) values.push_back(*point.y);
        printed += point.printed ? 1 : 0;
      }
      const auto end = [&](bool first) {
        if (values.empty()) return Cell(std::string(kNotMeasured));
        return Cell::number(first ? values.front() : values.back(),
                            {.digits = 4, .form = NumberForm::kSignificant});
      };
      table.rows.push_back(
          {series.name, Cell::count(values.size()), end(true), end(false), Cell::count(printed)});
    }
    fmt::print("\n{}", textTable(table));
  }
  if (!figure.maps.empty() || !figure.arcs.empty())
    fmt::print("\n{} maps, {} sentences with arcs (--svg, --csv, --json)\n", figure.maps.size(),
               figure.arcs.size());
  if (!figure.networks.empty())
    fmt::print("draw it: strata-run paper show {} --svg FILE\n", figure.id);
  if (!figure.missing.empty()) fmt::print("\nmissing:\n  {}\n", fmt::join(figure.missing, "\n  "));
  if (!figure.countedFor.empty()) fmt::print("{}\n", figure.countedFor);
  for (const std::string& note : figure.notes) fmt::print("{}\n", note);
}

// What the JSON has beyond the values: how they are shown, for programs that show them, too.
void addShown(const MeasuredTable& measured, const PaperWork& work, Json& json) {
  json["shown"] = toJson(shownTable(measured));
  auto notes = footnotes(measured);
  for (const std::string& note : workNotes(work)) notes.push_back(note);
  json["footnotes"] = notes;
}

void addShown(const FigureData& figure, const PaperWork&, Json& json) {
  json["charts"] = jsonList(chartsOf(figure), [](const auto& chart) { return toJson(chart); });
}

// A measured table or figure: as CSV if asked for, and as text or JSON.
template <typename Measured>
void showMeasured(const GlobalOptions& global, const PaperRequest& request,
                  const Measured& measured, const PaperWork& work) {
  if (!request.csv.empty()) writeNamedOutput(request.csv, csvOf(measured));
  if (global.json) {
    Json json = toJson(measured);
    addShown(measured, work, json);
    json["work"] = toJson(work);
    return printJson(json);
  }
  print(measured);
  for (const std::string& note : workNotes(work)) fmt::print("{}\n", note);
  for (const std::string& line : work.missing) fmt::print("cannot be run here: {}\n", line);
  for (const std::string& file : {request.latex, request.csv, request.svg}) {
    if (!file.empty()) fmt::print("written: {}\n", file);
  }
}

// Of a figure the series' names are not known here, and not needed.
std::vector<NamedCell> cellsOf(const PaperItem& item, const PaperPlanner& planner) {
  std::vector<NamedCell> cells;
  if (item.figure != nullptr) {
    for (PlannedCell& cell : planFigure(*item.figure, planner))
      cells.push_back({item.figure->id, std::move(cell), item.figure->isPrinted()});
    return cells;
  }
  auto rows = planTable(*item.table, planner);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const PaperRow& row = item.table->rows[r];
    for (PlannedCell& cell : rows[r])
      cells.push_back({row.name, std::move(cell), !row.printed.empty()});
  }
  return cells;
}

void show(const GlobalOptions& global, const PaperRequest& request) {
  const PaperItem item = itemOf(request.id);
  const bool isTable = item.table != nullptr;
  const bool properties = !isTable && item.figure->kind == PaperFigure::Kind::kProperties;
  if ((isTable || properties) && !request.svg.empty())
    throw usageError("--svg is for figures; {} is a table", request.id);
  if (!isTable && !properties && !request.latex.empty())
    throw usageError("--latex is for tables; {} is a figure", request.id);
  const PaperEngine engine = presetsOnly();
  const auto sizes = vocabularyOf(request);
  withWorkspace(global, [&](Workspace& workspace) {
    const PaperPlanner planner = plannerOf(engine, global, request, item, workspace);
    const PaperWork work = paperWork(workspace, engine, cellsOf(item, planner));
    if (isTable) {
      const MeasuredTable measured = measureTable(workspace, *item.table, planner, sizes);
      if (!request.latex.empty()) writeNamedOutput(request.latex, latexOf(measured));
      showMeasured(global, request, measured, work);
    } else {
      const FigureData figure = measureFigure(workspace, *item.figure, planner, sizes);
      if (!request.svg.empty()) writeNamedOutput(request.svg, svgOf(figure));
      if (!request.latex.empty()) writeNamedOutput(request.latex, latexOf(figure));
      showMeasured(global, request, figure, work);
    }
  });
}

void printQueued(const GlobalOptions& global, const PaperRequest& request,
                 const std::vector<QueuedRun>& queued, const PaperWork& work) {
  if (global.json) {
    Json runs = Json::array();
    for (const QueuedRun& run : queued)
      runs.push_back({{"name", run.plan.name},
                      {"preset", run.plan.preset},
                      {"dataset", run.plan.dataset},
                      {"seed", run.plan.seed},
                      {"outcome", run.text()}});
    return printJson({{"id", request.id},
                      {"runs", runs},
                      {"missing", work.missing},
                      {"not_compared", work.notCompared}});
  }
  std::int64_t fresh = 0;
  Table table{.columns = {{"run"}, {"preset"}, {"outcome"}}};
  for (const QueuedRun& run : queued) {
    table.rows.push_back({run.plan.name, run.plan.preset, run.text()});
    if (run.isNew()) ++fresh;
  }
  fmt::print("{}", textTable(table));
  for (const std::string& line : work.missing) fmt::print("not run: {}\n", line);
  for (const std::string& note : workNotes(work)) fmt::print("{}\n", note);
  fmt::print(
      "\n{} of {} runs queued now; train them with strata-run work --once, then score them with "
      "strata-run paper score {}\n",
      fresh, queued.size(), request.id);
}

// Of an item that shows the models themselves there is nothing to run or to score.
void requireRuns(const PaperItem& item, const PaperRequest& request) {
  if (!item.describesModels()) return;
  throw usageError(
      "{} shows the models themselves: nothing is trained or scored for it (strata-run paper show "
      "{})",
      request.id, request.id);
}

void run(const GlobalOptions& global, const PaperRequest& request) {
  const PaperItem item = itemOf(request.id);
  requireRuns(item, request);
  const PaperEngine engine = presetsOnly();
  const PaperWork work = withWorkspace(global, [&](Workspace& workspace) {
    const PaperPlanner planner = plannerOf(engine, global, request, item, workspace);
    return paperWork(workspace, engine, cellsOf(item, planner));
  });
  if (work.runs.empty()) {
    const bool noData = std::ranges::any_of(
        work.missing, [](const std::string& line) { return line.starts_with("no dataset '"); });
    throw usageError("{} has nothing that can be run here: {}{}", request.id,
                     fmt::join(work.missing, "; "),
                     noData ? fmt::format("; prepare the dataset (strata-run data prepare {}) or "
                                          "name another with --data",
                                          item.recipe())
                            : "");
  }
  Workspace workspace(global.workspace);
  printQueued(global, request, queueRuns(workspace, work.plans(), engine.sources, request.retry),
              work);
}

// Makes the translations and recordings that cells need and counts them.
class PaperScoring {
 public:
  PaperScoring(Workspace& workspace, const PaperEngine& engine, const PaperItem& item)
      : engine_(engine),
        runs_(workspace),
        context_{.workspace = workspace, .engine = engine, .scores = {}} {
    scorers_.push_back(item.table != nullptr ? item.table->scorer : item.figure->scorer);
    if (item.table != nullptr)
      scorers_.insert(scorers_.end(), item.table->beside.begin(), item.table->beside.end());
    // Stored with a translation: its scores under the table's scorer and the further ones.
    context_.scores = [this](const PlannedCell& cell, const StoredOutput& output) {
      Json noted = Json::object();
      for (const PaperScorer& scorer : scorers_)
        noted[scorer.text()] = scores_.rows(*cell.dataset, cell.set, scorer, output).score();
      return noted;
    };
  }

  void make(const std::vector<NamedCell>& cells, std::size_t total) {
    total_ = total;
    progress_.begin("Scoring", static_cast<std::int64_t>(total), "sets");
    for (const NamedCell& named : cells) {
      const PlannedCell& cell = named.cell;
      const bool canTranslate = lackForScoring(cell).empty();
      for (const auto& needed : neededOutputs(cell, runs_)) {
        if (isMade(needed.has_value(), needed && findOutput(needed->folder(), needed->key)))
          continue;
        if (!canTranslate) continue;  // paperWork says so
        makeOutput(context_, cell, *needed);
        note(needed->runs.front()->name, cell.set);
      }
      for (const auto& needed : neededRecordings(cell, runs_)) {
        if (isMade(needed.has_value(), needed && needed->isMade())) continue;
        makeRecording(engine_, cell, *needed);
        note(needed->run->name, cell.recordedSet);
      }
    }
    progress_.end();
  }

  std::size_t made() const { return made_; }
  std::size_t kept() const { return kept_; }
  std::size_t waiting() const { return waiting_; }

 private:
  // Nothing is to be made of what is stored or has no finished run.
  bool isMade(bool finished, bool stored) {
    kept_ += stored ? 1 : 0;
    waiting_ += finished ? 0 : 1;
    return stored || !finished;
  }

  void note(const std::string& run, const std::string& set) {
    ++made_;
    progress_.advance(static_cast<std::int64_t>(made_));
    spdlog::info("scored={} of={} run={} set={}", made_, total_, run, set);
  }

  const PaperEngine& engine_;
  const RunsByName runs_;
  ScoringContext context_;
  std::vector<PaperScorer> scorers_;
  PaperScores scores_;
  Progress& progress_ = terminalProgress();
  std::size_t total_ = 0, made_ = 0, kept_ = 0, waiting_ = 0;
};

void score(const GlobalOptions& global, const PaperRequest& request) {
  const PaperItem item = itemOf(request.id);
  requireRuns(item, request);
  const PaperEngine engine = paperEngine(global, request.device, request.threads);
  Workspace workspace = openFresh(global);
  const PaperPlanner planner = plannerOf(engine, global, request, item, workspace);
  const auto cells = cellsOf(item, planner);
  const PaperWork work = paperWork(workspace, engine, cells);
  PaperScoring scoring(workspace, engine, item);
  scoring.make(cells, work.toScore);
  if (global.json) {
    return printJson({{"id", request.id},
                      {"made", scoring.made()},
                      {"kept", scoring.kept()},
                      {"waiting", scoring.waiting()},
                      {"missing", work.missing}});
  }
  for (const std::string& line : work.missing) fmt::print("left out: {}\n", line);
  const bool recordings = item.figure != nullptr && item.figure->drawsRecordings();
  fmt::print(
      "{} {}, {} already stored, {} waiting for their runs\n"
      "show the results: strata-run paper show {}\n",
      scoring.made(), recordings ? "recordings made" : "translations created and scored",
      scoring.kept(), scoring.waiting(), request.id);
}

CLI::App* addVerb(CLI::App* paper, const char* name, const char* help, const Request& request) {
  auto* verb = paper->add_subcommand(name, help);
  verb->add_option("ID", request->id, "paper/tableN, paper/figureN, ... (strata-run paper list)")
      ->required();
  PaperOptions& options = request->options;
  verb->add_option("--data", options.data,
                   "Use dataset NAME instead of the table's, or RECIPE=NAME for one of its other "
                   "tasks")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--sets", options.sets, "COLUMN=SET: score a column on this evaluation set")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--suffix", options.suffix, "Use PRESET-SUFFIX instead of each preset: cpu");
  verb->add_option("--label", options.label,
                   "Label for runs with custom settings; give the same label to show and score");
  verb->add_option("--set", options.overrides, "KEY=VALUE for every run")->allow_extra_args(false);
  verb->add_option("--rows", options.rows, "Only these rows: NAME,...")->allow_extra_args(false);
  verb->add_option("--columns", options.columns, "Only these columns: KEY,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--seeds", options.seeds, "Runs per row")->capture_default_str();
  verb->add_option("--sentences", options.sentences,
                   "Figures of recordings: numbers of sentences of the set, from 1, instead of the "
                   "figure's")
      ->delimiter(',')
      ->allow_extra_args(false);
  return verb;
}

void addShow(CLI::App* paper, const GlobalOptions& global) {
  auto request = std::make_shared<PaperRequest>();
  auto* verb = addVerb(paper, "show", "Show printed values next to measured ones", request);
  verb->add_option("--vocabulary", request->vocabulary,
                   "S,T: count parameters for these sizes (default: the dataset's, else the "
                   "paper's)")
      ->delimiter(',')
      ->expected(2);
  verb->add_option("--latex", request->latex, "Write the table as LaTeX");
  verb->add_option("--csv", request->csv, "Write a table's cells or a figure's points as CSV");
  verb->add_option("--svg", request->svg, "Draw a figure");
  verb->callback([&global, request] { show(global, *request); });
}

void addRun(CLI::App* paper, const GlobalOptions& global) {
  auto request = std::make_shared<PaperRequest>();
  auto* verb = addVerb(paper, "run", "Queue the missing runs: rows x seeds", request);
  verb->add_flag("--retry", request->retry, "Also queue failed, stopped and paused runs again");
  verb->callback([&global, request] { run(global, *request); });
}

void addScore(CLI::App* paper, const GlobalOptions& global) {
  auto request = std::make_shared<PaperRequest>();
  auto* verb =
      addVerb(paper, "score",
              "Translate and score the sets with each finished run's best checkpoint", request);
  verb->add_option("--device", request->device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  verb->add_option("--threads", request->threads, "Threads; 0 uses all cores")
      ->capture_default_str();
  verb->callback([&global, request] { score(global, *request); });
}

}  // namespace

void addPaperCommand(CLI::App& app, const GlobalOptions& global) {
  auto* paper = app.add_subcommand("paper", "Run, score and show the papers' tables and figures");
  paper->require_subcommand(1);
  paper->footer(
      "Examples:\n"
      "  strata-run paper list\n"
      "  strata-run paper show mlrf/table2 --vocabulary 8389,6428\n"
      "  strata-run paper run mlrf/table2 --data multi30k --suffix cpu --seeds 3\n"
      "  strata-run work --once\n"
      "  strata-run paper score mlrf/table2 --data multi30k --suffix cpu\n"
      "  strata-run paper show mlrf/table2 --data multi30k --suffix cpu --latex table2.tex");
  paper->add_subcommand("list", "List all tables and figures")->callback([&global] {
    list(global);
  });
  addShow(paper, global);
  addRun(paper, global);
  addScore(paper, global);
}

}  // namespace strata
