/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long lists: only the rows in sight exist as elements. The list of functions (self and total of
 * the stacks in view) and the lists of threads and processes stand on the same one.
 */

const LIST_ROW = 26;

/* Makes an element: make("div.row", {title: "..."}, child, "text", ...). Texts are always texts, never markup. */
function make(what, attributes, ...children) {
	const [tag, ...classes] = what.split(".");
	const element = document.createElement(tag);
	if (classes.length)
		element.className = classes.join(" ");
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined)
			element.setAttribute(name, value);
	element.append(...children);
	return element;
}

/*
 * element: the scrolling element. fill(row element, i) writes row i; choose(i, event) is called on click and Enter.
 * The element takes the focus; arrows, Page Up and Down, Home and End move.
 */
function makeList(element, fill, choose) {
	const sheet = make("div.sheet", { role: "presentation" });
	const rows = [];
	let count = 0, first = -1, active = -1;

	element.tabIndex = 0;
	element.append(sheet);
	function paint() {
		const top = Math.max(0, Math.floor(element.scrollTop / LIST_ROW) - 2);
		const shown = Math.min(count - top, Math.ceil(element.clientHeight / LIST_ROW) + 5);
		first = top;
		while (rows.length < shown) {
			const row = make("div.item", { role: "row" });
			rows.push(row);
			sheet.append(row);
		}
		rows.forEach((row, k) => {
			row.hidden = k >= shown;
			if (k >= shown)
				return;
			row.style.top = (top + k) * LIST_ROW + "px";
			row.setAttribute("aria-rowindex", top + k + 2);
			row.id = `${element.id}-${top + k}`;
			row.classList.toggle("active", top + k === active);
			fill(row, top + k);
		});
	}
	function activate(i) {
		active = Math.max(0, Math.min(count - 1, i));
		if (active * LIST_ROW < element.scrollTop)
			element.scrollTop = active * LIST_ROW;
		else if ((active + 1) * LIST_ROW > element.scrollTop + element.clientHeight)
			element.scrollTop = (active + 1) * LIST_ROW - element.clientHeight;
		paint();
		element.setAttribute("aria-activedescendant", `${element.id}-${active}`);
	}
	element.addEventListener("scroll", paint);
	element.addEventListener("click", event => {
		const row = event.target.closest(".item");
		if (!row)
			return;
		active = first + rows.indexOf(row);
		choose(active, event);
	});
	element.addEventListener("keydown", event => {
		const page = Math.max(1, Math.floor(element.clientHeight / LIST_ROW) - 1);
		const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page,
			Home: 0, End: count - 1 }[event.key];
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (to !== undefined && count) {
			activate(to);
		} else if (event.key === "Enter" && active >= 0 && active < count) {
			choose(active, event);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	});
	new ResizeObserver(paint).observe(element);
	return {
		paint,
		setCount(next, keep) {
			count = next;
			sheet.style.height = count * LIST_ROW + "px";
			element.setAttribute("aria-rowcount", count + 1);
			if (!keep) {
				element.scrollTop = 0;
				active = -1;
			}
			paint();
		},
	};
}

/* ---- numbers --------------------------------------------------------------------------------- */

function formatShare(part, whole) {
	if (!(whole > 0))
		return "\u2013";
	const percent = part / whole * 100;
	if (percent === 0)
		return "0\u2009%";
	if (percent < 0.005)
		return "<0.01\u2009%";
	return percent.toFixed(percent >= 99.995 ? 0 : percent < 10 ? 2 : 1) + "\u2009%";
}

function formatCount(value) {
	return Math.round(value).toLocaleString("en-US");
}

/* 1.23 s, 4.56 G cycles: three digits and a unit. */
function formatWeight(value, unit) {
	if (unit === "ns") {
		const steps = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];
		for (const [size, name] of steps)
			if (value >= size)
				return (value / size).toFixed(value / size >= 100 ? 0 : value / size >= 10 ? 1 : 2) + "\u2009" + name;
		return Math.round(value) + "\u2009ns";
	}
	const behind = unit ? "\u2009" + unit : "";
	for (const [size, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]])
		if (value >= size)
			return (value / size).toFixed(2) + "\u2009" + name + behind;
	return formatCount(value) + behind;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* on.choose(frame, event). update(rows, scope weight, selected frame, matches or null). */
function makeFunctions(elements, profile, colourOf, on) {
	let all = [], shown = [], whole = 1, selected = -1, key = "self", falling = true, matches = null, theme = null;
	const list = makeList(elements.list, (row, i) => {
		if (!row.firstChild) {
			row.append(make("span.swatch"), make("span.name", { role: "gridcell" }),
				make("span.number", { role: "gridcell" }, make("i"), make("b")),
				make("span.number", { role: "gridcell" }, make("i"), make("b")));
		}
		const [swatch, name, self, total] = row.children, item = shown[i], dso = profile.dso[item.frame];
		swatch.style.background = colourOf(item.frame);
		name.textContent = profile.names[item.frame];
		name.title = profile.names[item.frame] + (dso ? "\n" + dso : "");
		for (const [cell, value] of [[self, item.self], [total, item.total]]) {
			cell.lastChild.textContent = formatShare(value, whole);
			cell.firstChild.style.width = value / whole * 100 + "%";
		}
		row.classList.toggle("selected", item.frame === selected);
		row.setAttribute("aria-selected", item.frame === selected);
	}, (i, event) => on.choose(shown[i].frame, event));

	function arrange() {
		const { names } = profile;
		shown = matches ? all.filter(item => matches[item.frame]) : all.slice();
		if (key === "name")
			shown.sort((a, b) => a.frame - b.frame);
		else
			shown.sort((a, b) => b[key] - a[key] || b.total - a.total || a.frame - b.frame);
		if (falling === (key === "name"))
			shown.reverse();
		for (const head of elements.heads)
			head.setAttribute("aria-sort", head.dataset.key !== key ? "none" : falling ? "descending" : "ascending");
		elements.count.textContent = matches ? `${formatCount(shown.length)} of ${formatCount(all.length)} functions match` :
			`${formatCount(all.length)} functions`;
	}
	for (const head of elements.heads)
		head.addEventListener("click", () => {
			falling = head.dataset.key === key ? !falling : head.dataset.key !== "name";
			key = head.dataset.key;
			arrange();
			list.setCount(shown.length);
		});
	return {
		update(rows, weight, frame, nextMatches) {
			const same = rows === all && nextMatches === matches;
			all = rows;
			whole = weight;
			selected = frame;
			matches = nextMatches;
			if (!same)
				arrange();
			list.setCount(shown.length, same);
		},
		paint: list.paint,
		get shown() { return shown; },
	};
}
