#include "ui/widgets/short_names.h"

#include <QApplication>
#include <algorithm>
#include <vector>

namespace strata::ui {
namespace {

struct Word {
  QString text;
  QString before;  // the separators in front of it
  bool kept = true;
};

std::vector<Word> wordsOf(const QString& name) {
  static const QString separators = QStringLiteral("-._/ ");
  std::vector<Word> words(1);
  for (const QChar character : name) {
    const bool separates = separators.contains(character);
    if (separates && !words.back().text.isEmpty()) words.emplace_back();
    (separates ? words.back().before : words.back().text) += character;
  }
  return words;
}

QString shown(const std::vector<Word>& words) {
  static const QChar ellipsis(0x2026);
  QString text;
  for (const Word& word : words) {
    if (word.kept) {
      text += text.endsWith(ellipsis) ? word.text : word.before + word.text;
    } else if (!text.endsWith(ellipsis)) {
      text += ellipsis;
    }
  }
  return text;
}

}  // namespace

void ShortNames::setNames(const QStringList& names) {
  counts_.clear();
  names_ = int(names.size());
  for (const QString& name : names) {
    QStringList seen;
    for (const Word& word : wordsOf(name)) {
      if (seen.contains(word.text)) continue;
      seen << word.text;
      ++counts_[word.text];
    }
  }
}

QString ShortNames::fit(const QString& name, const QFontMetrics& metrics, int room) const {
  if (metrics.horizontalAdvance(name) <= room) return name;
  std::vector<Word> words = wordsOf(name);
  const auto count = [this](const Word& word) { return word.kept ? counts_.value(word.text) : 0; };
  QString text = name;
  while (metrics.horizontalAdvance(text) > room) {
    const auto most = std::ranges::max_element(words, {}, count);
    if (count(*most) < 2 || 2 * count(*most) <= names_)
      return metrics.elidedText(text, Qt::ElideMiddle, room);
    const QString dropped = most->text;
    for (Word& word : words) word.kept = word.kept && word.text != dropped;
    if (std::ranges::none_of(words, &Word::kept))  // the others have the same name
      return metrics.elidedText(name, Qt::ElideMiddle, room);
    text = shown(words);
  }
  return text;
}

void ShortNameDelegate::initStyleOption(QStyleOptionViewItem* option,
                                        const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const QStyle* style = option->widget != nullptr ? option->widget->style() : QApplication::style();
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
  const int room =
      style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget).width() -
      2 * margin;
  if (room > 0) option->text = names_.fit(option->text, option->fontMetrics, room);
}

}  // namespace strata::ui
