"""Drives `strata-run serve` or another such verb through its pipes: what tests/commands/serve*.sh and mcp*.sh share."""
import json
import os
import select
import subprocess
import sys
import time

FAILED = []


def check(name, condition, seen=None):
    if not condition:
        FAILED.append(name)
        print(f"FAIL {name}" + (f": {str(seen)[:600]}" if seen is not None else ""))


def finish(message):
    if not FAILED:
        print(message)
    sys.exit(1 if FAILED else 0)


class Server:
    verb = "serve"

    def __init__(self, *options, log=subprocess.DEVNULL):
        self.process = subprocess.Popen([os.environ["STRATA_RUN"], self.verb, *options], bufsize=0,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.buffer = b""
        self.id = 0

    def write(self, line):
        data = line if isinstance(line, bytes) else line.encode()
        view = memoryview(data + b"\n")
        while view:
            view = view[self.process.stdin.write(view):]

    def send(self, method, **params):
        self.id += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))
        return self.id

    def read(self, seconds=240):
        """The next message; None where nothing comes in time or the server has ended."""
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not piece:
                return None
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def answers(self, count):
        """That many messages by their ids."""
        messages = [self.read() for _ in range(count)]
        return {message["id"]: message for message in messages if message is not None}

    def call(self, method, **params):
        sent = self.send(method, **params)
        message = self.read()
        assert message is not None and message["id"] == sent, (method, message)
        return message

    def result(self, method, **params):
        message = self.call(method, **params)
        assert "result" in message, (method, message)
        return message["result"]

    def fault(self, method, **params):
        return self.call(method, **params).get("error", {})

    def close(self):
        """Ends the input; the exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=240)
