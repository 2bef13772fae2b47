#!/usr/bin/env python3
"""Reads an Apptainer definition as Apptainer does, as far as packaging/strata.def goes; anything else is an error.
definition.py steps FILE [KEY=VALUE...]              one step a line, words separated by tabs, in the order of the build:
  stage NAME SUITE                                   a stage begins from Debian's SUITE
  copy STAGE FROM SOURCE TARGET                      FROM is "checkout" or an earlier stage
  post STAGE LINES                                   its %post has so many lines
  run STAGE LINES                                    what the image runs, of the last stage
definition.py script FILE STAGE SECTION [KEY=VALUE...]   the text of %post or %runscript
KEY=VALUE sets a build argument (--build-arg).
"""
import re
import shlex
import sys
from dataclasses import dataclass, field

SUITES = {"debian:12": "bookworm"}  # images whose packages debootstrap installs
HEADERS = ("bootstrap", "from", "stage")
SECTIONS = ("arguments", "files", "post", "runscript", "help")
VARIABLE = re.compile(r"{{\s*(\w+)\s*}}")


@dataclass
class Stage:
    line: int
    headers: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)
    copies: list = field(default_factory=list)  # (line, from, source, target)
    scripts: dict = field(default_factory=dict)  # section: its lines

    @property
    def name(self):
        return self.headers["stage"]


class Reader:
    def __init__(self, path, given):
        self.path, self.given, self.used, self.stages = path, given, set(), []

    def fail(self, number, problem):
        sys.exit(f"{self.path}:{number}: {problem}")

    def read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                lines = list(enumerate(file.read().splitlines(), 1))
        except (OSError, UnicodeDecodeError) as error:
            sys.exit(f"{self.path}: cannot be read: {error}")
        starts = [at for at, (_, line) in enumerate(lines) if re.match(r"bootstrap:", line, re.I)]
        if not starts:
            self.fail(1, 'no stage: one begins with "Bootstrap: docker"')
        for begin, end in zip(starts, [*starts[1:], len(lines)]):
            self.read_stage(lines[begin:end])
        for key in self.given:
            if key not in self.used:
                self.fail(1, f"no build argument '{key}': no stage uses {{{{ {key} }}}}")
        return self.stages

    def read_stage(self, lines):
        stage = Stage(lines[0][0])
        section, words = None, []
        for number, line in self.replaced(stage, lines):
            if line.split()[:1] and line.split()[0].startswith("%"):
                words = line.split("#")[0].split()
                section = words[0][1:].lower()
                self.begin(stage, number, section, words[1:])
            elif section in ("post", "runscript", "help"):
                stage.scripts[section].append(line)
            elif line.strip() and not line.strip().startswith("#"):
                if section is None:
                    self.header(stage, number, line)
                elif section == "files":
                    self.copy(stage, number, line, words[2] if len(words) > 1 else "checkout")
        self.finish(stage)

    def replaced(self, stage, lines):
        """The lines with the values of build arguments; a comment keeps its braces."""
        within = False
        for _, line in lines:
            within = line.strip() == "%arguments" if line.strip().startswith("%") else within
            key, equals, value = line.partition("=")
            if within and equals and not key.strip().startswith("#"):
                stage.arguments[key.strip()] = value.strip()
        for number, line in lines:
            text, at = "", 0
            for found in VARIABLE.finditer(line):
                if re.search(r"#[^!]", line[:found.start()]):
                    break
                text += line[at:found.start()] + self.value(stage, number, found[1])
                at = found.end()
            yield number, text + line[at:]

    def value(self, stage, number, key):
        self.used.add(key)
        if key not in self.given and key not in stage.arguments:
            self.fail(number, f"{{{{ {key} }}}} has no value: %arguments of this stage does not name it")
        return self.given.get(key, stage.arguments.get(key))

    def header(self, stage, number, line):
        key, colon, value = (part.strip() for part in line.split("#")[0].partition(":"))
        if not colon or key.lower() not in HEADERS:
            self.fail(number, f"'{key}' is not known here; known are Bootstrap, From and Stage")
        stage.headers[key.lower()] = value

    def begin(self, stage, number, section, words):
        if section not in SECTIONS:
            self.fail(number, f"%{section} cannot be carried out here; known are %{', %'.join(SECTIONS)}")
        if section == "files" and words:
            if len(words) != 2 or words[0] != "from":
                self.fail(number, "write %files, or %files from STAGE")
            if words[1] not in [earlier.name for earlier in self.stages]:
                self.fail(number, f"%files from {words[1]}: no earlier stage has this name")
        elif words:
            self.fail(number, f"options of %{section} are not known here: {' '.join(words)}")
        if section in ("post", "runscript", "help"):
            stage.scripts.setdefault(section, [])

    def copy(self, stage, number, line, source_stage):
        try:
            paths = shlex.split(line)
        except ValueError as error:
            self.fail(number, f"quotation marks do not match: {error}")
        if len(paths) > 2:
            self.fail(number, "a line of %files is SOURCE [TARGET]; quote paths with spaces")
        source, target = paths[0], paths[-1]
        if not source or not target.startswith("/") or ".." in target.split("/") or target.strip("/") == "":
            self.fail(number, f"the target '{target}' is not an absolute path below / without ..")
        if source_stage != "checkout" and (not source.startswith("/") or ".." in source.split("/")):
            self.fail(number, f"'{source}' of another stage is not an absolute path without ..")
        stage.copies.append((source_stage, source, target))

    def finish(self, stage):
        if stage.headers.get("bootstrap") != "docker" or stage.headers.get("from") not in SUITES:
            self.fail(stage.line, f"a stage begins with Bootstrap: docker and From: {' or '.join(SUITES)}")
        if not re.fullmatch(r"[\w-]+", stage.headers.get("stage", "")):
            self.fail(stage.line, "this stage has no name: write Stage: NAME")
        if stage.name in ["checkout", *(earlier.name for earlier in self.stages)]:
            self.fail(stage.line, f"another stage has the name {stage.name}")
        self.stages.append(stage)


def steps(stages):
    for stage in stages:
        yield "stage", stage.name, SUITES[stage.headers["from"]]
        for copied in stage.copies:
            yield "copy", stage.name, *copied
        for section, step in (("post", "post"), ("runscript", "run")):
            if section in stage.scripts and (section == "post" or stage is stages[-1]):
                yield step, stage.name, str(sum(1 for line in stage.scripts[section] if line.strip()))


def main():
    form, settings = sys.argv[1:], {}
    while form and re.match(r"\w+=", form[-1]):
        key, _, value = form.pop().partition("=")
        settings.setdefault(key, value)
    if len(form) == 2 and form[0] == "steps":
        for step in steps(Reader(form[1], settings).read()):
            print("\t".join(step))
    elif len(form) == 4 and form[0] == "script":
        for stage in Reader(form[1], settings).read():
            if stage.name == form[2] and form[3] in stage.scripts:
                print("\n".join(stage.scripts[form[3]]))
                return
        sys.exit(f"{form[1]}: stage {form[2]} has no %{form[3]}")
    else:
        sys.exit(__doc__)


main()
