#include "ui/panels/launch_choice.h"

#include <algorithm>

#include "core/papers/paper_start.h"
#include "ui/data/text.h"

namespace strata::ui {

bool LaunchChoice::isTableRow() const {
  return entry.isTableRow() && overrides.size() == entry.overrides.size() &&
         std::ranges::is_permutation(overrides, entry.overrides);
}

QString LaunchChoice::paperName() const {
  QString preset = entry.trains();
  return qs(paperRunName({.preset = toStd(preset.replace(QLatin1Char(','), QLatin1Char('+'))),
                          .dataset = toStd(dataset),
                          .version = version,
                          .settings = toStd(overrides),
                          .label = {}}));
}

QString LaunchChoice::runName(quint64 ofSeed) const {
  if (!name.isEmpty()) return ofSeed == seed ? name : name + QStringLiteral(".s%1").arg(ofSeed);
  return isTableRow() ? paperName() + QStringLiteral(".s%1").arg(ofSeed) : QString();
}

QStringList LaunchChoice::trainCommand(const QStringList& settings) const {
  QStringList command{QStringLiteral("train"), QStringLiteral("--preset"), entry.trains()};
  if (!dataset.isEmpty()) command << QStringLiteral("--data") << dataset;
  if (const QString run = runName(seed); !run.isEmpty()) command << QStringLiteral("--name") << run;
  for (const QString& setting : settings) command << QStringLiteral("--set") << setting;
  return command;
}

Sweep LaunchChoice::sweep() const {
  Sweep sweep;
  sweep.name = toStd(name.isEmpty() ? paperName() : name);
  sweep.preset = toStd(entry.trains());
  sweep.dataset = toStd(dataset);
  sweep.overrides = toStd(overrides);
  sweep.seeds = {seed};
  return sweep;
}

}  // namespace strata::ui
