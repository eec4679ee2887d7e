#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""The structure of a report: report_page.py PAGE RESULT...

The page asks for nothing from outside, holds the results as they are, and its tables say the same numbers. Prints what
is wrong; the exit status tells."""
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(html.parser.HTMLParser):
    """Elements with their attributes and texts, and whether they were closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.faults = [], [], []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"not closed: {[e['tag'] for e in self.open]}")

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "parents": [e for e in self.open]}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.faults.append(f"</{tag}> ends {self.open[-1]['tag'] if self.open else 'nothing'}, line {self.getpos()[0]}")
            return
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, **attrs):
        return [e for e in self.elements if e["tag"] == tag
                and all(e["attrs"].get(k.replace("_", "-")) == v for k, v in attrs.items())]


def printed(value):
    """A value as the tables have it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.6g}"
    if isinstance(value, str):
        return value
    return "(" + ", ".join(printed(v) for v in value[:12]) + (f", … {len(value)} in all" if len(value) > 12 else "") + ")"


def asks_outside(page, text):
    faults = []
    for element in page.elements:
        for name, value in element["attrs"].items():
            if name in ("src", "srcset", "data", "action", "poster") or (name == "href" and not value.startswith("#")):
                faults.append(f"<{element['tag']} {name}={value!r}> asks for something outside")
            if name.startswith("on"):
                faults.append(f"<{element['tag']} {name}> is a script")
    if page.all("link") or page.all("iframe") or page.all("img") or page.all("base"):
        faults.append("an element that loads something")
    outside = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.S)
    for word in ("http://", "https://", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket", "import("):
        if word in outside:
            faults.append(f"{word} stands in the page")
    return faults


def look(page_path, results):
    text = open(page_path, encoding="utf-8").read()
    page = Page(text)
    faults = page.faults + asks_outside(page, text)
    sections = page.all("section")
    if len(sections) != len(results):
        return faults + [f"{len(sections)} sections for {len(results)} results"]
    if len(results) > 1 and len(page.all("nav")) != 1:
        faults.append("no table of contents")
    ids = [e["attrs"]["id"] for e in page.elements if "id" in e["attrs"]]
    if len(ids) != len(set(ids)):
        faults.append("an id stands twice")
    for link in page.all("a"):
        if link["attrs"]["href"][1:] not in ids:
            faults.append(f"{link['attrs']['href']} leads nowhere")
    for number, (section, path) in enumerate(zip(sections, results), 1):
        result = json.load(open(path, encoding="utf-8"))
        inside = page.all("script", id=f"result-{number}-json")
        if len(inside) != 1 or json.loads(inside[0]["text"]) != result:
            faults.append(f"{path}: the JSON inside differs")
        if result["command"] not in section["text"]:
            faults.append(f"{path}: its section does not name the command")
        for flag in ("converged",):
            if flag in result and not [e for e in page.all("li") if section in e["parents"] and "converge" in e["text"]]:
                faults.append(f"{path}: the page does not say whether it converged")
        faults += cells(page, section, result, path)
        words = [e["attrs"]["data-warning"] for e in page.all("li") if section in e["parents"] and "data-warning" in e["attrs"]]
        wanted = result.get("warnings", []) + [w for g in result.get("groups", []) for w in g.get("warnings", [])]
        if words != wanted:
            faults.append(f"{path}: warnings {words}, not {wanted}")
        for made in [result.get("made_by")]:
            for file in (made or {}).get("inputs", []):
                if file["hash"] and file["hash"] not in section["text"]:
                    faults.append(f"{path}: the hash of {file['file']} is missing")
    return faults


def cells(page, section, result, path):
    """Every cell has the value of its key: in the result, or in order in its groups, tests, bands and arrays."""
    faults, seen = [], {}
    found = [e for e in page.elements if section in e["parents"] and "data-key" in e["attrs"]]
    if "mean" in result and "mean" not in [e["attrs"]["data-key"] for e in found]:
        faults.append(f"{path}: no cell of the mean")
    for cell in found:
        key = cell["attrs"]["data-key"]
        table = next((e for e in reversed(cell["parents"]) if e["tag"] == "table"), None)
        caption = table["text"].strip().split("\n")[0] if table else ""
        place = (id(table), key)
        at = seen[place] = seen.get(place, -1) + 1
        lists = {"Groups": "groups", "Tests": "tests", "Numbers of components": "candidates"}
        kind = next((v for k, v in lists.items() if caption.startswith(k)), None)
        if kind:
            value = result[kind][at].get(key)
        elif caption.startswith("Certificate"):
            bands = result.get("certificate", {}).get("bands")
            if bands is None:
                continue
            value = bands[at].get(key)
        elif caption.startswith(("Clusters", "Velocities")):
            value = result[key][at]
        elif key == "uniformity":
            value = result[key]["p_value"]
        elif key == "seed":
            value = str(result["made_by"]["seed"] if "made_by" in result else result["seed"])
        else:
            value = result.get(key)
        if cell["text"] != printed(value):
            faults.append(f"{path}: {key} is {cell['text']!r}, not {printed(value)!r}")
    return faults


def main():
    faults = look(sys.argv[1], sys.argv[2:])
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
