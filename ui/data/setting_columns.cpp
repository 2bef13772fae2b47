#include "ui/data/setting_columns.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/base/error.h"
#include "core/run/configuration_group.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

using ValuesOfRuns = std::map<qint64, std::shared_ptr<const RunSettings::Values>>;

SettingColumn columnOf(const std::string& key, const ValuesOfRuns& runs) {
  SettingColumn column{.key = qs(key), .ofRuns = {}};
  std::set<std::string> texts;
  for (const auto& [id, settings] : runs) {
    const auto found = settings->find(key);
    if (found == settings->end()) continue;
    const Json& value = found->second;
    SettingColumn::Value& shown = column.ofRuns[id];
    shown.text = qs(settingText(value));
    column.numeric = column.numeric && value.is_number();
    if (value.is_number()) shown.number = value.get<double>();
    texts.insert(settingText(value));
  }
  column.values = int(texts.size());
  return column;
}

}  // namespace

const SettingColumn* RunSettingColumns::find(const QString& key) const {
  const auto found = std::ranges::find(columns, key, &SettingColumn::key);
  return found == columns.end() ? nullptr : &*found;
}

RunSettingColumns readSettings(Workspace& workspace, const QStringList& keys,
                               RunSettings& settings) {
  ValuesOfRuns all;
  for (const RunSummary& run : listRuns(workspace)) {
    try {
      all[run.id] = settings.of(run).values;
    } catch (const std::exception&) {
      continue;  // its row says that the folder is missing
    }
  }
  std::vector<const RunSettings::Values*> values;
  for (const auto& [id, each] : all) values.push_back(each.get());
  const auto differing = differingKeys(values);
  std::set<std::string> wanted(differing.begin(), differing.end());
  for (const QString& key : keys) wanted.insert(toStd(key));
  wanted.erase("preset");  // a column of its own
  RunSettingColumns columns;
  for (const std::string& key : wanted) columns.columns << columnOf(key, all);
  return columns;
}

}  // namespace strata::ui
