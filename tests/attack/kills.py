# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""kill -9 at any moment: files are whole or absent, and a training goes on to the same weights."""
import os
import subprocess
import time

TRAIN = ["train", "--manifold", "sphere:2", "--steps", "400", "--width", "16", "--depth", "1", "--batch", "128",
         "--checkpoint", "0.02", "--quiet", "--threads", "1"]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def weights(data):
    return data[8 + int.from_bytes(data[:8], "little"):]


def attack(ground):
    begin = time.monotonic()
    if ground.run([*TRAIN, "-o", "whole.safetensors"])[0] != 0:
        ground.find("a training failed", "manistat " + " ".join(TRAIN))
        return
    whole, seconds = weights(read(ground.path("whole.safetensors"))), time.monotonic() - begin
    model, checkpoint = ground.path("killed.safetensors"), ground.path("killed.safetensors.checkpoint")
    while ground.goes_on():
        for path in (model, checkpoint):
            if os.path.exists(path):
                os.remove(path)
        resume = []
        for _ in range(ground.random.choice([1, 2, 3])):
            process = subprocess.Popen([ground.binary, *TRAIN, *resume, "-o", model], cwd=ground.scratch,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(ground.random.uniform(0, 1.2 * seconds))
            process.kill()
            process.wait()
            ground.count("kills")
            if os.path.exists(model):
                break
            resume = ["--resume"] if os.path.exists(checkpoint) else []
        if not os.path.exists(model):
            arguments = [*TRAIN, *resume, "-o", "killed.safetensors"]
            if not ground.judge(arguments, ground.run(arguments)) or not os.path.exists(model):
                ground.find("a killed training did not go on", "manistat " + " ".join(arguments))
                continue
        if weights(read(model)) != whole:
            ground.find("a killed training ended with other weights", "manistat " + " ".join(TRAIN))
