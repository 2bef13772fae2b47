"""What the tests of docs/other-tools.md share: its tables, files in a folder of their own, and the program, with STRATA_RUN
and STRATA_WORKSPACE."""
import gzip
import os
import subprocess

RUN = os.environ["STRATA_RUN"]


def written(name, text):
    data = text if isinstance(text, bytes) else text.encode()
    with open(name, "wb") as file:
        file.write(gzip.compress(data) if name.endswith(".gz") else data)
    return name


def run(*words):
    done = subprocess.run([RUN, "--log-level", "error", "--json", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def workspace(*parts):
    return os.path.join(os.environ["STRATA_WORKSPACE"], *parts)


def lines(path):
    return open(path, encoding="utf-8").read().splitlines()


def table(path, title):
    """The rows of the tables whose first column has this title, as {column: cell}."""
    rows, columns = [], None
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            columns = None
        elif cells[0] == title:
            columns = cells
        elif columns and not set("".join(cells)) <= set("-:"):
            rows.append(dict(zip(columns, cells)))
    return rows
