#include "ui/panels/sweeps_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/xy_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {
constexpr int kTypingMs = 300;
constexpr std::size_t kMostGridKeys = 3;
constexpr int kMostNamed = 8;  // lines that a legend tells apart

QComboBox* addBox(QHBoxLayout* bar, const QString& name, const QString& label, int characters) {
  auto* box = named(new QComboBox(bar->parentWidget()), name, label);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(characters);
  auto* text = styled(new QLabel(label, bar->parentWidget()), "muted");
  text->setBuddy(box);
  bar->addWidget(text);
  bar->addWidget(box, characters);
  return box;
}

// The entries, with the one that was last chosen if it is among them.
void refill(QComboBox* box, const QVector<QPair<QString, QString>>& entries,
            const QString& chosen) {
  const QSignalBlocker blocker(box);
  box->clear();
  for (const auto& [text, data] : entries) box->addItem(text, data);
  selectData(box, chosen);
}

}  // namespace

SweepsPanel::SweepsPanel(QAction* newRun, QWidget* parent)
    : Panel({QStringLiteral("sweeps"), QStringLiteral("sweep"), tr("Sweeps")}, parent) {
  setObjectName(QStringLiteral("sweepsPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeChoices(content));
  layout->addWidget(makeTools(content));
  problem_ = named(new QLabel(content), "sweepsProblem");
  problem_->setContentsMargins(12, 0, 12, 4);
  problem_->setWordWrap(true);
  layout->addWidget(problem_);
  tabs_ = named(new QTabWidget(content), "sweepsTabs");
  chart_ = named(new XyPlot(tabs_), "sweepsChart", tr("Metric over a setting or cost"));
  axes_ = named(new XyPlot(tabs_), "sweepsAxes", tr("Parallel coordinates"));
  tabs_->addTab(chart_, tr("Chart"));
  tabs_->addTab(axes_, tr("Parallel coordinates"));
  numbers_ = named(new ReportTable(content), "sweepsTable", tr("Numbers of the chart"));
  layout->addWidget(makeSplitter(Qt::Vertical, content, {{tabs_, 420, 1}, {numbers_, 170}}), 1);
  setContent({tr("Nothing to compare yet"),
              tr("Final metrics of runs that have ended are drawn here over their settings, "
                 "parameters, hours or speed. Train two runs or more; `strata-run sweep` queues a "
                 "grid of settings times seeds."),
              {newRun}},
             content);
  timer_.setSingleShot(true);
  timer_.setInterval(kTypingMs);
  connect(&timer_, &QTimer::timeout, this, &SweepsPanel::request);
  for (XyPlot* plot : {chart_, axes_}) connect(plot, &XyPlot::chosen, this, &SweepsPanel::choose);
  connect(tabs_, &QTabWidget::currentChanged, this, &SweepsPanel::drawTab);
}

QWidget* SweepsPanel::makeChoices(QWidget* content) {
  auto* bar = makeBar(content);
  metric_ = addBox(bar, QStringLiteral("sweepsMetric"), tr("metric"), 20);
  x_ = addBox(bar, QStringLiteral("sweepsX"), tr("over"), 20);
  lines_ = addBox(bar, QStringLiteral("sweepsLines"), tr("a line per"), 14);
  baseline_ = addBox(bar, QStringLiteral("sweepsBaseline"), tr("baseline"), 12);
  for (QComboBox* box : {metric_, x_, lines_, baseline_})
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      chosen_ = saveState();
      draw();
    });
  return bar->parentWidget();
}

