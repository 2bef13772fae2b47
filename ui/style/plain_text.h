#pragma once
#include <QPoint>
#include <QString>

class QWidget;

namespace strata::ui {

// Texts of users and files are shown as they are written. Qt takes a label's or tip's text for HTML
// if it looks so, and an ampersand in a menu or on a button for a shortcut.

// From now on a label or message box of this program whose format is not set is plain text, and a
// tip is plain text unless it is a richTip().
void showTextsAsWritten();

// HTML for a tip; texts of others in it must be escaped.
QString richTip(const QString& html);

// QToolTip::showText with a text as it is written, or a richTip(). An empty text hides the tip.
void showTip(const QPoint& global, const QString& text, QWidget* widget);

// The text of a menu's entry, a button or a tab, and what such a text shows.
QString asEntry(QString text);
QString shownEntry(const QString& entry);

}  // namespace strata::ui
