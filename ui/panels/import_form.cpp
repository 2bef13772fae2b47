#include "ui/panels/import_form.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "core/data/recipe.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/import_file_table.h"
#include "ui/panels/import_options.h"
#include "ui/panels/text_figures_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kPreviewDelayMs = 300;
constexpr qint64 kUsualExtent = 200'000;  // pairs that a preview reads unless all are asked for
constexpr int kLeastFigures = 230;        // pixels

}  // namespace

ImportForm::ImportForm(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("importForm"));
  setAcceptDrops(true);
  auto* layout = makeLayout<QVBoxLayout>(this);
  layout->addWidget(makeFiles());
  layout->addWidget(makeNames());
  options_ = new ImportOptions(this);
  connect(options_, &ImportOptions::edited, this, &ImportForm::edited);
  layout->addWidget(options_);
  layout->addWidget(makeState());
  figures_ = named(new TextFiguresView(this), "importFigures");
  figures_->setMinimumHeight(kLeastFigures);
  layout->addWidget(figures_, 1);
  layout->addWidget(makeFooter());
  timer_.setSingleShot(true);
  timer_.setInterval(kPreviewDelayMs);
  connect(&timer_, &QTimer::timeout, this, &ImportForm::requestPreview);
  showOptions({});
  showProblem();
}

QWidget* ImportForm::makeFiles() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  auto* bar = makeBar(page);
  auto* add = named(new QPushButton(tr("Add files…"), page), "importAdd");
  add->setToolTip(tr("Parallel files, or an archive or folder with them; or drop them here"));
  auto* remove = named(new QPushButton(tr("Remove"), page), "importRemove");
  remove->setToolTip(tr("Remove the selected rows"));
  recipe_ = named(new QComboBox(page), "importRecipe", tr("Recipe"));
  recipe_->addItem(tr("no recipe: the files as listed"), QString());
  for (const std::string& name : builtInRecipes())
    recipe_->addItem(tr("recipe %1").arg(qs(name)), qs(name));
  recipe_->setToolTip(tr("How the standard version of a public corpus is made of its files"));
  unused_ = styled(named(new QLabel(page), "importUnused"), "muted");
  bar->addWidget(add);
  bar->addWidget(remove);
  bar->addWidget(recipe_);
  bar->addWidget(unused_, 1);
  layout->addWidget(bar->parentWidget());
  files_ = named(new ImportFileTable(page), "importFiles", tr("Files"));
  layout->addWidget(files_);
  connect(add, &QPushButton::clicked, this, &ImportForm::browse);
  connect(remove, &QPushButton::clicked, this, &ImportForm::removeRows);
  connect(recipe_, &QComboBox::currentIndexChanged, this, &ImportForm::chooseRecipe);
  connect(files_, &ImportFileTable::edited, this, &ImportForm::edited);
  return page;
}

QWidget* ImportForm::makeNames() {
  auto* bar = makeBar(this);
  const auto field = [&](const char* name, const QString& title, int width, const QString& help) {
    auto* edit = named(new QLineEdit(this), name, title);
    edit->setFixedWidth(width);
    edit->setToolTip(help);
    bar->addWidget(new QLabel(title, this));
    bar->addWidget(edit);
    connect(edit, &QLineEdit::textChanged, this, &ImportForm::edited);
    return edit;
  };
  const QString code = tr("Moses's code of the language: de, en, fr, zh");
  source_ = field("importSource", tr("From"), 52, code);
  auto* swap = named(new QToolButton(this), "importSwap", tr("Swap source and target"));
  swap->setText(QStringLiteral("⇄"));
  swap->setToolTip(tr("Swap source and target"));
  bar->addWidget(swap);
  target_ = field("importTarget", tr("to"), 52, code);
  name_ = field("importName", tr("Dataset"), 220, tr("Its name in the workspace"));
  extent_ = named(new QComboBox(this), "importExtent", tr("Pairs in the preview"));
  extent_->addItem(tr("preview the first %1 pairs").arg(countText(kUsualExtent)), kUsualExtent);
  extent_->addItem(tr("preview all pairs"), qint64(0));
  bar->addStretch();
  bar->addWidget(extent_);
  connect(swap, &QToolButton::clicked, this, &ImportForm::swapSides);
  connect(extent_, &QComboBox::currentIndexChanged, this, &ImportForm::edited);
  connect(name_, &QLineEdit::textEdited, this,
          [this](const QString& text) { nameTyped_ = !text.isEmpty(); });
  return bar->parentWidget();
}

