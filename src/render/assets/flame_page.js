/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page: one state, what follows from it, and the hands that change it.
 *
 * Every change goes through change(): it sets parts of the state and makes again what depends on
 * them (selection -> view -> scope -> table and numbers). The state, as far as it is not the default,
 * stands in location.hash, so that a link opens the same view and the browser's Back goes back.
 */

const DEFAULTS = { event: 0, threads: null, group: "none", up: false, focus: -1, byWeight: false, icicle: false,
	colour: "kind", query: "", regex: false, path: [], selected: -1, panel: "functions" };

const KEYS = [
	["/", "search"], ["Esc", "undo: search, function, zoom"], ["\u2190 \u2192", "to the neighbours"],
	["\u2191 \u2193", "along the stack"], ["Enter", "zoom to the chosen box"], ["Backspace", "go back"],
	["+ \u2212", "closer, farther"], ["0", "show everything"], ["n N", "next, previous match"],
	["r", "call tree or callers"], ["i", "flame or icicle"], ["s", "order: name or weight"], ["g", "next grouping"],
	["e", "next event"], ["o", "next colouring"], ["t", "functions"], ["p", "threads"], ["m", "recording"],
	["d", "dark or light"], ["c", "copy the name"], ["?", "this help"],
];

/* ---- state as text --------------------------------------------------------------------------- */

function encodeState(profile, state) {
	const parts = [], put = (key, value) => parts.push(`${key}=${encodeURIComponent(value).replace(/%2C/g, ",")}`);
	const list = numbers => [...numbers].map(n => n.toString(36)).join(",");
	if (state.event)
		put("e", state.event);
	if (state.threads)
		put("t", list(state.threads));
	for (const [key, name] of [["g", "group"], ["c", "colour"], ["q", "query"], ["p", "panel"]])
		if (state[name] !== profile.defaults[name])
			put(key, state[name] || "-");
	for (const [key, name] of [["u", "up"], ["w", "byWeight"], ["i", "icicle"], ["x", "regex"]])
		if (state[name] !== profile.defaults[name])
			put(key, state[name] ? 1 : 0);
	if (state.focus >= 0)
		put("f", state.focus.toString(36));
	if (state.selected >= 0)
		put("s", state.selected.toString(36));
	if (state.path.length)
		put("z", list(state.path));
	return parts.join("&");
}

/* Everything in a link is checked: it may be of another page, or made by hand. */
function decodeState(profile, hash) {
	const values = new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B"));
	const state = { ...profile.defaults, threads: null, path: [] };
	const numbers = (text, limit) => text.split(",").map(part => parseInt(part, 36))
		.filter(n => n >= 0 && n < limit);
	const one = (key, limit) => values.has(key) ? numbers(values.get(key), limit)[0] ?? -1 : -1;
	const choice = (key, name, choices) => {
		if (values.has(key) && choices.includes(values.get(key)))
			state[name] = values.get(key);
	};
	const event = Number(values.get("e"));
	if (Number.isInteger(event) && event > 0 && event < profile.events.length)
		state.event = event;
	if (values.has("t")) {
		const threads = numbers(values.get("t"), profile.threads.count);
		state.threads = threads.length ? new Set(threads) : null;
	}
	choice("g", "group", ["none", "program", "process", "thread"]);
	choice("c", "colour", ["kind", "dso", "name"]);
	if (values.has("p"))
		state.panel = ["functions", "threads", "about"].includes(values.get("p")) ? values.get("p") : null;
	for (const [key, name] of [["u", "up"], ["w", "byWeight"], ["i", "icicle"], ["x", "regex"]])
		if (values.has(key))
			state[name] = values.get(key) === "1";
	state.query = values.get("q") || "";
	state.focus = one("f", profile.frameCount);
	state.selected = one("s", profile.frameCount);
	if (values.has("z"))
		state.path = numbers(values.get("z"), profile.names.length);
	return state;
}

