#include "ui/panels/launch_panel.h"

#include <QAction>
#include <QComboBox>
#include <QFontDatabase>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTextBlock>
#include <QVBoxLayout>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/config_model.h"
#include "ui/panels/config_view.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/preset_model.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

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
      presets_(new PresetModel(this)) {
  setObjectName(QStringLiteral("launchPanel"));
  auto* layout = makeLayout<QVBoxLayout>(this, {12, 10, 12, 10}, 8);
  layout->addWidget(makeChoices());
  auto* splitter = new QSplitter(this);
  splitter->addWidget(new ConfigView(model_, splitter));
  splitter->addWidget(makePreview());
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  splitter->setHandleWidth(1);
  layout->addWidget(splitter, 1);
  layout->addWidget(makeFooter(runDemo));
  dryRunTimer_.setSingleShot(true);
  dryRunTimer_.setInterval(kDryRunDelayMs);
  connect(&dryRunTimer_, &QTimer::timeout, this, &LaunchPanel::dryRun);
  connect(model_, &ConfigModel::overridesChanged, this, &LaunchPanel::scheduleDryRun);
  connect(model_, &ConfigModel::refused, this, &LaunchPanel::failed);
  showProblem(tr("Reading the presets…"));
}

QWidget* LaunchPanel::makeChoices() {
  auto* box = new QWidget(this);
  auto* grid = makeLayout<QGridLayout>(box, {}, kUsualSpacing);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(4);
  const auto title = [&](const QString& text, int column) {
    grid->addWidget(styled(new QLabel(text, box), "muted"), 0, column);
  };
  title(tr("Preset"), 0);
  title(tr("Dataset"), 1);
  title(tr("Name (optional)"), 2);
  preset_ = named(new PresetBox(presets_, box), "launchPreset", tr("Preset"));
  preset_->setToolTip(tr("Type part of a preset's name or description to search"));
  preset_->lineEdit()->setPlaceholderText(tr("paper/row"));
  dataset_ = named(new QComboBox(box), "launchDataset", tr("Dataset"));
  dataset_->setPlaceholderText(tr("no dataset prepared yet"));
  name_ = named(new QLineEdit(box), "launchName", tr("Name of the run"));
  name_->setPlaceholderText(tr("derived from the preset"));
  name_->setValidator(
      new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[^/@]*")), name_));
  grid->addWidget(preset_, 1, 0);
  grid->addWidget(dataset_, 1, 1);
  grid->addWidget(name_, 1, 2);
  description_ = named(styled(new QLabel(box), "muted"), "launchDescription");
  description_->setWordWrap(true);
  grid->addWidget(description_, 2, 0, 1, 3);
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 3);
  grid->setColumnStretch(2, 2);
  connect(preset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::loadSchema);
  connect(dataset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::scheduleDryRun);
  connect(dataset_, &QComboBox::currentIndexChanged, this, &LaunchPanel::countParameters);
  return box;
}

QWidget* LaunchPanel::makePreview() {
  preview_ = named(new QTabWidget(this), "launchPreview");
  preview_->setDocumentMode(true);
  yaml_ = named(styled(new QPlainTextEdit(preview_), "flat"), "launchYaml",
                tr("Configuration as YAML"));
  yaml_->setReadOnly(true);
  yaml_->setLineWrapMode(QPlainTextEdit::NoWrap);
  yaml_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  rate_ = named(new CurvePlot(preview_), "launchRate");
  rate_->setTitle(tr("learning rate"));
  preview_->addTab(yaml_, tr("YAML"));
  preview_->addTab(rate_, tr("Learning rate"));
  return preview_;
}

QLabel* LaunchPanel::makeCard(const QString& name, const QString& title, QLayout* layout) {
  auto* card = styled(new QFrame(this), "card");
  auto* inner = makeLayout<QVBoxLayout>(card, {12, 6, 12, 8});
  inner->addWidget(styled(new QLabel(title, card), "muted"));
  auto* figure = named(styled(new QLabel(QStringLiteral("–"), card), "figure"), name);
  inner->addWidget(figure);
  layout->addWidget(card);
  return figure;
}

