#include "ui/panels/launch_panel.h"

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

#include "core/base/key_path.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/config_model.h"
#include "ui/panels/config_view.h"
#include "ui/panels/launch_preview.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/preset_model.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/notice_bar.h"

namespace strata::ui {
namespace {
constexpr int kDryRunDelayMs = 350;  // after the last change
const QString kFirstPreset = QStringLiteral("mlrf/both-fnn-sa4");
// Vocabulary sizes for parameter counts while there is no dataset: IWSLT German-English, which
// most published counts refer to.
constexpr std::pair<std::int64_t, std::int64_t> kUsualVocabulary{8848, 6632};
}  // namespace

LaunchPanel::LaunchPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("launch"), QStringLiteral("launch"), tr("Launch")}, parent),
      model_(new ConfigModel(this)),
      form_(new ConfigView(model_, this)),
      presets_(new PresetModel(this)),
      preview_(named(new LaunchPreview(this), "launchPreview")),
      runDemo_(runDemo) {
  setObjectName(QStringLiteral("launchPanel"));
  auto* layout = makeLayout<QVBoxLayout>(this, {12, 8, 12, 8}, 6);
  layout->addWidget(makeChoices());
  layout->addWidget(makeSplitter(Qt::Horizontal, this, {{form_, 500, 1}, {preview_, 480, 1}}), 1);
  connect(preview_, &LaunchPreview::edited, this, [this](const YamlDocument& edited) {
    preview_->setEdited(model_->apply(edited, preview_->config()));
  });
  layout->addWidget(makeFooter());
  dryRunTimer_.setSingleShot(true);
  dryRunTimer_.setInterval(kDryRunDelayMs);
  connect(&dryRunTimer_, &QTimer::timeout, this, &LaunchPanel::dryRun);
  connect(model_, &ConfigModel::overridesChanged, this, &LaunchPanel::scheduleDryRun);
  connect(model_, &ConfigModel::refused, this, &LaunchPanel::failed);
  showProblem(tr("Reading the presets…"));
}

QWidget* LaunchPanel::makeChoices() {
  auto* box = new QWidget(this);
  auto* column = makeLayout<QVBoxLayout>(box, {}, 3);
  auto* row = makeLayout<QHBoxLayout>(nullptr, {}, 6);
  const auto add = [&](QWidget* widget, const QString& title, int stretch) {
    auto* label = styled(new QLabel(title, box), "muted");
    label->setBuddy(widget);
    row->addWidget(label);
    row->addWidget(widget, stretch);
    row->addSpacing(8);
  };
  preset_ = named(new PresetBox(presets_, box), "launchPreset", tr("Preset"));
  preset_->setToolTip(tr("Type part of a preset's name or description to search"));
  preset_->lineEdit()->setPlaceholderText(tr("paper/row"));
  dataset_ = named(new QComboBox(box), "launchDataset", tr("Dataset"));
  dataset_->setPlaceholderText(tr("no dataset prepared yet"));
  name_ = named(new QLineEdit(box), "launchName", tr("Name of the run"));
  name_->setPlaceholderText(tr("derived from the preset"));
  name_->setValidator(
      new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[^/@]*")), name_));
  add(preset_, tr("Preset"), 3);
  add(dataset_, tr("Dataset"), 3);
  add(name_, tr("Name"), 2);
  description_ = named(styled(new QLabel(box), "muted"), "launchDescription");
  description_->setWordWrap(true);
  column->addLayout(row);
  column->addWidget(description_);
  connect(preset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::loadSchema);
  connect(dataset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::scheduleDryRun);
  connect(dataset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::countParameters);
  return box;
}

QLabel* LaunchPanel::makeFigure(const QString& name, const QString& title, QLayout* layout) {
  auto* figure = named(styled(new QLabel(QStringLiteral("–"), this), "heading"), name);
  figure->setToolTip(title);
  figure->setAccessibleName(title);
  layout->addWidget(figure);
  layout->addWidget(styled(new QLabel(title, this), "muted"));
  return figure;
}

// One line that is always in sight: what the run costs, and what starts it.
QWidget* LaunchPanel::makeFooter() {
  auto* footer = new QWidget(this);
  auto* outer = makeLayout<QVBoxLayout>(footer, {}, 4);
  notice_ = named(new NoticeBar(footer), "launchProblem");
  auto* bar = new QWidget(footer);
  auto* layout = makeLayout<QHBoxLayout>(bar, {}, 6);
  parameters_ = makeFigure(QStringLiteral("launchParameters"), tr("parameters"), layout);
  memory_ = makeFigure(QStringLiteral("launchMemory"), tr("of memory"), layout);
  time_ = makeFigure(QStringLiteral("launchTime"), tr("of training"), layout);
  basis_ = named(styled(new QLabel(bar), "muted"), "launchBasis");
  basis_->setWordWrap(true);
  layout->addWidget(basis_, 1);
  addExportTool(this, layout,
                {QStringLiteral("launchExport"),
                 tr("Export the picture…"),
                 {tr("Export the picture"), tr("All values"),
                  [this](const QString& path) { preview_->exportTo(path); },
                  [this](const QString& message) { emit failed(message); }}});
  addCopyCommand(layout, [this] { return trainCommand(); });
  start_ = named(styled(new QPushButton(tr("Start"), bar), "primary"), "launchStart");
  start_->setToolTip(tr("Queue this run and start it as soon as the device is free"));
  connect(start_, &QPushButton::clicked, this, [this] { start(request()); });
  layout->addWidget(start_);
  outer->addWidget(notice_);
  outer->addWidget(bar);
  return footer;
}

void LaunchPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!asked_) reload();
}

