#pragma once
#include <QString>
#include <QStringList>

namespace strata::ui {

// The path of strata-run: STRATA_RUN if set, else in the folder of this program.
QString runnerPath();

// Starts strata-run detached, so that it outlives the window. Its output goes to ui/<log> in the
// workspace. Returns the process id; throws Error if it cannot be started.
qint64 startDetached(const QString& workspace, const QStringList& arguments, const QString& log);

// Whether a process started by startDetached is still running.
bool isAlive(qint64 pid);

// Starts a worker that processes the queue until it is empty. If one is already running, the new
// one exits.
void ensureWorker(const QString& workspace);

}  // namespace strata::ui
