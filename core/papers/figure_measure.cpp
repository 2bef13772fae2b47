#include "core/papers/figure_measure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/data/lines.h"
#include "core/papers/cell_measure.h"
#include "core/papers/figure_recordings.h"
#include "core/papers/figure_structure.h"
#include "core/papers/paper_recordings.h"
#include "core/papers/paper_values.h"
#include "core/papers/paper_work.h"
#include "core/run/measured_series.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

using Kind = PaperFigure::Kind;

bool needsSet(const PaperFigure& figure, const PaperPanel& panel) {
  if (figure.kind == Kind::kLengths || figure.drawsRecordings()) return true;
  return figure.kind == Kind::kPoints &&
         (panel.measure == "score" || panel.measure == "words_per_second");
}

// The sentences to record, from 0: those chosen, else the set's first.
std::vector<std::int64_t> sentencesOf(const PaperFigure& figure, const PaperOptions& options,
                                      const EvaluationSet& set) {
  std::vector<std::int64_t> sentences;
  for (const std::int64_t number : options.sentences) {
    if (number < 1 || number > set.sentences)
      throw usageError("--sentences {}: the set {} has the sentences 1 to {}", number, set.name,
                       set.sentences);
    sentences.push_back(number - 1);
  }
  if (!sentences.empty()) return sentences;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(figure.sentences, set.sentences); ++i)
    sentences.push_back(i);
  return sentences;
}

PlannedCell planPoint(const PaperFigure& figure, const PaperPanel& panel, const PaperPoint& point,
                      const PaperPlanner& planner) {
  const bool valid = panel.set == "valid";
  PaperColumn column;
  column.key = panel.key;
  column.dataset = panel.dataset;
  if (needsSet(figure, panel)) column.set = panel.set;
  column.valid = valid;
  PlannedCell cell = planner.plan(
      {.row = point.source, .column = column, .headline = !valid, .series = figure.drawnSeries()});
  if (!figure.drawsRecordings() || !cell.missing.empty()) return cell;
  // Nothing of the set is translated.
  cell.recordedSet = std::exchange(cell.set, "");
  cell.sentences = sentencesOf(figure, planner.options(), cell.dataset->set(cell.recordedSet));
  return cell;
}

FigurePoint pointOf(double x, const std::vector<double>& values, std::string label = {}) {
  const Summary summary = summaryOf(values);
  return {.x = x,
          .y = summary.mean,
          .deviation = summary.deviation,
          .runs = summary.count,
          .label = std::move(label)};
}

