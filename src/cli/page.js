// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the manistat authors

// The pictures of a report: a scene of dots, lines and marks, turned or moved by mouse, touch and keys.
"use strict";
(function () {
  const COLOURS = 8;
  const NEAR = 14; // pixels: how near to a dot the pointer must be to read it

  function view(box) {
    const scene = JSON.parse(document.getElementById(box.dataset.scene).textContent);
    const canvas = box.querySelector("canvas");
    const tip = box.querySelector(".tip");
    const pen = canvas.getContext("2d");
    const dim = scene.dim;
    const solid = dim === 3;
    const ball = scene.frame === "ball";
    const dots = scene.points.length / dim;
    const bounds = measure();
    let state, reading, drawn;

    // The middle of the scene, and how far it reaches from there.
    function measure() {
      const low = [1 / 0, 1 / 0, 1 / 0];
      const high = [-1 / 0, -1 / 0, -1 / 0];
      const lists = [scene.points].concat(scene.lines.map((l) => l.at), scene.marks.map((m) => m.at));
      for (const list of lists)
        list.forEach((x, i) => {
          if (x === null) return;
          low[i % dim] = Math.min(low[i % dim], x);
          high[i % dim] = Math.max(high[i % dim], x);
        });
      if (scene.frame === "square") return { centre: [0, 0, 0], reach: Math.PI * 1.02 };
      if (scene.frame !== "plane" && scene.frame !== "space") {
        const far = high.concat(low.map((x) => -x), 1).filter(isFinite);
        return { centre: [0, 0, 0], reach: (scene.frame === "circle" ? Math.max(...far) : 1) * 1.05 };
      }
      let reach = 1e-300;
      const centre = [0, 0, 0];
      for (let k = 0; k < dim; k++)
        if (low[k] <= high[k]) {
          centre[k] = (low[k] + high[k]) / 2;
          reach = Math.max(reach, ((high[k] - low[k]) / 2) * (solid ? 1.25 : 1.1));
        }
      return { centre, reach: reach > 1e-300 ? reach : 1 };
    }

    function reset() {
      const [x, y, z] = scene.look;
      state = { yaw: Math.atan2(y, x), tilt: Math.atan2(z, Math.hypot(x, y)), zoom: 1, dx: 0, dy: 0 };
      reading = -1;
    }

    // Coordinates on the canvas, and how near to the eye.
    function projector(size) {
      const { yaw, tilt, zoom } = state;
      const border = scene.frame === "plane" || scene.frame === "square" ? 30 : 8;
      const scale = ((size / 2 - border) * zoom) / bounds.reach;
      const [cy, sy, ct, st] = [Math.cos(yaw), Math.sin(yaw), Math.cos(tilt), Math.sin(tilt)];
      const c = bounds.centre;
      return {
        scale,
        at(list, i) {
          const x = list[i] - c[0];
          const y = list[i + 1] - c[1];
          if (!solid)
            return [size / 2 + scale * x + state.dx * size, size / 2 - scale * y + state.dy * size, 0];
          const z = list[i + 2] - c[2];
          return [
            size / 2 + scale * (cy * y - sy * x),
            size / 2 - scale * (ct * z - st * (cy * x + sy * y)),
            ct * (cy * x + sy * y) + st * z,
          ];
        },
      };
    }

    function circle(x, y, r) {
      pen.beginPath();
      pen.arc(x, y, r, 0, 2 * Math.PI);
    }

    // A line through points, begun anew where one is missing or on the other side.
    function polyline(p, list, wanted) {
      let down = false;
      pen.beginPath();
      for (let i = 0; i < list.length; i += dim) {
        const [x, y, depth] = list[i] === null ? [0, 0, null] : p.at(list, i);
        const here = depth !== null && (!ball || depth < -1e-9 === wanted);
        if (here && down) pen.lineTo(x, y);
        else if (here) pen.moveTo(x, y);
        down = here;
      }
      pen.stroke();
    }

    function grid(p, behind) {
      for (let k = 0; k < 11; k++) {
        const list = [];
        for (let i = 0; i <= 72; i++) {
          const turn = (Math.PI * i) / 36;
          const other = (Math.PI / 6) * (k < 5 ? k - 2 : k - 5);
          const [c, s, co, so] = [Math.cos(turn), Math.sin(turn), Math.cos(other), Math.sin(other)];
          if (k < 5) list.push(co * c, co * s, so);
          else list.push(c * co, c * so, s);
        }
        polyline(p, list, behind);
      }
    }

    // A few round numbers between two.
    function ticks(low, high) {
      const rough = (high - low) / 5;
      const power = Math.pow(10, Math.floor(Math.log10(rough)));
      const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
      const list = [];
      for (let t = Math.ceil(low / step) * step; t <= high; t += step)
        list.push(Math.abs(t) < step / 1e6 ? 0 : t);
      return list;
    }

    function frame(p, size, style) {
      const rule = style.getPropertyValue("--rule");
      pen.strokeStyle = rule;
      pen.lineWidth = 1;
      const [x, y] = p.at([0, 0, 0], 0);
      if (ball || scene.frame === "circle" || scene.frame === "disc") {
        circle(x, y, p.scale);
        pen.fillStyle = style.getPropertyValue("--paper");
        if (!ball) pen.fill();
        pen.stroke();
      }
      if (scene.frame === "space") axes(p, style);
      if (scene.frame !== "plane" && scene.frame !== "square") return;
      pen.fillStyle = style.getPropertyValue("--soft");
      pen.font = "12px system-ui, sans-serif";
      for (let k = 0; k < 2; k++) {
        const half = size / 2 / p.scale;
        const middle = bounds.centre[k] + ((k ? state.dy : -state.dx) * size) / p.scale;
        for (const t of ticks(middle - half, middle + half)) {
          const where = [bounds.centre[0], bounds.centre[1]];
          where[k] = t;
          const at = p.at(where, 0)[k];
          if (at < 36 || at > size - 24) continue;
          pen.beginPath();
          pen.moveTo(k ? 0 : at, k ? at : 0);
          pen.lineTo(k ? size : at, k ? at : size);
          pen.globalAlpha = 0.5;
          pen.stroke();
          pen.globalAlpha = 1;
          pen.textAlign = k ? "left" : "center";
          pen.fillText(String(Number(t.toPrecision(4))), k ? 4 : at, k ? at - 3 : size - 5);
        }
      }
      pen.textAlign = "right";
      pen.fillText(scene.axes[0], size - 8, size - 20);
      pen.save();
      pen.translate(size - 8, 8);
      pen.textAlign = "right";
      pen.fillText(scene.axes[1] + " \u2191", 0, 10);
      pen.restore();
    }

    function axes(p, style) {
      const length = bounds.reach * 0.7;
      pen.fillStyle = style.getPropertyValue("--soft");
      pen.font = "12px system-ui, sans-serif";
      const from = p.at(bounds.centre, 0);
      ["x", "y", "z"].forEach((name, k) => {
        const end = bounds.centre.slice();
        end[k] += length;
        const to = p.at(end, 0);
        pen.beginPath();
        pen.moveTo(from[0], from[1]);
        pen.lineTo(to[0], to[1]);
        pen.stroke();
        pen.fillText(name, to[0] + 3, to[1] - 3);
      });
    }

    // Lines of a surface, fainter the farther they are.
    function surface(p, style) {
      pen.strokeStyle = style.getPropertyValue("--soft");
      pen.lineWidth = 0.8;
      for (const line of scene.lines.filter((l) => l.thin)) {
        let last = null;
        for (let i = 0; i < line.at.length; i += dim) {
          const at = line.at[i] === null ? null : p.at(line.at, i);
          if (at && last) {
            pen.globalAlpha = Math.max(0.08, 0.35 + (0.5 * at[2]) / bounds.reach);
            pen.beginPath();
            pen.moveTo(last[0], last[1]);
            pen.lineTo(at[0], at[1]);
            pen.stroke();
          }
          last = at;
        }
      }
      pen.globalAlpha = 1;
    }

    function lines(p, colours, behind) {
      for (const line of scene.lines) {
        if (line.thin) continue;
        pen.strokeStyle = colours[line.group % COLOURS];
        pen.lineWidth = 2.2;
        pen.globalAlpha = behind ? 0.3 : 1;
        polyline(p, line.at, behind);
      }
      pen.globalAlpha = 1;
    }

    function points(p, colours, behind) {
      const radius = dots > 1500 ? 1.8 : dots > 400 ? 2.4 : 3.2;
      pen.globalAlpha = behind ? 0.25 : 0.8;
      for (let i = 0; i < dots; i++) {
        if (scene.points[i * dim] === null) continue;
        const at = p.at(scene.points, i * dim);
        if (ball && at[2] < 0 !== behind) continue;
        if (scene.frame === "space") pen.globalAlpha = Math.max(0.3, 0.65 + (0.5 * at[2]) / bounds.reach);
        pen.fillStyle = colours[(scene.group[i] || 0) % COLOURS];
        circle(at[0], at[1], radius);
        pen.fill();
        if (!behind) drawn.push([at[0], at[1], i]);
      }
      pen.globalAlpha = 1;
    }

    function marks(p, colours, style) {
      scene.marks.forEach((mark, i) => {
        const [x, y, depth] = p.at(mark.at, 0);
        const r = scene.each > 1 ? 5 : i === reading ? 11 : 8;
        pen.globalAlpha = ball && depth < -1e-9 ? 0.35 : 1;
        pen.fillStyle = colours[mark.group % COLOURS];
        pen.strokeStyle = style.getPropertyValue(i === reading ? "--ink" : "--paper");
        pen.lineWidth = 2;
        pen.beginPath();
        pen.moveTo(x, y - r);
        pen.lineTo(x + r, y);
        pen.lineTo(x, y + r);
        pen.lineTo(x - r, y);
        pen.closePath();
        if (!mark.other) pen.fill();
        else pen.strokeStyle = colours[mark.group % COLOURS];
        pen.stroke();
        drawn.push([x, y, -1 - i]);
      });
      pen.globalAlpha = 1;
    }

    function draw() {
      const size = canvas.clientWidth;
      const ratio = window.devicePixelRatio || 1;
      if (size === 0) return;
      if (canvas.width !== Math.round(size * ratio)) canvas.width = canvas.height = Math.round(size * ratio);
      const style = getComputedStyle(document.documentElement);
      const colours = Array.from({ length: COLOURS }, (_, i) => style.getPropertyValue("--c" + i));
      const p = projector(size);
      drawn = [];
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, size, size);
      frame(p, size, style);
      if (ball) {
        pen.strokeStyle = style.getPropertyValue("--rule");
        pen.lineWidth = 0.5;
        grid(p, true);
        points(p, colours, true);
        lines(p, colours, true);
        // The ball itself dims what is behind it.
        const [x, y] = p.at([0, 0, 0], 0);
        const shade = pen.createRadialGradient(x - p.scale / 3, y - p.scale / 3, p.scale / 8, x, y, p.scale);
        shade.addColorStop(0, style.getPropertyValue("--shine"));
        shade.addColorStop(1, style.getPropertyValue("--shade"));
        pen.globalAlpha = 0.55;
        pen.fillStyle = shade;
        circle(x, y, p.scale);
        pen.fill();
        pen.globalAlpha = 0.5;
        pen.lineWidth = 0.6;
        pen.strokeStyle = style.getPropertyValue("--soft");
        grid(p, false);
        pen.globalAlpha = 1;
      }
      surface(p, style);
      points(p, colours, false);
      lines(p, colours, false);
      marks(p, colours, style);
    }

    function words(i) {
      if (i < 0) {
        const mark = scene.marks[-1 - i];
        return mark.name + ": (" + mark.at.map((x) => Number(x.toPrecision(5))).join(", ") + ")";
      }
      const row = Math.floor(i / scene.each);
      const name = scene.names.length > 1 ? ", " + scene.names[scene.group[i]] : "";
      const list = scene.values.slice(row * scene.width, (row + 1) * scene.width);
      const part = scene.each > 1 ? ", part " + ((i % scene.each) + 1) : "";
      return "row " + (scene.row[row] + 1) + part + name + (list.length ? ": (" + list.join(", ") + ")" : "");
    }

    function say(text) {
      tip.hidden = !text;
      tip.textContent = text;
    }

    // What lies under the pointer: a mark, else the nearest dot.
    function hover(x, y) {
      let best = NEAR * NEAR;
      let found = null;
      for (const [dotX, dotY, i] of drawn) {
        const d = ((dotX - x) ** 2 + (dotY - y) ** 2) * (i < 0 ? 1e-3 : 1);
        if (d < best && (i >= 0 || d < NEAR * NEAR * 3e-4)) [best, found] = [d, i];
      }
      say(found === null ? "" : words(found));
    }

    function turn(dx, dy) {
      if (solid) {
        state.yaw -= dx;
        state.tilt = Math.max(-1.55, Math.min(1.55, state.tilt + dy));
      } else {
        state.dx += dx / 5;
        state.dy += dy / 5;
      }
      canvas.dataset.turned = [state.yaw, state.tilt, state.dx, state.dy].map((x) => x.toFixed(3)).join(" ");
      requestAnimationFrame(draw);
    }

    function zoom(factor) {
      state.zoom = Math.max(0.5, Math.min(20, state.zoom * factor));
      requestAnimationFrame(draw);
    }

    function next(step) {
      const count = scene.marks.length;
      if (count === 0) return;
      reading = reading < 0 ? (step > 0 ? 0 : count - 1) : (reading + step + count) % count;
      say(words(-1 - reading));
      draw();
    }

    const keys = {
      ArrowLeft: () => turn(-0.1, 0),
      ArrowRight: () => turn(0.1, 0),
      ArrowUp: () => turn(0, -0.1),
      ArrowDown: () => turn(0, 0.1),
      "+": () => zoom(1.2),
      "=": () => zoom(1.2),
      "-": () => zoom(1 / 1.2),
      n: () => next(1),
      p: () => next(-1),
      0: () => {
        reset();
        say("");
        draw();
      },
    };
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });

    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const size = canvas.clientWidth;
      if (held) {
        const k = solid ? 4 : 5;
        turn(((event.clientX - held[0]) / size) * k, ((event.clientY - held[1]) / size) * k);
        held = [event.clientX, event.clientY];
      } else {
        const box = canvas.getBoundingClientRect();
        hover(event.clientX - box.left, event.clientY - box.top);
      }
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (event) => {
        held = null;
        const box = canvas.getBoundingClientRect();
        if (event.type === "pointerup") hover(event.clientX - box.left, event.clientY - box.top);
      });
    canvas.addEventListener("pointerleave", () => {
      if (!held) say("");
    });
    canvas.addEventListener("dblclick", keys[0]);

    reset();
    canvas.hidden = false;
    canvas.classList.toggle("solid", solid);
    const counts = scene.marks.length + " estimates, " + scene.total + " rows";
    canvas.setAttribute("aria-label", "interactive picture, " + counts);
    box.classList.add("live");
    box.closest("figure").querySelector(".keys").hidden = false;
    new ResizeObserver(draw).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    draw();
  }

  document.querySelectorAll(".view").forEach(view);

  document.querySelectorAll(".copy").forEach((button) => {
    const code = button.parentNode.querySelector("code");
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
    });
  });

  document.querySelectorAll("details.json").forEach((details) => {
    details.hidden = false;
    details.addEventListener("toggle", () => {
      const text = document.getElementById(details.dataset.json).textContent;
      const shown = details.querySelector("pre");
      if (!shown.textContent) shown.textContent = JSON.stringify(JSON.parse(text), null, 1);
    });
  });
})();