/* ---- the page -------------------------------------------------------------------------------- */

const el = id => document.getElementById(id);

async function startPage() {
	try {
		const data = el("data");
		const profile = await loadProfile(data.textContent.trim());
		data.remove();
		runPage(profile);
	} catch (error) {
		el("summary").textContent = "";
		el("empty").hidden = false;
		el("empty").textContent = `This page's profile cannot be read.\n${error.message || error}`;
		throw error;
	} finally {
		document.body.classList.remove("loading");
	}
}

function runPage(profile) {
	profile.defaults = { ...DEFAULTS, group: profile.programs.length > 1 && profile.programs.length <= 64 ? "program" : "none",
		panel: innerWidth > 900 ? "functions" : null };
	let state = { ...profile.defaults }, theme = document.documentElement.dataset.theme, palette = makePalette(theme);
	let selection = null, forest = null, view = null, matches = null, colours = null, groups = [];
	let weights = null, scope = null, table = null, steps = 0, written = "", pending = 0, toast = 0;
	const byName = list => list.slice().sort((a, b) => profile.names[a.frame] < profile.names[b.frame] ? -1 : 1);
	const groupings = {
		none: [],
		program: byName(profile.programs),
		process: byName(profile.processes),
		thread: byName(profile.threads.comm.map((name, i) => ({ frame: profile.threads.frame[i], threads: [i] }))),
	};
	const event = () => profile.events[state.event];
	const colourOf = frame => matches && matches[frame] ? THEMES[theme].match : palette[colours[frame]];

	const graph = makeGraph({ scroller: el("scroller"), spacer: el("spacer"), base: el("base"), over: el("over") }, profile, {
		hover: showTip,
		click(box) {
			closeMenu();
			el("scroller").focus({ preventScroll: true });
			if (box < 0)
				return;
			hideTip();
			if (box === graph.zoomed && box === graph.cursor)
				box = graph.view.parent[box];
			graph.setCursor(box);
			goTo(box);
		},
		menu: openMenu,
		move() {
			refine();
			const path = pathOf(view, graph.zoomed);
			if (path.join() !== state.path.join())
				change({ path }, { quiet: true });
		},
	});
	const functions = makeFunctions({ list: el("functions"), count: el("function-count"),
		heads: [...document.querySelectorAll("#panel-functions .columns button")] }, profile, colourOf, {
		choose: (frame, mouse) => change({ selected: frame === state.selected && mouse.type === "click" ? -1 : frame }),
	});
	const threads = makeThreads({ list: el("threads"), count: el("thread-count"), filter: el("thread-filter"),
		all: el("all-threads"), modes: [...document.querySelectorAll("#panel-threads [data-by]")] }, profile, {
		choose: chosen => change({ threads: chosen }, { push: true }),
	});

	/* ---- state ---- */

	/* push: a step that Back undoes. quiet: the picture is already there. animated: zoom softly. */
	function change(parts, { push = false, quiet = false, animated = false } = {}) {
		const before = state;
		state = { ...state, ...parts };
		const changed = (...names) => names.some(name => state[name] !== before[name]);
		const reselect = !selection || changed("event", "threads");
		const review = reselect || !view || changed("up", "focus", "byWeight", "group");

		if (reselect)
			selection = makeSelection(profile, state.event, state.threads);
		if (!weights || changed("event"))
			weights = threadWeights(profile, state.event);
		if (changed("query", "regex", "selected") || matches === null || reselect)
			findMatches();
		if (changed("colour") || !colours)
			colours = frameColours(profile, state.colour);
		if (review)
			buildView(reselect || changed("group"));
		else if (changed("path") && !quiet)
			graph.zoom(findPath(view, state.path), animated);
		graph.setColours(theme, palette, colours);
		graph.setMatches(matches);
		graph.setIcicle(state.icicle);
		if (review || changed("path"))
			scope = table = null;
		showState();
		writeHash(push);
		later();
	}
	function buildView(newForest) {
		if (newForest || !forest) {
			groups = groupings[state.group];
			forest = groups.length ? groupedForest(profile, selection, groups) : wholeForest(profile, selection);
		}
		const merged = state.up || state.focus >= 0;
		view = merged ? viewMerged(profile, selection, state, null) : viewDown(profile, selection, forest, state.byWeight);
		if (merged && state.path.length) {
			const box = findPath(view, state.path);
			if (box > 0)
				view = viewMerged(profile, selection, state, [view.start[box], view.start[box] + view.total[box]]);
		}
		const box = findPath(view, state.path);
		state.path = box > 0 ? pathOf(view, box) : [];
		graph.setView(view, box, false);
		graph.scrollToRoot();
		if (box > 0)
			graph.reveal(box);
	}
	/* A merged view is finer where one looks: built again when the window has become much narrower. */
	function refine() {
		const [from, to] = graph.window;
		if (!view.merged || view.complete || (to - from) / RESOLUTION > view.fine * 0.3)
			return;
		const path = pathOf(view, graph.zoomed), cursor = graph.cursor >= 0 ? pathOf(view, graph.cursor) : null;
		view = viewMerged(profile, selection, state, [from, to]);
		graph.setView(view, findPath(view, path), true);
		graph.setMatches(matches);
		graph.setCursor(cursor ? findPath(view, cursor) : -1);
	}
	function findMatches() {
		const query = compileQuery(profile, state.query, state.regex), output = el("matched");
		matches = null;
		output.classList.toggle("error", Boolean(query && query.error));
		el("query").setAttribute("aria-invalid", Boolean(query && query.error));
		output.title = query && query.error ? query.error : "";
		if (query && query.error)
			output.textContent = query.error;
		else if (query)
			matches = matchFrames(profile, query.test);
		else if (state.selected >= 0)
			matches = matchFrames(profile, frame => frame === state.selected);
	}
	function goTo(box) {
		change({ path: pathOf(view, Math.max(0, box)) }, { push: true, animated: true });
	}
	function back() {
		if (steps > 0)
			history.back();
		else if (state.path.length)
			goTo(view.parent[graph.zoomed]);
		else
			reset();
	}
	function reset() {
		change({ path: [], focus: -1, threads: null, selected: -1, query: "" }, { push: true, animated: true });
		if (graph.window[1] - graph.window[0] < view.weight)
			graph.zoom(0, true);
	}
	function focusOn(frame, up) {
		if (frame > 0 && frame < profile.frameCount)
			change({ focus: frame, up, path: [], selected: -1 }, { push: true });
	}

	/* ---- the address ---- */

	function writeHash(push) {
		const hash = encodeState(profile, state);
		if (hash === written)
			return;
		written = hash;
		if (push) {
			steps++;
			location.hash = hash || "-";
			return;
		}
		try {
			history.replaceState(history.state, "", "#" + hash);
		} catch {
			/* Some browsers refuse on file://: then the address lags behind, nothing else. */
		}
	}
	addEventListener("hashchange", () => {
		const hash = location.hash.replace(/^#-?/, "");
		if (hash === written)
			return;
		steps = Math.max(0, steps - 1);
		written = hash;
		change(decodeState(profile, hash), { animated: true });
	});

	/* ---- what follows from the state ---- */

	/* The table and the counts come right after the frame that shows the picture. */
	function later() {
		if (!pending)
			pending = setTimeout(() => {
				pending = 0;
				showScope();
			}, 0);
	}
	function showScope() {
		if (!scope)
			scope = makeScope(profile, selection, view, graph.zoomed, groups);
		if (state.panel === "functions") {
			table = table || functionTable(profile, scope);
			functions.update(table, scope.weight, state.selected, state.query ? matches : null);
		}
		threads.update(weights, event() ? event().weight : 0, state.threads);
		const output = el("matched");
		if (matches) {
			const weight = matchedWeight(profile, scope, matches);
			output.textContent = formatShare(weight, scope.weight);
			output.title = `${formatWeight(weight, event().unit)} of ${formatWeight(scope.weight, event().unit)} in view have a match in their stack`;
		} else if (!output.classList.contains("error")) {
			output.textContent = "";
		}
	}
	function press(selector, value) {
		for (const button of document.querySelectorAll(selector))
			button.setAttribute("aria-pressed", Object.values(button.dataset)[0] === value);
	}
	function showState() {
		press("#tools [data-up]", state.up ? "1" : "0");
		press("#tools [data-icicle]", state.icicle ? "1" : "0");
		el("event").value = state.event;
		el("group").value = state.group;
		el("group").disabled = state.up || state.focus >= 0;
		el("order").value = state.byWeight ? "weight" : "name";
		el("colour").value = state.colour;
		el("regex").setAttribute("aria-pressed", state.regex);
		if (document.activeElement !== el("query"))
			el("query").value = state.query;
		el("side").hidden = !state.panel;
		el("side-toggle").setAttribute("aria-pressed", Boolean(state.panel));
		for (const tab of document.querySelectorAll("#tabs button")) {
			const on = tab.dataset.panel === state.panel;
			tab.setAttribute("aria-selected", on);
			tab.tabIndex = on ? 0 : -1;
			el("panel-" + tab.dataset.panel).hidden = !on;
		}
		showLegend(el("legend"), profile, selection, palette, query => change({ query: query === state.query ? "" : query }));
		showChips();
		showCrumbs();
		showDetail();
		showEmpty();
		el("back").disabled = !steps && !state.path.length;
		el("reset").disabled = !state.path.length && state.focus < 0 && !state.threads && !state.query && state.selected < 0;
	}
	function showChips() {
		const button = (text, label, run) => {
			const element = make("button", { type: "button", title: label, "aria-label": label }, text);
			element.addEventListener("click", run);
			return element;
		};
		const chips = [], chip = (text, parts, ...more) => chips.push(make("span.chip", { title: text }, make("span", {}, text),
			...more, button("\u2715", `Remove: ${text}`, () => change(parts, { push: true }))));
		if (state.threads)
			chip(describeThreads(profile, state.threads), { threads: null });
		if (state.focus >= 0)
			chip(`${state.up ? "callers of" : "callees of"} ${profile.names[state.focus]}`, { focus: -1, path: [] });
		if (state.selected >= 0 && !state.query)
			chip(profile.names[state.selected], { selected: -1 },
				button("callers", "Who calls this function", () => focusOn(state.selected, true)),
				button("callees", "What this function calls", () => focusOn(state.selected, false)));
		el("chips").replaceChildren(...chips);
	}
	function showCrumbs() {
		const boxes = [], items = [];
		for (let box = graph.zoomed; box >= 0 && view.count; box = view.parent[box])
			boxes.push(box);
		boxes.reverse();
		const hidden = Math.max(0, boxes.length - 6);
		boxes.forEach((box, i) => {
			if (i >= 2 && i < 2 + hidden) {
				if (i === 2)
					items.push(make("li", {}, make("span.gap", { title: `${hidden} more` }, "\u2026")));
				return;
			}
			const name = box === 0 && view.focus === undefined ? "all" : profile.names[view.frame[box]];
			const button = make("button.quiet", { type: "button", title: name }, name);
			button.addEventListener("click", () => {
				graph.setCursor(box);
				goTo(box);
			});
			items.push(make("li", i === boxes.length - 1 ? { "aria-current": "true" } : {}, button));
		});
		el("crumbs").replaceChildren(...items);
	}
	function showEmpty() {
		const empty = el("empty");
		empty.hidden = view.count > 0;
		if (view.count)
			return;
		if (!profile.events.length || !profile.rows.count)
			empty.textContent = "No samples.\nThe recording holds nothing that could be drawn: the program may have run too briefly, or slept.";
		else if (state.focus >= 0)
			empty.textContent = `${profile.names[state.focus]} was not seen in these samples.`;
		else
			empty.textContent = `No samples of ${event().name} in this selection.`;
	}
	function describe(box) {
		const { unit } = event(), kind = KINDS[profile.kind[view.frame[box]]];
		const parts = [`${formatShare(view.total[box], selection.weight)} (${formatWeight(view.total[box], unit)})`];
		if (graph.zoomed > 0)
			parts.push(`${formatShare(view.total[box], view.total[graph.zoomed])} of view`);
		if (!(view.merged && view.up))
			parts.push(`self ${formatShare(view.self[box], selection.weight)}`);
		return { name: profile.names[view.frame[box]], dso: profile.dso[view.frame[box]], kind, parts };
	}
	function showDetail(box = graph.cursor) {
		const text = el("detail-text"), cursor = graph.cursor;
		el("detail-actions").hidden = cursor <= 0 || view.frame[cursor] <= 0 || view.frame[cursor] >= profile.frameCount;
		if (box < 0 || !view.count) {
			text.replaceChildren(make("span", { style: "margin-left:0" }, view.count ?
				"Hover over a box for its numbers, click to zoom, / to search, ? for all keys" : ""));
			return;
		}
		const { name, dso, parts } = describe(box);
		text.replaceChildren(make("b", {}, name), ...[dso ? shortDso(dso) : "", ...parts].filter(part => part)
			.map(part => make("span", {}, part)));
	}
	function say(box) {
		const { name, dso, kind, parts } = describe(box);
		el("live").textContent = [name, shortDso(dso), kind, ...parts, `level ${levelOf(view, box)}`].filter(part => part).join(", ");
	}

	/* ---- tooltip and menu ---- */

	function hideTip() {
		el("tip").hidden = true;
	}
	function showTip(box, mouse) {
		const tip = el("tip");
		showDetail(box >= 0 ? box : graph.cursor);
		if (box < 0 || !mouse || mouse.pointerType === "touch")
			return hideTip();
		if (tip.hidden || tip.box !== box || tip.view !== view) {
			tip.box = box;
			tip.view = view;
			const frame = view.frame[box], kind = profile.kind[frame], dso = profile.dso[frame], unit = event().unit;
			const head = make("tr", {}, make("th"), make("th", {}, "weight"), make("th", {}, "samples"), make("th", {}, "of all"));
			const body = boxNumbers(view, box).map(([label, weight, samples]) => make("tr", {}, make("td", {}, label),
				make("td", {}, formatWeight(weight, unit)), make("td", {}, formatCount(samples)),
				make("td", {}, formatShare(weight, selection.weight)),
				...(graph.zoomed > 0 ? [make("td", {}, formatShare(weight, view.total[graph.zoomed]))] : [])));
			if (graph.zoomed > 0)
				head.append(make("th", {}, "of view"));
			const swatch = make("span.swatch");
			swatch.style.background = palette[colours[frame]];
			const where = kind === KIND_GROUP ? "" : (kind === 2 ? "JIT" : KINDS[kind]) + (dso ? " \u00b7 " + dso : "");
			tip.replaceChildren(make("div.name", {}, profile.names[frame]),
				make("div.dso", {}, ...(where ? [swatch, where] : [])), make("table", {}, head, ...body));
			tip.hidden = false;
		}
		placeTip(tip, mouse);
	}
	function closeMenu() {
		el("menu").hidden = true;
	}
	function openMenu(box, mouse) {
		const menu = el("menu"), frame = view.frame[box], real = frame > 0 && frame < profile.frameCount;
		const stack = () => pathOf(view, box).map(f => profile.names[f]);
		const entries = [["Zoom to this box", () => goTo(box)]];
		if (real)
			entries.push(["Callers of this function", () => focusOn(frame, true)],
				["What this function calls", () => focusOn(frame, false)],
				["Highlight it everywhere", () => change({ selected: frame, query: "" })],
				["Copy name", () => copy(profile.names[frame], "Name")],
				["Copy stack", () => copy((view.up ? stack() : stack().reverse()).join("\n"), "Stack")]);
		hideTip();
		graph.setCursor(box);
		menu.replaceChildren(make("p", {}, profile.names[frame]), ...entries.map(([text, run]) => {
			const button = make("button", { type: "button", role: "menuitem" }, text);
			button.addEventListener("click", () => {
				closeMenu();
				run();
			});
			return button;
		}));
		menu.hidden = false;
		placeTip(menu, mouse);
		menu.querySelector("button").focus();
	}
	function notify(text) {
		const element = el("toast");
		element.textContent = text;
		element.hidden = false;
		clearTimeout(toast);
		toast = setTimeout(() => { element.hidden = true; }, 1800);
	}
	async function copy(text, what) {
		notify(await copyText(text) ? `${what} copied` : `${what} could not be copied`);
	}

	/* ---- hands ---- */

	function moveCursor(direction) {
		const { parent, first, children, total } = view, at = graph.cursor >= 0 ? graph.cursor : graph.zoomed;
		const toRoot = direction === (state.icicle ? "ArrowUp" : "ArrowDown");
		let next = at;
		if (graph.cursor < 0)
			next = at;
		else if (direction === "ArrowLeft" || direction === "ArrowRight") {
			const level = levelOf(view, at), step = direction === "ArrowLeft" ? -1 : 1;
			if (at + step >= view.levelStart[level] && at + step < view.levelStart[level + 1])
				next = at + step;
		} else if (toRoot) {
			next = Math.max(0, parent[at]);
		} else {
			for (let kid = first[at]; kid < first[at] + children[at]; kid++)
				if (next === at || total[kid] > total[next])
					next = kid;
		}
		setCursor(next);
	}
	function setCursor(box) {
		const [from, to] = graph.window, { start, total } = view;
		graph.setCursor(box);
		if (start[box] + total[box] <= from || start[box] >= to) {
			let up = box;
			while (up > 0 && (start[up] > from || start[up] + total[up] < to) && total[up] < (to - from) / 2)
				up = view.parent[up];
			goTo(up);
		}
		showDetail();
		say(box);
	}
	/* The next box that matches, in the order of the picture: level by level from the chosen one. */
	function nextMatch(step) {
		if (!matches || !view.count)
			return;
		for (let k = 1, at = Math.max(0, graph.cursor); k <= view.count; k++) {
			const box = (at + step * k + view.count * 2) % view.count;
			if (matches[view.frame[box]])
				return setCursor(box);
		}
		notify("No match in this view");
	}
	function cycle(name, choices, options) {
		change({ [name]: choices[(choices.indexOf(state[name]) + 1) % choices.length] }, options);
	}
	function togglePanel(name) {
		change({ panel: state.panel === name ? null : name });
	}
	function setTheme(next) {
		theme = next;
		document.documentElement.dataset.theme = theme;
		palette = makePalette(theme);
		change({}, {});
		functions.paint();
	}
	function toggleTheme() {
		setTheme(theme === "dark" ? "light" : "dark");
		try {
			localStorage.setItem("sonde-theme", theme);
		} catch {
			/* Private windows keep nothing. */
		}
	}
	function escape() {
		if (!el("menu").hidden)
			closeMenu();
		else if (state.query)
			change({ query: "" });
		else if (state.selected >= 0)
			change({ selected: -1 });
		else if (state.path.length || graph.window[1] - graph.window[0] < view.weight)
			state.path.length ? goTo(0) : graph.zoom(0, true);
		else if (state.focus >= 0)
			change({ focus: -1 }, { push: true });
		else if (graph.cursor >= 0)
			graph.setCursor(-1);
	}
	const actions = {
		"/": () => { el("query").focus(); el("query").select(); },
		"?": showHelp,
		"+": () => graph.scale(0.6, undefined, true), "=": () => graph.scale(0.6, undefined, true),
		"-": () => graph.scale(1 / 0.6, undefined, true),
		"0": () => reset(),
		i: () => change({ icicle: !state.icicle }),
		r: () => change({ up: !state.up, path: [] }, { push: true }),
		s: () => change({ byWeight: !state.byWeight }),
		g: () => el("group").disabled || cycle("group", ["none", "program", "process", "thread"]),
		e: () => profile.events.length > 1 && change({ event: (state.event + 1) % profile.events.length }),
		o: () => cycle("colour", ["kind", "dso", "name"]),
		t: () => togglePanel("functions"), p: () => togglePanel("threads"), m: () => togglePanel("about"),
		d: toggleTheme,
		c: () => graph.cursor >= 0 && copy(profile.names[view.frame[graph.cursor]], "Name"),
		n: () => nextMatch(1), N: () => nextMatch(-1),
		Escape: escape, Backspace: back,
		Enter: () => graph.cursor >= 0 && goTo(graph.cursor),
		ArrowLeft: () => moveCursor("ArrowLeft"), ArrowRight: () => moveCursor("ArrowRight"),
		ArrowUp: () => moveCursor("ArrowUp"), ArrowDown: () => moveCursor("ArrowDown"),
	};
	document.addEventListener("keydown", key => {
		const target = key.target, typing = target.matches("input, select, textarea");
		if (key.ctrlKey || key.altKey || key.metaKey || el("keys").open || !actions[key.key])
			return;
		if (typing && key.key !== "Escape")
			return;
		if (target.matches("button, [role=menuitem]") && (key.key === "Enter" || (!el("menu").hidden && key.key.startsWith("Arrow"))))
			return;
		if (!view.count && !"/?tpmdei".includes(key.key))
			return;
		key.preventDefault();
		hideTip();
		actions[key.key]();
	});
	function showHelp() {
		const dialog = el("keys"), close = make("button", { type: "button", style: "float:right" }, "Close");
		close.addEventListener("click", () => dialog.close());
		dialog.replaceChildren(close, make("h2", { id: "keys-title" }, "Keyboard and mouse"),
			make("div.keys", {}, ...KEYS.map(([keys, text]) => make("div", {},
				make("span", {}, ...keys.split(" ").map(key => make("kbd", {}, key))), make("span", {}, text)))),
			make("p", {}, "Click: zoom in, and out again. Drag or Shift+wheel: move. Ctrl+wheel or pinch: closer, farther. " +
				"Right click: callers, callees, copy. Search: part of a name, dso:libc, kind:kernel, or /a regular expression/."));
		dialog.showModal();
	}
	el("keys").addEventListener("click", click => {
		if (click.target === el("keys"))
			el("keys").close();
	});

	const choose = (id, run) => el(id).addEventListener("change", () => run(el(id)));
	const on = (target, run) => (typeof target === "string" ? el(target) : target).addEventListener("click", () => run());
	for (const button of document.querySelectorAll("#tools [data-up]"))
		on(button, () => change({ up: button.dataset.up === "1", path: [] }, { push: true }));
	for (const button of document.querySelectorAll("#tools [data-icicle]"))
		on(button, () => change({ icicle: button.dataset.icicle === "1" }));
	choose("event", select => change({ event: Number(select.value) }));
	choose("group", select => change({ group: select.value, path: [] }));
	choose("order", select => change({ byWeight: select.value === "weight" }));
	choose("colour", select => change({ colour: select.value }));
	choose("save", select => {
		const what = select.value;
		select.value = "";
		if (what === "link")
			copy(location.href, "Link");
		else if (what === "svg" && view.count)
			saveFile("flame.svg", "image/svg+xml", picture(0.1));
		else if (what === "folded" && view.count)
			saveFile("flame.folded", "text/plain", exportFolded(profile, selection));
	});
	on("side-toggle", () => change({ panel: state.panel ? null : "functions" }));
	const tabs = [...document.querySelectorAll("#tabs button")];
	for (const tab of tabs) {
		on(tab, () => change({ panel: tab.dataset.panel }));
		tab.addEventListener("keydown", key => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[key.key];
			if (!step)
				return;
			const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
			change({ panel: next.dataset.panel });
			next.focus();
			key.stopPropagation();
			key.preventDefault();
		});
	}
	on("theme", toggleTheme);
	on("help", showHelp);
	on("back", back);
	on("reset", reset);
	on("regex", () => change({ regex: !state.regex }));
	for (const button of document.querySelectorAll("#detail-actions button"))
		on(button, () => {
			const frame = view.frame[graph.cursor];
			button.dataset.do === "copy" ? copy(profile.names[frame], "Name") : focusOn(frame, button.dataset.do === "callers");
		});
	let typing = 0;
	el("query").addEventListener("input", () => {
		clearTimeout(typing);
		typing = setTimeout(() => change({ query: el("query").value }), 60);
	});
	el("query").addEventListener("keydown", key => {
		if (key.key === "Escape") {
			el("query").value = "";
			change({ query: "" });
			el("scroller").focus({ preventScroll: true });
			key.stopPropagation();
		}
	});
	el("search").addEventListener("submit", submit => {
		submit.preventDefault();
		clearTimeout(typing);
		change({ query: el("query").value });
		nextMatch(1);
	});
	document.addEventListener("pointerdown", press => {
		if (!press.target.closest("#menu"))
			closeMenu();
	});
	new ResizeObserver(() => graph.resize()).observe(el("stage"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", query => setTheme(query.matches ? "dark" : "light"));
	function picture(least) {
		return exportSvg(profile, view, graph.window, { icicle: state.icicle, theme, palette, colours, matches,
			unit: event().unit, least });
	}
	/* Paper gets the picture in lines, not in pixels, and always light. */
	let shown = theme;
	addEventListener("beforeprint", () => {
		shown = theme;
		setTheme("light");
		if (view.count)
			el("paper").replaceChildren(new DOMParser().parseFromString(picture(0.4), "image/svg+xml").documentElement);
	});
	addEventListener("afterprint", () => {
		el("paper").replaceChildren();
		setTheme(shown);
	});

	/* ---- first sight ---- */

	profile.events.forEach((item, i) => el("event").append(make("option", { value: i }, item.name)));
	el("event-choice").hidden = profile.events.length < 2;
	const total = profile.events[0];
	const duration = profile.meta.find(([key]) => key === "duration");
	el("summary").textContent = [total ? `${formatCount(total.samples)} samples of ${total.name}` : "no events",
		duration ? duration[1] : "", profile.threads.count > 1 ? `${formatCount(profile.threads.count)} threads` : ""]
		.filter(part => part).join(" \u00b7 ");
	el("title").textContent = profile.title || "flame graph";
	el("title").title = profile.title;
	showBanner(el("banner"), profile);
	showAbout(el("panel-about"), profile);
	if (profile.notes.length)
		el("tab-about").append(make("span.badge", { title: "notes" }, String(profile.notes.length)));
	if (!profile.events.length)
		profile.events.push({ name: "", unit: "", weight: 0, samples: 0, groups: 0, thread: [], start: [0], scale: 1 });
	const hash = location.hash.replace(/^#-?/, "");
	written = hash;
	graph.resize();
	change(decodeState(profile, hash));
	performance.mark("first-view");
	/* For the console, and for tests. */
	globalThis.sonde = { profile, graph, change, get state() { return state; }, get view() { return view; } };
}