// What the preview says, and more options.
QWidget* ImportForm::makeState() {
  auto* bar = makeBar(this);
  state_ = styled(named(new QLabel(this), "importState"), "muted");
  state_->setWordWrap(true);
  bar->addWidget(state_, 1);
  more_ = named(new QToolButton(this), "importMore", tr("More options"));
  more_->setText(tr("More options"));
  more_->setCheckable(true);
  bar->addWidget(more_);
  connect(more_, &QToolButton::toggled, options_, &ImportOptions::setRareVisible);
  connect(more_, &QToolButton::toggled, this, &ImportForm::changed);
  return bar->parentWidget();
}

QWidget* ImportForm::makeFooter() {
  auto* bar = makeBar(this);
  problem_ = named(new QLabel(this), "importProblem");
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  bar->addWidget(problem_, 1);
  progress_ = named(new QProgressBar(this), "importProgress", tr("Progress of the preparation"));
  progress_->setFixedWidth(220);
  progress_->hide();
  bar->addWidget(progress_);
  cancel_ = named(new QPushButton(tr("Cancel"), this), "importCancel");
  cancel_->hide();
  bar->addWidget(cancel_);
  prepare_ = styled(named(new QPushButton(tr("Prepare"), this), "importPrepare"), "primary");
  bar->addWidget(prepare_);
  footer_ = bar;
  connect(prepare_, &QPushButton::clicked, this, [this] { emit prepareRequested(call()); });
  connect(cancel_, &QPushButton::clicked, this, &ImportForm::cancelRequested);
  return bar->parentWidget();
}

void ImportForm::browse() {
  auto* dialog = new QFileDialog(this, tr("Parallel files, one sentence per line, or an archive"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &ImportForm::addPlaces);
  dialog->open();
}

void ImportForm::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void ImportForm::dropEvent(QDropEvent* event) {
  QStringList places;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) places << url.toLocalFile();
  }
  addPlaces(places);
}

void ImportForm::addPlaces(const QStringList& places) {
  for (const QString& place : places) {
    if (!places_.contains(place)) places_ << place;
  }
  const QString recipe =
      places_.size() == 1 && isRecipe(toStd(places_.first())) ? places_.first() : QString();
  if (!recipe.isEmpty()) {  // a recipe's file: it becomes a choice
    places_.clear();
    if (recipe_->findData(recipe) < 0) recipe_->addItem(QFileInfo(recipe).fileName(), recipe);
    selectData(recipe_, recipe);
    return;
  }
  chooseRecipe();
}

void ImportForm::removeRows() {
  files_->removeSelectedRows();
  if (files_->rowCount() == 0) places_.clear();
  unused_->clear();
  edited();
}

void ImportForm::chooseRecipe() {
  if (filling_) return;
  const QString recipe = recipe_->currentData().toString();
  if (places_.isEmpty() && recipe.isEmpty()) return edited();
  waiting_ = true;
  emit guessRequested(places_, recipe);
}

void ImportForm::showOptions(const PrepareOptions& options) {
  const QScopedValueRollback filling(filling_, true);
  options_->setOptions(options);
}

