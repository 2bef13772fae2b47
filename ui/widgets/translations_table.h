#pragma once
#include <QString>
#include <QStringList>
#include <QTableWidget>
#include <QVector>

namespace strata::ui {

// Translations of one sentence, one per row, with who made them and their scores. Words that differ
// from those of the first row are marked as in Compare: underlined if they are only in this row,
// struck through if they are missing from it.
class TranslationsTable : public QTableWidget {
  Q_OBJECT
 public:
  struct Translation {
    QString name, score, text;
    bool compared = true;  // false: the text is no translation
  };

  // `header`: of the three columns.
  explicit TranslationsTable(const QStringList& header, QWidget* parent = nullptr);

  void setTranslations(const QVector<Translation>& rows);
  void setTranslation(int row, const Translation& translation);

  // What the marks mean.
  static QString legend();

 protected:
  void resizeEvent(QResizeEvent* event) override;
};

}  // namespace strata::ui
