#!/usr/bin/env python3
"""Writes manual pages and completion from what the programs say of themselves with --help:
manual.py --bin DIR --share DIR --version VERSION
  DIR/man/man1/*.1.gz                     strata-run, one page a verb; strata, strata-engine, strata-demo if they are in bin
  DIR/bash-completion/completions/*       verbs, options and the values of options
  DIR/zsh/site-functions/_*               the same, with what --help says of each
"""
import argparse
import gzip
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

COLUMN = 30  # of the help of an option; a longer name has its help in the next line
SECTIONS = {"Positionals:": "positionals", "Options:": "options", "Subcommands:": "verbs"}


@dataclass
class Item:
    """An option, argument or verb: "--metric", "TEXT=[bleu] ...", "Any of bleu, chrf"."""
    names: list
    kind: str
    help: str

    @property
    def choices(self):
        found = re.search(r":\{([^}]*)\}", self.kind)
        return found[1].split(",") if found else []

    @property
    def takes_value(self):
        return bool(re.match(r"[A-Z<]", re.sub(r"(Excludes|Needs):.*", "", self.kind)))


@dataclass
class Page:
    """What one --help says."""
    path: list  # ["strata-run", "runs", "list"]
    summary: str = ""
    usage: str = ""
    positionals: list = field(default_factory=list)
    options: list = field(default_factory=list)
    verbs: list = field(default_factory=list)
    rest: list = field(default_factory=list)  # lines after the options
    children: list = field(default_factory=list)


