#include "ui/window/selection_bar.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/choice_popup.h"

namespace strata::ui {
namespace {

constexpr int kHeight = 36, kLongestName = 170, kLongestSentence = 230, kSliderWidth = 120;
constexpr int kSlidingMs = 60;

// The chips that a perspective uses, by their object names.
QStringList chipsOf(const QString& perspective) {
  static const QHash<QString, QStringList> chips{
      {QStringLiteral("prepare"), {QStringLiteral("setChip")}},
      {QStringLiteral("train"), {QStringLiteral("runChip")}},
      {QStringLiteral("watch"),
       {QStringLiteral("runChip"), QStringLiteral("otherChip"), QStringLiteral("stepChip"),
        QStringLiteral("sentenceChip")}},
      {QStringLiteral("inside"),
       {QStringLiteral("runChip"), QStringLiteral("otherChip"), QStringLiteral("stepChip"),
        QStringLiteral("sentenceChip"), QStringLiteral("hypothesisChip"),
        QStringLiteral("wordChip")}},
      {QStringLiteral("compare"),
       {QStringLiteral("runChip"), QStringLiteral("otherChip"), QStringLiteral("setChip"),
        QStringLiteral("sentenceChip")}},
      {QStringLiteral("papers"), {QStringLiteral("runChip"), QStringLiteral("setChip")}}};
  return chips.value(perspective);
}

// The last of them that is not after `step`; without one, the first. Empty `step`: the last.
int nearest(const QVector<qint64>& steps, const std::optional<qint64>& step) {
  const auto after = step ? std::ranges::upper_bound(steps, *step) : steps.end();
  return std::max(0, int(after - steps.begin()) - 1);
}

}  // namespace

SelectionBar::SelectionBar(QAction* back, QAction* forward, QWidget* parent)
    : QWidget(parent), layout_(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("selectionBar"));
  setFixedHeight(kHeight);
  layout_->setContentsMargins(8, 0, 8, 0);
  layout_->setSpacing(4);
  for (QAction* action : {back, forward}) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setProperty("flat", true);
    button->setIconSize(QSize(16, 16));
    layout_->addWidget(button);
  }
  run_ = addChip(QStringLiteral("runChip"), tr("The current run"), &SelectionBar::chooseRun);
  other_ = addChip(QStringLiteral("otherChip"), tr("The run that it is compared with"),
                   &SelectionBar::chooseOther);
  moment_ = addChip(QStringLiteral("stepChip"), tr("The step or checkpoint of the current run"),
                    &SelectionBar::chooseStep);
  addSlider();
  set_ =
      addChip(QStringLiteral("setChip"), tr("The dataset or test set"), &SelectionBar::chooseSet);
  sentence_ =
      addChip(QStringLiteral("sentenceChip"), tr("The sentence"), &SelectionBar::chooseSentence);
  hypothesis_ = addChip(QStringLiteral("hypothesisChip"), tr("The translation of the sentence"),
                        &SelectionBar::chooseHypothesis);
  word_ = addChip(QStringLiteral("wordChip"), tr("The word of the translation"),
                  &SelectionBar::chooseWord);
  layout_->addStretch();
  update();
}

QToolButton* SelectionBar::addChip(const QString& name, const QString& tip, Choose choose) {
  auto* chip = named(new QToolButton(this), name);
  chip->setProperty("chip", true);
  chip->setAccessibleDescription(tip);
  chip->setFocusPolicy(Qt::TabFocus);
  connect(chip, &QToolButton::clicked, this, [this, choose, chip] { (this->*choose)(chip); });
  layout_->addWidget(chip);
  return chip;
}