QWidget* LaunchPanel::makeFooter(QAction* runDemo) {
  auto* footer = new QWidget(this);
  auto* outer = makeLayout<QVBoxLayout>(footer, {}, kUsualSpacing);
  problem_ = named(new QLabel(footer), "launchProblem");
  problem_->setWordWrap(true);
  auto* layout = new QHBoxLayout;
  layout->setSpacing(10);
  parameters_ = makeCard(QStringLiteral("launchParameters"), tr("Parameters"), layout);
  memory_ = makeCard(QStringLiteral("launchMemory"), tr("Memory"), layout);
  time_ = makeCard(QStringLiteral("launchTime"), tr("Time"), layout);
  layout->addStretch(1);
  auto* demo = named(new QPushButton(tr("Run the demo"), footer), "launchDemo");
  demo->setIcon(themedIcon(QStringLiteral("demo")));
  demo->setToolTip(runDemo->toolTip());
  connect(demo, &QPushButton::clicked, runDemo, &QAction::trigger);
  connect(runDemo, &QAction::changed, demo,
          [demo, runDemo] { demo->setEnabled(runDemo->isEnabled()); });
  start_ = named(styled(new QPushButton(tr("Start"), footer), "primary"), "launchStart");
  start_->setToolTip(tr("Queue this run and start it as soon as the device is free"));
  connect(start_, &QPushButton::clicked, this, [this] { emit startRequested(request()); });
  layout->addWidget(demo);
  layout->addWidget(start_);
  outer->addWidget(problem_);
  outer->addLayout(layout);
  return footer;
}

void LaunchPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!asked_) reload();
}

void LaunchPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !shownConfig_.is_null())
    markOverrides(shownConfig_);
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
    emit failed(message);
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

LaunchRequest LaunchPanel::request() const {
  return {preset_->preset(), dataset_->currentData().toString(), name_->text().trimmed(),
          model_->overrides(), shownConfig_};
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
  time_->setText(estimate && estimate->seconds ? tr("≈ %1").arg(durationText(*estimate->seconds))
                                               : unknown);
  auto series = std::make_shared<Series>();
  std::vector<ScalarPoint> points;
  for (const auto& [update, rate] : reply.learningRate) points.push_back({update, 0, rate});
  series->append(points);
  rate_->setCurves({{tr("learning rate"), 0, series}});
  rate_->fit();
  showYaml(reply.config);
  showProblem(dataset_->currentIndex() < 0 ? tr("Prepare a dataset first (strata-run data generate "
                                                "or data prepare), or run the demo.")
                                           : QString());
}

void LaunchPanel::showYaml(const Json& config) {
  shownConfig_ = config;
  const QString text = qs(toYaml(config));
  if (yaml_->toPlainText() != text) yaml_->setPlainText(text);
  markOverrides(config);
}

void LaunchPanel::markOverrides(const Json& config) {
  const YamlDocument document = parseYaml(toYaml(config), "configuration");
  QList<QTextEdit::ExtraSelection> marks;
  for (const QString& override : model_->overrides()) {
    const auto line = document.lines.find(toStd(override.section(QLatin1Char('='), 0, 0)));
    if (line == document.lines.end()) continue;
    QTextEdit::ExtraSelection mark;
    QColor back = theme().accent;
    back.setAlpha(theme().dark ? 70 : 45);
    mark.format.setBackground(back);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    mark.cursor = QTextCursor(yaml_->document()->findBlockByNumber(line->second - 1));
    marks << mark;
  }
  yaml_->setExtraSelections(marks);
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
  return problem_->isHidden() ? QString() : problem_->text();
}

void LaunchPanel::showProblem(const QString& text) {
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty());
  start_->setEnabled(text.isEmpty());
}

}  // namespace strata::ui
