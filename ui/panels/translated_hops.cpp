#include "ui/panels/translated_hops.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/data/hop_pictures.h"
#include "ui/data/text.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/building.h"
#include "ui/widgets/wide_scroll.h"

namespace strata::ui {

TranslatedHops::TranslatedHops(QWidget* parent) : QWidget(parent) {
  const QString title = tr("Levels that the decoder's hops attend to");
  map_ = named(new HeatMapView(this), "translateHopMap", title);
  map_->setLargestCell(46, 20);
  map_->setAxisTitles({}, tr("word read → word generated"));
  auto* layout = makeLayout<QVBoxLayout>(this, {}, kUsualSpacing);
  layout->addWidget(styled(new QLabel(title, this), "heading"));
  layout->addWidget(new WideScroll(map_, this), 1);
  hide();
}

void TranslatedHops::setHypothesis(const std::vector<std::string>& source,
                                   const Hypothesis& hypothesis) {
  const SentenceRecordings sentence = sentenceOf(source, hypothesis);
  map_->setMaps(qs(hopColumns(sentence, "decoder")), hopPictures(sentence, "decoder"));
  setVisible(!map_->maps().isEmpty());
}

void TranslatedHops::clear() {
  map_->setMaps({}, {});
  hide();
}

}  // namespace strata::ui
