#include "ui/panels/data_panel.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/import_form.h"
#include "ui/panels/text_figures_view.h"
#include "ui/plots/line_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {
namespace {

constexpr qint64 kUsualPairs = 200'000;  // that are read for the figures unless all are asked for

double bytesOf(const Json& manifest) {
  double bytes = 0;
  const Json files = manifest.value("files", Json::object());
  for (const auto& [path, file] : files.items()) bytes += file.value("bytes", 0.0);
  return bytes;
}

QString setFacts(const Json& manifest) {
  QStringList sets;
  const Json all = manifest.value("sets", Json::object());
  for (const auto& [name, set] : all.items())
    sets << DataPanel::tr("%1: %2 sentences")
                .arg(qs(name), countText(set.value("sentences", qint64(0))));
  return sets.join(QStringLiteral("  ·  "));
}

QString droppedFacts(const Json& train) {
  QStringList dropped;
  const Json counts = train.value("dropped", Json::object());
  for (const auto& [why, count] : counts.items())
    dropped << QStringLiteral("%1 %2").arg(countText(count.get<qint64>()), qs(why));
  return dropped.isEmpty() ? QString()
                           : DataPanel::tr("  ·  of %1 pairs dropped: %2")
                                 .arg(countText(train.value("read", qint64(0))),
                                      dropped.join(QStringLiteral(", ")));
}

// The manifest without its list of files.
QString manifestText(Json manifest) {
  manifest.erase("files");
  return qs(toYaml(manifest));
}

}  // namespace

DataPanel::DataPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("data"), QStringLiteral("data"), tr("Data"), tr("&Data")}, parent) {
  setObjectName(QStringLiteral("dataPanel"));
  import_ = named(new QAction(themedIcon(QStringLiteral("data")), tr("Import a corpus…"), this),
                  "importCorpus");
  import_->setToolTip(tr("Prepare a dataset from parallel files, an archive or a recipe"));
  addAction(import_);
  connect(import_, &QAction::triggered, this, &DataPanel::openImport);
  auto* content = new QWidget(this);
  form_ = new ImportForm(content);
  QAction* copy =
      named(addCopyCommand(form_->footer(), [this] { return qs(prepareArguments(form_->call())); }),
            "importCopy");
  copy->setEnabled(false);
  connect(form_, &ImportForm::changed, this,
          [this, copy] { copy->setEnabled(form_->problem().isEmpty()); });
  pages_ = new QStackedWidget(content);
  pages_->addWidget(makeDataset());
  pages_->addWidget(form_);
  makeLayout<QVBoxLayout>(content)->addWidget(
      makeSplitter(Qt::Horizontal, content, {{makeList(), 180}, {pages_, 828, 1}}));
  setContent({tr("No datasets yet"),
              tr("A dataset is a parallel corpus prepared for training: tokenized, cleaned, split "
                 "into subwords, with its evaluation sets. Run the demo, or import files of your "
                 "own."),
              {runDemo, import_}},
             content);
}

QWidget* DataPanel::makeList() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  list_ = named(new QListWidget(page), "dataList", tr("Datasets"));
  layout->addWidget(list_, 1);
  auto* bar = makeBar(page);
  auto* button = named(new QPushButton(tr("Import…"), page), "dataImport");
  button->setToolTip(import_->toolTip());
  bar->addWidget(button);
  layout->addWidget(bar->parentWidget());
  connect(button, &QPushButton::clicked, this, &DataPanel::openImport);
  connect(list_, &QListWidget::currentRowChanged, this, &DataPanel::choose);
  connect(list_, &QListWidget::itemClicked, this, [this] {
    importing_ = false;
    choose();
    if (!dataset().isEmpty()) share({.testSet = dataset()});
  });
  return page;
}

