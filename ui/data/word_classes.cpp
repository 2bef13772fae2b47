#include "ui/data/word_classes.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QSet>
#include <QStringList>
#include <algorithm>

#include "ui/data/resources.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

struct WordList {
  QSet<QString> function, number;
};

// resources/wordlists/LANGUAGE.txt: words below [function] and [number]; # begins a comment.
WordList readWordList(const QString& language) {
  loadResources();
  WordList list;
  QFile file(QStringLiteral(":/wordlists/%1.txt").arg(language));
  if (!file.open(QIODevice::ReadOnly)) return list;
  QSet<QString>* section = &list.function;
  const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
  for (const QString& line : lines) {
    const QString text = line.section(QLatin1Char('#'), 0, 0).trimmed();
    if (text == QLatin1String("[function]")) section = &list.function;
    if (text == QLatin1String("[number]")) section = &list.number;
    if (text.isEmpty() || text.startsWith(QLatin1Char('['))) continue;
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : words) section->insert(word);
  }
  return list;
}

const WordList& wordList(const QString& language) {
  static QHash<QString, WordList> lists;  // GUI thread only
  auto found = lists.find(language);
  if (found == lists.end()) found = lists.insert(language, readWordList(language));
  return *found;
}

TokenClass classOfKind(char kind) {
  switch (kind) {
    case '.':
      return TokenClass::kPunctuation;
    case 'c':
      return TokenClass::kNumber;
    case 'p':
    case 'd':
    case 'f':
      return TokenClass::kFunction;
    default:
      return TokenClass::kContent;  // noun, verb, adjective, adverb, name
  }
}

}  // namespace

QString nameOf(TokenClass tokenClass) {
  const char* const names[] = {QT_TRANSLATE_NOOP("strata::ui::TokenClass", "function word"),
                               QT_TRANSLATE_NOOP("strata::ui::TokenClass", "content word"),
                               QT_TRANSLATE_NOOP("strata::ui::TokenClass", "punctuation"),
                               QT_TRANSLATE_NOOP("strata::ui::TokenClass", "number"),
                               QT_TRANSLATE_NOOP("strata::ui::TokenClass", "unknown"),
                               QT_TRANSLATE_NOOP("strata::ui::TokenClass", "end")};
  return QCoreApplication::translate("strata::ui::TokenClass", names[int(tokenClass)]);
}

bool hasWordList(const QString& language) {
  return !wordList(language).function.isEmpty();
}

TokenClass tokenClass(const QString& word, const QString& language) {
  if (word == QLatin1String("</s>")) return TokenClass::kEnd;
  if (word == QLatin1String("<unk>")) return TokenClass::kUnknown;
  const bool letters = std::any_of(word.begin(), word.end(), [](QChar c) { return c.isLetter(); });
  const bool digits = std::any_of(word.begin(), word.end(), [](QChar c) { return c.isNumber(); });
  if (!letters) return digits ? TokenClass::kNumber : TokenClass::kPunctuation;
  const WordList& list = wordList(language);
  const QString lower = word.toLower();
  if (list.number.contains(lower)) return TokenClass::kNumber;
  if (list.function.contains(lower)) return TokenClass::kFunction;
  // Escaped by a tokenizer: "&quot;", "&amp;".
  const bool escaped = word.startsWith(QLatin1Char('&')) && word.endsWith(QLatin1Char(';'));
  return escaped ? TokenClass::kPunctuation : TokenClass::kContent;
}

std::vector<GoldWord> goldWords(std::string_view line) {
  std::vector<GoldWord> words;
  const QStringList fields = qs(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (const QString& field : fields) {
    QStringList parts = field.split(QLatin1Char(':'));
    bool isNumber = false;
    const int head = parts.first().toInt(&isNumber);
    bool hasAntecedent = false;
    parts.last().toInt(&hasAntecedent);
    if (hasAntecedent) parts.removeLast();
    if (!isNumber || parts.size() < 3 || parts.last().size() != 1) return {};
    words.push_back({head, classOfKind(parts.last()[0].toLatin1())});
  }
  return words;
}

}  // namespace strata::ui
