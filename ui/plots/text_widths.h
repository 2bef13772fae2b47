#pragma once
#include <QFont>
#include <QStringList>
#include <optional>
#include <vector>

namespace strata::ui {

// Widths of texts in a font, in pixels. Shaping text is slow, and the words of a sentence stand in
// many views: each thread keeps what it has measured.
std::vector<double> widthsOf(const QStringList& texts, const QFont& font);
double widestOf(const QStringList& texts, const QFont& font);  // 0: there are none

// The widths of a view's texts, looked up once.
class TextWidths {
 public:
  // The texts are those of the last call, or forget() has been called.
  const std::vector<double>& of(const QStringList& texts, const QFont& font);
  void forget() { widths_.reset(); }

 private:
  QFont font_;
  std::optional<std::vector<double>> widths_;
};

}  // namespace strata::ui
