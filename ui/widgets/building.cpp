#include "ui/widgets/building.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>

#include "ui/widgets/bar_layout.h"

namespace strata::ui {

QHBoxLayout* makeBar(QWidget* parent, int spacing) {
  return makeLayout<BarLayout>(new QWidget(parent), {8, 6, 8, 6}, spacing);
}

QComboBox* addChoice(QLayout* bar, const QString& name, const QString& title) {
  auto* box = named(new QComboBox(bar->parentWidget()), name, title);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  bar->addWidget(box);
  return box;
}

QToolButton* addTool(QLayout* bar, QAction* action) {
  auto* button = styled(new QToolButton(bar->parentWidget()), "flat");
  button->setDefaultAction(action);
  bar->addWidget(button);
  return button;
}

QScrollArea* makeScrollArea(QWidget* parent) {
  auto* scroll = new QScrollArea(parent);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);  // what it contains has it
  return scroll;
}

QSplitter* makeSplitter(Qt::Orientation orientation, QWidget* parent,
                        std::initializer_list<SplitPart> parts) {
  auto* splitter = new QSplitter(orientation, parent);
  splitter->setHandleWidth(1);
  QList<int> sizes;
  for (const SplitPart& part : parts) {
    splitter->addWidget(part.widget);
    splitter->setStretchFactor(int(sizes.size()), part.stretch);
    sizes << part.size;
  }
  splitter->setSizes(sizes);
  return splitter;
}

bool selectData(QComboBox* box, const QVariant& data) {
  const int index = box->findData(data);
  if (index >= 0) box->setCurrentIndex(index);
  return index >= 0;
}

QTableWidget* makePlainTable(const QStringList& header, QWidget* parent) {
  auto* table = new QTableWidget(0, int(header.size()), parent);
  setPlain(table, header);
  return table;
}

void setPlain(QTableWidget* table, const QStringList& header) {
  table->setHorizontalHeaderLabels(header);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->verticalHeader()->hide();
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
}

}  // namespace strata::ui
