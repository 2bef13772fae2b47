#include "ui/panels/history_sentence_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/background.h"
#include "ui/data/line_text.h"
#include "ui/data/text.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kMinimumArcsHeight = 170;  // pixels: one row of arcs with its legend

QString shareText(double value) {
  return QString::number(value, 'f', 3);
}

QScrollArea* scrollingPicture(QWidget* picture, QWidget* parent) {
  auto* scroll = makeScrollArea(parent);
  scroll->setWidget(picture);
  return scroll;
}

}  // namespace

HistorySentenceView::HistorySentenceView(QWidget* parent)
    : QWidget(parent), computing_(new Background(this)) {
  sentences_ =
      named(new QListWidget(this), "historySentences", tr("Recorded sentences and hypotheses"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(sentences_, &QListWidget::currentRowChanged, this, [this](int row) {
    draw();
    if (row < 0) return;
    const Listed& listed = listed_[std::size_t(row)];
    if (listed.hypothesis >= 0)
      emit hypothesisPicked(listed.hypothesis);
    else
      emit recordedPicked(listed.sentence->source);
  });
  auto* right = new QWidget(this);
  auto* column = makeLayout<QVBoxLayout>(right);
  column->addWidget(makePictures(), 1);
  readout_ = named(styled(new QLabel(right), "muted"), "historyReadout");
  readout_->setContentsMargins(10, 3, 10, 5);
  column->addWidget(readout_);
  makeLayout<QHBoxLayout>(this)->addWidget(
      makeSplitter(Qt::Horizontal, this, {{sentences_, 150, 1}, {right, 700, 5}}));
}

QWidget* HistorySentenceView::makePictures() {
  arcs_ = named(new ArcView(this), "historyArcs", tr("Arcs to the most attended earlier words"));
  connect(arcs_, &ArcView::hovered, this, &HistorySentenceView::readOutWord);
  map_ = named(new HeatMapView(this), "historyMap",
               tr("Weights on source words and on earlier target words"));
  map_->setLargestCell(40, 24);
  map_->setAxisTitles({}, tr("rows: words generated · columns: words attended to"));
  connect(map_, &HeatMapView::hovered, this, &HistorySentenceView::readOutCell);
  auto* drawn = scrollingPicture(arcs_, this);
  drawn->setMinimumHeight(kMinimumArcsHeight);
  return makeSplitter(Qt::Vertical, this,
                      {{drawn, 215, 1}, {scrollingPicture(map_, this), 430, 2}});
}

void HistorySentenceView::setSentences(const std::vector<std::string>& source,
                                       const std::vector<Hypothesis>& hypotheses,
                                       const SharedRecordings& recorded) {
  const int row = std::max(0, sentences_->currentRow());
  {
    const QSignalBlocker blocker(sentences_);
    sentences_->clear();
    listed_.clear();
    for (std::size_t n = 0; n < hypotheses.size(); ++n) {
      add(tr("%1-best: ").arg(n + 1),
          {std::make_shared<SentenceRecordings>(sentenceOf(source, hypotheses[n])), int(n)},
          tr("\nscore: %1").arg(shareText(hypotheses[n].score)));
    }
    const int first = sentences_->count();
    for (const SentenceRecordings& sentence : recorded->sentences)
      add({}, {{recorded, &sentence}}, {});
    const bool restores = restored_ && sentences_->count() > first;
    const int wanted = restores ? first + *std::exchange(restored_, std::nullopt) : row;
    sentences_->setCurrentRow(std::min(wanted, sentences_->count() - 1));
  }
  draw();
}

void HistorySentenceView::add(const QString& prefix, const Listed& listed, const QString& detail) {
  if (!hasHistory(*listed.sentence)) return;
  const QString source = sentenceText(listed.sentence->source),
                target = sentenceText(listed.sentence->target);
  auto* item = new QListWidgetItem(prefix + lineText(target), sentences_);
  item->setToolTip(tr("source: %1\noutput: %2%3").arg(source, target, detail));
  listed_.push_back(listed);
}

void HistorySentenceView::showHypothesis(int hypothesis) {
  show(std::size_t(std::ranges::find(listed_, hypothesis, &Listed::hypothesis) - listed_.begin()));
}

void HistorySentenceView::showRecorded(const std::vector<std::string>& source) {
  const auto found = std::ranges::find_if(listed_, [&](const Listed& listed) {
    return listed.hypothesis < 0 && listed.sentence->source == source;
  });
  show(std::size_t(found - listed_.begin()));
}

void HistorySentenceView::show(std::size_t row) {
  if (row >= listed_.size()) return;
  const QSignalBlocker blocker(sentences_);  // the user has not picked it here
  sentences_->setCurrentRow(int(row));
  draw();
}

int HistorySentenceView::recordedSentence() const {
  if (restored_) return *restored_;
  const int row = sentences_->currentRow();
  if (row < 0 || listed_[std::size_t(row)].hypothesis >= 0) return -1;
  return row - int(std::count_if(listed_.begin(), listed_.end(),
                                 [](const Listed& listed) { return listed.hypothesis >= 0; }));
}

void HistorySentenceView::restoreSentence(int position) {
  restored_ = position;
}

void HistorySentenceView::setStyle(const Style& style) {
  style_ = style;
  draw();
}

void HistorySentenceView::setLongest(int words) {
  arcs_->setLongest(words);
}

void HistorySentenceView::draw() {
  const int row = sentences_->currentRow();
  const auto sentence =
      row < 0 ? std::make_shared<SentenceRecordings>() : listed_[std::size_t(row)].sentence;
  computing_->run(
      Background::placeFor(valueCount(*sentence)),
      [sentence, style = style_] { return historyDrawing(*sentence, style.layer, style.words); },
      [this](HistoryDrawing drawing) { show(std::move(drawing)); });
}

void HistorySentenceView::show(HistoryDrawing drawing) {
  freeLater(std::exchange(drawn_, std::move(drawing)));
  AttentionPicture& picture = drawn_.picture;
  map_->setBlocks(picture.blocks);
  map_->setScale(style_.fixedScale ? 1 : double(picture.largest));
  map_->setMaps(picture.columns, std::move(picture.maps));  // they can be large
  arcs_->setSentence(qs(drawn_.attention.generated), drawn_.arcRows);
  readOutWord(-1);
}

void HistorySentenceView::link(int word, int column) {
  QVector<int> columns;
  if (column >= 0) columns << column;
  if (const int read = drawn_.picture.columnOfWord(word); word >= 0 && read >= 0) columns << read;
  map_->setLinked(word, columns);
  arcs_->setLinked(word);
}

void HistorySentenceView::readOutCell(int map, int row, int column) {
  if (map < 0) {
    link(-1, -1);
    readOutWord(-1);
    return;
  }
  link(row, column);
  QString text = map_->readout(map, row, column);
  const int read = column - drawn_.picture.firstRead;
  if (read >= 0 && read < drawn_.picture.reads)
    text += tr(" (looks back %n word(s))", nullptr, wordsBack(row, read));
  readout_->setText(text);
}

void HistorySentenceView::readOutWord(int word) {
  const TargetAttention& attention = drawn_.attention;
  if (word < 0 || word >= int(attention.generated.size()) || attention.isEmpty()) {
    link(-1, -1);
    readout_->setText(tr("Point at a word or a cell, or use the arrow keys."));
    return;
  }
  link(word, -1);
  QStringList parts{qs(attention.generated[std::size_t(word)])};
  for (const Arc& arc : drawn_.arcs) {
    if (arc.from == word)
      parts << tr("%1 %2, %3 back")
                   .arg(qs(attention.generated[std::size_t(arc.to)]), shareText(double(arc.weight)))
                   .arg(arc.length());
  }
  if (drawn_.shown.hasShare())
    parts << tr("source share %1").arg(shareText(double(drawn_.shown.share.at(word, 0))));
  readout_->setText(parts.join(QStringLiteral(" · ")));
}

void HistorySentenceView::addWord(Here& here, const LayerAttention& layer, int word) const {
  if (layer.hasShare()) here.add(QStringLiteral("S_i"), double(layer.share.at(word, 0)));
  if (!layer.gate.isEmpty()) here.add(QStringLiteral("g_i"), double(layer.gate.at(word, 0)));
  here.add(QStringLiteral("i"), qs(drawn_.attention.generated[std::size_t(word)]));
}

Here HistorySentenceView::here() const {
  Here here;
  const HeatMapCell at = map_->cursor();
  const QWidget* const walked = focusWidget();
  if (walked == arcs_ && arcs_->linked() >= 0 && !drawn_.attention.isEmpty()) {
    here.place = arcs_->readout(arcs_->linked());
    addWord(here, drawn_.shown, arcs_->linked());
  } else if (walked == map_ && at.map >= 0) {
    here.place = map_->readout(at.map, at.row, at.column);
    const bool all = style_.layer.index == LayerChoice::kAll;
    addWord(here, all ? drawn_.attention.layers[std::size_t(at.map)] : drawn_.shown, at.row);
    const int read = at.column - drawn_.picture.firstRead;
    const bool earlier = read >= 0 && read < drawn_.picture.reads;
    if (!earlier && at.column >= int(drawn_.attention.source.size()))
      return here;  // a figure of the row
    here.add(earlier ? QStringLiteral("β_ij") : QStringLiteral("α_ij"), double(map_->valueAt(at)));
    here.add(QStringLiteral("j"), map_->columns()[at.column]);
  }
  return here;
}

void HistorySentenceView::exportTo(const QString& path) {
  map_->exportTo(siblingPath(path, QStringLiteral("maps")));
  arcs_->exportTo(siblingPath(path, QStringLiteral("arcs")));
}

}  // namespace strata::ui