def help_of(path):
    # A home folder of nobody: it is a default in the text.
    environment = dict(os.environ, HOME="~", LC_ALL="C.UTF-8", QT_QPA_PLATFORM="offscreen", ASAN_OPTIONS="detect_leaks=0",
                       XDG_RUNTIME_DIR="/tmp", STRATA_WORKSPACE="")
    run = subprocess.run([*path, "--help"], env=environment, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"manual: {' '.join(path)} --help ended with {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def item(left, text):
    name, _, kind = left.strip().partition(" ")
    return Item([part.split("{")[0] for part in name.split(",")], kind.strip(), text.strip())


def parse(path, text):
    page = Page(path)
    section = None
    for line in text.splitlines():
        if line in SECTIONS:
            section = getattr(page, SECTIONS[line])
        elif line.startswith("Usage: ") and not page.usage:
            page.usage = line.removeprefix("Usage: ")
        elif not page.usage:
            page.summary = f"{page.summary} {line}".strip()
        elif not line:
            section = None
            page.rest.append("")
        elif section is not None and line.startswith(" " * COLUMN):
            section[-1].help = f"{section[-1].help} {line.strip()}".strip()
        elif section is not None and re.match(r"  \S", line):
            # An overlong name ends its line.
            section.append(item(line, "") if not line[COLUMN:].strip() or line[COLUMN - 1] != " "
                           else item(line[:COLUMN], line[COLUMN:]))
        elif section is None:
            page.rest.append(line)
        else:
            sys.exit(f"manual: {' '.join(path)} --help: cannot tell what this line is: {line}")
    return page


def read_tree(program):
    """The program's page with those of all its verbs."""
    root = parse([program], help_of([program]))
    level = [root]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        while level:
            paths = [(page, page.path + [verb.names[0]]) for page in level for verb in page.verbs]
            pages = list(pool.map(lambda path: parse(path, help_of(path)), [path for _, path in paths]))
            for (parent, _), page in zip(paths, pages):
                parent.children.append(page)
            level = pages
    return root


def read_window(program):
    """Qt writes other help: no sections but options, and columns as wide as they need to be."""
    page = Page([program], usage="strata [options]")
    lines = help_of([program]).splitlines()
    page.summary = lines[1]
    for line in lines[lines.index("Options:") + 1:]:
        found = re.match(r"  (-.*?)  +(.*)", line)
        if found:
            names = [part.split()[0] for part in found[1].split(", ")]
            kind = re.search(r"<.*>", found[1])
            page.options.append(Item(names, kind[0] if kind else "", found[2]))
        else:
            page.options[-1].help += f" {line.strip()}"
    for option in page.options:
        listed = re.fullmatch(r"(\w+(?:, \w+)*) or (\w+)\.", option.help)
        if listed:
            option.kind = ":{" + ",".join(listed[1].split(", ") + [listed[2]]) + "} " + option.kind
    return page


# Manual pages

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def described(items):
    for one in items:
        kind = re.sub(r"^:\{[^}]*\} ", "", one.kind)
        yield ".TP"
        yield f"\\fB{roff(', '.join(one.names))}\\fR" + (f" {roff(kind)}" if kind else "")
        yield roff(one.help)


def verbatim(lines):
    return [".nf", *(roff(line) for line in lines), ".fi"]


def split_rest(lines):
    """Examples, and what else stands under the options."""
    examples, notes, into = [], [], None
    for line in lines:
        if re.match(r"Examples?:$", line):
            into = examples
            continue
        if into is examples and line and not line.startswith(" "):
            into = None
        (examples if into is examples else notes).append(line)
    strip = lambda part: re.sub(r"\A\n+|\n+\Z", "", "\n".join(part)).split("\n") if "".join(part) else []
    return strip(examples), strip(notes)


def name_of(path):
    return " ".join([os.path.basename(path[0]), *path[1:]])


def sections_of(page, inherited):
    examples, notes = split_rest(page.rest) if page.rest != inherited else ([], [])
    yield from described(page.positionals + page.options)
    for title, lines in (("Notes:", notes), ("Examples:", examples)):
        if lines:
            yield from [".PP", title, ".PP", *verbatim(lines)]
    for child in page.children:
        yield from [f'.SS "{roff(name_of(child.path))}"', roff(child.summary) + ".", ".PP", roff(child.usage)]
        yield from sections_of(child, page.rest)


def manual(name, page, version, body, related):
    lines = [f'.TH {name.upper()} 1 "" "Strata {version}" "User Commands"', ".SH NAME",
             f"{roff(name)} \\- {roff(page.summary.rstrip('.'))}", ".SH SYNOPSIS", roff(page.usage), *body,
             ".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in related), ""]
    return "\n".join(lines)


def pages_of_runner(root, version):
    verbs = [f"strata-run-{child.path[1]}" for child in root.children]
    body = [".SH VERBS", *described(root.verbs), ".SH OPTIONS", *described(root.options)]
    yield "strata-run", manual("strata-run", root, version, body, verbs + ["strata"])
    for child, name in zip(root.children, verbs):
        body = [".SH DESCRIPTION", *sections_of(child, [])]
        body += [".PP", "Options of all verbs are described in \\fBstrata\\-run\\fR(1)."]
        yield name, manual(name, child, version, body, ["strata-run", "strata"])


def other_pages(programs, version, root):
    if "strata" in programs:
        body = [".SH OPTIONS", *described(programs["strata"].options)]
        yield "strata", manual("strata", programs["strata"], version, body, ["strata-run"])
    if "strata-engine" in programs:
        page = Page(["strata-engine"], "the verbs of strata-run that need a model", root.usage.replace("-run", "-engine"))
        body = [".SH DESCRIPTION", roff("strata-run executes this program for verbs that need a model. It has the same "
                                        "verbs and options."), *described(root.options)]
        yield "strata-engine", manual("strata-engine", page, version, body, ["strata-run"])
    if "strata-demo" in programs:
        lines = help_of([programs["strata-demo"]]).splitlines()
        summary, _, usage = lines[0].partition(": ")
        body = [".SH DESCRIPTION", *(roff(line) for line in lines[1:])]
        yield "strata-demo", manual("strata-demo", Page([], summary, usage), version, body, ["strata-run-demo", "strata"])


# Completion

BASH = r'''# Completion of %(programs)s. Made from what they say with --help.
declare -gA %(table)s_verbs=(
%(verbs)s
)
declare -gA %(table)s_options=(
%(options)s
)
# "value" of an option that takes one: any text or file; or the words that it may be.
declare -gA %(table)s_values=(
%(values)s
)

%(table)s() {
  local current=${COMP_WORDS[COMP_CWORD]} previous='' path=. word choices i
  [ "$COMP_CWORD" -gt 1 ] && previous=${COMP_WORDS[COMP_CWORD - 1]}
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case " ${%(table)s_verbs[$path]-} " in *" $word "*) path="$path $word" ;; esac
    [ -n "${%(table)s_values[$path $word]-}${%(table)s_values[. $word]-}" ] && ((++i))
  done
  COMPREPLY=()
  choices=${%(table)s_values[$path $previous]-${%(table)s_values[. $previous]-}}
  if [ -n "$choices" ]; then
    [ "$choices" = value ] || mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
  elif [ "${current:0:1}" = - ]; then
    mapfile -t COMPREPLY < <(compgen -W "${%(table)s_options[$path]-} ${%(table)s_options[.]-}" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "${%(table)s_verbs[$path]-}" -- "$current")
  fi
}
complete -o default -F %(table)s %(programs)s
'''


ZSH = r'''#compdef %(programs)s
# Completion of %(programs)s. Made from what they say with --help.
local -A verbs options values  # of a value: "value", any text or file; or the words that it may be
verbs=(
%(verbs)s
)
options=(
%(options)s
)
values=(
%(values)s
)
local at=. key= choices=
local -aU found
local -i i
for ((i = 2; i < CURRENT; ++i)); do
  [[ -n ${(M)${(f)verbs[$at]}:#${words[i]}:*} ]] && at="$at ${words[i]}"
  key="$at ${words[i]}"
  [[ -n ${values[$key]-}${values[. ${words[i]}]-} ]] && ((++i))
done
if ((CURRENT > 2)); then
  key="$at ${words[CURRENT - 1]}"
  choices=${values[$key]-${values[. ${words[CURRENT - 1]}]-}}
fi
if [[ $choices = value ]]; then
  _files
elif [[ -n $choices ]]; then
  compadd -- ${=choices}
elif [[ ${words[CURRENT]} = -* ]]; then
  found=(${(f)options[$at]})
  [[ $at = . ]] || found+=(${(f)options[.]})
  _describe -o -t options option found
elif [[ -n ${verbs[$at]-} ]]; then
  found=(${(f)verbs[$at]})
  _describe -t verbs verb found
else
  _files
fi
'''


def completions(programs, root):
    """For bash and for zsh."""
    verbs, options, values = {}, {}, {}

    def add(page):
        path = " ".join([".", *page.path[1:]])
        verbs[path] = [(child.names[0], child.help) for child in page.verbs]
        options[path] = [(name, option.help) for option in page.options for name in option.names]
        for option in page.options:
            for name in option.names if option.takes_value or option.choices else []:
                values[f"{path} {name}"] = " ".join(option.choices) or "value"
        for child in page.children:
            add(child)

    add(root)

    def names(table):
        return {key: " ".join(name for name, _ in listed) for key, listed in table.items()}

    def lines(table):
        return {key: "\n".join(f"{name}:{text}" for name, text in listed) for key, listed in table.items()}

    def filled(template, row, *tables):
        rows = ["\n".join(row(key, text) for key, text in table.items() if text) for table in tables]
        return template % {"programs": " ".join(programs), "table": "_" + programs[0].replace("-", "_"),
                           "verbs": rows[0], "options": rows[1], "values": rows[2]}

    return (filled(BASH, lambda key, text: f"  ['{key}']='{text}'", names(verbs), names(options), values),
            filled(ZSH, lambda key, text: f"  {shlex.quote(key)} {shlex.quote(text)}", lines(verbs), lines(options), values))


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("bin", "share", "version"):
        parser.add_argument(f"--{option}", required=True)
    arguments = parser.parse_args()
    program = lambda name: os.path.join(os.path.abspath(arguments.bin), name)
    root = read_tree(program("strata-run"))
    programs = {name: program(name) for name in ("strata", "strata-engine", "strata-demo") if os.path.exists(program(name))}
    completed = [(["strata-run", "strata-engine"], root)]
    demo = next(child for child in root.children if child.path[1] == "demo")
    completed.append((["strata-demo"], Page(["strata-demo"], options=demo.options)))
    if "strata" in programs:
        programs["strata"] = read_window(programs["strata"])
        completed.append((["strata"], programs["strata"]))
    for name, text in [*pages_of_runner(root, arguments.version), *other_pages(programs, arguments.version, root)]:
        write(f"{arguments.share}/man/man1/{name}.1.gz", gzip.compress(text.encode(), mtime=0))
    folder = f"{arguments.share}/bash-completion/completions"
    for names, page in completed:
        bash, zsh = completions(names, page)
        write(f"{folder}/{names[0]}", bash.encode())
        write(f"{arguments.share}/zsh/site-functions/_{names[0]}", zsh.encode())
    for name in ("strata-engine",):  # bash looks it up by the name of the command
        link = f"{folder}/{name}"
        if not os.path.lexists(link):
            os.symlink("strata-run", link)


main()
