#include "ui/widgets/import_scores_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QTableWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kPreviewDelayMs = 300;
constexpr int kListsHeight = 150;

QComboBox* makeColumn(QWidget* parent, const QString& name, const QString& accessible) {
  auto* box = named(new QComboBox(parent), name, accessible);
  box->setMinimumContentsLength(9);
  return box;
}

QTableWidgetItem* cellOf(const QString& text, bool number) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  item->setToolTip(richTip(QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped())));
  return item;
}

}  // namespace

ImportScoresDialog::ImportScoresDialog(const std::vector<StoredSystem>& systems, const QString& set,
                                       QWidget* parent)
    : ImportDialog(QStringLiteral("importScoresDialog"), tr("Import scores"), parent),
      systems_(systems),
      file_(named(new QLineEdit(this), "scoresFile")),
      metric_(named(new QLineEdit(this), "scoresMetric")),
      model_(named(new QLineEdit(this), "scoresModel")),
      set_(named(new QComboBox(this), "scoresSet")),
      format_(named(new QComboBox(this), "scoresFormat")),
      better_(named(new QComboBox(this), "scoresBetter", tr("Better values"))),
      scale_(named(new QComboBox(this), "scoresScale", tr("Scale"))),
      columns_(new QWidget(this)),
      lists_(named(new QTableWidget(this), "scoresLists", tr("Lists of scores in the file"))),
      recognised_(named(styled(new QLabel(this), "muted"), "scoresRecognised")) {
  scoreColumn_ = makeColumn(columns_, QStringLiteral("scoresColumn"), tr("Column of the scores"));
  textColumn_ =
      makeColumn(columns_, QStringLiteral("scoresText"), tr("Column of the translations"));
  systemColumn_ =
      makeColumn(columns_, QStringLiteral("scoresSystem"), tr("Column of the systems' names"));
  idColumn_ =
      makeColumn(columns_, QStringLiteral("scoresIds"), tr("Column of the sentences' numbers"));
  makeForm();
  fillSets(set);
  timer_.setSingleShot(true);
  timer_.setInterval(kPreviewDelayMs);
  connect(&timer_, &QTimer::timeout, this, [this] { emit previewRequested(request()); });
  connect(file_, &QLineEdit::textChanged, this, [this] {
    for (QComboBox* column : columnBoxes()) {
      const QSignalBlocker blocker(column);
      column->clear();
    }
    metric_->clear();
    entriesChanged();
  });
  QVector<QComboBox*> choices = columnBoxes();
  choices << set_ << format_;
  for (QComboBox* choice : std::as_const(choices))
    connect(choice, &QComboBox::currentIndexChanged, this, &ImportScoresDialog::entriesChanged);
  connect(metric_, &QLineEdit::textChanged, this, &ImportScoresDialog::check);
  connect(model_, &QLineEdit::textChanged, this, &ImportScoresDialog::check);
  check();
}

void ImportScoresDialog::makeForm() {
  format_->addItem(tr("detect automatically"), QString());
  for (const std::string& format : scoreFileFormats()) format_->addItem(qs(format), qs(format));
  better_->addItem(tr("higher is better"), true);
  better_->addItem(tr("lower is better"), false);
  for (const ScoreScale scale : {ScoreScale::kUnit, ScoreScale::kHundred, ScoreScale::kOther})
    scale_->addItem(
        scale == ScoreScale::kOther ? tr("another scale") : qs(std::string(nameOf(scale))),
        int(scale));
  model_->setPlaceholderText(tr("e.g. Unbabel/wmt22-comet-da; COMET's files do not name it"));
  auto* columns = makeLayout<QHBoxLayout>(columns_, {}, kUsualSpacing);
  const std::pair<QString, QComboBox*> all[] = {{tr("scores"), scoreColumn_},
                                                {tr("translations"), textColumn_},
                                                {tr("systems"), systemColumn_},
                                                {tr("ids"), idColumn_}};
  for (const auto& [title, box] : all) {
    auto* label = new QLabel(title, columns_);
    label->setBuddy(box);
    columns->addWidget(label);
    columns->addWidget(box, 1);
  }
  auto* kind = new QHBoxLayout;
  kind->addWidget(better_, 1);
  kind->addWidget(scale_, 1);
  lists_->setColumnCount(5);
  lists_->setHorizontalHeaderLabels(
      {tr("in the file"), tr("sentences"), tr("missing"), tr("mean"), tr("system")});
  lists_->verticalHeader()->hide();
  lists_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  lists_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  lists_->setSelectionMode(QAbstractItemView::NoSelection);
  lists_->setTabKeyNavigation(false);
  lists_->setMinimumSize(560, kListsHeight);
  recognised_->setWordWrap(true);
  auto* form = new QFormLayout(this);
  form->addRow(tr("File"), pathField(file_,
                                     tr("Scores of sentences, as COMET, mt-metrics-eval or "
                                        "another program writes them"),
                                     this));
  form->addRow(tr("Test set"), set_);
  form->addRow(tr("Format"), format_);
  form->addRow(tr("Columns"), columns_);
  form->addRow(tr("Metric"), metric_);
  form->addRow(tr("Model"), model_);
  form->addRow(tr("Values"), kind);
  form->addRow(recognised_);
  form->addRow(lists_);
  form->setRowVisible(columns_, false);
  finishForm(form);
}

// Test sets that have systems.
void ImportScoresDialog::fillSets(const QString& set) {
  for (const StoredSystem& system : systems_) {
    const QString id = qs(system.testSet);
    if (set_->findData(id) < 0) set_->addItem(id, id);
  }
  set_->setCurrentIndex(std::max(0, set_->findData(set)));
}

