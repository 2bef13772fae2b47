// Which columns the table of runs has.
#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QTableView>
#include <QToolButton>

#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/style/plain_text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/choice_popup.h"

namespace strata::ui {

// The columns' menu: also of the header. The name is always there.
void RunsPanel::addColumnChoice() {
  QHeaderView* header = table_->horizontalHeader();
  header->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = 0; column < RunsModel::kColumns; ++column) {
    if (column == RunsModel::kName) continue;
    const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    auto* shown = named(new QAction(title, this), QStringLiteral("runsColumn%1").arg(column));
    shown->setCheckable(true);
    shown->setChecked(true);
    connect(shown, &QAction::toggled, header,
            [header, column](bool on) { header->setSectionHidden(column, !on); });
    addColumnAction(shown);
  }
  auto* setting = named(new QAction(tr("A setting…"), this), "runsAddSetting");
  connect(setting, &QAction::triggered, this, &RunsPanel::chooseSetting);
  addColumnAction(setting);
}

void RunsPanel::addColumnAction(QAction* shown) {
  table_->horizontalHeader()->addAction(shown);
  columns_->menu()->addAction(shown);
}

// The settings that differ between the runs, once they have been read.
void RunsPanel::chooseSetting() {
  connect(
      this, &RunsPanel::settingsArrived, this,
      [this] {
        QStringList keys;
        QVector<ChoicePopup::Item> items;
        for (const SettingColumn& each : settings_.columns) {
          if (model_->settingKeys().contains(each.key)) continue;
          keys << each.key;
          items << ChoicePopup::Item{each.key, tr("%n value(s)", nullptr, each.values)};
        }
        auto* popup = new ChoicePopup(items, -1, this);
        popup->setEmptyText(tr("The runs have no other settings that differ."));
        connect(popup, &ChoicePopup::chosen, this, [this, keys](int at) {
          showSettings(model_->settingKeys() + QStringList(keys[at]));
        });
        popup->openUnder(columns_);
      },
      Qt::SingleShotConnection);
  emit settingsRequested(model_->settingKeys());
}

void RunsPanel::showSettings(QStringList keys) {
  keys.removeDuplicates();
  const QStringList before = model_->settingKeys();
  model_->setSettingKeys(keys);
  for (const QString& key : keys) {
    if (before.contains(key)) continue;
    auto* shown = named(new QAction(asEntry(key), this), QStringLiteral("runsSetting.") + key);
    shown->setCheckable(true);
    shown->setChecked(true);
    connect(shown, &QAction::toggled, this, [this, key] {
      QStringList others = model_->settingKeys();
      others.removeAll(key);
      showSettings(others);
    });
    addColumnAction(shown);
    QHeaderView* header = table_->horizontalHeader();
    const int column = RunsModel::kColumns + int(model_->settingKeys().indexOf(key));
    header->resizeSection(column, header->sectionSizeHint(column));
  }
  for (const QString& key : before) {
    if (keys.contains(key)) continue;
    auto* shown = findChild<QAction*>(QStringLiteral("runsSetting.") + key);
    shown->setObjectName({});  // another one may be made at once
    shown->deleteLater();
  }
  if (keys == before) return;
  applyFilter();  // its terms name columns
  emit settingsRequested(keys);
}

void RunsPanel::setSettings(const RunSettingColumns& settings) {
  settings_ = settings;
  model_->setSettings(settings);
  emit settingsArrived();
}

}  // namespace strata::ui
