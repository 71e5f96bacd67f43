/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands around the picture: threads and processes to choose from, the recording's metadata, what
 * was lost and how complete the stacks are, the legend, the tooltip.
 */

/* ---- threads --------------------------------------------------------------------------------- */

/* on.choose(Set of threads or null). A click chooses one; with Ctrl or Shift it is added or taken away. */
function makeThreads(elements, profile, on) {
	let by = profile.processes.length > 1 ? "process" : "thread", weights = new Float64Array(0), whole = 1;
	let entries = [], shown = [], chosen = null;
	const list = makeList(elements.list, (row, i) => {
		if (!row.firstChild)
			row.append(make("span.check"), make("span.name", { role: "gridcell" }, make("span"), make("small")),
				make("span.number", { role: "gridcell" }, make("i"), make("b")));
		const [, name, share] = row.children, entry = shown[i], picked = isChosen(entry);
		name.firstChild.textContent = entry.name;
		name.lastChild.textContent = entry.id;
		name.title = `${entry.name} ${entry.id}`;
		share.lastChild.textContent = formatShare(entry.weight, whole);
		share.firstChild.style.width = entry.weight / whole * 100 + "%";
		row.classList.toggle("selected", picked);
		row.setAttribute("aria-selected", picked);
	}, (i, event) => choose(shown[i], event.ctrlKey || event.metaKey || event.shiftKey));

	function isChosen(entry) {
		return chosen !== null && entry.threads.every(thread => chosen.has(thread));
	}
	function choose(entry, more) {
		const next = new Set(more && chosen ? chosen : []);
		const remove = isChosen(entry) && (more || entry.threads.length === chosen.size);
		for (const thread of entry.threads)
			remove ? next.delete(thread) : next.add(thread);
		on.choose(next.size && next.size < profile.threads.count ? next : null);
	}
	function gather() {
		const { pid, tid, comm } = profile.threads;
		const sum = threads => threads.reduce((total, thread) => total + weights[thread], 0);
		if (by === "thread")
			entries = comm.map((name, i) => ({ name, id: pid[i] === tid[i] ? `${tid[i]}` : `${pid[i]}/${tid[i]}`,
				threads: [i], weight: weights[i] }));
		else
			entries = profile.processes.map(process => ({ name: process.name, threads: process.threads,
				id: `${process.pid}` + (process.threads.length > 1 ? ` \u00b7 ${process.threads.length} threads` : ""),
				weight: sum(process.threads) }));
		entries = entries.filter(entry => entry.weight > 0);
		entries.sort((a, b) => b.weight - a.weight);
	}
	function arrange() {
		const text = elements.filter.value.toLowerCase();
		shown = entries.filter(entry => `${entry.name} ${entry.id}`.toLowerCase().includes(text));
		elements.count.textContent = (text ? `${formatCount(shown.length)} of ` : "") +
			`${formatCount(entries.length)} ${by === "thread" ? "threads" : "processes"}`;
		for (const button of elements.modes)
			button.setAttribute("aria-pressed", button.dataset.by === by);
		list.setCount(shown.length);
	}
	for (const button of elements.modes)
		button.addEventListener("click", () => {
			by = button.dataset.by;
			gather();
			arrange();
		});
	elements.filter.addEventListener("input", arrange);
	elements.filter.addEventListener("keydown", event => {
		if (event.key === "Escape" && elements.filter.value) {
			elements.filter.value = "";
			arrange();
			event.stopPropagation();
		}
	});
	elements.all.addEventListener("click", () => on.choose(null));
	return {
		update(nextWeights, weight, nextChosen) {
			const changed = weights !== nextWeights;
			whole = weight;
			chosen = nextChosen;
			elements.all.setAttribute("aria-pressed", chosen === null);
			if (changed) {
				weights = nextWeights;
				gather();
				arrange();
			}
			list.paint();
		},
	};
}

/* A few words for a set of threads: "cc1 (4711)", "3 processes", "12 threads". */
function describeThreads(profile, chosen) {
	const whole = profile.processes.filter(process => process.threads.every(thread => chosen.has(thread)));
	const covered = whole.reduce((count, process) => count + process.threads.length, 0);
	if (chosen.size === 1) {
		const [thread] = chosen, { pid, tid, comm } = profile.threads;
		return `${comm[thread]} (${pid[thread] === tid[thread] ? tid[thread] : pid[thread] + "/" + tid[thread]})`;
	}
	if (covered === chosen.size)
		return whole.length === 1 ? `${whole[0].name} (${whole[0].pid})` : `${whole.length} processes`;
	return `${chosen.size} threads`;
}

/* ---- the recording --------------------------------------------------------------------------- */