QWidget* DataPanel::makeDataset() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  auto* bar = makeBar(page);
  title_ = styled(named(new QLabel(page), "dataTitle"), "heading");
  bar->addWidget(title_);
  state_ = styled(named(new QLabel(page), "dataState"), "muted");
  bar->addWidget(state_, 1);
  extent_ = named(new QComboBox(page), "dataExtent", tr("Pairs in the figures"));
  extent_->addItem(tr("the first %1 pairs").arg(countText(kUsualPairs)), kUsualPairs);
  extent_->addItem(tr("all pairs"), qint64(0));
  bar->addWidget(extent_);
  train_ = named(new QPushButton(tr("Train a model"), page), "dataTrain");
  train_->setToolTip(tr("Choose this dataset in Launch"));
  bar->addWidget(train_);
  addCopyCommand(bar, [this] {
    return QStringList{QStringLiteral("--json"), QStringLiteral("data"), QStringLiteral("show"),
                       dataset(), QStringLiteral("--figures")};
  })->setToolTip(tr("Copy the command line that prints these figures"));
  addExportTool(this, bar,
                {QStringLiteral("dataExport"),
                 tr("Export the pictures…"),
                 {tr("Export the pictures"), tr("All values"),
                  [this](const QString& path) { figures_->exportTo(path); },
                  std::bind_front(&DataPanel::failed, this)}});
  layout->addWidget(bar->parentWidget());
  facts_ = named(new QLabel(page), "dataFacts");
  facts_->setWordWrap(true);
  facts_->setContentsMargins(8, 0, 8, 6);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(facts_);
  figures_ = named(new TextFiguresView(page), "datasetFigures");
  manifest_ = styled(named(new QTextBrowser(page), "dataManifest", tr("Manifest")), "flat");
  figures_->addPage(manifest_, tr("Manifest"));
  layout->addWidget(figures_, 1);
  connect(extent_, &QComboBox::currentIndexChanged, this, &DataPanel::choose);
  connect(train_, &QPushButton::clicked, this, [this] { emit trainRequested(dataset()); });
  return page;
}

void DataPanel::openImport() {
  importing_ = true;
  showEntry();
  emit showRequested(QStringLiteral("prepare"));
  form_->setFocus();
}

void DataPanel::showEntry() {
  setEmpty(datasets_.isEmpty() && !importing_);
  pages_->setCurrentIndex(importing_ || datasets_.isEmpty() ? 1 : 0);
}

QString DataPanel::dataset() const {
  const QListWidgetItem* item = list_->currentItem();
  return item ? item->data(Qt::UserRole).toString() : QString();
}

void DataPanel::setDatasets(const QVector<DatasetRow>& datasets) {
  const QString before = dataset();
  const QString wanted = before.isEmpty() ? restored_ : before;
  datasets_ = datasets;
  {
    const QSignalBlocker blocker(list_);
    list_->clear();
    for (const DatasetRow& row : datasets) {
      auto* item = new QListWidgetItem(row.name, list_);
      item->setData(Qt::UserRole, row.name);
      item->setToolTip(
          tr("%1 to %2, %3 pairs").arg(row.source, row.target, countText(row.trainPairs)));
      if (row.name == wanted) list_->setCurrentItem(item);
    }
    if (!list_->currentItem() && list_->count() > 0) list_->setCurrentRow(0);
  }
  showEntry();
  choose();
}

qint64 DataPanel::limit() const {
  return extent_->currentData().toLongLong();
}

void DataPanel::choose() {
  showEntry();
  const QString chosen = dataset();
  if (chosen.isEmpty()) return;
  late_ = !isVisible();
  if (late_) return;
  waiting_ = true;
  error_.clear();
  figures_->clear();
  title_->setText(chosen);
  facts_->clear();
  manifest_->clear();
  state_->setText(tr("reading…"));
  emit describeRequested(chosen, limit());
}

void DataPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  if (late_) choose();
}

void DataPanel::setDescription(const DatasetDescription& description) {
  if (description.name != dataset()) return;
  const bool first = shown_.manifest != description.manifest || facts_->text().isEmpty();
  shown_ = description;
  state_->setText(description.verified ? tr("digest verified, reading the text…")
                                       : tr("verifying the digest…"));
  if (first) showManifest(description.manifest);
}

