#include "ui/data/plurals.h"

#include <QCoreApplication>
#include <QTranslator>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

class EnglishPlurals : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* text, const char*, int number) const override {
    const QString mark = QStringLiteral("(s)");
    const QString source = qs(text);
    if (number < 0 || !source.contains(mark)) return {};  // somebody else's
    return QString(source).replace(mark, number == 1 ? QString() : QStringLiteral("s"));
  }
};

}  // namespace

void writePlurals() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  QCoreApplication::installTranslator(new EnglishPlurals(QCoreApplication::instance()));
}

}  // namespace strata::ui