void LaunchPanel::reload() {
  asked_ = true;
  emit presetsRequested();
}

void LaunchPanel::setRequestError(Request request, const QString& message) {
  pending_.erase(request);
  if (request == Request::kCounts) return;  // the dry run reports what is wrong with a dataset
  if (request == Request::kPresets) {
    asked_ = false;  // retried when the panel is shown next
    error_ = message;
    if (isVisible()) emit failed(message);  // it may have been asked by the palette
  }
  showProblem(message);
}

void LaunchPanel::setPresets(const serve::PresetsReply& reply) {
  error_.clear();
  const QString chosen = preset_->preset();
  {
    const QSignalBlocker blocker(preset_);
    presets_->setPresets(reply);
    if (!preset_->choose(chosen) && !preset_->choose(restoredPreset_)) {
      restoredOverrides_.clear();  // they were of another preset
      if (!preset_->choose(kFirstPreset) && preset_->preset().isEmpty())
        preset_->setCurrentIndex(presets_->rowCount() > 1 ? 1 : -1);  // below the first heading
    }
  }
  emit foundChanged();
  countParameters();
  loadSchema();
  showProblem(tr("Estimating parameters, memory and time…"));
}

void LaunchPanel::countParameters() {
  if (presets_->rowCount() == 0) return;
  const QString dataset = dataset_->currentData().toString();
  serve::PresetsRequest wanted{.dataset = toStd(dataset)};
  if (dataset.isEmpty()) wanted.vocabulary = kUsualVocabulary;
  pending_.insert(Request::kCounts);
  emit countsRequested(wanted);
}

void LaunchPanel::setCounts(const serve::PresetsReply& reply) {
  pending_.erase(Request::kCounts);
  presets_->setPresets(reply);
}

void LaunchPanel::setDatasets(const QVector<DatasetRow>& datasets) {
  const QString chosen =
      dataset_->count() > 0 ? dataset_->currentData().toString() : restoredDataset_;
  QStringList wanted, present;
  for (const DatasetRow& row : datasets) wanted << row.name;
  for (int i = 0; i < dataset_->count(); ++i) present << dataset_->itemData(i).toString();
  if (wanted == present) return;
  {
    const QSignalBlocker blocker(dataset_);
    dataset_->clear();
    for (const DatasetRow& row : datasets) {
      dataset_->addItem(tr("%1  (%2–%3, %4 pairs)")
                            .arg(row.name, row.source, row.target, countText(row.trainPairs)),
                        row.name);
      dataset_->setItemData(dataset_->count() - 1, dataset_->itemText(dataset_->count() - 1),
                            Qt::ToolTipRole);
    }
    dataset_->setCurrentIndex(wanted.isEmpty() ? -1 : std::max(0, dataset_->findData(chosen)));
  }
  countParameters();
  scheduleDryRun();
}

void LaunchPanel::choose(const QString& preset, const QString& dataset) {
  selectData(dataset_, dataset);
  preset_->choose(preset);
}

void LaunchPanel::copyRun(const QString& preset, const QString& dataset, const Json& config) {
  const QString first = preset.section(QLatin1Char(','), 0, 0);
  name_->clear();
  restoredOverrides_.clear();
  copied_ = config;
  if (presets_->rowCount() == 0) {
    restoredPreset_ = first;
    restoredDataset_ = dataset;
    if (!asked_) reload();
    return;
  }
  selectData(dataset_, dataset);
  if (!preset_->choose(first)) {
    copied_ = nullptr;
    return showProblem(tr("The preset %1 of this run is not one of this build.").arg(first));
  }
  model_->clearOverrides();
  loadSchema();
}