QWidget* SweepsPanel::makeTools(QWidget* content) {
  auto* bar = makeBar(content);
  filter_ = named(new QLineEdit(content), "sweepsFilter", tr("Filter of runs"));
  filter_->setPlaceholderText(tr("Filter: name, preset or dataset (regular expression)"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, this, [this] {
    stale_ = true;
    timer_.start();
  });
  bar->addWidget(filter_, 20);
  band_ = addBox(bar, QStringLiteral("sweepsBand"), tr("band"), 6);
  band_->addItem(tr("std"));
  band_->addItem(tr("95 % interval"));
  band_->setToolTip(tr("Over seeds: standard deviation, or Student's interval of the mean"));
  connect(band_, &QComboBox::currentIndexChanged, this, &SweepsPanel::draw);
  logarithmic_ = named(new QCheckBox(tr("log x"), content), "sweepsLogarithmic");
  front_ = named(new QCheckBox(tr("Pareto front"), content), "sweepsFront");
  front_->setChecked(true);
  front_->setToolTip(tr("Over a cost: the values to which nothing is both cheaper and better"));
  for (QCheckBox* box : {logarithmic_, front_}) {
    connect(box, &QCheckBox::toggled, this, &SweepsPanel::draw);
    bar->addWidget(box);
  }
  addExportTool(
      this, bar,
      {QStringLiteral("exportSweep"),
       tr("Export…"),
       {tr("Export the sweep"), tr("All values"), [this](const QString& path) { exportTo(path); },
        std::bind_front(&SweepsPanel::failed, this)}});
  addCopyCommand(bar, [this] { return command(); });
  return bar->parentWidget();
}

void SweepsPanel::exportTo(const QString& path) {
  (tabs_->currentIndex() == 0 ? chart_ : axes_)->exportTo(path);
  emit notice(tr("Written: %1").arg(path));
}

void SweepsPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<qint64> ended;
  for (const RunRow& run : runs) {
    if (!run.trashed && !run.isActive() && !run.waits()) ended << run.id;
  }
  setEmpty(ended.isEmpty());
  if (ended == ended_) return;
  ended_ = ended;
  stale_ = true;
  if (isVisible()) timer_.start();
}

void SweepsPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  if (stale_) request();
}

void SweepsPanel::request() {
  if (ended_.isEmpty()) return;
  stale_ = false;
  asked_ = true;
  emit sweepRequested(filter_->text());
}

void SweepsPanel::setSweep(const QString& filter, const SweptRuns& runs) {
  if (filter != filter_->text()) return;  // another one is on its way
  asked_ = false;
  arrived_ = true;
  runs_ = runs;
  fill();
  draw();
}

void SweepsPanel::setSweepError(const QString& message) {
  asked_ = false;
  problem_->setStyleSheet(QStringLiteral("color: %1").arg(theme().bad.name()));
  problem_->setText(message);
  problem_->show();
}

void SweepsPanel::fill() {
  using Entries = QVector<QPair<QString, QString>>;
  const SavedState saved(chosen_);
  const auto wanted = [&](const char* key) { return saved.text(key).value_or(QString()); };
  Entries metrics, xs, lines{{tr("nothing"), QString()}}, names{{tr("none"), QString()}};
  for (const std::string& metric : runs_.metrics) metrics << qMakePair(qs(metric), qs(metric));
  for (const std::string& key : runs_.keys) {
    xs << qMakePair(qs(key), qs(key));
    lines << qMakePair(qs(key), qs(key));
  }
  xs << qMakePair(tr("parameters"), QString::fromLatin1(kSweepParameters))
     << qMakePair(tr("training hours"), QString::fromLatin1(kSweepHours))
     << qMakePair(tr("tokens/s"), QString::fromLatin1(kSweepSpeed));
  for (const SweptRun& run : runs_.runs) names << qMakePair(qs(run.name), qs(run.name));
  refill(metric_, metrics, wanted("metric").isEmpty() ? qs(usualMetric(runs_)) : wanted("metric"));
  // Of a grid its key; runs of different models are compared by their size.
  const bool grid = !runs_.keys.empty() && runs_.keys.size() <= kMostGridKeys;
  const QString first = grid ? qs(runs_.keys.front()) : QString::fromLatin1(kSweepParameters);
  refill(x_, xs, wanted("x").isEmpty() ? first : wanted("x"));
  refill(lines_, lines, wanted("lines"));
  refill(baseline_, names, wanted("baseline"));
}

