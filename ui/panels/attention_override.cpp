#include "ui/panels/attention_override.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/text.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"
#include "ui/widgets/translations_table.h"

namespace strata::ui {
namespace {

enum WeightColumn { kReadColumn, kOwnWeight, kGivenWeight };
constexpr int kAllMaps = -1;       // those that read the source
constexpr int kLeastHeight = 120;  // of the tables
constexpr int kAskDelayMs = 300;   // after the last choice made elsewhere

std::string modelKey(const ModelChoice& model) {
  return model.run + "@" + model.checkpoint;
}

}  // namespace

AttentionOverride::AttentionOverride(QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QVBoxLayout>(this, {0, 4, 0, 0}, 4);
  auto* bar = makeLayout<BarLayout>(nullptr, {}, kUsualSpacing);
  target_ = addChoice(bar, QStringLiteral("overrideTarget"), tr("At"));
  map_ = addChoice(bar, QStringLiteral("overrideMap"), tr("Attention"));
  unit_ = addChoice(bar, QStringLiteral("overrideUnit"), tr("Head or hop"));
  bar->addStretch();
  layout->addLayout(bar);
  layout->addWidget(makeWeights(), 3);
  addButtons(layout);
  translations_ =
      named(new TranslationsTable({tr("attention"), tr("score"), tr("translation")}, this),
            "overrideTranslations", tr("Translations without and with the change"));
  translations_->setMinimumHeight(kLeastHeight);
  layout->addWidget(translations_, 2);
  hint_ = named(styled(new QLabel(this), "muted"), "overrideHint");
  hint_->setWordWrap(true);
  layout->addWidget(hint_);
  connect(target_, &QComboBox::currentIndexChanged, this, [this] {
    forget();
    ask();
  });
  connect(target_, &QComboBox::activated, this, &AttentionOverride::targetChosen);
  askLater_.setSingleShot(true);
  askLater_.setInterval(kAskDelayMs);
  connect(&askLater_, &QTimer::timeout, this, &AttentionOverride::ask);
  connect(map_, &QComboBox::currentIndexChanged, this, &AttentionOverride::startAgain);
  connect(unit_, &QComboBox::currentIndexChanged, this, &AttentionOverride::startAgain);
  startAgain();
}

QWidget* AttentionOverride::makeWeights() {
  weights_ = named(makePlainTable({tr("reads"), tr("own weight"), tr("given")}, this),
                   "overrideWeights", tr("Weights of the attention"));
  weights_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  weights_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
  weights_->setMinimumHeight(kLeastHeight);
  connect(weights_, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
    if (item->column() == kGivenWeight) readGiven(item->row());
  });
  return weights_;
}

void AttentionOverride::addButtons(QVBoxLayout* layout) {
  auto* bar = makeLayout<BarLayout>(nullptr, {}, kUsualSpacing);
  const auto add = [&](const char* name, const QString& text, const QString& help) {
    auto* button = named(new QPushButton(text, this), QLatin1String(name));
    button->setToolTip(help);
    bar->addWidget(button);
    return button;
  };
  only_ = add("overrideOnly", tr("Read only this"),
              tr("All the weight on the words selected, in equal parts"));
  forbid_ = add("overrideForbid", tr("Forbid this"),
                tr("No weight on the words selected: the others share it"));
  reset_ = add("overrideReset", tr("Own weights"), tr("Gives no weights"));
  translate_ =
      add("overrideTranslate", tr("Translate from here"), tr("With the weights that are given"));
  bar->addStretch();
  layout->addLayout(bar);
  connect(only_, &QPushButton::clicked, this, [this] { give(false); });
  connect(forbid_, &QPushButton::clicked, this, [this] { give(true); });
  connect(reset_, &QPushButton::clicked, this, &AttentionOverride::startAgain);
  connect(translate_, &QPushButton::clicked, this, &AttentionOverride::translate);
}

void AttentionOverride::clear() {
  request_.reset();
  shown_ = {};
  const QSignalBlocker blocker(target_);
  target_->clear();
  forget();
}

// What was said of another token.
void AttentionOverride::forget() {
  emit cancelRequested();
  asked_ = false;
  own_.reset();
  unchanged_.reset();
  startAgain();
}

