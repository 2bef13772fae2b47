#pragma once
#include <QPushButton>

namespace strata::ui {

// Starts what a form describes. It can be pressed wherever that is possible: before it is measured
// the press is kept, and another one takes it back.
class StartButton : public QPushButton {
  Q_OBJECT
 public:
  explicit StartButton(QWidget* parent = nullptr);

  void setRuns(int count);                 // of a sweep; 0: it is none
  void setImpossible(const QString& why);  // empty: it is possible, as far as is known
  bool isImpossible() const { return !impossible_.isEmpty(); }
  // Whether what the form describes is known as it is; a press that was kept starts it now.
  void setMeasured(bool measured);
  bool isMeasured() const { return measured_; }
  void dropPress();  // the form does not describe what was to be started any more

  bool beginStart();  // false: it has begun
  bool endStart();    // it is queued, or not; false: it has not begun

 signals:
  void startWanted();

 private:
  void press();
  void refresh();

  int runs_ = 0;
  QString impossible_;
  bool measured_ = false, pressed_ = false, starting_ = false;
};

}  // namespace strata::ui
