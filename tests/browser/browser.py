# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""A headless Chromium on two pipes, with the standard library alone: pages, events, screenshots."""
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib


def find():
    """The program, or None."""
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    """Use it in a with block. `log` has what went wrong in pages, `requests` the addresses they asked for."""

    def __init__(self, program, width=800, height=900):
        self.folder = tempfile.mkdtemp()
        to_child, from_child = os.pipe(), os.pipe()
        read_end, write_end = to_child[0], from_child[1]

        def at_start():  # the browser reads from 3 and writes to 4
            one, two = os.dup(read_end), os.dup(write_end)
            os.dup2(one, 3)
            os.dup2(two, 4)
            for fd in (3, 4):
                os.set_inheritable(fd, True)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--force-color-profile=srgb", "--font-render-hinting=none", f"--user-data-dir={self.folder}",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=at_start, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(read_end)
        os.close(write_end)
        self.out, self.inn = to_child[1], from_child[0]
        self.number, self.buffer, self.tab = 0, b"", None
        self.log, self.requests, self.loaded = [], [], False
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.tab = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.out)
        os.close(self.inn)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, seconds):
        """The next one, or None."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inn], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self.inn, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, p = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.log.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.log.append(str(p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.log.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.tab:
            request["sessionId"] = self.tab
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message(60)
            if answer is None:
                raise RuntimeError(f"{method}: no answer within a minute")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path):
        self.log, self.requests, self.loaded = [], [], False
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not self.loaded:
            message = self.message(60)
            if message is None:
                raise RuntimeError("the page does not load")
            self.note(message)
        self.frames()

    def frames(self):
        """Lets two pictures pass, so that everything asked for is drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", script))
        return answer["result"].get("value")

    def screen(self, width, height, dark=False, paper=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", media="print" if paper else "",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.frames()

    def place(self, selector):
        """(x, y, width, height) of an element in the window, brought into view."""
        return self.run(f"(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); "
                        f"return [b.x, b.y, b.width, b.height]; }})(document.querySelector({json.dumps(selector)}))")

    def drag(self, x, y, dx, dy):
        for kind, at, buttons in (("mousePressed", (x, y), 1), ("mouseMoved", (x + dx, y + dy), 1),
                                  ("mouseReleased", (x + dx, y + dy), 0)):
            self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=buttons, clickCount=1)
        self.frames()

    def touch(self, x, y, dx, dy):
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for k in (1, 2, 3, 4):
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + dx * k / 4, "y": y + dy * k / 4}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.frames()

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.frames()

    def key(self, name):
        text = {"text": name} if len(name) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)
        self.frames()

    def shot(self, path=None, clip=None, scale=1):
        """PNG of the window or of (x, y, width, height) of it; its bytes."""
        import base64
        extra = {}
        if clip:
            x, y = self.run("[scrollX, scrollY]")
            extra["clip"] = {"x": clip[0] + x, "y": clip[1] + y, "width": clip[2], "height": clip[3], "scale": scale}
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png", **extra)["data"])
        if path:
            with open(path, "wb") as f:
                f.write(data)
        return data


def pixels(png):
    """(width, height, rows of (r, g, b) bytes) of a PNG with 8 bits, without interlace."""
    at, data, header = 8, b"", None
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += 12 + size
    width, height, depth, colour, _, _, interlace = header
    assert depth == 8 and colour in (2, 6) and interlace == 0, header
    step = 3 if colour == 2 else 4
    raw, rows, last = zlib.decompress(data), [], bytearray(width * step)
    for y in range(height):
        line = bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        kind = raw[y * (width * step + 1)]
        for i in range(len(line)):
            a = line[i - step] if i >= step else 0
            b = last[i]
            c = last[i - step] if i >= step else 0
            if kind == 1:
                line[i] = (line[i] + a) & 255
            elif kind == 2:
                line[i] = (line[i] + b) & 255
            elif kind == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        last = line
        rows.append([tuple(line[x * step:x * step + 3]) for x in range(width)])
    return width, height, rows
