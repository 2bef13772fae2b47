#include "ui/panels/launch_panel.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

#include "core/base/key_path.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/config_model.h"
#include "ui/panels/config_view.h"
#include "ui/panels/launch_choice.h"
#include "ui/panels/launch_preview.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/preset_model.h"
#include "ui/panels/queue_view.h"
#include "ui/panels/run_estimate.h"
#include "ui/panels/start_button.h"
#include "ui/panels/sweep_form.h"
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
      sweep_(named(new SweepForm(model_, this), "launchSweep")),
      queue_(named(new QueueView(this), "launchQueue")),
      runDemo_(runDemo) {
  setObjectName(QStringLiteral("launchPanel"));
  auto* layout = makeLayout<QVBoxLayout>(this, {12, 8, 12, 8}, 6);
  layout->addWidget(makeChoices());
  preview_->addTab(sweep_, tr("Sweep"));
  auto* right = makeSplitter(Qt::Vertical, this, {{preview_, 420, 1}, {queue_, 130}});
  layout->addWidget(makeSplitter(Qt::Horizontal, this, {{form_, 500, 1}, {right, 480, 1}}), 1);
  connect(preview_, &LaunchPreview::edited, this, [this](const YamlDocument& edited) {
    preview_->setEdited(model_->apply(edited, preview_->config()));
  });
  layout->addWidget(makeFooter());
  dryRunTimer_.setSingleShot(true);
  dryRunTimer_.setInterval(kDryRunDelayMs);
  connect(&dryRunTimer_, &QTimer::timeout, this, &LaunchPanel::dryRun);
  connect(model_, &ConfigModel::overridesChanged, this, &LaunchPanel::changeForm);
  connect(model_, &ConfigModel::refused, this, &LaunchPanel::failed);
  connect(sweep_, &SweepForm::changed, this, &LaunchPanel::showSweep);
  connect(form_, &ConfigView::keyChosen, sweep_, &SweepForm::setCurrentKey);
  connect(queue_, &QueueView::runChosen, this, [this](qint64 run) { share({.run = run}); });
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
  preset_->setToolTip(
      tr("Type part of a preset's name or description to search, also of a row of a paper's table; "
         "or several presets' names with commas"));
  preset_->lineEdit()->setPlaceholderText(tr("paper/row"));
  dataset_ = named(new QComboBox(box), "launchDataset", tr("Dataset"));
  dataset_->setPlaceholderText(tr("no dataset prepared yet"));
  name_ = named(new QLineEdit(box), "launchName", tr("Name of the run"));
  name_->setPlaceholderText(tr("derived from the preset"));
  name_->setValidator(
      new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[^/@]*")), name_));
  add(preset_, tr("Preset"), 4);
  add(dataset_, tr("Dataset"), 3);
  add(sweep_->seeds(), tr("Seeds"), 0);
  add(name_, tr("Name"), 2);
  description_ = named(styled(new QLabel(box), "muted"), "launchDescription");
  description_->setWordWrap(true);
  column->addLayout(row);
  column->addWidget(description_);
  connect(preset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::choosePreset);
  connect(name_, &QLineEdit::textChanged, this, &LaunchPanel::showSweep);
  connect(dataset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::changeForm);
  connect(dataset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::countParameters);
  return box;
}

// One line that is always in sight: what the run costs, and what starts it.
QWidget* LaunchPanel::makeFooter() {
  auto* footer = new QWidget(this);
  auto* outer = makeLayout<QVBoxLayout>(footer, {}, 4);
  notice_ = named(new NoticeBar(footer), "launchProblem");
  auto* bar = new QWidget(footer);
  auto* layout = makeLayout<QHBoxLayout>(bar, {}, 6);
  estimate_ = new RunEstimate(bar);
  layout->addWidget(estimate_, 1);
  addExportTool(this, layout,
                {QStringLiteral("launchExport"),
                 tr("Export the picture…"),
                 {tr("Export the picture"), tr("All values"),
                  [this](const QString& path) { preview_->exportTo(path); },
                  [this](const QString& message) { emit failed(message); }, /*parts=*/{},
                  [this] { return preview_->hasTex(); }}});
  addCopyCommand(layout, [this] { return command(); });
  start_ = named(new StartButton(bar), "launchStart");
  connect(start_, &StartButton::startWanted, this, [this] { start(request()); });
  layout->addWidget(start_);
  outer->addWidget(notice_);
  outer->addWidget(bar);
  return footer;
}

void LaunchPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
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
  estimate_->setReply({});
  preview_->explain(message);
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
  versions_.clear();
  for (const DatasetRow& row : datasets) {
    wanted << row.name;
    versions_[row.name] = row.version;
  }
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
  name_->clear();
  sweep_->clear();
  restoredOverrides_.clear();
  copied_ = config;
  if (presets_->rowCount() == 0) {
    restoredPreset_ = preset;
    restoredDataset_ = dataset;
    if (!asked_) reload();
    return;
  }
  selectData(dataset_, dataset);
  if (!preset_->choose(preset)) {
    copied_ = nullptr;
    return showProblem(tr("The preset %1 of this run is not one of this build.").arg(preset));
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
                            .run = [this, path] { showSetting(path); }};
  }
  return entries;
}

