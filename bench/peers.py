# SPDX-License-Identifier: MIT
"""Other programs to measure against, installed from the package index into a folder of the build: nothing that manistat
itself needs or sees."""
import os
import subprocess
import sys

# Each has a folder of its own: geomstats does not go with numpy 2, pyRiemann not without it.
PACKAGES = {"geomstats": ["numpy<2", "scipy", "autograd", "geomstats"], "pyriemann": ["numpy>=2", "pyriemann"]}


def interpreter(build, peer):
    """The Python that has the peer, or None: it is not there and the index cannot be reached."""
    folder = os.path.join(build, "peers", peer)
    python = os.path.join(folder, "bin", "python")
    works = [python, "-c", "import " + peer]
    if not os.path.exists(python):
        if subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True).returncode != 0:
            return None
    if subprocess.run(works, capture_output=True).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES[peer]], capture_output=True)
    return python if subprocess.run(works, capture_output=True).returncode == 0 else None
