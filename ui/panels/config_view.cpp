#include "ui/panels/config_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/panels/config_model.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kValueWidth = 130, kUnitWidth = 84, kMinimumKeyWidth = 150;  // pixels

// A combo box for keys with fixed choices, a line edit for all others.
class ConfigDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                        const QModelIndex& index) const override {
    const QStringList choices = index.data(ConfigModel::kChoicesRole).toStringList();
    if (choices.isEmpty()) {
      auto* edit = new QLineEdit(parent);
      edit->setFrame(false);
      return edit;
    }
    auto* box = new QComboBox(parent);
    box->addItems(choices);
    auto* self = const_cast<ConfigDelegate*>(this);
    connect(box, &QComboBox::activated, self, [self, box] {
      emit self->commitData(box);
      emit self->closeEditor(box);
    });
    return box;
  }

  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    const QString text = index.data(Qt::EditRole).toString();
    if (auto* box = qobject_cast<QComboBox*>(editor)) {
      box->setCurrentText(text);
    } else {
      static_cast<QLineEdit*>(editor)->setText(text);
    }
  }

  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override {
    auto* box = qobject_cast<QComboBox*>(editor);
    model->setData(index, box ? box->currentText() : static_cast<QLineEdit*>(editor)->text(),
                   Qt::EditRole);
  }
};

}  // namespace

void ConfigFilter::setText(const QString& text) {
  text_ = text;
  invalidateFilter();
}

void ConfigFilter::setOnlyChanged(bool on) {
  onlyChanged_ = on;
  invalidateFilter();
}

bool ConfigFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  if (!parent.isValid()) {  // a section is shown if one of its keys is
    for (int child = 0; child < sourceModel()->rowCount(index); ++child) {
      if (filterAcceptsRow(child, index)) return true;
    }
    return false;
  }
  if (onlyChanged_ && !index.data(ConfigModel::kChangedRole).toBool()) return false;
  return index.data(ConfigModel::kPathRole).toString().contains(text_, Qt::CaseInsensitive) ||
         index.data(Qt::ToolTipRole).toString().contains(text_, Qt::CaseInsensitive);
}

ConfigView::ConfigView(ConfigModel* model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      filter_(new ConfigFilter(this)),
      tree_(named(styled(new QTreeView(this), "dense"), "configTree", tr("Settings"))),
      text_(named(new QLineEdit(this), "configFilter", tr("Settings filter"))),
      help_(named(styled(new QLabel(this), "muted"), "configHelp")) {
  filter_->setSourceModel(model);
  filter_->setDynamicSortFilter(true);
  text_->setPlaceholderText(tr("Find a setting"));
  text_->setClearButtonEnabled(true);
  onlyChanged_ = named(new QCheckBox(tr("only changed"), this), "configOnlyChanged");
  auto* reset = named(new QPushButton(tr("Reset to preset"), this), "configReset");
  tree_->setModel(filter_);
  tree_->setItemDelegateForColumn(ConfigModel::kValue, new ConfigDelegate(tree_));
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                         QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(14);
  tree_->header()->setStretchLastSection(true);
  help_->setWordWrap(true);
  help_->setMinimumHeight(help_->fontMetrics().height() * 2 + 4);
  auto* top = new QHBoxLayout;
  top->addWidget(text_, 1);
  top->addWidget(onlyChanged_);
  top->addWidget(reset);
  auto* layout = makeLayout<QVBoxLayout>(this, {0, 0, 8, 0}, kUsualSpacing);
  layout->addLayout(top);
  layout->addWidget(tree_, 1);
  layout->addWidget(help_);
  connect(text_, &QLineEdit::textChanged, filter_, &ConfigFilter::setText);
  connect(text_, &QLineEdit::textChanged, tree_, &QTreeView::expandAll);
  connect(onlyChanged_, &QCheckBox::toggled, filter_, &ConfigFilter::setOnlyChanged);
  connect(onlyChanged_, &QCheckBox::toggled, tree_, &QTreeView::expandAll);
  connect(reset, &QPushButton::clicked, model, &ConfigModel::clearOverrides);
  connect(filter_, &QAbstractItemModel::modelReset, tree_, &QTreeView::expandAll);
  connect(filter_, &QAbstractItemModel::modelReset, this, &ConfigView::fitColumns);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &ConfigView::showHelp);
}

void ConfigView::showKey(const QString& path) {
  text_->clear();
  onlyChanged_->setChecked(false);
  const QModelIndex index = filter_->mapFromSource(model_->indexOf(path));
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index, QAbstractItemView::PositionAtCenter);
  tree_->setFocus(Qt::OtherFocusReason);
}

void ConfigView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitColumns();
}

// Keys are shown in full if there is room; otherwise values take precedence.
void ConfigView::fitColumns() {
  tree_->resizeColumnToContents(ConfigModel::kKey);
  const int room = tree_->viewport()->width() - kValueWidth - kUnitWidth;
  const int keys =
      std::min(tree_->columnWidth(ConfigModel::kKey), std::max(kMinimumKeyWidth, room));
  tree_->setColumnWidth(ConfigModel::kKey, keys);
  // A column after these is whole or out of sight.
  const int left = room - keys;
  tree_->setColumnWidth(ConfigModel::kValue, kValueWidth + (left < kMinimumKeyWidth ? left : 0));
  tree_->setColumnWidth(ConfigModel::kUnit, kUnitWidth);
}

void ConfigView::showHelp() {
  const QModelIndex index = tree_->currentIndex();
  const QString help = index.data(Qt::ToolTipRole).toString();
  emit keyChosen(index.data(ConfigModel::kPathRole).toString());
  help_->setText(help.isEmpty()
                     ? QString()
                     : index.data(ConfigModel::kPathRole).toString() + QStringLiteral(": ") + help);
}

}  // namespace strata::ui