void AttentionOverride::setTranslation(const serve::TranslateRequest& request,
                                       const Hypothesis& shown) {
  request_ = request;
  request_->search.nbest = 1;
  request_->record.clear();
  request_->latest = false;  // it would cancel a translation of Translate itself
  shown_ = shown;
  {
    const QSignalBlocker blocker(target_);
    const int before = std::max(0, target_->currentIndex());
    target_->clear();
    for (std::size_t at = 0; at < shown.words.size(); ++at)
      target_->addItem(QStringLiteral("%1  %2").arg(at + 1).arg(wordText(shown.words[at])));
    target_->setCurrentIndex(std::min(before, target_->count() - 1));
  }
  if (modelKey(request_->model) != mapsOf_) {
    maps_.clear();
    mapsOf_.clear();
    fillMaps();
  }
  forget();
  ask();
}

void AttentionOverride::setTarget(int token) {
  target_->setCurrentIndex(token);
}

void AttentionOverride::followTarget(int token) {
  if (token < 0 || token >= target_->count() || token == target_->currentIndex()) return;
  const QSignalBlocker blocker(target_);
  target_->setCurrentIndex(token);
  forget();
  askLater_.start();
}

void AttentionOverride::ask() {
  if (!request_ || !isVisible()) return;
  if (mapsOf_.empty()) {
    const std::string model = modelKey(request_->model);
    if (std::exchange(loading_, model) != model) emit mapsRequested(request_->model);
    return;
  }
  if (asked_ || target_->currentIndex() < 0 || maps_.empty()) return;
  asked_ = true;
  serve::TranslateRequest request = requestAt();
  for (const RecordingInfo& info : maps_) request.record.push_back(info.name);
  emit unchangedRequested(request);
}

void AttentionOverride::setMaps(const serve::LoadReply& reply) {
  const std::string model = std::exchange(loading_, {});
  if (!request_ || model != modelKey(request_->model)) return;
  mapsOf_ = model;
  maps_.clear();
  std::ranges::copy_if(reply.recordings, std::back_inserter(maps_), canOverride);
  fillMaps();
  startAgain();
  ask();
}

void AttentionOverride::fillMaps() {
  const QSignalBlocker blocker(map_);
  const QString before = map_->currentText();
  map_->clear();
  if (std::ranges::count_if(maps_, readsSource) > 1)
    map_->addItem(tr("all to the source"), kAllMaps);
  for (std::size_t at = 0; at < maps_.size(); ++at) map_->addItem(qs(maps_[at].name), int(at));
  map_->setCurrentIndex(std::max(0, map_->findText(before)));
}

void AttentionOverride::fillUnits(int units) {
  unit_->setEnabled(units > 1);
  if (unit_->count() == units + 1) return;
  const QSignalBlocker blocker(unit_);
  unit_->clear();
  unit_->addItem(tr("all"), -1);
  for (int unit = 0; unit < units; ++unit) unit_->addItem(QString::number(unit + 1), unit);
}

OverridePlace AttentionOverride::place() const {
  OverridePlace place{.maps = {},
                      .unit = unit_->currentData().isValid() ? unit_->currentData().toInt() : -1,
                      .target = target_->currentIndex()};
  const int chosen = map_->currentData().toInt();
  if (map_->count() > 0 && chosen != kAllMaps) place.maps = {maps_[std::size_t(chosen)]};
  if (map_->count() > 0 && chosen == kAllMaps)
    std::ranges::copy_if(maps_, std::back_inserter(place.maps), readsSource);
  if (place.maps.size() > 1) place.unit = -1;
  return place;
}

void AttentionOverride::startAgain() {
  changed_.reset();
  other_.reset();
  showWeights();
  showTranslations();
}

void AttentionOverride::showWeights() {
  OverrideRow row;
  OverridePlace where = place();
  if (own_) {
    where.unit = -1;
    fillUnits(where.maps.size() == 1 ? overrideRow(*own_, where).units : 1);
    where = place();
    row = overrideRow(*own_, where);
  }
  const bool levels = !where.maps.empty() && where.maps.front().axes.back() == "level";
  given_ = {.weights = std::vector<std::optional<double>>(row.weights.size()),
            .forbidden = std::vector<bool>(row.weights.size())};
  const QSignalBlocker blocker(weights_);
  weights_->setRowCount(int(row.weights.size()));
  for (int at = 0; at < int(row.weights.size()); ++at) {
    int column = 0;
    const QString label = wordText(row.labels[std::size_t(at)]);
    for (const QString& text : {levels ? tr("level %1").arg(label) : label,
                                QString::number(row.weights[std::size_t(at)], 'f', 4), QString()}) {
      auto* item = new QTableWidgetItem(text);
      if (column != kGivenWeight) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
      weights_->setItem(at, column++, item);
    }
  }
  for (QPushButton* button : {only_, forbid_, reset_, translate_})
    button->setEnabled(!row.weights.empty());
}

