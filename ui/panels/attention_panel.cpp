#include "ui/panels/attention_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "ui/data/imported_runs.h"
#include "ui/data/line_text.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/attention_views.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/other_recording.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {

constexpr int kAttentionState = 1;                         // version
constexpr int kMostUnits = 1000, kMostListed = 1'000'000;  // of a saved state
constexpr int kMeanChoice = AttentionChoice::kMean;

}  // namespace

AttentionPanel::AttentionPanel(QAction* runDemo, QWidget* parent)
    : RecordingsPanel(
          {QStringLiteral("attention"), QStringLiteral("attention"), tr("Attention and layers")},
          parent),
      computing_(new Background(this)) {
  setObjectName(QStringLiteral("attentionPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeRunBar());
  layout->addWidget(makeChoiceBar());
  layout->addWidget(makeOtherBar());
  layout->addWidget(makePictures(), 1);
  setContent({tr("No recordings yet"),
              tr("A model records its attention at each validation, for the first "
                 "recording.sentences sentences. The demo trains some that do."),
              {runDemo}},
             content);
  connect(others_, &OtherRecording::changed, this, &AttentionPanel::requestOther);
  connect(others_, &OtherRecording::runPicked, this, [this](qint64 run) {
    if (run != recorded()->run()) share({.other = run});
  });
}

QWidget* AttentionPanel::makeRunBar() {
  auto* bar = new QWidget(this);
  auto* layout = makeLayout<BarLayout>(bar, {8, 6, 8, 3}, 6);
  addSteps(layout, QStringLiteral("attention"), &RunRow::recordedSteps);
  addCopyCommand(layout, std::bind_front(&AttentionPanel::command, this));
  addExportTool(this, layout,
                {QStringLiteral("attentionExport"),
                 tr("Export the attention…"),
                 {tr("Export this picture"), tr("All values"),
                  [this](const QString& path) { views_->current()->exportTo(path); },
                  std::bind_front(&AttentionPanel::failed, this)}});
  return bar;
}

QCheckBox* AttentionPanel::addSwitch(QBoxLayout* bar, const char* name, const QString& text,
                                     const QString& help) {
  auto* box = named(new QCheckBox(text, bar->parentWidget()), QLatin1String(name));
  box->setToolTip(help);
  connect(box, &QCheckBox::toggled, this, &AttentionPanel::draw);
  bar->addWidget(box);
  return box;
}

QWidget* AttentionPanel::makeChoiceBar() {
  auto* bar = new QWidget(this);
  auto* layout = makeLayout<BarLayout>(bar, {8, 3, 8, 3}, 8);
  kinds_ = addChoice(layout, "attentionKind", tr("Who reads what"));
  for (const AttentionKind kind : kAttentionKinds)
    kinds_->addItem(attentionKindText(kind), int(kind));
  layers_ = addChoice(layout, "attentionLayer", tr("Layer"));
  units_ = addChoice(layout, "attentionUnit", tr("Head"));
  connect(kinds_, &QComboBox::activated, this, [this] { wantedKind_ = kind(); });
  connect(kinds_, &QComboBox::currentIndexChanged, this, [this] {
    fillChoices();
    draw();
  });
  connect(layers_, &QComboBox::currentIndexChanged, this, [this] {
    wantedLayer_ = layers_->currentData().toInt();
    draw();
  });
  connect(units_, &QComboBox::currentIndexChanged, this, [this] {
    wantedUnit_ = units_->currentData().toInt();
    draw();
  });
  words_ = addSwitch(layout, "attentionWords", tr("Whole words"),
                     tr("Merges subwords into words: weights on the subwords of a word are summed, "
                        "their rows are averaged, so every row keeps its sum."));
  layout->addStretch();
  return bar;
}

QWidget* AttentionPanel::makeOtherBar() {
  auto* bar = new QWidget(this);
  auto* layout = makeLayout<BarLayout>(bar, {8, 3, 8, 6}, 8);
  others_ = new OtherRecording(QStringLiteral("attentionOther"), bar);
  layout->addWidget(others_);
  layout->addStretch();
  rowSums_ = addSwitch(layout, "attentionSums", tr("Row sums"),
                       tr("The sum of the weights of each row, next to it"));
  fixedScale_ =
      addSwitch(layout, "attentionFixedScale", tr("Scale 0 – 1"),
                tr("On: the lightest colour is 1, so pictures can be compared. Off: it is "
                   "the largest weight shown."));
  const QSignalBlocker blocker(fixedScale_);
  fixedScale_->setChecked(true);
  return bar;
}

QWidget* AttentionPanel::makePictures() {
  sentences_ = named(new QListWidget(this), "attentionSentences", tr("Recorded sentences"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(sentences_, &QListWidget::currentRowChanged, this, [this](int row) {
    fillChoices();
    draw();
    if (row >= 0) shareSentence(current().sentences[std::size_t(row)].source, row);
  });
  auto* right = new QWidget(this);
  auto* column = makeLayout<QVBoxLayout>(right);
  const auto addLine = [&](const char* name, const char* style) {
    auto* label = named(styled(new QLabel(right), style), QLatin1String(name));
    label->setWordWrap(true);
    label->setContentsMargins(10, 2, 10, 2);
    column->addWidget(label);
    return label;
  };
  refused_ = addLine("attentionRefused", "warning");
  pages_ = new QStackedWidget(right);
  views_ = new AttentionViews(pages_);
  missing_ = new LackPage(QStringLiteral("attentionMissing"), pages_);
  pages_->addWidget(views_);
  pages_->addWidget(missing_);
  column->addWidget(pages_, 1);
  readout_ = addLine("attentionReadout", "plain");
  figures_ = addLine("attentionFigures", "muted");
  equation_ = addLine("attentionEquation", "muted");
  connect(views_, &QTabWidget::currentChanged, this, &AttentionPanel::draw);
  connect(views_, &AttentionViews::readOut, this, [this](const QString& text) {
    readout_->setText(text.isEmpty() ? tr("Point at a word or a cell, or use the arrow keys.")
                                     : text);
  });
  connect(views_, &AttentionViews::opened, this, [this](int layer, int unit) {
    layers_->setCurrentIndex(std::max(0, layers_->findData(layers()[std::size_t(layer)].layer)));
    units_->setCurrentIndex(std::max(0, units_->findData(unit)));
    views_->setCurrentIndex(AttentionViews::kMatrix);
  });
  return makeSplitter(Qt::Horizontal, this, {{sentences_, 150, 1}, {right, 700, 5}});
}

AttentionKind AttentionPanel::kind() const {
  return AttentionKind(kinds_->currentData().toInt());
}

const SentenceRecordings* AttentionPanel::sentence() const {
  const int row = sentences_->currentRow();
  const auto& all = current().sentences;
  return row < 0 || row >= int(all.size()) ? nullptr : &all[std::size_t(row)];
}

std::vector<AttentionLayer> AttentionPanel::layers() const {
  std::vector<AttentionLayer> found;
  if (const SentenceRecordings* shown = sentence()) found = attentionLayers(*shown);
  std::erase_if(found, [this](const AttentionLayer& layer) { return layer.kind != kind(); });
  return found;
}

OtherSentence AttentionPanel::otherSentence() const {
  const SentenceRecordings* shown = sentence();
  if (!shown || others_->run() == 0 || waitsForOther_) return {};
  return {sameSentence(*shown, other_->sentences), others_->name()};
}

AttentionRequest AttentionPanel::request() const {
  AttentionRequest made;
  made.choice = {kind(), layers_->currentData().toInt(), kMeanChoice};
  if (units_->count() > 0) made.choice.unit = units_->currentData().toInt();
  made.level = words_->isChecked() ? TextLevel::kWords : TextLevel::kTokens;
  const RunRow* run = findRun(runs_, current().runId);
  made.name = tr("%1, step %2").arg(run ? run->name : QString(), countText(current().step));
  return made;
}

void AttentionPanel::setAllRuns(const QVector<RunRow>& runs) {
  runs_ = runs;
  QVector<RunRow> recorded = newestFirst(runs);
  recorded.removeIf([](const RunRow& run) { return run.recordedSteps.isEmpty(); });
  others_->setRuns(recorded);
}

void AttentionPanel::follow(const Selection& choice) {
  RecordingsPanel::follow(choice);
  if (choice.other) others_->showRun(*choice.other);
}

void AttentionPanel::showSentence(int index) {
  sentences_->setCurrentRow(index);
}

QString AttentionPanel::lackOf(const RunRow& run) const {
  if (const QString lack = importedLackOf(run); !lack.isEmpty()) return lack;
  return tr("%1 has recorded nothing: recording.sentences was 0, or it has not validated yet.")
      .arg(run.name);
}

void AttentionPanel::showRecordings() {
  others_->setCurrent(current().runId, current().step);
  fillSentences();
  fillKinds();
  fillChoices();
  requestOther();
}

void AttentionPanel::fillSentences() {
  const int row = std::max(0, sentences_->currentRow());
  const QSignalBlocker blocker(sentences_);
  sentences_->clear();
  for (const SentenceRecordings& each : current().sentences) {
    auto* item = new QListWidgetItem(lineText(listedText(each.source)), sentences_);
    item->setToolTip(
        tr("source: %1\ntarget: %2").arg(sentenceText(each.source), sentenceText(each.target)));
  }
  const int wanted =
      sentences_->count() > 0 ? std::exchange(restoredSentence_, std::nullopt).value_or(row) : row;
  sentences_->setCurrentRow(std::min(wanted, sentences_->count() - 1));
}

// What the user chose, else the attention to the source, else what there is.
void AttentionPanel::fillKinds() {
  std::optional<AttentionKind> chosen = wantedKind_;
  if (const SentenceRecordings* shown = sentence(); shown && !chosen) {
    for (const AttentionLayer& layer : attentionLayers(*shown)) chosen = layer.kind;
  }
  const QSignalBlocker blocker(kinds_);
  kinds_->setCurrentIndex(kinds_->findData(int(chosen.value_or(AttentionKind::kSource))));
}

void AttentionPanel::fillChoices() {
  const auto found = layers();
  {
    const QSignalBlocker blocker(layers_);
    layers_->clear();
    if (found.size() != 1) layers_->addItem(layerText(kMeanChoice), kMeanChoice);
    for (const AttentionLayer& layer : found) layers_->addItem(layerText(layer.layer), layer.layer);
    layers_->setCurrentIndex(std::max(0, layers_->findData(wantedLayer_)));
    layers_->setEnabled(!found.empty());
  }
  fillUnits();
}

void AttentionPanel::fillUnits() {
  const QSignalBlocker blocker(units_);
  units_->clear();
  int units = 0;
  const auto found = layers();
  for (const AttentionLayer& layer : found) units = std::max(units, layer.units);
  units_->setVisible(units > 1);
  if (units < 2) return;
  const AttentionLayer& first = found.front();
  for (const int special : {kMeanChoice, AttentionRequest::kAllUnits})
    units_->addItem(unitText(first, special), special);
  for (int unit = 0; unit < units; ++unit) units_->addItem(unitText(first, unit), unit);
  const int usual = first.heads ? kMeanChoice : AttentionRequest::kAllUnits;
  units_->setCurrentIndex(std::max(0, units_->findData(wantedUnit_.value_or(usual))));
}

void AttentionPanel::requestOther() {
  const qint64 run = others_->run(), step = others_->step();
  waitsForOther_ = false;
  if (run == 0 || step < 0) {
    other_ = std::make_shared<StepRecordings>();
  } else if (run == current().runId && step == current().step) {
    other_ = shared();
  } else if (run != other_->runId || step != other_->step) {
    waitsForOther_ = true;
    emit otherRequested(run, step);
  }
  draw();
}

void AttentionPanel::setOther(const SharedRecordings& recordings) {
  if (!waitsForOther_ || recordings->runId != others_->run() || recordings->step != others_->step())
    return;
  waitsForOther_ = false;
  other_ = recordings;
  draw();
}

bool AttentionPanel::isUpToDate() const {
  return isEmpty() || (RecordingsPanel::isUpToDate() && !waitsForOther_ && !computing_->isBusy());
}

QString AttentionPanel::missing() const {
  const SentenceRecordings* shown = sentence();
  if (!shown) return current().runId == 0 ? tr("Reading the recordings…") : tr("Nothing recorded.");
  const auto all = attentionLayers(*shown);
  if (all.empty())
    return tr(
        "This model has no attention: its decoder sees the source as one fixed vector, or "
        "recording.names left its attention out.");
  if (!layers().empty()) return {};
  QStringList kinds;
  for (const AttentionLayer& layer : all) kinds << attentionKindText(layer.kind);
  kinds.removeDuplicates();
  return tr("This model has no %1. It has: %2.")
      .arg(attentionKindText(kind()).toLower(), kinds.join(QStringLiteral(", ")).toLower());
}

// Another attention, which the model has.
LackPage::Remedy AttentionPanel::remedy() {
  const auto all = sentence() ? attentionLayers(*sentence()) : std::vector<AttentionLayer>();
  if (all.empty()) return {};
  const int kind = int(all.back().kind);
  return {tr("Show %1").arg(attentionKindText(all.back().kind).toLower()),
          [this, kind] { kinds_->setCurrentIndex(kinds_->findData(kind)); }};
}

void AttentionPanel::draw() {
  const QString why = missing();
  missing_->setLack(why, why.isEmpty() ? LackPage::Remedy() : remedy());
  pages_->setCurrentWidget(why.isEmpty() ? static_cast<QWidget*>(views_) : missing_);
  for (QLabel* label : {readout_, figures_, equation_}) label->setVisible(why.isEmpty());
  refused_->hide();
  readout_->setText(tr("Point at a word or a cell, or use the arrow keys."));
  words_->setEnabled(others_->run() == 0);
  if (why.isEmpty()) {
    drawPictures();
  } else {
    computing_->drop();
    views_->show({});
    views_->show({.birdsEye = true});
  }
}

// What the panel shows of a sentence: computed of the recordings alone, in any thread.
struct AttentionPanel::Drawing {
  AttentionViews::Pictures pictures;
  QString refused;  // why there is no difference
  AttentionFigures figures;
  std::optional<AttentionFigures> others;
};

void AttentionPanel::drawPictures() {
  const bool compares = others_->run() > 0 && !waitsForOther_;
  const bool birdsEye = views_->currentIndex() == AttentionViews::kBirdsEye;
  const AttentionViews::Style style{rowSums_->isChecked(), fixedScale_->isChecked()};
  // It has its share of both recordings, to which the sentences belong.
  const auto compute = [=, recordings = shared(), others = other_, shown = sentence(),
                        wanted = request(), other = otherSentence(), name = others_->name()] {
    Drawing made;
    const auto draw = [&](const OtherSentence& with) {
      made.pictures =
          birdsEye ? AttentionViews::prepared(strata::ui::birdsEye(*shown, wanted, with), style)
                   : AttentionViews::prepared(attentionPictures(*shown, wanted, with), style);
    };
    try {
      if (compares && !other.sentence)
        throw Error("no difference: {} has not recorded this sentence", toStd(name));
      draw(other);
    } catch (const Error& error) {
      made.refused = QString::fromUtf8(error.what());
      draw({});
    }
    AttentionChoice choice = wanted.choice;
    if (choice.unit == AttentionRequest::kAllUnits) choice.unit = kMeanChoice;
    made.figures = attentionFigures(*recordings, choice);
    if (compares && !others->sentences.empty()) made.others = attentionFigures(*others, choice);
    return made;
  };
  computing_->run(Background::placeFor(valueCount(current())), compute,
                  [this](Drawing drawing) { showDrawing(std::move(drawing)); });
}

void AttentionPanel::showDrawing(Drawing drawing) {
  refused_->setText(drawing.refused.left(1).toUpper() + drawing.refused.mid(1));
  refused_->setVisible(!drawing.refused.isEmpty());
  showFigures(drawing);
  views_->show(std::move(drawing.pictures));
  explain(request());
}

void AttentionPanel::showFigures(const Drawing& drawing) {
  QString help =
      tr("Means over the words of all recorded sentences, without </s>. Evenness: entropy of a row "
         "relative to the uniform distribution, 0 is a single word, 1 is uniform. AER: alignment "
         "error rate of the most attended source words against the gold links.");
  const auto textOf = [&](const QString& name, const AttentionFigures& figures) {
    const QString text = tr("%1: evenness %2 · largest weight %3")
                             .arg(name)
                             .arg(figures.evenness.mean(), 0, 'f', 3)
                             .arg(figures.largest.mean(), 0, 'f', 3);
    if (figures.alignedSentences == 0) return text;
    help += tr("\n%1: precision %2, recall %3, %4 links in %5 sentences")
                .arg(name)
                .arg(precision(figures.alignment), 0, 'f', 3)
                .arg(recall(figures.alignment), 0, 'f', 3)
                .arg(figures.alignment.links)
                .arg(figures.alignedSentences);
    return text + tr(" · AER %1").arg(aer(figures.alignment), 0, 'f', 3);
  };
  QStringList lines{textOf(drawing.others ? tr("A") : tr("All sentences"), drawing.figures)};
  if (drawing.others) lines << textOf(tr("B"), *drawing.others);
  figures_->setText(lines.join(QLatin1Char('\n')));
  figures_->setToolTip(help);
}

void AttentionPanel::explain(const AttentionRequest& wanted) {
  const QString who =
      wanted.choice.kind == AttentionKind::kEncoder   ? tr("source word i reads source word j")
      : wanted.choice.kind == AttentionKind::kHistory ? tr("generated word i reads earlier word j")
                                                      : tr("generated word i reads source word j");
  QString text =
      layers().front().joint
          ? tr("aᵢ = softmax(source and earlier words): %1; both parts sum to 1 together.")
          : tr("aᵢⱼ = softmaxⱼ(scoreᵢⱼ): %1; each row sums to 1.");
  text = text.arg(who);
  if (others_->run() > 0)
    text += tr(" B − A is of whole words: orange is more in B, blue is less.");
  equation_->setText(text);
}

Here AttentionPanel::here() const {
  return views_->currentIndex() == AttentionViews::kMatrix ? views_->here() : Panel::here();
}

QStringList AttentionPanel::command() const {
  QStringList arguments{QStringLiteral("runs"),
                        QStringLiteral("inside"),
                        QString::number(current().runId),
                        QStringLiteral("--step"),
                        QString::number(current().step),
                        QStringLiteral("--sentence"),
                        QString::number(std::max(0, sentences_->currentRow()) + 1)};
  if (words_->isChecked()) arguments << QStringLiteral("--words");
  if (others_->run() > 0)
    arguments << QStringLiteral("--other") << QString::number(others_->run())
              << QStringLiteral("--other-step") << QString::number(others_->step());
  return arguments;
}

Json AttentionPanel::saveState() const {
  Json state = recorded()->saveState();
  state.update({{"version", kAttentionState},
                {"kind", wantedKind_ ? int(*wantedKind_) : -1},
                {"layer", wantedLayer_},
                {"unit", wantedUnit_.value_or(-10)},
                {"words", words_->isChecked()},
                {"row_sums", rowSums_->isChecked()},
                {"fixed_scale", fixedScale_->isChecked()},
                {"tab", views_->currentIndex()},
                {"sentence", restoredSentence_.value_or(sentences_->currentRow())},
                {"other", others_->saveState()}});
  return state;
}

void AttentionPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  if (saved.number("version") != kAttentionState) return;
  recorded()->restoreState(state);
  saved.check("words", words_);
  saved.check("row_sums", rowSums_);
  saved.check("fixed_scale", fixedScale_);
  saved.index("tab", views_);
  if (const auto kind = saved.number("kind", 0, kinds_->count() - 1))
    wantedKind_ = AttentionKind(*kind);
  wantedLayer_ = int(saved.number("layer", kMeanChoice, kMostUnits).value_or(kMeanChoice));
  if (const auto unit = saved.number("unit", AttentionRequest::kAllUnits, kMostUnits))
    wantedUnit_ = int(*unit);
  if (const auto row = saved.number("sentence", 0, kMostListed)) restoredSentence_ = int(*row);
  others_->restoreState(state.value("other", Json::object()));
}

}  // namespace strata::ui
