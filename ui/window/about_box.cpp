#include "ui/window/about_box.h"

#include <QCoreApplication>
#include <QIcon>
#include <QMessageBox>

namespace strata::ui {

void showAboutBox(QWidget* parent) {
  auto* box = new QMessageBox(
      QMessageBox::NoIcon, QMessageBox::tr("About Strata"),
      QMessageBox::tr("<b>Strata %1</b><p>A workbench for research on deep neural machine "
                      "translation: train, watch, look inside, compare and repeat.</p><p>Free "
                      "software under the GNU General Public License, version 3 or later. It is "
                      "built on libtorch, Qt, QCustomPlot and SQLite.</p>")
          .arg(QCoreApplication::applicationVersion()),
      QMessageBox::Close, parent);
  box->setTextFormat(Qt::RichText);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIconPixmap(QIcon(QStringLiteral(":/icons/strata.svg")).pixmap(64, 64));
  box->open();
}

}  // namespace strata::ui
