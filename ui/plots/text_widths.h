#pragma once
#include <QFont>
#include <QStringList>
#include <optional>
#include <vector>

namespace strata::ui {

// Widths of texts in a font: they are measured once, since shaping text is slow.
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