void LaunchPanel::showSetting(const QString& path) {
  emit showRequested(QStringLiteral("train"));
  wantedKey_ = path;
  showWantedKey();
}

// The form's keys may arrive later.
void LaunchPanel::showWantedKey() {
  if (!model_->paths().contains(wantedKey_)) return;
  form_->showKey(std::exchange(wantedKey_, {}));
}

LaunchChoice LaunchPanel::choice() const {
  LaunchChoice choice{.dataset = dataset_->currentData().toString(),
                      .name = name_->text().trimmed(),
                      .overrides = model_->overrides()};
  if (const PresetRow* entry = preset_->entry()) choice.entry = *entry;
  choice.version = versions_.value(choice.dataset, 1);
  choice.overrides.removeIf(
      [](const QString& override) { return override.startsWith(QLatin1String("seed=")); });
  if (const ConfigField* seed = model_->field(QStringLiteral("seed")))
    choice.seed = seed->value().get<quint64>();
  return choice;
}

LaunchRequest LaunchPanel::request() const {
  const LaunchChoice chosen = choice();
  return {chosen.entry.trains(), chosen.dataset, chosen.runName(chosen.seed), model_->overrides(),
          preview_->config()};
}

QStringList LaunchPanel::command() const {
  if (sweep_->isSweep() && sweep_->problem().isEmpty())
    return qs(sweepCommand(sweep_->sweepOf(choice().sweep())));
  return choice().trainCommand(model_->overrides());
}

void LaunchPanel::showSweep() {
  const bool good = sweep_->isSweep() && sweep_->problem().isEmpty();
  const Sweep sweep = good ? sweep_->sweepOf(choice().sweep()) : Sweep{};
  sweep_->showRuns(sweep);
  const int runs = good ? int(runCount(sweep)) : 1;
  estimate_->setRuns(runs);
  start_->setRuns(sweep_->isSweep() ? runs : 0);
  if (start_->isMeasured() && dataset_->currentIndex() >= 0) showProblem(sweep_->problem());
}

void LaunchPanel::start(LaunchRequest request) {
  if (!start_->beginStart()) return;
  notice_->setNotice({});
  if (sweep_->isSweep()) return emit sweepRequested(command());
  emit startRequested(request);
}

void LaunchPanel::startOtherSeed(quint64 seed) {
  const LaunchChoice chosen = choice();
  LaunchRequest other = request();
  other.config["seed"] = seed;
  other.overrides = chosen.overrides + QStringList{QStringLiteral("seed=%1").arg(seed)};
  other.name = chosen.runName(seed);
  start(other);
}

void LaunchPanel::setSweepQueued(int queued, int all) {
  if (!start_->endStart()) return;
  if (queued == 0) notice_->setNotice(tr("All runs of this sweep exist already."));
  emit notice(tr("%1 of %2 runs are queued; the others existed.").arg(queued).arg(all));
  if (queued > 0) emit showRequested(QStringLiteral("watch"));
}

void LaunchPanel::setSweepFailed(const QString& problem) {
  if (!start_->endStart()) return;
  notice_->setNotice(problem);
}

void LaunchPanel::setQueued() {
  if (!start_->endStart()) return;
  showProblem({});
  emit showRequested(QStringLiteral("watch"));
}

void LaunchPanel::setStartFailed() {
  start_->endStart();
}

