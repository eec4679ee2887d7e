# SPDX-License-Identifier: MIT
"""How wide lines may be, from .editorconfig."""

import configparser
import fnmatch
import re

BRACES = re.compile(r"\{([^{}]*)\}")


def widths(root):
    """(pattern of file names, most characters) of .editorconfig; a pattern may hold {a,b}."""
    text = (root / ".editorconfig").read_text()
    config = configparser.ConfigParser()
    config.read_string(text[text.index("["):])
    found = []
    for section in config.sections():
        if "max_line_length" not in config[section]:
            continue
        match = BRACES.search(section)
        names = [section]
        if match:
            names = [section[: match.start()] + part + section[match.end():] for part in match.group(1).split(",")]
        found += [(name, config.getint(section, "max_line_length")) for name in names]
    return found


def width_of(limits, path):
    return min(most for name, most in limits if fnmatch.fnmatch(path.name, name))
