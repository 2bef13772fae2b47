#pragma once
#include <QString>
#include <QStringList>

namespace strata::ui {

// The path of strata-run: STRATA_RUN where it is set, else the program beside this one.
QString runnerPath();

// Starts strata-run detached, so that it outlives the window. What it prints goes to ui/<log> of
// the workspace. Returns the process id; throws Error where it cannot be started.
qint64 startDetached(const QString& workspace, const QStringList& arguments, const QString& log);

// Whether a process that startDetached gave still lives.
bool isAlive(qint64 pid);

// Starts a worker that serves the queue until it is empty. Where one is at work already the new one
// ends by itself.
void ensureWorker(const QString& workspace);

}  // namespace strata::ui
