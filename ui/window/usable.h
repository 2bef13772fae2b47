#pragma once
#include <QObject>
#include <QTimer>

namespace strata::ui {
class MainWindow;

// The window has read its workspace, and what is in sight has its data.
bool isUsable(const MainWindow& window);

// Says on standard output when the window is usable and drawn, closes it, and ends the program.
class ExitWhenUsable : public QObject {
  Q_OBJECT
 public:
  explicit ExitWhenUsable(MainWindow* window);

 private:
  void check();

  MainWindow* window_;
  QTimer timer_;
};

// What it says.
inline constexpr const char* kUsableText = "usable\n";

}  // namespace strata::ui
