#pragma once
#include <QString>

namespace strata::ui {

// Whether the window's workspace can be used.
struct WorkspaceState {
  enum class Kind {
    kOpen,
    kReadOnly,  // it is shown, but nothing can be started or changed
    kNewer,     // written by a newer version of this program
    kGone,      // its folder was moved or removed while it was open
    kUnreadable
  };

  Kind kind = Kind::kOpen;
  QString message;  // what is wrong, where, and what to do; empty if it is open

  bool isShown() const { return kind == Kind::kOpen || kind == Kind::kReadOnly; }
  bool operator==(const WorkspaceState&) const = default;
};

}  // namespace strata::ui