SweepQuery SweepsPanel::query() const {
  return {.metric = toStd(metric_->currentData().toString()),
          .x = toStd(x_->currentData().toString()),
          .lines = toStd(lines_->currentData().toString()),
          .baseline = toStd(baseline_->currentData().toString())};
}

void SweepsPanel::draw() {
  if (!arrived_) return;
  try {
    shown_ = sweepTable(runs_, query());
  } catch (const std::exception& error) {
    shown_ = {};
    chart_->setSeries({});
    axes_->setSeries({});
    stalePlots_.clear();
    numbers_->setTable({});
    return setSweepError(QString::fromUtf8(error.what()));
  }
  const QStringList out = qs(shown_.leftOut);
  problem_->setStyleSheet(QStringLiteral("color: %1").arg(theme().muted.name()));
  problem_->setText(out.isEmpty() ? QString()
                                  : tr("%n run(s) left out: ", nullptr, int(out.size())) +
                                        out.mid(0, 3).join(QStringLiteral("; ")) +
                                        (out.size() > 3 ? QStringLiteral("; …") : QString()));
  problem_->setToolTip(out.join(QLatin1Char('\n')));
  problem_->setVisible(!out.isEmpty());
  numbers_->setTable(shownTable(shown_));
  stalePlots_ = {chart_, axes_};
  drawTab();
}

// Either of a thousand runs takes as long as the rest of the panel: what is not in sight waits
// until somebody looks.
void SweepsPanel::drawTab() {
  auto* plot = static_cast<XyPlot*>(tabs_->currentWidget());
  if (!stalePlots_.remove(plot)) return;
  plot == chart_ ? drawChart() : drawAxes();
}

// Means and the points of their seeds in one colour for each line, then the front and the baseline.
void SweepsPanel::drawChart() {
  QVector<XySeries> series;
  XySeries front{.label = tr("Pareto front"), .dashed = true};
  const QString all = qs(shown_.query.metric);
  for (std::size_t line = 0; line < shown_.lines.size(); ++line) {
    XySeries means{.label = shown_.lines[line].empty() ? tr("mean") : qs(shown_.lines[line]),
                   .joined = !shown_.isCost,
                   .markers = true,
                   .colour = int(line)};
    XySeries seeds{.label = tr("%1, seeds").arg(shown_.lines[line].empty() ? all : means.label),
                   .joined = false,
                   .markers = true,
                   .rings = true,
                   .colour = int(line)};
    for (const SweepValue& value : shown_.values) {
      if (value.line != shown_.lines[line]) continue;
      means.points << QPointF(value.x, value.mean);
      const double spread = value.deviation.value_or(0);
      means.band << (band_->currentIndex() == 0 ? QPointF(value.mean - spread, value.mean + spread)
                                                : QPointF(value.low.value_or(value.mean),
                                                          value.high.value_or(value.mean)));
      means.ids << value.points.front().run;
      means.texts << tr("%1, %n seed(s)", nullptr, int(value.points.size())).arg(means.label);
      if (value.onFront) front.points << means.points.last();
      for (const SweepPoint& point : value.points) {
        seeds.points << QPointF(value.x, point.y);
        seeds.ids << point.run;
        seeds.texts << tr("%1, seed %2").arg(qs(point.name)).arg(point.seed);
      }
    }
    series << means << seeds;
  }
  std::ranges::sort(front.points, {}, &QPointF::x);
  front.colour = int(shown_.lines.size());
  if (shown_.isCost && front_->isChecked()) series << front;
  if (shown_.baseline)
    series << XySeries{.label = tr("baseline %1").arg(qs(shown_.query.baseline)),
                       .points = {QPointF(0, *shown_.baseline)},
                       .dashed = true,
                       .level = true,
                       .colour = int(shown_.lines.size()) + 1};
  chart_->setNames(qs(shown_.labels));
  chart_->setLogarithmicX(logarithmic_->isChecked());
  chart_->setTitle(qs(shownTable(shown_).caption));
  chart_->setAxisTitles(x_->currentText(), all);
  chart_->setSeries(std::move(series));
}

