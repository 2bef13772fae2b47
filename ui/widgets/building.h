#pragma once
#include <QMargins>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <QWidget>
#include <initializer_list>

class QAction;
class QComboBox;
class QHBoxLayout;
class QLayout;
class QScrollArea;
class QSplitter;
class QTableWidget;
class QToolButton;

// What widgets are put together from in code.
namespace strata::ui {

// Gives an object the name by which tests find it.
template <typename Object>
Object* named(Object* object, const QString& name) {
  object->setObjectName(name);
  return object;
}

// A widget without text of its own also has a name for screen readers.
template <typename Widget>
Widget* named(Widget* widget, const QString& name, const QString& accessible) {
  widget->setAccessibleName(accessible);
  return named(widget, name);
}

// Gives a widget a style of resources/style.qss: "muted", "heading", "flat", "panel", ...
template <typename Widget>
Widget* styled(Widget* widget, const char* style) {
  widget->setProperty(style, true);
  return widget;
}

// The layout of `parent`, or one to be added to another if it is null.
constexpr int kUsualSpacing = -1;  // the platform's
template <typename Layout>
Layout* makeLayout(QWidget* parent, const QMargins& margins = {}, int spacing = 0) {
  auto* layout = parent ? new Layout(parent) : new Layout;
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  return layout;
}

// The layout of a new bar of tools, of several lines where it is too narrow; its parentWidget() is
// the bar.
QHBoxLayout* makeBar(QWidget* parent, int spacing = 6);

// A box as wide as its longest choice, at the end of a bar.
QComboBox* addChoice(QLayout* bar, const QString& name, const QString& title);

// A flat button for an action, at the end of a bar.
QToolButton* addTool(QLayout* bar, QAction* action);

// Without a frame; its widget is as large as there is room.
QScrollArea* makeScrollArea(QWidget* parent);

// A table without grid, editing and row numbers, whose last column takes the room.
QTableWidget* makePlainTable(const QStringList& header, QWidget* parent);
void setPlain(QTableWidget* table, const QStringList& header);  // makes it one

// Widgets side by side or one above the other, with a thin handle between them.
struct SplitPart {
  QWidget* widget;
  int size;         // pixels at first
  int stretch = 0;  // its share of what is added to the splitter's size
};
QSplitter* makeSplitter(Qt::Orientation orientation, QWidget* parent,
                        std::initializer_list<SplitPart> parts);

// Selects the entry with these data; false: there is none, and nothing changes.
bool selectData(QComboBox* box, const QVariant& data);

}  // namespace strata::ui
