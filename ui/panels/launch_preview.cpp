#include "ui/panels/launch_preview.h"

#include <QEvent>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QTextBlock>
#include <QVBoxLayout>
#include <numeric>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/network_drawing.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {

LaunchPreview::LaunchPreview(QWidget* parent)
    : Tabs(parent),
      network_(named(new NetworkDrawing(this), "launchNetwork")),
      part_(named(styled(new QLabel(this), "muted"), "launchPart")),
      batchSummary_(named(styled(new QLabel(this), "muted"), "launchBatchSummary")),
      rate_(named(new CurvePlot(this), "launchRate")),
      sentences_(named(new CategoryPlot(this), "launchBatches")),
      padding_(named(new CategoryPlot(this), "launchPadding")),
      yaml_(named(styled(new QPlainTextEdit(this), "flat"), "launchYaml",
                  tr("Configuration as YAML"))) {
  rate_->setTitle(tr("learning rate"));
  yaml_->setLineWrapMode(QPlainTextEdit::NoWrap);
  yaml_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  addTab(makeNetwork(), tr("Network"));
  addTab(rate_, tr("Rate"));
  addTab(makeBatches(), tr("Batches"));
  addTab(makeYaml(), tr("YAML"));
}

QWidget* LaunchPreview::makeYaml() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  layout->addWidget(yaml_, 1);
  auto* bar = makeBar(page);
  editBar_ = named(bar->parentWidget(), "launchYamlBar");
  editProblem_ = named(styled(new QLabel(editBar_), "warning"), "launchYamlProblem");
  editProblem_->setWordWrap(true);
  bar->addWidget(editProblem_, 1);
  auto* undo = named(new QPushButton(tr("Discard"), editBar_), "launchYamlDiscard");
  auto* apply = named(new QPushButton(tr("Apply (Ctrl+Enter)"), editBar_), "launchYamlApply");
  bar->addWidget(undo);
  bar->addWidget(apply);
  layout->addWidget(editBar_);
  editBar_->hide();
  connect(yaml_, &QPlainTextEdit::textChanged, this, &LaunchPreview::showEdit);
  connect(undo, &QPushButton::clicked, this, [this] { yaml_->setPlainText(shownYaml_); });
  connect(apply, &QPushButton::clicked, this, &LaunchPreview::applyEdit);
  auto* enter = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), yaml_);
  enter->setContext(Qt::WidgetShortcut);
  connect(enter, &QShortcut::activated, this, &LaunchPreview::applyEdit);
  return page;
}

bool LaunchPreview::isEdited() const {
  return !config_.is_null() && yaml_->toPlainText() != shownYaml_;
}

void LaunchPreview::showEdit() {
  editBar_->setVisible(isEdited());
  editProblem_->clear();
}

void LaunchPreview::applyEdit() {
  if (!isEdited()) return;
  try {
    emit edited(parseYaml(toStd(yaml_->toPlainText()), "YAML"));
  } catch (const Error& error) {
    setEdited(QString::fromUtf8(error.what()));
  }
}

void LaunchPreview::setEdited(const QString& problem) {
  editProblem_->setText(problem);
  if (!problem.isEmpty()) return;
  shownYaml_ = yaml_->toPlainText();  // until the next dry run says what it became
  editBar_->hide();
}

QWidget* LaunchPreview::makeNetwork() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page, {6, 0, 0, 4}, 4);
  auto* scroll = makeScrollArea(page);
  scroll->setWidget(network_);
  layout->addWidget(scroll, 1);
  part_->setWordWrap(true);
  part_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  part_->setMinimumHeight(part_->fontMetrics().height() * 3 + 6);
  part_->setAlignment(Qt::AlignTop);
  layout->addWidget(part_);
  connect(network_, &NetworkDrawing::partChosen, this, &LaunchPreview::showPart);
  return page;
}

QWidget* LaunchPreview::makeBatches() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page, {4, 6, 4, 4}, 4);
  batchSummary_->setWordWrap(true);
  layout->addWidget(batchSummary_);
  sentences_->setTitle(tr("sentences by the length of their batch"));
  sentences_->setUnitScale(false);
  sentences_->setAxisTitles(tr("longest sentence of the batch (tokens)"), tr("sentences"));
  padding_->setTitle(tr("padding by the length of the batch"));
  padding_->setAxisTitles(tr("longest sentence of the batch (tokens)"), tr("share of positions"));
  layout->addWidget(sentences_, 1);
  layout->addWidget(padding_, 1);
  return page;
}