function mergedText(profile) {
	if (!profile.merged)
		return "";
	const shares = profile.events.filter(event => event.other > 0)
		.map(event => `${formatShare(event.other, event.weight)} of ${event.name}`);
	return `To keep this page quick, the ${formatCount(profile.merged)} smallest of ` +
		`${formatCount(profile.merged + profile.nodes - 1 - profile.others)} call paths were merged into \u201c(other)\u201d, ` +
		`at ${formatCount(profile.others)} places: ${shares.join(", ") || "nothing"}.`;
}

function lostText(profile) {
	const { lost } = profile, samples = profile.events.reduce((sum, event) => sum + event.samples, 0);
	const parts = [];
	if (lost.samples)
		parts.push(`${formatCount(lost.samples)} samples were lost (${formatShare(lost.samples, lost.samples + samples)})`);
	if (lost.records)
		parts.push(`${formatCount(lost.records)} records were lost`);
	if (lost.throttled)
		parts.push(`sampling was throttled ${formatCount(lost.throttled)} times`);
	if (!parts.length)
		return "";
	const text = parts.join(", ");
	return text[0].toUpperCase() + text.slice(1) + "." + (lost.advice ? " " + lost.advice : "");
}

/* always: also when all is well. */
function qualityText(profile, always) {
	const { stacks, complete, breaks, advice } = profile.quality;
	if (!stacks || (!always && complete >= stacks * 0.95))
		return "";
	const broken = stacks - complete;
	let text = `${formatShare(complete, stacks)} of stacks reach an entry point.`;
	if (breaks.length && broken > 0) {
		const worst = breaks.slice(0, 3).map(item => `${shortDso(item.dso) || "unknown code"} ` +
			`(${formatShare(item.samples, stacks)})`);
		text += ` The others end early, most in ${worst.join(", ")}.`;
	}
	return text + (advice && broken > 0 ? " " + advice : "");
}

function showBanner(element, profile) {
	const texts = [lostText(profile), qualityText(profile, false), mergedText(profile)].filter(text => text);
	element.hidden = !texts.length;
	if (!texts.length)
		return;
	const close = make("button.quiet", { type: "button", "aria-label": "Hide these notes" }, "\u2715");
	close.addEventListener("click", () => { element.hidden = true; });
	element.replaceChildren(make("div", {}, ...texts.map(text => make("p", {}, text))), close);
}

function showAbout(element, profile) {
	const list = make("dl");
	const add = (key, value) => list.append(make("dt", {}, key), make("dd", {}, value));
	for (const [key, value] of profile.meta)
		add(key, value);
	for (const event of profile.events)
		add("event", `${event.name}: ${formatCount(event.samples)} samples, ${formatWeight(event.weight, event.unit)}`);
	add("in this page", `${formatCount(Math.max(0, profile.nodes - 1))} call paths, ` +
		`${formatCount(profile.frameCount - 1)} functions, ${formatCount(profile.processes.length)} processes, ` +
		`${formatCount(profile.threads.count)} threads`);
	add("lost", lostText(profile) || "nothing");
	if (profile.quality.stacks)
		add("stacks", qualityText(profile, true));
	if (profile.merged)
		add("merged", mergedText(profile));
	for (const note of profile.notes)
		add("note", note);
	element.replaceChildren(list);
}

/* ---- legend ---------------------------------------------------------------------------------- */

/* Kinds that occur, with their part of the self weight; a click looks for that kind. */
function showLegend(element, profile, selection, palette, choose) {
	const weights = new Float64Array(KINDS.length);
	for (let i = 1; i < profile.count; i++)
		weights[profile.kind[profile.frame[i]]] += selection.self[i];
	element.replaceChildren();
	KINDS.forEach((kind, k) => {
		if (k === KIND_GROUP || !profile.present[k])
			return;
		const swatch = make("span.swatch");
		swatch.style.background = palette[k * VARIANTS + 7];
		const button = make("button.quiet", { type: "button", title: `Highlight ${kind} code (by self time)` }, swatch,
			kind === "jit" ? "JIT" : kind, make("b", {}, formatShare(weights[k], selection.weight)));
		button.addEventListener("click", () => choose(`kind:${kind}`));
		element.append(button);
	});
}

/* ---- tooltip --------------------------------------------------------------------------------- */

function placeTip(tip, event) {
	const gap = 14, box = tip.getBoundingClientRect();
	let x = event.clientX + gap, y = event.clientY + gap;
	if (x + box.width > innerWidth - 8)
		x = Math.max(8, event.clientX - gap - box.width);
	if (y + box.height > innerHeight - 8)
		y = Math.max(8, event.clientY - gap - box.height);
	tip.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

/* Numbers of a box: [[label, weight, samples]], and what 100 % is. */
function boxNumbers(view, box) {
	const rows = [[view.merged && view.up ? "Weight" : "Total", view.total[box], view.samples[box]]];
	if (!(view.merged && view.up))
		rows.push(["Self", view.self[box], view.selfSamples[box]]);
	return rows;
}
