#include "ui/panels/paper_notes.h"

#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

QString paragraphHtml(const QString& text) {
  return QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped());
}

QString listHtml(const QString& title, const QStringList& items) {
  if (items.isEmpty()) return {};
  QString html = QStringLiteral("<p><b>%1</b></p><ul>").arg(title.toHtmlEscaped());
  for (const QString& item : items) html += QStringLiteral("<li>%1</li>").arg(item.toHtmlEscaped());
  return html + QStringLiteral("</ul>");
}

}  // namespace

PaperNotes::PaperNotes(QWidget* parent) : QTextBrowser(parent) {
  styled(this, "flat");
  setAccessibleName(tr("Notes"));
  setOpenLinks(false);
}

void PaperNotes::showNotesOf(const PaperResult& result) {
  QString html = listHtml(tr("Cannot be run here"), result.missing);
  if (!result.missing.isEmpty())
    html += paragraphHtml(tr("Choose another dataset or size above, or prepare the dataset."));
  html += listHtml(tr("Lacks"), result.lacks);
  QStringList presets;
  for (const PaperNetwork& each : result.networks) presets << each.preset;
  if (!presets.isEmpty())
    html += paragraphHtml(tr("Launch draws the network of any preset with your settings and "
                             "dataset: choose %1 there.")
                              .arg(presets.join(tr(" or "))));
  for (const QString& note : result.notes) html += paragraphHtml(note);
  setHtml(html);
}

}  // namespace strata::ui