void AttentionOverride::give(bool forbid) {
  const auto selected = weights_->selectionModel()->selectedRows();
  if (selected.isEmpty()) return;
  const auto rows = std::size_t(weights_->rowCount());
  given_ = {.weights = std::vector<std::optional<double>>(rows),
            .forbidden = std::vector<bool>(rows)};
  for (const QModelIndex& at : selected) {
    if (forbid) {
      given_.forbidden[std::size_t(at.row())] = true;
    } else {
      given_.weights[std::size_t(at.row())] = 1;
    }
  }
  const QSignalBlocker blocker(weights_);
  for (std::size_t row = 0; row < rows; ++row)
    weights_->item(int(row), kGivenWeight)
        ->setText(given_.forbidden[row] ? tr("forbidden")
                  : given_.weights[row] ? QString::number(*given_.weights[row])
                                        : QString());
  translate();
}

// A number of at least 0; anything else is taken back.
void AttentionOverride::readGiven(int row) {
  auto* item = weights_->item(row, kGivenWeight);
  bool isNumber = false;
  const double weight = item->text().trimmed().toDouble(&isNumber);
  given_.forbidden.assign(given_.forbidden.size(), false);
  given_.weights[std::size_t(row)] =
      isNumber && weight >= 0 ? std::optional(weight) : std::optional<double>();
  const QSignalBlocker blocker(weights_);
  for (int at = 0; at < weights_->rowCount(); ++at) {
    const auto& given = given_.weights[std::size_t(at)];
    weights_->item(at, kGivenWeight)->setText(given ? QString::number(*given) : QString());
  }
}

serve::TranslateRequest AttentionOverride::requestAt() const {
  serve::TranslateRequest request = *request_;
  request.prefixText.clear();
  request.prefix.assign(shown_.words.begin(), shown_.words.begin() + target_->currentIndex());
  return request;
}

void AttentionOverride::translate() {
  if (!request_ || target_->currentIndex() < 0) return;
  serve::TranslateRequest request = requestAt();
  request.intervene = interventionsOf(place(), given_);
  if (request.intervene.empty()) {
    hint_->setText(tr("Give a weight above 0 to a word at least, or forbid one."));
    return;
  }
  changed_ = request;
  other_.reset();
  showTranslations();
  emit changedRequested(request);
}

void AttentionOverride::setUnchanged(const serve::TranslateReply& reply) {
  if (!asked_ || reply.hypotheses.empty()) return;
  unchanged_ = reply.hypotheses.front();
  own_ = sentenceOf(reply.tokens, *unchanged_);
  showWeights();
  showTranslations();
}

void AttentionOverride::setChanged(const serve::TranslateReply& reply) {
  if (!changed_ || reply.hypotheses.empty()) return;
  other_ = reply.hypotheses.front();
  showTranslations();
}

void AttentionOverride::setProblem(const QString& message) {
  loading_.clear();
  if (changed_ && !other_) changed_.reset();
  showTranslations();
  hint_->setText(message);
}

void AttentionOverride::showTranslations() {
  QVector<TranslationsTable::Translation> rows;
  const auto add = [&](const QString& name, const std::optional<Hypothesis>& made) {
    rows << TranslationsTable::Translation{
        .name = name,
        .score = made ? QString::number(made->score, 'f', 3) : QString(),
        .text = made ? qs(made->text) : tr("translating…"),
        .compared = made.has_value()};
  };
  if (unchanged_) add(tr("its own"), unchanged_);
  if (changed_) add(tr("given"), other_);
  translations_->setTranslations(rows);
  if (!request_) {
    hint_->setText(tr("Translate a sentence first."));
  } else if (!mapsOf_.empty() && maps_.empty()) {
    hint_->setText(tr("This model has no attention whose weights could be given."));
  } else {
    hint_->setText(tr("Both begin with the words before the token chosen.") + QLatin1Char(' ') +
                   TranslationsTable::legend());
  }
}

void AttentionOverride::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

}  // namespace strata::ui