// A line per configuration; the best has a colour of its own.
void SweepsPanel::drawAxes() {
  const SweepAxes axes = sweepAxes(runs_, shown_.query.metric);
  QStringList names;
  for (const SweepAxis& axis : axes.axes)
    names << QStringLiteral("%1: %2 – %3").arg(qs(axis.name), qs(axis.low), qs(axis.high));
  QVector<XySeries> series;
  for (std::size_t i = axes.lines.size(); i-- > 0;) {  // the best last, on top
    const SweepLine& line = axes.lines[i];
    XySeries drawn{
        .label = qs(line.name), .markers = true, .colour = int(i % theme().series.size())};
    for (std::size_t axis = 0; axis < line.places.size(); ++axis) {
      drawn.points << QPointF(double(axis), line.places[axis]);
      drawn.ids << line.run;
      drawn.texts << QStringLiteral("%1\n%2: %3")
                         .arg(qs(line.name), qs(axes.axes[axis].name), qs(line.texts[axis]));
    }
    series << drawn;
  }
  axes_->setNames(names);
  axes_->setTitle(
      tr("Configurations over the keys that differ and %1").arg(qs(shown_.query.metric)));
  axes_->setAxisTitles(tr("key: lowest – highest value"), tr("place between them"));
  axes_->setLegendShown(axes.lines.size() <= kMostNamed);
  axes_->setSeries(std::move(series));
}

void SweepsPanel::choose(qint64 run) {
  share({.run = run});
}

QStringList SweepsPanel::command() const {
  QStringList arguments{QStringLiteral("runs"), QStringLiteral("sweep")};
  const auto add = [&](const char* option, const QString& value) {
    if (!value.isEmpty()) arguments << QString::fromLatin1(option) << value;
  };
  add("--metric", metric_->currentData().toString());
  add("--x", x_->currentData().toString());
  add("--lines", lines_->currentData().toString());
  add("--baseline", baseline_->currentData().toString());
  add("--filter", filter_->text());
  return arguments;
}

bool SweepsPanel::isUpToDate() const {
  return isEmpty() || (!stale_ && !asked_ && !timer_.isActive());
}

Here SweepsPanel::here() const {
  Here here = Panel::here();
  if (!numbers_->currentIndex().isValid()) return here;
  if (here.place.isEmpty()) here.place = numbers_->readout();
  here.add(QStringLiteral("m"), numbers_->cell(QStringLiteral("mean")));
  here.add(QStringLiteral("σ"), numbers_->cell(QStringLiteral("std")));
  here.add(QStringLiteral("n"), numbers_->cell(QStringLiteral("seeds")));
  bool hasLow = false, hasHigh = false;
  const double low = numbers_->cell(QStringLiteral("low")).toDouble(&hasLow),
               high = numbers_->cell(QStringLiteral("high")).toDouble(&hasHigh);
  if (hasLow && hasHigh) here.add(QStringLiteral("b"), (high - low) / 2);
  return here;
}

Json SweepsPanel::saveState() const {
  SweepQuery now = query();
  if (!arrived_) {  // the boxes are empty
    const SavedState saved(chosen_);
    const auto text = [&](const char* key) { return toStd(saved.text(key).value_or(QString())); };
    now.metric = text("metric"), now.x = text("x");
    now.lines = text("lines"), now.baseline = text("baseline");
  }
  return {{"metric", now.metric},
          {"x", now.x},
          {"lines", now.lines},
          {"baseline", now.baseline},
          {"filter", toStd(filter_->text())},
          {"band", band_->currentIndex()},
          {"log", logarithmic_->isChecked()},
          {"front", front_->isChecked()},
          {"tab", tabs_->currentIndex()}};
}

void SweepsPanel::restoreState(const Json& state) {
  chosen_ = state;
  const SavedState saved(state);
  saved.line("filter", filter_);
  saved.index("band", band_);
  saved.check("log", logarithmic_);
  saved.check("front", front_);
  saved.index("tab", tabs_);
}

}  // namespace strata::ui