void SelectionBar::addSlider() {
  slider_ = named(new QSlider(Qt::Horizontal, this), QStringLiteral("stepSlider"),
                  tr("Recorded step of the current run"));
  slider_->setFixedWidth(kSliderWidth);
  slider_->setPageStep(1);
  connect(slider_, &QSlider::valueChanged, this, &SelectionBar::slideTo);
  connect(slider_, &QSlider::sliderReleased, this, [this] {
    sliding_.stop();
    tellStep();
    slid_ = false;
  });
  sliding_.setInterval(kSlidingMs);
  sliding_.setSingleShot(true);
  connect(&sliding_, &QTimer::timeout, this, &SelectionBar::tellStep);
  layout_->addWidget(slider_);
}

void SelectionBar::setRuns(const QVector<RunRow>& runs) {
  runs_ = newestFirst(runs);
  update();
}

void SelectionBar::setSystems(const SystemsList& systems) {
  sets_.clear();
  for (const TestSet& set : systems.sets) sets_ << qs(set.id);
}

void SelectionBar::setDatasets(const QVector<DatasetRow>& datasets) {
  datasets_.clear();
  for (const DatasetRow& dataset : datasets) datasets_ << dataset.name;
}

void SelectionBar::setSelection(const Selection& selection) {
  selection_ = selection;
  update();
}

void SelectionBar::setPerspective(const QString& name) {
  perspective_ = name;
  update();
}

const RunRow* SelectionBar::run(std::optional<qint64> id) const {
  return id ? findRun(runs_, *id) : nullptr;
}

void SelectionBar::chooseRun(QToolButton* chip, bool other) {
  QVector<ChoicePopup::Item> items;
  QVector<qint64> ids;
  if (other) {
    items << ChoicePopup::Item{tr("none")};
    ids << 0;
  }
  for (const RunRow& row : runs_) {
    items << ChoicePopup::Item{row.name, row.dataset};
    ids << row.id;
  }
  const qint64 current = (other ? selection_.other : selection_.run).value_or(0);
  auto* popup = new ChoicePopup(items, int(ids.indexOf(current)), this);
  connect(popup, &ChoicePopup::chosen, this, [this, ids, other](int index) {
    Selection choice;
    (other ? choice.other : choice.run) = ids[index];
    emit chosen(choice);
  });
  popup->openUnder(chip);
}

void SelectionBar::open(QToolButton* chip, const QStringList& texts, qsizetype current,
                        const QString& emptyText, const std::function<void(int)>& choose) {
  QVector<ChoicePopup::Item> items;
  for (const QString& text : texts) items << ChoicePopup::Item{text};
  auto* popup = new ChoicePopup(items, int(current), this);
  popup->setEmptyText(emptyText);
  connect(popup, &ChoicePopup::chosen, this, choose);
  popup->openUnder(chip);
}

void SelectionBar::chooseStep(QToolButton* chip) {
  const RunRow* current = run(selection_.run);
  if (!current) return;
  const QVector<qint64> steps = current->recordedSteps;
  QStringList texts;
  for (const qint64 step : steps) texts << tr("step %1").arg(countText(step));
  open(chip, texts, nearest(steps, selection_.step), tr("This run has recorded nothing yet."),
       [this, steps](int index) { emit chosen(Selection{.step = steps[index]}); });
}

void SelectionBar::chooseSet(QToolButton* chip) {
  const bool prepares = perspective_ == QLatin1String("prepare");
  const QStringList sets = prepares ? datasets_ : sets_;
  const QString now = selection_.testSet.value_or(QString());
  open(chip, sets, sets.indexOf(prepares ? now.section(QLatin1Char('/'), 0, 0) : now),
       tr("There is none yet: import a corpus in Prepare, or run the demo."),
       [this, sets](int index) { emit chosen(Selection{.testSet = sets[index]}); });
}

void SelectionBar::chooseSentence(QToolButton* chip) {
  const QStringList sentences = choices_().sentences;
  open(chip, sentences, sentences.indexOf(selection_.sentence.value_or(QString())),
       tr("No sentence is known yet: runs record and translate some at each validation, and "
          "Translate takes your own."),
       [this, sentences](int index) { emit chosen(Selection{.sentence = sentences[index]}); });
}

