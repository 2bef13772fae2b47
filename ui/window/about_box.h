#pragma once

class QWidget;

namespace strata::ui {

// Opens a box that says what the program is, its version and its licence.
void showAboutBox(QWidget* parent);

}  // namespace strata::ui