void ImportForm::setChosen(const ChosenFiles& chosen) {
  waiting_ = false;
  error_.clear();
  {
    const QScopedValueRollback filling(filling_, true);
    const PrepareOptions& options = chosen.call.options;
    const bool recipe = !chosen.call.recipe.empty();
    if (recipe) {
      files_->setRowCount(0);
      showOptions(options);
    } else {
      files_->setFiles(options);
    }
    if (recipe || !options.sourceLanguage.empty()) source_->setText(qs(options.sourceLanguage));
    if (recipe || !options.targetLanguage.empty()) target_->setText(qs(options.targetLanguage));
    if (!nameTyped_) name_->setText(qs(options.name));
    const QStringList notes =
        recipe ? QStringList{chosen.recipeTitle} +
                     (chosen.places.isEmpty() ? QStringList{chosen.recipeGet} : chosen.places)
               : chosen.unused;
    unused_->setText(recipe || notes.isEmpty()
                         ? notes.value(0)
                         : tr("%1 belong to no pair").arg(countText(notes.size())));
    unused_->setToolTip(notes.join(QLatin1Char('\n')));
    for (QWidget* widget : {static_cast<QWidget*>(files_), static_cast<QWidget*>(options_),
                            static_cast<QWidget*>(source_), static_cast<QWidget*>(target_)})
      widget->setEnabled(!recipe);
  }
  edited();
}

void ImportForm::swapSides() {
  {
    const QScopedValueRollback filling(filling_, true);
    const QString source = source_->text();
    source_->setText(target_->text());
    target_->setText(source);
    files_->swapSides();
  }
  edited();
}

PrepareCall ImportForm::call() const {
  PrepareCall call;
  call.options.name = toStd(name_->text().trimmed());
  call.recipe = toStd(recipe_->currentData().toString());
  if (!call.recipe.empty()) {
    call.from = toStd(places_);
    return call;
  }
  PrepareOptions& options = call.options;
  options.sourceLanguage = toStd(source_->text().trimmed());
  options.targetLanguage = toStd(target_->text().trimmed());
  options_->addOptionsTo(options);
  files_->addFilesTo(options);
  return call;
}