void ImportScoresDialog::setFile(const QString& path) {
  file_->setText(path);
}

void ImportScoresDialog::entriesChanged() {
  previewed_ = false;
  lists_->setRowCount(0);
  choices_.clear();
  recognised_->setText(file_->text().isEmpty() ? QString() : tr("Reading…"));
  check();
  if (!file_->text().isEmpty()) timer_.start();
}

ScoresRequest ImportScoresDialog::request() const {
  ScoresRequest request{.path = file_->text(), .testSet = set_->currentData().toString()};
  if (const QString format = format_->currentData().toString(); !format.isEmpty())
    request.how.format = toStd(format);
  request.how.scoreColumn = toStd(scoreColumn_->currentData().toString());
  request.how.textColumn = toStd(textColumn_->currentData().toString());
  request.how.systemColumn = toStd(systemColumn_->currentData().toString());
  request.how.idColumn = toStd(idColumn_->currentData().toString());
  request.metric = {.metric = toStd(metric_->text().trimmed()),
                    .model = toStd(model_->text().trimmed()),
                    .higherIsBetter = better_->currentData().toBool(),
                    .scale = ScoreScale(scale_->currentData().toInt())};
  for (const QComboBox* choice : choices_) request.systems << choice->currentData().toString();
  return request;
}

void ImportScoresDialog::setPreview(const ScoresPreview& preview) {
  if (preview.path != file_->text() || preview.testSet != set_->currentData().toString()) return;
  if (!preview.error.isEmpty()) {
    recognised_->clear();
    if (!preview.file.columns.empty()) fillColumns(preview);  // a choice among them may help
    showError(preview.error);
    return;
  }
  previewed_ = true;
  const ScoreFile& file = preview.file;
  if (metric_->text().isEmpty()) {
    metric_->setText(qs(file.metric.metric));
    if (!file.metric.model.empty()) model_->setText(qs(file.metric.model));
    selectData(better_, file.metric.higherIsBetter);
    selectData(scale_, int(file.metric.scale));
  }
  QString recognised = tr("Read as %1: %n list(s) of scores.", nullptr, int(file.systems.size()))
                           .arg(qs(file.format));
  for (const std::string& warning : file.warnings) recognised += QLatin1Char('\n') + qs(warning);
  recognised_->setText(recognised);
  fillColumns(preview);
  fillLists(preview);
  check();
  for (const ScoresPreview::Match& match : preview.matches) {
    if (!match.problem.isEmpty()) return showError(match.problem);
  }
}

void ImportScoresDialog::fillColumns(const ScoresPreview& preview) {
  const bool tsv = preview.file.format == "tsv";
  static_cast<QFormLayout*>(layout())->setRowVisible(columns_, tsv);
  if (!tsv) return;
  for (QComboBox* box : columnBoxes()) {
    const QSignalBlocker blocker(box);
    const QVariant before = box->currentData();
    box->clear();
    if (box == textColumn_ || box == systemColumn_) box->addItem(tr("none"), QString());
    if (box == scoreColumn_ && preview.file.scoreColumn.empty())
      box->addItem(tr("choose"), QString());
    if (box == idColumn_) {
      box->addItem(tr("by their title"), QString());
      box->addItem(tr("none"), QStringLiteral("none"));
    }
    for (const std::string& column : preview.file.columns) box->addItem(qs(column), qs(column));
    const QVariant wanted = box == scoreColumn_ ? qs(preview.file.scoreColumn) : before;
    box->setCurrentIndex(std::max(0, box->findData(wanted)));
  }
}

void ImportScoresDialog::fillLists(const ScoresPreview& preview) {
  choices_.clear();
  lists_->setRowCount(int(preview.file.systems.size()));
  for (int row = 0; row < lists_->rowCount(); ++row) {
    const ScoreList& list = preview.file.systems[std::size_t(row)];
    lists_->setItem(row, 0,
                    cellOf(list.name.empty() ? tr("(without a name)") : qs(list.name), false));
    lists_->setItem(row, 1, cellOf(countText(qint64(list.values.size())), true));
    lists_->setItem(row, 2, cellOf(countText(qint64(list.missing())), true));
    lists_->setItem(row, 3, cellOf(QString::number(list.mean(), 'f', 4), true));
    choices_ << systemChoice(row, preview.matches.value(row));
    lists_->setCellWidget(row, 4, choices_.last());
  }
  for (int column = 1; column < 5; ++column) lists_->resizeColumnToContents(column);
  lists_->setColumnWidth(4, std::max(lists_->columnWidth(4), 190));
}

QComboBox* ImportScoresDialog::systemChoice(int list, const ScoresPreview::Match& match) {
  auto* box = named(new QComboBox(lists_), QStringLiteral("scoresOf%1").arg(list),
                    tr("System of list %1").arg(list + 1));
  box->addItem(tr("leave out"), QString());
  for (const StoredSystem& system : systems_) {
    if (qs(system.testSet) == set_->currentData().toString())
      box->addItem(qs(system.name), qs(system.id));
  }
  selectData(box, match.system);
  connect(box, &QComboBox::currentIndexChanged, this, &ImportScoresDialog::check);
  return box;
}

void ImportScoresDialog::check() {
  const bool any = std::ranges::any_of(
      choices_, [](const QComboBox* box) { return !box->currentData().toString().isEmpty(); });
  setReady(previewed_ && any && !metric_->text().trimmed().isEmpty());
}

}  // namespace strata::ui
