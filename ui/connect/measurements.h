#pragma once
#include <QString>

namespace strata::ui {
struct Services;
class MeasuredPanel;

// Gives a panel its runs, and lets it measure with a verb of strata-run.
void connectMeasurements(MeasuredPanel* panel, const Services& services, const QString& verb);

}  // namespace strata::ui