// Of tokens, which are separated by one space.
std::size_t countOfWords(const std::string& line) {
  return line.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(line, ' '));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class FigureMeasure {
 public:
  FigureMeasure(Workspace& workspace, const PaperFigure& figure, const PaperPlanner& planner,
                const std::optional<VocabularySizes>& vocabulary)
      : workspace_(workspace),
        figure_(figure),
        planner_(planner),
        vocabulary_(vocabulary),
        cells_(workspace) {}

  FigureData run() {
    data_ = {.id = figure_.id,
             .title = figure_.title,
             .kind = std::string(nameOf(figure_.kind)),
             .xTitle = figure_.xTitle,
             .scorer = figure_.scorer.text(),
             .curves = figure_.kind == Kind::kCurves,
             .notes = figure_.notes};
    if (figure_.describesModels()) {
      describeModels(figure_, planner_, vocabulary_, data_);
      return std::move(data_);
    }
    if (figure_.drawsRecordings()) {
      drawRecordings(figure_, recordedRuns(), data_);
      return std::move(data_);
    }
    for (const PaperPanel& panel : figure_.panels) addPanel(panel);
    data_.countedFor = textOf(counted_);
    return std::move(data_);
  }

 private:
  void lacks(const std::string& what) {
    auto& list = data_.missing;
    if (std::find(list.begin(), list.end(), what) == list.end()) list.push_back(what);
  }

  void addPanel(const PaperPanel& panel) {
    FigurePanel shown = emptyPanel(panel);
    shown.logarithmic = figure_.kind == Kind::kGradients;
    for (const PaperSeries& series : figure_.series) {
      FigureSeries drawn{.name = series.name, .dashed = series.dashed, .level = series.level};
      for (const PaperPoint& point : series.points) {
        const PlannedCell cell = planPoint(figure_, panel, point, planner_);
        if (cell.dataset) shown.dataset = cell.dataset->name();
        addPoint(panel, series, point, cell, drawn);
      }
      shown.series.push_back(std::move(drawn));
    }
    data_.panels.push_back(std::move(shown));
  }

  void addPoint(const PaperPanel& panel, const PaperSeries& series, const PaperPoint& point,
                const PlannedCell& cell, FigureSeries& drawn) {
    if (!cell.missing.empty()) lacks(panel.title + ": " + cell.missing);
    switch (figure_.kind) {
      case Kind::kCurves:
        return addCurve(series, cell, drawn);
      case Kind::kLengths:
        return addLengths(cell, drawn);
      case Kind::kGradients:
        return addGradients(panel, cell, drawn);
      default:
        return addNumber(panel, point, cell, drawn);
    }
  }

  // The existing runs of a cell; missing ones are listed.
  std::vector<RunSummary> runsOf(const PlannedCell& cell) {
    std::vector<RunSummary> found;
    for (const PlannedRun& run : cell.runs) {
      const RunSummary* known = cells_.runs().find(run.name);
      if (known != nullptr && known->step > 0) {
        found.push_back(*known);
      } else {
        lacks(fmt::format("run {} ({})", run.name,
                          known == nullptr ? "absent" : nameOf(known->status)));
      }
    }
    return found;
  }

  VocabularySizes sizesFor(const PaperPanel& panel, const PaperPoint& point,
                           const PlannedCell& cell) const {
    if (vocabulary_) return *vocabulary_;
    return cell.dataset ? sizesOf(*cell.dataset) : figure_.vocabularyOf(point, panel);
  }

  void addNumber(const PaperPanel& panel, const PaperPoint& point, const PlannedCell& cell,
                 FigureSeries& drawn) {
    std::optional<double> millions;
    if (figure_.xParameters || panel.measure == "parameters") {
      const VocabularySizes sizes = sizesFor(panel, point, cell);
      const auto count = parametersOf(planner_.engine(), planner_.presetOf(point.source.preset, ""),
                                      point.source.overrides, sizes);
      if (count) {
        millions = static_cast<double>(*count) / 1e6;
        addTo(counted_, sizes, panel.title);
      }
    }
    if (figure_.xParameters && !millions) return;
    std::vector<double> values;
    if (panel.measure != "parameters") {
      values = valuesOf(panel, cell);
    } else if (millions) {
      values = {*millions};
    }
    FigurePoint& shown =
        drawn.points.emplace_back(pointOf(figure_.xParameters ? *millions : point.x, values));
    const auto printed = point.printed.find(panel.key);
    if (printed != point.printed.end()) shown.printed = printed->second;
  }

  std::vector<double> valuesOf(const PaperPanel& panel, const PlannedCell& cell) {
    if (!cell.missing.empty()) return {};
    if (panel.measure == "tokens_per_second") return cells_.measured(cell, panel.measure).values();
    const auto result = cells_.scored(cell, figure_.scorer);
    for (const MeasuredRun& run : result.cell.runs) {
      if (!run.scored)
        lacks(fmt::format("run {} ({})", run.name,
                          run.waitsForScore() ? "to score" : run.statusText()));
    }
    if (panel.measure == "score") return result.cell.values();
    std::vector<double> speeds;
    for (const auto& [name, output] : result.outputs) {
      std::size_t words = 0;
      for (const std::string& line : output.tokens) words += countOfWords(line);
      if (output.seconds > 0) speeds.push_back(static_cast<double>(words) / output.seconds);
    }
    return speeds;
  }

  // (x, y) by update; x is the update, or xScalar's latest value at that update.
  std::map<std::int64_t, std::pair<double, double>> curveOf(const RunSummary& run,
                                                            const std::string& scalar) {
    std::map<std::int64_t, std::pair<double, double>> curve;
    const auto cut = figure_.cutAtAnnealing ? annealingStep(workspace_, run.id) : std::nullopt;
    std::map<std::int64_t, double> xs;
    if (!figure_.xScalar.empty()) {
      for (const ScalarPoint& point : readSeries(workspace_, run.id, figure_.xScalar))
        xs[point.step] = point.value;
    }
    for (const ScalarPoint& point : readSeries(workspace_, run.id, scalar)) {
      if (cut && point.step >= *cut) break;
      double x = static_cast<double>(point.step);
      if (!figure_.xScalar.empty()) {
        auto at = xs.upper_bound(point.step);
        if (at == xs.begin()) continue;
        x = (--at)->second;
      }
      curve[point.step] = {x, figure_.accuracy ? 100 * (1 - point.value) : point.value};
    }
    if (curve.empty()) {
      const bool measured = unmeasuredSeries(runConfig(run), {scalar}).empty();
      lacks(measured ? fmt::format("run {} has no series {}", run.name, scalar)
                     : lackOfSeries(run.name, {scalar}));
    }
    return curve;
  }

  void addCurve(const PaperSeries& series, const PlannedCell& cell, FigureSeries& drawn) {
    std::map<std::int64_t, std::vector<std::pair<double, double>>> byStep;
    std::size_t runs = 0;
    std::vector<double> falls;
    for (const RunSummary& run : runsOf(cell)) {
      const auto curve = curveOf(run, series.scalar);
      runs += curve.empty() ? 0 : 1;
      for (const auto& [step, point] : curve) byStep[step].push_back(point);
      if (const auto epoch =
              figure_.markAnnealing ? annealingEpoch(workspace_, run.id) : std::nullopt)
        falls.push_back(*epoch);
    }
    for (const auto& [step, points] : byStep) {
      if (points.size() < runs) continue;  // the mean would jump where a run has ended
      std::vector<double> xs, ys;
      for (const auto& [x, y] : points) {
        xs.push_back(x);
        ys.push_back(y);
      }
      drawn.points.push_back(pointOf(*summaryOf(xs).mean, ys));
    }
    if (const auto fall = summaryOf(falls).mean) drawn.marks.push_back(*fall);
  }

  // Scores of the sentences by source length: each edge is a bin's upper end.
  void addLengths(const PlannedCell& cell, FigureSeries& drawn) {
    if (!cell.missing.empty()) return;
    const EvaluationSet& set = cell.dataset->set(cell.set);
    cell.dataset->requireIntact(set);
    std::vector<std::size_t> lengths;
    for (const std::string& line : readLines(set.tokensSource().string()))
      lengths.push_back(countOfWords(line));
    const auto result = cells_.scored(cell, figure_.scorer);
    for (const MeasuredRun& run : result.cell.runs) {
      if (!run.scored) lacks(fmt::format("run {} ({})", run.name, run.statusText()));
    }
    double low = 0;
    for (const double edge : figure_.edges) {
      std::vector<double> scores;
      std::size_t sentences = 0;
      for (const auto& [name, scored] : result.scored) {
        std::vector<std::size_t> bin;
        for (std::size_t i = 0; i < scored.rows.sentences(); ++i) {
          const auto length = static_cast<double>(lengths[i]);
          if (length > low && length <= edge) bin.push_back(i);
        }
        sentences = bin.size();
        if (!bin.empty()) scores.push_back(scored.metric->score(scored.rows.sums(bin)));
      }
      drawn.points.push_back(pointOf(
          edge, scores, fmt::format("{:g} < words <= {:g}, {} sentences", low, edge, sentences)));
      low = edge;
    }
  }

  // The median over training of each layer's gradient norm, by layer number from 1.
  void addGradients(const PaperPanel& panel, const PlannedCell& cell, FigureSeries& drawn) {
    const std::string prefix = "grad_norm/" + panel.modules;
    std::map<int, std::vector<double>> norms;
    for (const RunSummary& run : runsOf(cell)) {
      bool any = false;
      for (const SeriesSummary& series : listSeries(workspace_, run.id)) {
        if (!series.name.starts_with(prefix)) continue;
        const int layer = 1 + std::stoi(series.name.substr(prefix.size()));
        std::vector<double> values;
        for (const ScalarPoint& point : readSeries(workspace_, run.id, series.name)) {
          if (std::isfinite(point.value)) values.push_back(point.value);
        }
        if (!values.empty()) norms[layer].push_back(median(std::move(values)));
        any = true;
      }
      if (!any) lacks(fmt::format("run {} has no gradient norms of {}*", run.name, panel.modules));
    }
    for (const auto& [layer, values] : norms)
      drawn.points.push_back(pointOf(layer, values, fmt::format("{}{}", panel.modules, layer - 1)));
  }

  std::vector<RecordedRun> recordedRuns() {
    std::vector<RecordedRun> recorded;
    for (const PaperSeries& series : figure_.series) {
      const PlannedCell cell =
          planPoint(figure_, figure_.panels.front(), series.points.front(), planner_);
      if (!cell.missing.empty()) lacks(cell.missing);
      const auto needed = neededRecordings(cell, cells_.runs());
      for (std::size_t i = 0; i < cell.runs.size(); ++i) {
        const bool made = i < needed.size() && needed[i] && needed[i]->isMade();
        if (made) {
          recorded.push_back(
              {series.name, cell.recordedSet,
               readRecordedSet(needed[i]->folder, cell.recordedSet, runConfig(*needed[i]->run),
                               workspace_.datasetsFolder())});
        } else {
          addWhileTraining(series, cell, cell.runs[i].name, recorded);
        }
      }
    }
    return recorded;
  }

  // The newest recordings that training made, of the first sentences of the validation set: those
  // of the figure if that is its set, else they stand in for them.
  void addWhileTraining(const PaperSeries& series, const PlannedCell& cell, const std::string& name,
                        std::vector<RecordedRun>& recorded) {
    const RunSummary* run = cells_.runs().find(name);
    if (run == nullptr || run->step == 0) {
      return lacks(
          fmt::format("run {} ({})", name, run == nullptr ? "absent" : nameOf(run->status)));
    }
    RecordedRun found{series.name, "", newestRecordings(*run)};
    auto& sentences = found.step.sentences;
    if (!sentences.empty() && recordedSet(runConfig(*run)) == cell.recordedSet) {
      std::erase_if(sentences, [&](const SentenceRecordings& each) {
        return std::ranges::find(cell.sentences, each.sentence) == cell.sentences.end();
      });
      found.set = cell.recordedSet;
    }
    const bool all = !found.set.empty() && sentences.size() == cell.sentences.size();
    if (!all) {
      lacks(fmt::format("run {}: sentences of {} {}{}", name, cell.recordedSet,
                        run->status == RunStatus::kFinished ? "to record (paper score)"
                                                            : "are recorded when it has finished",
                        sentences.empty() ? "" : "; drawn are those recorded while it trained"));
    }
    if (sentences.empty()) return;
    sentences.resize(std::min(sentences.size(), cell.sentences.size()));
    recorded.push_back(std::move(found));
  }

  RecordedStep newestRecordings(const RunSummary& run) {
    const auto rows = listRecordingRows(workspace_, run.id);
    const auto newest = std::find_if(rows.rbegin(), rows.rend(),
                                     [](const StoredRecording& row) { return row.present; });
    if (newest == rows.rend()) return {};
    return readRecordedStep(newest->folder, runConfig(run), workspace_.datasetsFolder());
  }

  Workspace& workspace_;
  const PaperFigure& figure_;
  const PaperPlanner& planner_;
  std::optional<VocabularySizes> vocabulary_;  // given by the caller
  CellMeasure cells_;
  FigureData data_;
  std::vector<CountedFor> counted_;  // panels, by the sizes for which parameters are counted
};

}  // namespace

std::vector<PlannedCell> planFigure(const PaperFigure& figure, const PaperPlanner& planner) {
  std::vector<PlannedCell> cells;
  for (const PaperPanel& panel : figure.panels) {
    for (const PaperSeries& series : figure.series) {
      for (const PaperPoint& point : series.points)
        cells.push_back(planPoint(figure, panel, point, planner));
    }
  }
  return cells;
}

FigureData measureFigure(Workspace& workspace, const PaperFigure& figure,
                         const PaperPlanner& planner,
                         const std::optional<VocabularySizes>& vocabulary) {
  return FigureMeasure(workspace, figure, planner, vocabulary).run();
}

}  // namespace strata