void SelectionBar::chooseHypothesis(QToolButton* chip) {
  const QStringList texts = choices_().hypotheses;
  open(chip, texts, selection_.hypothesis.value_or(-1),
       tr("Translate a sentence: its translations can be chosen here."),
       [this](int index) { emit chosen(Selection{.hypothesis = index}); });
}

void SelectionBar::chooseWord(QToolButton* chip) {
  const QStringList words = choices_().words;
  open(chip, words, selection_.word.value_or(-1),
       tr("Translate a sentence: the words of its translation can be chosen here."),
       [this](int index) { emit chosen(Selection{.word = index}); });
}

void SelectionBar::slideTo(int index) {
  if (index >= steps_.size()) return;
  moment_->setText(tr("step %1").arg(countText(steps_[index])));
  if (!sliding_.isActive()) sliding_.start();
}

// A movement of the slider is one choice, whatever it passes.
void SelectionBar::tellStep() {
  const int index = slider_->value();
  if (index >= steps_.size() || selection_.step == steps_[index]) return;
  const Selection choice{.step = steps_[index]};
  if (std::exchange(slid_, slider_->isSliderDown()))
    emit amended(choice);
  else
    emit chosen(choice);
}

bool SelectionBar::uses(const QToolButton* chip) const {
  return perspective_.isEmpty() || chipsOf(perspective_).contains(chip->objectName());
}

void SelectionBar::showChip(QToolButton* chip, const QString& text, const QString& tip, bool used) {
  const int longest = chip == sentence_ ? kLongestSentence : kLongestName;
  const auto elide = chip == sentence_ ? Qt::ElideRight : Qt::ElideMiddle;
  chip->setText(asEntry(fontMetrics().elidedText(text, elide, longest)));
  chip->setToolTip(tip.isEmpty() ? chip->accessibleDescription() : tip);
  chip->setVisible(used && uses(chip));
}

void SelectionBar::update() {
  const RunRow* current = run(selection_.run);
  const RunRow* other = run(selection_.other);
  const QString name = current ? current->name : selection_.system.value_or(QString());
  showChip(run_, name.isEmpty() ? tr("Choose a run") : name, name, true);
  run_->setEnabled(!runs_.isEmpty());
  showChip(other_, other ? tr("vs %1").arg(other->name) : tr("compare with…"),
           other ? other->name : QString(), current != nullptr);
  updateStep(current);
  const QString set = selection_.testSet.value_or(QString());
  showChip(set_, set.isEmpty() ? tr("choose a set") : set, set, true);
  const QString sentence = selection_.sentence.value_or(QString()).simplified();
  showChip(sentence_, sentence.isEmpty() ? tr("choose a sentence") : sentence, sentence, true);
  const auto numbered = [](const QString& text, const std::optional<int>& index,
                           const QString& none) { return index ? text.arg(*index + 1) : none; };
  const bool inside = selection_.sentence || selection_.hypothesis || selection_.word;
  showChip(hypothesis_, numbered(tr("translation %1"), selection_.hypothesis, tr("translation…")),
           {}, inside);
  showChip(word_, numbered(tr("word %1"), selection_.word, tr("word…")), {}, inside);
}

void SelectionBar::updateStep(const RunRow* current) {
  const QVector<qint64> steps = current ? current->recordedSteps : QVector<qint64>();
  QString moment = tr("newest step");
  if (selection_.step) moment = tr("step %1").arg(countText(*selection_.step));
  if (selection_.checkpoint) moment = *selection_.checkpoint;
  showChip(moment_, moment, {}, !steps.isEmpty() || (current && selection_.checkpoint));
  slider_->setVisible(steps.size() > 1 && uses(moment_));
  if (slider_->isSliderDown() || sliding_.isActive()) return;  // the user is choosing
  steps_ = steps;
  const QSignalBlocker blocker(slider_);
  slider_->setRange(0, std::max(0, int(steps.size()) - 1));
  slider_->setValue(nearest(steps, selection_.step));
}

}  // namespace strata::ui
