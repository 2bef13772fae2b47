#include "ui/panels/paper_choice_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {

PaperChoiceBar::PaperChoiceBar(QWidget* parent) : QWidget(parent) {
  auto* bar = makeBar(this);
  makeLayout<QVBoxLayout>(this)->addWidget(bar->parentWidget());
  items_ = named(new QComboBox(this), "papersItem", tr("Table or figure"));
  items_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  items_->setMinimumContentsLength(30);
  items_->setMaxVisibleItems(24);
  bar->addWidget(items_, 1);
  datasets_ = named(new QComboBox(this), "papersDataset", tr("Dataset"));
  datasets_->setToolTip(
      tr("Train and score on this dataset in the place of the paper's. Only on the paper's own "
         "dataset and test set the difference from the printed figure is shown."));
  addLabelled(bar, tr("dataset"), datasets_);
  suffix_ = named(new QComboBox(this), "papersSuffix", tr("Suffix of the presets"));
  suffix_->addItem(tr("full size"), QString());
  suffix_->addItem(tr("small (cpu)"), QStringLiteral("cpu"));
  suffix_->setToolTip(tr("cpu: uses PRESET-cpu, a small model, in the place of each preset"));
  addLabelled(bar, tr("size"), suffix_);
  seeds_ = named(new QSpinBox(this), "papersSeeds", tr("Seeds"));
  seeds_->setRange(1, 99);
  seeds_->setValue(3);
  seeds_->setToolTip(tr("Runs per row; a verdict needs at least three on either side"));
  addLabelled(bar, tr("seeds"), seeds_);
  connectFields();
  fillDatasets();
}

void PaperChoiceBar::addLabelled(QHBoxLayout* bar, const QString& text, QWidget* field) {
  auto* label = styled(new QLabel(text, this), "muted");
  label->setBuddy(field);
  bar->addWidget(label);
  bar->addWidget(field);
}

void PaperChoiceBar::connectFields() {
  connect(items_, &QComboBox::currentIndexChanged, this, [this] {
    fillDatasets();
    emit changed();
  });
  connect(datasets_, &QComboBox::currentIndexChanged, this, [this] {
    dataset_ = datasets_->currentData().toString();
    emit changed();
  });
  connect(suffix_, &QComboBox::currentIndexChanged, this, &PaperChoiceBar::changed);
  connect(seeds_, &QSpinBox::valueChanged, this, &PaperChoiceBar::changed);
}

bool PaperChoiceBar::hasItem() const {
  return items_->currentIndex() >= 0;
}

PaperChoice PaperChoiceBar::choice() const {
  return {.id = items_->currentData().toString(),
          .dataset = datasets_->currentData().toString(),
          .suffix = suffix_->currentData().toString(),
          .seeds = seeds_->value()};
}

QString PaperChoiceBar::recipe() const {
  const QString id = items_->currentData().toString();
  const auto found = std::ranges::find(list_, id, &PaperItem::id);
  return found == list_.end() ? QString() : found->recipe;
}

void PaperChoiceBar::fillDatasets() {
  const QSignalBlocker blocker(datasets_);
  datasets_->clear();
  const QString own = recipe();
  datasets_->addItem(own.isEmpty() ? tr("the paper's") : tr("the paper's (%1)").arg(own),
                     QString());
  for (const DatasetRow& dataset : known_) {
    if (dataset.name != own) datasets_->addItem(dataset.name, dataset.name);
  }
  selectData(datasets_, dataset_);
}

void PaperChoiceBar::setDatasets(const QVector<DatasetRow>& datasets) {
  known_ = datasets;
  fillDatasets();
  emit changed();
}

void PaperChoiceBar::setItems(const QVector<PaperItem>& items) {
  list_ = items;
  listed_ = true;
  {
    const QSignalBlocker blocker(items_);
    items_->clear();
    for (const PaperItem& item : list_)
      items_->addItem(QStringLiteral("%1 · %2").arg(item.id, item.title), item.id);
    selectData(items_, restoredItem_.isEmpty() ? QStringLiteral("mlrf/table2") : restoredItem_);
  }
  fillDatasets();
  emit changed();
}

void PaperChoiceBar::chooseExample(const QVector<RunRow>& runs) {
  for (const RunRow& run : newestFirst(runs)) {
    const QString paper = run.preset.section(QLatin1Char('/'), 0, 0) + QLatin1Char('/');
    const auto item = std::ranges::find_if(
        list_, [&](const PaperItem& each) { return each.isTable && each.id.startsWith(paper); });
    if (item == list_.end()) continue;
    selectData(items_, item->id);
    selectData(datasets_, run.dataset);
    const bool small = run.preset.endsWith(QStringLiteral("-cpu"));
    selectData(suffix_, small ? QStringLiteral("cpu") : QString());
    return;
  }
}

Json PaperChoiceBar::saveState() const {
  const PaperChoice now = choice();
  return {{"item", toStd(listed_ ? now.id : restoredItem_)},
          {"dataset", toStd(dataset_)},
          {"suffix", toStd(now.suffix)},
          {"seeds", now.seeds}};
}

void PaperChoiceBar::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredItem_ = saved.text("item").value_or(QString());
  dataset_ = saved.text("dataset").value_or(QString());
  if (listed_) selectData(items_, restoredItem_);
  fillDatasets();
  if (const auto suffix = saved.text("suffix")) selectData(suffix_, *suffix);
  saved.value("seeds", seeds_);
  emit changed();
}

}  // namespace strata::ui
