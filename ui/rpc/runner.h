#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>

#include "core/store/process_id.h"

namespace strata::ui {

// The path of strata-run: STRATA_RUN if set, else in the folder of this program.
QString runnerPath();

// A command line for a shell: strata-run with these arguments on this workspace.
QString commandLine(const QString& workspace, const QStringList& arguments);

// Starts strata-run detached, so that it outlives the window. Its output goes to ui/<log> in the
// workspace; with `result`, what it prints on stdout replaces the file ui/<result> instead, and the
// log has lines about its progress (core/base/progress_line.h). Throws Error if it cannot be
// started.
ProcessId startDetached(const QString& workspace, const QStringList& arguments, const QString& log,
                        const QString& result = {});

// The last line of what strata-run has written to its log that is not about progress, without its
// name in front; empty: there is none.
QString lastMessage(const QByteArray& log);

// Starts a worker that processes the queue until it is empty. If one is already running, the new
// one exits.
void ensureWorker(const QString& workspace);

}  // namespace strata::ui
