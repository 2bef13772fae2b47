#include "ui/panels/source_words.h"

#include <QMenu>

#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr qsizetype kMostWords = 80;  // of a sentence that is shown
}

SourceWords::SourceWords(QWidget* parent) : TokenStrip(parent) {
  setToolTip(tr("Click a word to drop it or to swap it with the next"));
  connect(this, &TokenStrip::chosen, this, &SourceWords::offerEdits);
}

void SourceWords::setSentence(const QString& sentence) {
  const QStringList words = sentence.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  setTokens(words.size() <= kMostWords ? words : QStringList(), {});
}

void SourceWords::offerEdits(int word) {
  const QStringList words = tokens();
  auto* menu = named(new QMenu(this), "translateEdits");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto offer = [&](const QString& text, const QStringList& changed) {
    auto* action = menu->addAction(text);
    action->setEnabled(!changed.isEmpty());
    connect(action, &QAction::triggered, this,
            [this, changed] { emit edited(changed.join(QLatin1Char(' '))); });
  };
  QStringList dropped = words, swapped = words;
  dropped.removeAt(word);
  offer(tr("Drop “%1”").arg(words[word]), dropped);
  if (word + 1 < words.size()) {
    swapped.swapItemsAt(word, word + 1);
    offer(tr("Swap with “%1”").arg(words[word + 1]), swapped);
  }
  menu->popup(QCursor::pos());
}

}  // namespace strata::ui