// Keys that have the preset's value remain unchanged.
void LaunchPanel::fillCopied() {
  const Json config = std::exchange(copied_, nullptr);
  for (const QString& path : model_->paths()) {
    if (const Json* value = findAt(config, toStd(path)))
      model_->setOverride(path, configText(*value));
  }
}

QList<PaletteEntry> LaunchPanel::findable() {
  if (!asked_) reload();
  QList<PaletteEntry> entries;
  for (int row = 0; row < presets_->rowCount(); ++row) {
    const PresetRow* preset = presets_->preset(row);
    if (!preset) continue;
    entries << PaletteEntry{.group = tr("Presets"),
                            .text = preset->name,
                            .detail = preset->description,
                            .icon = themedIcon(QStringLiteral("launch")),
                            .run = [this, name = preset->name] {
                              emit showRequested(QStringLiteral("train"));
                              preset_->choose(name);
                            }};
  }
  for (const QString& path : model_->paths()) {
    entries << PaletteEntry{.group = tr("Settings"),
                            .text = path,
                            .detail = configText(model_->field(path)->value()),
                            .run = [this, path] {
                              emit showRequested(QStringLiteral("train"));
                              form_->showKey(path);
                            }};
  }
  return entries;
}

LaunchRequest LaunchPanel::request() const {
  return {preset_->preset(), dataset_->currentData().toString(), name_->text().trimmed(),
          model_->overrides(), preview_->config()};
}

QStringList LaunchPanel::trainCommand() const {
  const LaunchRequest chosen = request();
  QStringList command{QStringLiteral("train"), QStringLiteral("--preset"), chosen.preset};
  if (!chosen.dataset.isEmpty()) command << QStringLiteral("--data") << chosen.dataset;
  if (!chosen.name.isEmpty()) command << QStringLiteral("--name") << chosen.name;
  for (const QString& override : chosen.overrides) command << QStringLiteral("--set") << override;
  return command;
}

void LaunchPanel::start(LaunchRequest request) {
  if (std::exchange(starting_, true)) return;
  start_->setEnabled(false);
  notice_->setNotice({});
  emit startRequested(request);
}

void LaunchPanel::startOtherSeed(quint64 seed) {
  LaunchRequest other = request();
  other.config["seed"] = seed;
  other.overrides.removeIf(
      [](const QString& override) { return override.startsWith(QLatin1String("seed=")); });
  other.overrides << QStringLiteral("seed=%1").arg(seed);
  if (!other.name.isEmpty()) other.name += QStringLiteral(".s%1").arg(seed);
  start(other);
}

void LaunchPanel::setQueued() {
  if (!std::exchange(starting_, false)) return;
  showProblem({});
  emit showRequested(QStringLiteral("watch"));
}

void LaunchPanel::setStartFailed() {
  if (std::exchange(starting_, false)) start_->setEnabled(true);
}

void LaunchPanel::setSameRun(const SameRunRow& same) {
  if (!std::exchange(starting_, false)) return;
  start_->setEnabled(true);
  const auto again = [this](const std::function<void()>& run) {
    return [this, run] {
      notice_->setNotice({});
      run();
    };
  };
  notice_->setNotice(
      tr("%1 has exactly this configuration (%2).").arg(same.name, qs(nameOf(same.status))),
      {{QStringLiteral("launchOtherSeed"), tr("Start seed %1").arg(same.freeSeed),
        again([this, seed = same.freeSeed] { startOtherSeed(seed); })},
       {QStringLiteral("launchAnyway"), tr("Start anyway"), again([this] {
          LaunchRequest wanted = request();
          wanted.evenIfSame = true;
          start(wanted);
        })},
       {QStringLiteral("launchShowSame"), tr("Show it"), again([this, id = same.id] {
          share({.drawn = QVector<qint64>{id}, .run = id});
          emit showRequested(QStringLiteral("watch"));
        })}});
}

void LaunchPanel::loadSchema() {
  const PresetRow* chosen = presets_->preset(preset_->currentIndex());
  description_->setText(chosen ? chosen->description : QString());
  if (!chosen) return;
  start_->setEnabled(false);  // until a dry run has accepted the preset
  pending_.insert(Request::kSchema);
  emit schemaRequested(chosen->name);
}

