/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture: a view drawn on a canvas.
 *
 * Only what can be seen is touched. Of each level in sight, the first box of the window is found by
 * bisection, and where boxes are thinner than a pixel one bisection leads to the next pixel: a frame
 * costs as much as the screen is wide, whatever the profile holds. Levels are painted as one line of pixels each
 * into a small image, which the canvas then stretches to the height of the rows: 60,000 thin boxes are 60,000
 * stores and not 60,000 calls of fillRect, a few milliseconds instead of a hundred. Text goes on top.
 * A second canvas above holds what moves with the mouse. The picture scrolls in an ordinary scrolling element
 * whose content is as tall as the stacks are deep.
 */

const ROW = 20, LABEL_MIN = 26, ANIMATION = 200;
const THIN = 1.5; /* boxes of fewer pixels have their kind's colour, not their own: a calm surface instead of noise */
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif';

/* Widths of texts by adding up characters: exact enough to cut labels, without asking the canvas each time. */
function makeMeasure(context) {
	const ascii = new Float32Array(128), others = new Map();
	for (let c = 32; c < 127; c++)
		ascii[c] = context.measureText(String.fromCharCode(c)).width;
	function charWidth(text, i) {
		const code = text.charCodeAt(i);
		if (code < 128)
			return ascii[code];
		let width = others.get(code);
		if (width === undefined)
			others.set(code, width = context.measureText(text[i]).width);
		return width;
	}
	const dots = context.measureText("\u2026").width;
	/* The text, cut to `room` with dots where it is longer; "" when nothing useful fits. */
	return function (text, room) {
		let width = 0, cut = 0;
		for (let i = 0; i < text.length; i++) {
			width += charWidth(text, i);
			if (width + dots <= room)
				cut = i + 1;
			if (width > room) {
				/* Not between the halves of a character beyond 16 bits. */
				if (cut && (text.charCodeAt(cut - 1) & 0xfc00) === 0xd800)
					cut--;
				return cut > 1 ? text.slice(0, cut) + "\u2026" : "";
			}
		}
		return text;
	};
}

/* "#rrggbb" as a pixel of ImageData (little-endian, as all machines that run browsers are). */
function pixelOf(colour) {
	const rgb = parseInt(colour.slice(1), 16);
	return (0xff000000 | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16) >>> 0;
}

