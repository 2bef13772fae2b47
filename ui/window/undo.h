#pragma once
#include <QUndoCommand>
#include <functional>

namespace strata::ui {

// Replaces one value by another; undo restores it.
template <typename Value>
class SetValueCommand : public QUndoCommand {
 public:
  SetValueCommand(const QString& text, Value before, Value after,
                  std::function<void(const Value&)> set)
      : QUndoCommand(text),
        before_(std::move(before)),
        after_(std::move(after)),
        set_(std::move(set)) {}

  void redo() override { set_(after_); }
  void undo() override { set_(before_); }

 private:
  Value before_, after_;
  std::function<void(const Value&)> set_;
};

}  // namespace strata::ui