void LaunchPanel::setSameRun(const SameRunRow& same) {
  if (!start_->endStart()) return;
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
          wanted.name = name_->text().trimmed();  // the paper's is taken
          wanted.evenIfSame = true;
          start(wanted);
        })},
       {QStringLiteral("launchShowSame"), tr("Show it"), again([this, id = same.id] {
          share({.drawn = QVector<qint64>{id}, .run = id});
          emit showRequested(QStringLiteral("watch"));
        })}});
}

// A row of a table is exactly what the paper trains: nothing of the form before is kept.
void LaunchPanel::choosePreset() {
  start_->dropPress();
  const PresetRow* chosen = preset_->entry();
  if (chosen && chosen->isTableRow()) {
    model_->clearOverrides();
    restoredOverrides_ = chosen->overrides;
    selectData(dataset_, chosen->dataset);
  }
  loadSchema();
}

void LaunchPanel::loadSchema() {
  const PresetRow* chosen = preset_->entry();
  description_->setText(chosen ? chosen->description : QString());
  if (!chosen) return;
  preview_->clear(tr("The network of %1 is being drawn…").arg(chosen->name));
  measureAnew();
  pending_.insert(Request::kSchema);
  emit schemaRequested(chosen->trains());
}

void LaunchPanel::setSchema(const Json& schema) {
  pending_.erase(Request::kSchema);
  const QScopedValueRollback filling(filling_, true);
  model_->setSchema(schema);
  ready_ = true;
  emit foundChanged();
  showWantedKey();
  if (!copied_.is_null()) fillCopied();
  for (const QString& override : std::exchange(restoredOverrides_, {})) {
    const auto equals = override.indexOf(QLatin1Char('='));
    model_->setOverride(override.left(equals), override.mid(equals + 1));
  }
  scheduleDryRun();
}

// What was to be started when it is measured is not what the form describes any more.
void LaunchPanel::changeForm() {
  if (!filling_) start_->dropPress();
  scheduleDryRun();
}

void LaunchPanel::scheduleDryRun() {
  if (!ready_) return;
  dryRunTimer_.start();
  measureAnew();
}

void LaunchPanel::measureAnew() {
  start_->setMeasured(false);
  estimate_->setMeasuring();
  showProblem({});
}

void LaunchPanel::dryRun() {
  const LaunchRequest wanted = request();
  pending_.insert(Request::kDryRun);
  emit dryRunRequested({.preset = toStd(wanted.preset),
                        .dataset = toStd(wanted.dataset),
                        .overrides = toStd(wanted.overrides),
                        .latest = true});
}

void LaunchPanel::setEstimate(const serve::DryRunReply& reply) {
  pending_.erase(Request::kDryRun);
  // Of the form before the last change: the next reply is of what it is now.
  if (dryRunTimer_.isActive() || pending_.contains(Request::kSchema)) return;
  estimate_->setReply(reply);
  preview_->setReply(reply, model_->overrides());
  if (dataset_->currentIndex() < 0) {
    askForData();
  } else {
    showProblem(sweep_->problem());
  }
  start_->setMeasured(true);
  showSweep();
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
  const QString preset = preset_->preset();
  return {{"preset", toStd(preset.isEmpty() ? restoredPreset_ : preset)},
          {"dataset", toStd(dataset_->count() > 0 ? chosen.dataset : restoredDataset_)},
          {"name", toStd(name_->text().trimmed())},
          {"sweep", sweep_->saveState()},
          {"overrides", jsonOf(ready_ ? chosen.overrides : restoredOverrides_)},
          {"preview", preview_->currentIndex()}};
}

void LaunchPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredPreset_ = saved.text("preset").value_or(QString());
  restoredDataset_ = saved.text("dataset").value_or(QString());
  restoredOverrides_ = saved.texts("overrides").value_or(QStringList());
  saved.line("name", name_);
  if (state.is_object() && state.contains("sweep")) sweep_->restoreState(state["sweep"]);
  saved.index("preview", preview_);
}

QString LaunchPanel::problem() const {
  return notice_->text();
}

void LaunchPanel::showProblem(const QString& text) {
  start_->setImpossible(text);
  notice_->setNotice(text);
}

void LaunchPanel::askForData() {
  const QString why = tr("There is no dataset to train on yet.");
  showProblem(why);
  notice_->setNotice(
      why, {{QStringLiteral("launchImport"), tr("Import a corpus"),
             [this] { emit showRequested(QStringLiteral("prepare")); }},
            {QStringLiteral("launchDemo"), tr("Run the demo"), [this] { runDemo_->trigger(); }}});
}

}  // namespace strata::ui