QString ImportForm::problem() const {
  const PrepareCall now = call();
  if (!now.recipe.empty())
    return now.from.empty() ? tr("Add the files that the recipe is made of.") : QString();
  if (files_->rowCount() == 0) return tr("Add the files of a parallel corpus.");
  if (now.options.train.empty()) return tr("No row is for training.");
  if (now.options.sourceLanguage.empty() || now.options.targetLanguage.empty())
    return tr("Enter both languages.");
  try {
    checkDatasetName(now.options.name, "dataset");
    prepareArguments(now);
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

qint64 ImportForm::limit() const {
  return extent_->currentData().toLongLong();
}

void ImportForm::edited() {
  if (filling_) return;
  error_.clear();
  obstacle_.clear();
  warnings_.clear();
  emit previewStopped();
  waiting_ = false;
  timer_.start();
  showProblem();
  emit changed();
}

void ImportForm::requestPreview() {
  const PrepareCall now = call();
  const bool complete = now.recipe.empty()
                            ? !now.options.train.empty() && !now.options.sourceLanguage.empty() &&
                                  !now.options.targetLanguage.empty()
                            : !now.from.empty();
  if (!complete) {
    figures_->clear();
    state_->clear();
    return;
  }
  waiting_ = true;
  state_->setText(tr("Reading…"));
  emit previewRequested(now, limit());
}

void ImportForm::setPreviewProgress(const QString& what, qint64 done) {
  if (waiting_) state_->setText(tr("%1: %2 …").arg(translated(qPrintable(what)), countText(done)));
}

void ImportForm::setPreview(const PreviewPointer& preview) {
  waiting_ = false;
  figures_->showPreview(*preview);
  const auto& sides = preview->figures.sides;
  QStringList parts{preview->complete
                        ? tr("%1 pairs read, %2 kept")
                              .arg(countText(preview->read), countText(preview->cleaning.kept()))
                        : tr("Of the first %1 pairs %2 kept")
                              .arg(countText(preview->read), countText(preview->cleaning.kept()))};
  for (const auto& [name, sentences] : preview->sets)
    parts << tr("%1: %2 sentences").arg(qs(name), countText(sentences));
  parts
      << tr("%1 and %2 different words").arg(countText(sides[0].types), countText(sides[1].types));
  parts << tr("%1 and %2 words per sentence")
               .arg(numberText(sides[0].mean, 3), numberText(sides[1].mean, 3));
  state_->setText(parts.join(QStringLiteral("  ·  ")));
  state_->setToolTip(qs(preview->notes).join(QLatin1Char('\n')));
  warnings_ = qs(preview->warnings).join(QLatin1Char('\n'));
  obstacle_.clear();
  if (const RejectedLine* line = preview->obstacle())
    obstacle_ = line->line > 0 ? tr("%1, line %2: %3. %4")
                                     .arg(qs(line->file), countText(line->line), qs(line->reason),
                                          qs(line->text))
                               : tr("%1: %2").arg(qs(line->file), qs(line->text));
  showProblem();
}

void ImportForm::setError(const QString& message) {
  waiting_ = false;
  error_ = message;
  state_->clear();
  showProblem();
}

void ImportForm::setPreparing(bool on) {
  preparing_ = on;
  progress_->setVisible(on);
  cancel_->setVisible(on);
  cancel_->setEnabled(true);
  if (on) {
    error_.clear();
    progress_->setRange(0, 0);
  }
  showProblem();
}

void ImportForm::setProgress(const QString& what, qint64 done, qint64 total) {
  progress_->setRange(0, total > 0 ? 1000 : 0);
  if (total > 0) progress_->setValue(int(std::min(done, total) * 1000 / total));
  problem_->setText(tr("%1: %2").arg(what, countText(done)));
}

void ImportForm::showProblem() {
  const QString problem = this->problem();
  const QString shown = !error_.isEmpty()      ? error_
                        : !obstacle_.isEmpty() ? obstacle_
                        : preparing_           ? QString()
                        : !problem.isEmpty()   ? problem
                                               : warnings_;
  problem_->setText(shown);
  problem_->setProperty("bad", !error_.isEmpty() || !obstacle_.isEmpty());
  problem_->setStyleSheet(problem_->property("bad").toBool()
                              ? QStringLiteral("color: %1").arg(theme().bad.name())
                              : QString());
  prepare_->setEnabled(problem.isEmpty() && obstacle_.isEmpty() && !preparing_);
}

Json ImportForm::saveState() const {
  QStringList options;
  PrepareOptions now;
  options_->addOptionsTo(now);
  now.name = "x";
  for (const std::string& argument : prepareArguments({.options = now})) options << qs(argument);
  return {{"name", toStd(name_->text())},     {"source", toStd(source_->text())},
          {"target", toStd(target_->text())}, {"recipe", toStd(recipe_->currentData().toString())},
          {"places", jsonOf(places_)},        {"rows", jsonOf(files_->savedRows())},
          {"options", jsonOf(options)},       {"more", more_->isChecked()},
          {"extent", extent_->currentIndex()}};
}

void ImportForm::restoreState(const Json& state) {
  const SavedState saved(state);
  {
    const QScopedValueRollback filling(filling_, true);
    saved.line("name", name_);
    saved.line("source", source_);
    saved.line("target", target_);
    nameTyped_ = !name_->text().isEmpty();
    if (const auto recipe = saved.text("recipe")) selectData(recipe_, *recipe);
    places_ = saved.texts("places").value_or(places_);
    files_->addSavedRows(saved.texts("rows").value_or(QStringList()));
    if (const auto options = saved.texts("options")) showOptions(fieldsOf(toStd(*options)));
    saved.check("more", more_);
    saved.index("extent", extent_);
  }
  if (files_->rowCount() > 0 || !recipe_->currentData().toString().isEmpty()) {
    if (files_->rowCount() > 0)
      edited();
    else
      chooseRecipe();
  }
}

}  // namespace strata::ui