/* elements: {scroller, spacer, base, over}. on: {hover, click, menu, move}, called with boxes and mouse events. */
function makeGraph(elements, profile, on) {
	const { scroller, spacer, base, over } = elements;
	const context = base.getContext("2d", { alpha: false }), above = over.getContext("2d");
	let view = null, window0 = 0, window1 = 1, zoomed = 0, cursor = -1, hovered = -1, theme = "light";
	let colours = null, icicle = false, matches = null, counts = null;
	let width = 0, height = 0, ratio = 1, measure = null, animation = 0, pending = 0, rowHeight = ROW, rowPixels = ROW;
	const strip = document.createElement("canvas"), stripContext = strip.getContext("2d");
	let image = null, lines = null, inks = { paper: 0, match: 0, own: [], kind: [] };

	/* ---- geometry ---- */

	function resize() {
		const box = scroller.getBoundingClientRect(), below = belowSight();
		ratio = globalThis.devicePixelRatio || 1;
		width = scroller.clientWidth || box.width;
		height = scroller.clientHeight || box.height;
		rowPixels = Math.round(ROW * ratio);
		rowHeight = rowPixels / ratio;
		for (const canvas of [base, over]) {
			canvas.width = Math.max(1, Math.round(width * ratio));
			canvas.height = Math.max(1, Math.round(height * ratio));
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		context.font = `${12 * ratio}px ${FONT}`;
		measure = makeMeasure(context);
		layOut(below);
	}
	function tall() {
		return Math.max(height, view ? view.levels * rowHeight + 8 : 0);
	}
	/* What lies below the part in sight; by the height that was drawn, which a resize has not changed yet. */
	function belowSight() {
		return height ? Math.max(0, spacer.offsetHeight - scroller.scrollTop - height) : 0;
	}
	/* Keeps the distance to the root's side, where one looks, when the height changes. */
	function layOut(below = belowSight()) {
		spacer.style.height = tall() + "px";
		if (!icicle)
			scroller.scrollTop = tall() - height - below;
		draw();
	}
	function scrollToRoot() {
		scroller.scrollTop = icicle ? 0 : tall();
	}
	function levelTop(level) {
		return (icicle ? level * rowHeight + 4 : tall() - (level + 1) * rowHeight - 4) - scroller.scrollTop;
	}
	function levelAt(y) {
		const at = icicle ? (y + scroller.scrollTop - 4) / rowHeight : (tall() - 4 - y - scroller.scrollTop) / rowHeight;
		return Math.floor(at);
	}
	function boxAt(x, y) {
		const level = levelAt(y);
		if (!view || level < 0 || level >= view.levels)
			return -1;
		const at = window0 + x / width * (window1 - window0);
		const box = firstBeyond(view, level, at);
		return box < view.levelStart[level + 1] && view.start[box] <= at ? box : -1;
	}
	/* Where a box is on the screen: {x, y, width}, clipped to the window. */
	function place(box) {
		const scale = width / (window1 - window0);
		const x0 = Math.max(-2, (view.start[box] - window0) * scale);
		const x1 = Math.min(width + 2, (view.start[box] + view.total[box] - window0) * scale);
		return { x: x0, y: levelTop(levelOf(view, box)), width: x1 - x0, height: rowHeight };
	}

	/* ---- drawing ---- */

	/* One level as a line of pixels. labels: [box, left, right, level] of those wide enough for text. */
	function drawLevel(level, line, labels) {
		const { frame, start, total } = view, last = view.levelStart[level + 1], pixels = line.length;
		const scale = pixels / (window1 - window0), thin = THIN / scale;
		let box = firstBeyond(view, level, window0);

		while (box < last && start[box] < window1) {
			const own = frame[box], left = (start[box] - window0) * scale;
			let x0 = Math.max(0, Math.round(left));
			if (total[box] >= thin) {
				const x1 = Math.min(pixels, Math.round(left + total[box] * scale));
				line.fill(matches && matches[own] ? inks.match : inks.own[colours[own]], x0,
					x1 - x0 > 2 && x1 < pixels ? x1 - 1 : x1);
				if (x1 - x0 >= LABEL_MIN * ratio)
					labels.push(box, x0, x1, level);
				box++;
				continue;
			}
			/* The first box of a pixel stands for all others that begin in it. */
			x0 = Math.min(x0, pixels - 1);
			const edge = window0 + (x0 + 0.5) / scale;
			let next = box + 1;
			if (next < last && start[next] + total[next] <= edge)
				next = leap(level, edge, next);
			const hit = counts !== null && counts[next] > counts[box];
			line[x0] = hit ? inks.match : inks.kind[colours[own]];
			box = next;
		}
	}
	/* firstBeyond, for what is near: steps that double, then bisection. */
	function leap(level, x, low) {
		const { start, total } = view, last = view.levelStart[level + 1];
		let step = 1;
		while (low + step < last && start[low + step] + total[low + step] <= x) {
			low += step;
			step *= 2;
		}
		let high = Math.min(last, low + step);
		while (low < high) {
			const middle = low + high >> 1;
			if (start[middle] + total[middle] > x)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}
	function drawLabels(labels) {
		const theme0 = THEMES[theme], half = Math.round(rowPixels / 2), pad = 4 * ratio;
		let used = "";
		context.textBaseline = "middle";
		for (let i = 0; i < labels.length; i += 4) {
			const frame = view.frame[labels[i]];
			const text = measure(profile.names[frame], labels[i + 2] - labels[i + 1] - 2 * pad);
			if (!text)
				continue;
			const colour = matches && matches[frame] ? theme0.matchInk : theme0.ink;
			if (colour !== used)
				context.fillStyle = used = colour;
			context.fillText(text, labels[i + 1] + pad, pixelTop(labels[i + 3]) + half);
		}
	}
	function pixelTop(level) {
		return Math.round(levelTop(level) * ratio);
	}
	/* What lies between the root and the box zoomed into steps back. */
	function veil(levels) {
		context.globalAlpha = 0.5;
		context.fillStyle = THEMES[theme].paper;
		context.fillRect(0, pixelTop(icicle ? 0 : levels - 1), base.width, levels * rowPixels);
		context.globalAlpha = 1;
	}
	function paint() {
		pending = 0;
		context.fillStyle = THEMES[theme].paper;
		context.fillRect(0, 0, base.width, base.height);
		if (!view || !view.count)
			return drawOver();
		const edges = [levelAt(0), levelAt(height)], labels = [];
		const low = Math.max(0, Math.min(...edges)), high = Math.min(view.levels - 1, Math.max(...edges));
		const rows = high - low + 1, top = pixelTop(icicle ? low : high);
		if (rows > 0) {
			if (!image || image.width !== base.width || image.height < rows) {
				strip.width = base.width;
				strip.height = Math.max(rows, Math.ceil(base.height / rowPixels) + 2);
				image = stripContext.createImageData(strip.width, strip.height);
				lines = new Uint32Array(image.data.buffer);
			}
			lines.fill(inks.paper);
			for (let level = low; level <= high; level++) {
				const row = icicle ? level - low : high - level;
				drawLevel(level, lines.subarray(row * strip.width, (row + 1) * strip.width), labels);
			}
			stripContext.putImageData(image, 0, 0, 0, 0, strip.width, rows);
			context.imageSmoothingEnabled = false;
			context.drawImage(strip, 0, 0, strip.width, rows, 0, top, strip.width, rows * rowPixels);
			context.fillStyle = THEMES[theme].paper;
			for (let row = 1; row <= rows; row++)
				context.fillRect(0, top + row * rowPixels - 1, base.width, 1);
		}
		drawLabels(labels);
		if (zoomed > 0)
			veil(levelOf(view, zoomed));
		drawOver();
	}
	function draw() {
		if (!pending)
			pending = requestAnimationFrame(paint);
	}
	function outline(box, colour, thick) {
		const at = place(box);
		if (box < 0 || at.x + at.width < 0 || at.x > width)
			return;
		above.strokeStyle = colour;
		above.lineWidth = thick * ratio;
		const inset = thick * ratio / 2;
		above.strokeRect(at.x * ratio + inset, Math.round(at.y * ratio) + inset - 0.5,
			Math.max(2, at.width * ratio - 2 * inset - 1), rowPixels - 2 * inset);
	}
	function drawOver() {
		above.clearRect(0, 0, over.width, over.height);
		if (!view || !view.count)
			return;
		if (cursor >= 0)
			outline(cursor, THEMES[theme].mark, 2.5);
		if (hovered >= 0 && hovered !== cursor)
			outline(hovered, THEMES[theme].outline, 1.25);
	}

	/* ---- the window ---- */

	function setWindow(from, to) {
		const whole = view && view.weight ? view.weight : 1, least = whole * 1e-9;
		if (to - from < least)
			to = from + least;
		const size = Math.min(whole, to - from);
		from = Math.min(Math.max(0, from), whole - size);
		window0 = from;
		window1 = from + size;
		/* The zoomed box always holds the whole window. */
		const slack = size * 1e-6;
		while (zoomed > 0 && (view.start[zoomed] > window0 + slack ||
			view.start[zoomed] + view.total[zoomed] < window1 - slack))
			zoomed = view.parent[zoomed];
		draw();
	}
	function moveWindow(from, to, animated) {
		cancelAnimationFrame(animation);
		const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const a = window0, b = window1, begin = performance.now(), target = zoomed;
		if (!animated || calm) {
			setWindow(from, to);
			on.move();
			return;
		}
		function step(now) {
			const t = Math.min(1, Math.max(0, now - begin) / ANIMATION), ease = 1 - (1 - t) ** 3;
			window0 = a + (from - a) * ease;
			window1 = b + (to - b) * ease;
			zoomed = target;
			paint();
			if (t < 1) {
				animation = requestAnimationFrame(step);
			} else {
				setWindow(from, to);
				on.move();
			}
		}
		animation = requestAnimationFrame(step);
	}
	function zoom(box, animated) {
		zoomed = Math.max(0, box);
		if (!view || !view.count)
			return;
		moveWindow(view.start[zoomed], view.start[zoomed] + view.total[zoomed], animated);
		reveal(zoomed);
	}
	/* factor < 1 comes closer; x is the place on the screen that stays where it is. */
	function scale(factor, x = width / 2, animated = false) {
		const at = window0 + x / width * (window1 - window0);
		const size = Math.min(view ? view.weight : 1, (window1 - window0) * factor);
		let from = at - x / width * size;
		from = Math.min(Math.max(0, from), (view ? view.weight : 1) - size);
		moveWindow(from, from + size, animated);
	}
	function pan(pixels) {
		const by = pixels / width * (window1 - window0);
		setWindow(window0 + by, window1 + by);
		on.move();
	}
	/* Scrolls so that the box's level is in sight. */
	function reveal(box) {
		const top = levelTop(levelOf(view, box));
		if (top < rowHeight)
			scroller.scrollTop += top - rowHeight;
		else if (top > height - 2 * rowHeight)
			scroller.scrollTop += top - height + 2 * rowHeight;
	}

	/* ---- the mouse ---- */

	let drag = null;
	function position(event) {
		const box = over.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}
	function hover(box, event) {
		if (box !== hovered) {
			hovered = box;
			drawOver();
		}
		on.hover(box, event);
	}
	over.addEventListener("pointerdown", event => {
		if (event.button === 0)
			drag = { x: event.clientX, y: event.clientY, moved: false, touch: event.pointerType === "touch" };
	});
	over.addEventListener("pointermove", event => {
		if (drag && !drag.touch) {
			const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
			if (!drag.moved && Math.hypot(dx, dy) > 4) {
				drag.moved = true;
				over.setPointerCapture(event.pointerId);
				over.classList.add("dragging");
				hover(-1, event);
			}
			if (drag.moved) {
				pan(-dx);
				scroller.scrollTop -= dy;
				drag.x = event.clientX;
				drag.y = event.clientY;
			}
			return;
		}
		hover(boxAt(...position(event)), event);
	});
	over.addEventListener("pointerup", () => over.classList.remove("dragging"));
	over.addEventListener("pointercancel", () => {
		drag = null;
		over.classList.remove("dragging");
	});
	over.addEventListener("pointerleave", event => hover(-1, event));
	over.addEventListener("click", event => {
		const moved = drag && drag.moved;
		drag = null;
		if (!moved)
			on.click(boxAt(...position(event)), event);
	});
	over.addEventListener("contextmenu", event => {
		const box = boxAt(...position(event));
		if (box < 0)
			return;
		event.preventDefault();
		on.menu(box, event);
	});
	scroller.addEventListener("wheel", event => {
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			scale(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) * 0.01), position(event)[0]);
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			pan(event.deltaX || event.deltaY);
		}
	}, { passive: false });
	scroller.addEventListener("scroll", () => {
		paint();
		on.hover(-1, null);
	});

	return {
		resize, draw, paint, zoom, scale, pan, reveal, scrollToRoot, place, boxAt, setWindow,
		/* keep: the window stays where it was (the same view, built finer). */
		setView(next, box, keep) {
			cancelAnimationFrame(animation);
			const size = tall();
			view = next;
			zoomed = Math.max(0, box);
			hovered = cursor = -1;
			if (!keep) {
				window0 = view.count ? view.start[zoomed] : 0;
				window1 = view.count ? window0 + view.total[zoomed] : 1;
			}
			if (tall() !== size)
				layOut();
			draw();
		},
		setColours(nextTheme, nextPalette, nextColours) {
			theme = nextTheme;
			colours = nextColours;
			const { paper, match } = THEMES[theme];
			inks = { paper: pixelOf(paper), match: pixelOf(match), own: Uint32Array.from(nextPalette, pixelOf),
				kind: Uint32Array.from(nextPalette, (colour, i) => pixelOf(nextPalette[i - i % VARIANTS + (i < KIND_HUES.length *
					VARIANTS ? VARIANTS >> 1 : i % VARIANTS)])) };
			draw();
		},
		setMatches(nextMatches) {
			matches = nextMatches;
			counts = view && matches ? countMatches(view, matches) : null;
			draw();
		},
		setIcicle(next) {
			if (icicle === next)
				return;
			icicle = next;
			layOut();
			scrollToRoot();
			draw();
		},
		setCursor(box) {
			cursor = box;
			if (box >= 0)
				reveal(box);
			drawOver();
		},
		get view() { return view; },
		get window() { return [window0, window1]; },
		get zoomed() { return zoomed; },
		get cursor() { return cursor; },
		get hovered() { return hovered; },
		get icicle() { return icicle; },
		get size() { return [width, height]; },
	};
}