void LaunchPanel::setSchema(const Json& schema) {
  pending_.erase(Request::kSchema);
  model_->setSchema(schema);
  ready_ = true;
  emit foundChanged();
  if (!copied_.is_null()) fillCopied();
  for (const QString& override : std::exchange(restoredOverrides_, {})) {
    const auto equals = override.indexOf(QLatin1Char('='));
    model_->setOverride(override.left(equals), override.mid(equals + 1));
  }
  scheduleDryRun();
}

void LaunchPanel::scheduleDryRun() {
  if (!ready_) return;
  start_->setEnabled(false);  // until the dry run has accepted the form
  dryRunTimer_.start();
}

void LaunchPanel::dryRun() {
  const LaunchRequest wanted = request();
  const serve::DryRunRequest asked{.preset = toStd(wanted.preset),
                                   .dataset = toStd(wanted.dataset),
                                   .overrides = toStd(wanted.overrides),
                                   .latest = true};
  pending_.insert(Request::kDryRun);
  emit dryRunRequested(asked);
}

void LaunchPanel::setEstimate(const serve::DryRunReply& reply) {
  pending_.erase(Request::kDryRun);
  const QString unknown = QStringLiteral("–");
  const auto& estimate = reply.estimate;
  parameters_->setText(estimate ? countText(estimate->parameters) : unknown);
  memory_->setText(estimate ? bytesText(double(estimate->memoryBytes)) : unknown);
  showTime(reply);
  preview_->setReply(reply, model_->overrides());
  if (dataset_->currentIndex() < 0) {
    askForData();
  } else {
    showProblem({});
  }
}

// A range, because what else the computer does decides as much as the model.
void LaunchPanel::showTime(const serve::DryRunReply& reply) {
  const auto& estimate = reply.estimate;
  QString time = QStringLiteral("–"), basis;
  if (estimate && estimate->seconds) {
    time = tr("≈ %1").arg(durationText(*estimate->seconds));
    if (estimate->range && estimate->range->least < estimate->range->most)
      time = timeText(*estimate->range);
  }
  if (estimate && estimate->basis) {
    const TimeBasis& known = *estimate->basis;
    basis = tr("%n step(s) measured here", nullptr, known.steps) + QStringLiteral(", ") +
            tr("%n thread(s)", nullptr, known.threads);
    if (known.otherRuns > 0)
      basis += QStringLiteral("; ") + tr("%n other run(s) in training", nullptr, known.otherRuns);
    if (known.otherCores >= 0.1)
      basis +=
          QStringLiteral("; ") +
          tr("other work uses %1 of %2 cores").arg(known.otherCores, 0, 'f', 1).arg(known.cores);
  }
  time_->setText(time);
  basis_->setText(basis);
  basis_->setToolTip(
      tr("The shorter time is that of a computer with nothing else to do, the longer "
         "one that of the slowest step measured. Validation is not counted."));
}

Here LaunchPanel::here() const {
  Here here = Panel::here();
  const Json& config = preview_->config();
  if (!config.is_object()) return here;
  const Json criterion = config.value("criterion", Json::object());
  here.add(QStringLiteral("ε"), criterion.value("label_smoothing", 0.0));
  return here;
}

Json LaunchPanel::saveState() const {
  const LaunchRequest chosen = request();
  return {{"preset", toStd(chosen.preset.isEmpty() ? restoredPreset_ : chosen.preset)},
          {"dataset", toStd(dataset_->count() > 0 ? chosen.dataset : restoredDataset_)},
          {"name", toStd(chosen.name)},
          {"overrides", jsonOf(ready_ ? chosen.overrides : restoredOverrides_)},
          {"preview", preview_->currentIndex()}};
}

void LaunchPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredPreset_ = saved.text("preset").value_or(QString());
  restoredDataset_ = saved.text("dataset").value_or(QString());
  restoredOverrides_ = saved.texts("overrides").value_or(QStringList());
  saved.line("name", name_);
  saved.index("preview", preview_);
}

QString LaunchPanel::problem() const {
  return notice_->text();
}

void LaunchPanel::showProblem(const QString& text) {
  notice_->setNotice(text);
  start_->setEnabled(text.isEmpty() && !starting_);
}

void LaunchPanel::askForData() {
  start_->setEnabled(false);
  notice_->setNotice(
      tr("There is no dataset to train on yet."),
      {{QStringLiteral("launchImport"), tr("Import a corpus"),
        [this] { emit showRequested(QStringLiteral("prepare")); }},
       {QStringLiteral("launchDemo"), tr("Run the demo"), [this] { runDemo_->trigger(); }}});
}

}  // namespace strata::ui