void LaunchPreview::clear(const QString& why) {
  network_->setNetwork({});
  rate_->setCurves({});
  showBatches({});
  yaml_->setEnabled(isEdited());  // what is being edited stays
  explain(why);
}

void LaunchPreview::explain(const QString& why) {
  if (!network_->network().parts.empty()) return;
  for (QLabel* label : {part_, batchSummary_}) label->setText(why);
}

void LaunchPreview::setReply(const serve::DryRunReply& reply, const QStringList& overrides) {
  yaml_->setEnabled(true);
  network_->setNetwork(reply.network);
  showPart(network_->chosen());
  showRate(reply);
  showBatches(reply);
  config_ = reply.config;
  overrides_ = overrides;
  showYaml();
}

void LaunchPreview::showPart(int part) {
  const Network& network = network_->network();
  if (part >= 0) {
    part_->setText(network_->readout(part) + QLatin1Char('\n') +
                   qs(network.parts[std::size_t(part)].equation));
  } else if (network.parts.empty()) {
    part_->setText(tr("This network is drawn as soon as a dataset is chosen."));
  } else {
    part_->setText(tr("%1 parameters. Each box says its width and its parameters; click one for "
                      "its equation.")
                       .arg(countText(network.parameters())));
  }
}

void LaunchPreview::showRate(const serve::DryRunReply& reply) {
  auto series = std::make_shared<Series>();
  std::vector<ScalarPoint> points;
  for (const auto& [update, rate] : reply.learningRate) points.push_back({update, 0, rate});
  series->append(points);
  rate_->setCurves({{tr("learning rate"), 0, series}});
  rate_->fit();
}

void LaunchPreview::showBatches(const serve::DryRunReply& reply) {
  QStringList lengths;
  CategorySeries sentences{.label = tr("sentences"), .values = {}},
      padding{.label = tr("padding"), .values = {}};
  qint64 batches = 0, tokens = 0, positions = 0;
  if (reply.estimate) {
    for (const auto& each : reply.estimate->batches) {
      lengths << QString::number(each.longest);
      sentences.values.push_back(double(each.sentences));
      padding.values.push_back(each.positions > 0 ? 1 - double(each.tokens) / double(each.positions)
                                                  : std::nan(""));
      batches += each.batches;
      tokens += each.tokens;
      positions += each.positions;
    }
  }
  sentences_->setVisible(batches > 0);
  padding_->setVisible(batches > 0);
  sentences_->setContent(lengths, {sentences});
  padding_->setContent(lengths, {padding});
  if (batches == 0) {
    batchSummary_->setText(tr("The batches are planned as soon as a dataset is chosen."));
    return;
  }
  QString text = tr("%1 batches an epoch with %2 tokens of both sides; %3 % of all positions are "
                    "padding.")
                     .arg(countText(batches), countText(tokens))
                     .arg(100 * (1 - double(tokens) / double(positions)), 0, 'f', 1);
  if (reply.estimate->leftOut > 0)
    text += QLatin1Char(' ') + tr("%1 pairs are left out because they are too long.")
                                   .arg(countText(reply.estimate->leftOut));
  batchSummary_->setText(text);
}

// What is being edited stays.
void LaunchPreview::showYaml() {
  const QString text = qs(toYaml(config_));
  const bool keeps = !shownYaml_.isEmpty() && yaml_->toPlainText() != shownYaml_;
  shownYaml_ = text;
  if (keeps) return showEdit();
  if (yaml_->toPlainText() != text) yaml_->setPlainText(text);
  showEdit();
  markOverrides();
}

void LaunchPreview::markOverrides() {
  const YamlDocument document = parseYaml(toYaml(config_), "configuration");
  QList<QTextEdit::ExtraSelection> marks;
  for (const QString& override : overrides_) {
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

Chart* LaunchPreview::front() const {
  const QWidget* page = currentWidget();
  if (page == rate_) return rate_;
  if (page->isAncestorOf(network_)) return network_;
  return page->isAncestorOf(sentences_) ? sentences_ : nullptr;
}

bool LaunchPreview::hasTex() const {
  return front() != nullptr && front()->hasTex();
}

void LaunchPreview::exportTo(const QString& path) {
  if (!front()) throw Error("the configuration is text: copy it, or use `train --dry-run`");
  front()->exportTo(path);
}

void LaunchPreview::changeEvent(QEvent* event) {
  Tabs::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !config_.is_null()) markOverrides();
}

}  // namespace strata::ui