void DataPanel::showManifest(const Json& manifest) {
  const Json& train = manifest.at("train");
  const Json options = manifest.value("options", Json::object());
  const qint64 merges = options.value("bpe", qint64(0));
  title_->setText(tr("%1  %2 to %3")
                      .arg(shown_.name, qs(manifest.at("source").value("language", "")),
                           qs(manifest.at("target").value("language", ""))));
  QStringList lines;
  lines << tr("%1 pairs").arg(countText(train.value("pairs", qint64(0)))) + droppedFacts(train);
  lines << tr("Vocabularies of %1 and %2 units  ·  tokenizer %3%4%5  ·  %6%7")
               .arg(countText(manifest.at("source").value("vocabulary", qint64(0))),
                    countText(manifest.at("target").value("vocabulary", qint64(0))),
                    qs(options.value("tokenizer", std::string("none"))),
                    options.value("lowercase", false)  ? tr(", lower-cased")
                    : options.value("truecase", false) ? tr(", truecased")
                                                       : QString(),
                    options.value("joint_vocabulary", false) ? tr(", joint vocabulary") : QString(),
                    merges > 0 ? tr("%1 BPE merges").arg(countText(merges)) : tr("no BPE"),
                    manifest.contains("recipe") ? tr("  ·  by a recipe") : QString());
  lines << setFacts(manifest);
  lines << tr("%1 on disk  ·  version %2  ·  digest %3")
               .arg(bytesText(bytesOf(manifest)))
               .arg(manifest.value("version", qint64(1)))
               .arg(qs(manifest.value("digest", std::string())));
  lines.removeAll(QString());
  facts_->setText(lines.join(QLatin1Char('\n')));
  manifest_->setPlainText(manifestText(manifest));
}

void DataPanel::setFigures(const QString& name, const FiguresPointer& figures) {
  if (name != dataset()) return;
  waiting_ = false;
  const qint64 all = shown_.manifest.value("train", Json::object()).value("pairs", qint64(0));
  figures_->showFigures(*figures);
  const auto& sides = figures->figures.sides;
  state_->setText(tr("digest verified  ·  %1 and %2 words per sentence%3")
                      .arg(numberText(sides[0].mean, 3), numberText(sides[1].mean, 3),
                           figures->figures.pairs < all
                               ? tr(" (first %1 pairs)").arg(countText(figures->figures.pairs))
                               : QString()));
}

void DataPanel::setDescribeError(const QString& name, const QString& message) {
  if (name != dataset()) return;
  waiting_ = false;
  error_ = message;
  state_->clear();
  facts_->setText(message);
}

void DataPanel::prepared(const QString& name, bool unchanged) {
  restored_ = name;
  emit notice(unchanged ? tr("%1 existed already, unchanged.").arg(name)
                        : tr("%1 is prepared.").arg(name));
  importing_ = false;
  const QList<QListWidgetItem*> items = list_->findItems(name, Qt::MatchExactly);
  if (items.isEmpty()) {  // the workspace reports it soon
    const QSignalBlocker blocker(list_);
    list_->setCurrentItem(nullptr);
    list_->setCurrentRow(-1);
    return showEntry();
  }
  list_->setCurrentItem(items.first());
  choose();
}

void DataPanel::follow(const Selection& choice) {
  if (!choice.testSet) return;
  const auto items =
      list_->findItems(choice.testSet->section(QLatin1Char('/'), 0, 0), Qt::MatchExactly);
  if (!items.isEmpty()) list_->setCurrentItem(items.first());
}

bool DataPanel::isUpToDate() const {
  if (isEmpty()) return true;
  return importing_ ? form_->isUpToDate() : !waiting_ && !late_;
}

Here DataPanel::here() const {
  Here here = Panel::here();
  const auto* plot = qobject_cast<const LinePlot*>(focusWidget());
  const auto stop = plot ? plot->stop() : std::nullopt;
  if (!stop || plot->objectName() != QLatin1String("dataCoverage")) return here;
  here.add(QStringLiteral("k"), countText(qint64(stop->x)));
  here.add(QStringLiteral("C_k"), stop->y);
  return here;
}

Json DataPanel::saveState() const {
  const QString chosen = dataset();
  Json state = form_->saveState();
  state["dataset"] = toStd(chosen.isEmpty() ? restored_ : chosen);
  state["importing"] = importing_;
  state["datasetExtent"] = extent_->currentIndex();
  return state;
}

void DataPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.text("dataset").value_or(restored_);
  importing_ = saved.flag("importing").value_or(importing_);
  saved.index("datasetExtent", extent_);
  form_->restoreState(state);
  showEntry();
}

}  // namespace strata::ui
