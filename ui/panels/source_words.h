#pragma once
#include "ui/widgets/token_strip.h"

namespace strata::ui {

// The words of a sentence, of which one can be dropped or swapped with the next.
class SourceWords : public TokenStrip {
  Q_OBJECT
 public:
  explicit SourceWords(QWidget* parent = nullptr);

  void setSentence(const QString& sentence);

 signals:
  void edited(const QString& sentence);

 private:
  void offerEdits(int word);
};

}  // namespace strata::ui
