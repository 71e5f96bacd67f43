/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a profile to a picture, in three steps.
 *
 *   selection   the weights of one event and of some (or all) threads, by node of the profile
 *   view        boxes laid out: from the root down, from the leaves up ("callers"), or around one
 *               function; columns in breadth-first order, so that a level is an interval sorted by
 *               position and a box's children are neighbours in the next one
 *   scope       the stacks that are inside the box zoomed into, again by node of the profile:
 *               what the table and the search count
 *
 * Positions are weights, not pixels: zooming changes only the window that is drawn, and a view is
 * built once. Callers are another matter: the tree of all suffixes of 100,000 stacks has millions of
 * boxes of which a screen shows thousands. So merged views are built down to a size that no screen
 * shows (`fine`), keep the place of what they leave out, and are built again when the window has
 * become much narrower.
 */

const RESOLUTION = 16384; /* boxes below this part of the window are not made in merged views */

/* ---- selections ------------------------------------------------------------------------------ */

/* threads: a Set of thread numbers, or null for all. */
function makeSelection(profile, eventIndex, threads) {
	const event = profile.events[eventIndex], count = profile.count;
	const { node, weight, samples } = profile.rows;
	const selection = { event, threads, self: new Float64Array(count), selfSamples: new Float64Array(count),
		weight: 0, samples: 0 };
	const { self, selfSamples } = selection;

	for (let g = 0; g < event.groups; g++) {
		if (threads && !threads.has(event.thread[g]))
			continue;
		for (let i = event.start[g]; i < event.start[g + 1]; i++) {
			self[node[i]] += weight[i];
			selfSamples[node[i]] += samples[i];
		}
	}
	const total = selection.total = self.slice(), totalSamples = selection.totalSamples = selfSamples.slice();
	const parent = profile.parent;
	for (let i = count - 1; i > 0; i--) {
		total[parent[i]] += total[i];
		totalSamples[parent[i]] += totalSamples[i];
	}
	selection.weight = count ? total[0] : 0;
	selection.samples = count ? totalSamples[0] : 0;
	return selection;
}

/* Weight by thread number for one event: what the lists of threads and processes show. */
function threadWeights(profile, eventIndex) {
	const event = profile.events[eventIndex], weights = new Float64Array(profile.threads.count);

	for (let g = 0; event && g < event.groups; g++)
		for (let i = event.start[g]; i < event.start[g + 1]; i++)
			weights[event.thread[g]] += profile.rows.weight[i];
	return weights;
}

/* ---- columns that grow ----------------------------------------------------------------------- */

function makeView(room) {
	return {
		count: 0, levelStart: [0], complete: true, fine: 0,
		frame: new Int32Array(room), parent: new Int32Array(room), node: new Int32Array(room),
		first: new Int32Array(room), children: new Int32Array(room),
		start: new Float64Array(room), total: new Float64Array(room), self: new Float64Array(room),
		samples: new Float64Array(room), selfSamples: new Float64Array(room),
	};
}

const COLUMNS = ["frame", "parent", "node", "first", "children", "start", "total", "self", "samples", "selfSamples"];

function addBox(view, parent, frame, node, start, total, samples) {
	const i = view.count++;
	if (i === view.frame.length) {
		for (const name of COLUMNS) {
			const wider = new view[name].constructor(Math.max(1024, i * 2));
			wider.set(view[name]);
			view[name] = wider;
		}
	}
	view.frame[i] = frame;
	view.parent[i] = parent;
	view.node[i] = node;
	view.start[i] = start;
	view.total[i] = total;
	view.samples[i] = samples;
	return i;
}

/* Sorts the first `count` of list; what compares equal keeps its order. */
function sortFirst(list, count, compare) {
	if (count < 2)
		return;
	const sorted = Array.prototype.slice.call(list, 0, count).sort(compare);
	for (let i = 0; i < count; i++)
		list[i] = sorted[i];
}

/* ---- from the root down ---------------------------------------------------------------------- */

/*
 * A forest is what viewDown lays out: nodes of the profile in preorder, `end` as in the profile.
 * Without grouping it is the whole selection, and no column is copied.
 */
function wholeForest(profile, selection) {
	return { node: null, end: profile.end, total: selection.total, self: selection.self,
		samples: selection.totalSamples, selfSamples: selection.selfSamples, roots: [0], frames: [0] };
}

/* One tree for each group of threads, made of the nodes that its rows touch. groups: [{frame, threads}], by name */
function groupedForest(profile, selection, groups) {
	const { node, weight, samples } = profile.rows, event = selection.event, parent = profile.parent;
	const groupOf = new Map(), rowsOf = groups.map(() => []);
	const place = new Int32Array(profile.count), stamp = new Int32Array(profile.count).fill(-1);
	const out = { node: [], end: [], total: [], self: [], samples: [], selfSamples: [], roots: [], frames: [] };

	groups.forEach((group, g) => group.threads.forEach(thread => groupOf.set(thread, g)));
	for (let g = 0; g < event.groups; g++)
		if (!selection.threads || selection.threads.has(event.thread[g]))
			rowsOf[groupOf.get(event.thread[g])].push(g);
	rowsOf.forEach((list, g) => {
		const touched = [];
		for (const range of list)
			for (let i = event.start[range]; i < event.start[range + 1]; i++)
				for (let n = node[i]; n >= 0 && stamp[n] !== g; n = parent[n]) {
					stamp[n] = g;
					touched.push(n);
				}
		if (!touched.length)
			return;
		const sorted = Int32Array.from(touched).sort(), base = out.node.length;
		for (let i = 0; i < sorted.length; i++) {
			place[sorted[i]] = base + i;
			out.node.push(sorted[i]);
			out.end.push(base + i + 1);
			out.total.push(0);
			out.self.push(0);
			out.samples.push(0);
			out.selfSamples.push(0);
		}
		for (const range of list)
			for (let i = event.start[range]; i < event.start[range + 1]; i++) {
				out.self[place[node[i]]] += weight[i];
				out.selfSamples[place[node[i]]] += samples[i];
			}
		for (let i = out.node.length - 1; i >= base; i--) {
			out.total[i] += out.self[i];
			out.samples[i] += out.selfSamples[i];
			if (i > base) {
				const up = place[parent[out.node[i]]];
				out.total[up] += out.total[i];
				out.samples[up] += out.samples[i];
				out.end[up] = Math.max(out.end[up], out.end[i]);
			}
		}
		out.roots.push(base);
		out.frames.push(groups[g].frame);
	});
	return out;
}

function viewDown(profile, selection, forest, byWeight) {
	const grouped = forest.node !== null;
	const view = makeView(grouped ? forest.node.length + 1 : profile.count);
	const at = new Int32Array(view.frame.length + 1); /* by box: its place in the forest */
	const { end, total, samples } = forest, kids = [];

	function add(parent, frame, place, start) {
		const i = addBox(view, parent, frame, grouped ? forest.node[place] : place, start, total[place],
			samples[place]);
		at[i] = place;
		view.self[i] = forest.self[place];
		view.selfSamples[i] = forest.selfSamples[place];
		return start + total[place];
	}

	view.grouped = grouped;
	if (!selection.weight)
		return finishView(view);
	if (!grouped) {
		add(-1, 0, 0, 0);
		view.levelStart.push(1);
	} else {
		addBox(view, -1, 0, 0, 0, selection.weight, selection.samples);
		view.levelStart.push(1);
		const order = forest.roots.map((root, i) => i);
		if (byWeight)
			order.sort((a, b) => total[forest.roots[b]] - total[forest.roots[a]]);
		view.first[0] = 1;
		view.children[0] = order.length;
		let start = 0;
		for (const i of order)
			start = add(0, forest.frames[i], forest.roots[i], start);
		view.levelStart.push(view.count);
	}
	for (let from = view.levelStart[view.levelStart.length - 2]; from < view.count;) {
		const to = view.count;
		for (let box = from; box < to; box++) {
			const place = at[box];
			let count = 0;
			for (let kid = place + 1; kid < end[place]; kid = end[kid])
				if (total[kid] > 0)
					kids[count++] = kid;
			if (byWeight)
				sortFirst(kids, count, (a, b) => total[b] - total[a]);
			view.first[box] = view.count;
			view.children[box] = count;
			let start = view.start[box];
			for (let k = 0; k < count; k++)
				start = add(box, profile.frame[grouped ? forest.node[kids[k]] : kids[k]], kids[k], start);
		}
		from = to;
		if (view.count > to)
			view.levelStart.push(view.count);
	}
	return finishView(view);
}

function finishView(view) {
	view.levels = view.levelStart.length - 1;
	view.weight = view.count ? view.total[0] : 0;
	return view;
}

/* ---- merged views: callers, and around one function ------------------------------------------ */

/* The outermost nodes of a frame: a function that calls itself is counted once. */
function outermost(profile, selection, frame) {
	const found = [], { end } = profile;
	for (let i = 1; i < profile.count;) {
		if (profile.frame[i] === frame && selection.total[i] > 0) {
			found.push(i);
			i = end[i];
		} else {
			i++;
		}
	}
	return found;
}

/*
 * Where a merged view begins. up: towards the callers; focus: a frame, or -1 for all stacks.
 * An entry is a node of the profile that stands in a box, with the weight that it brings.
 */
function mergeSeeds(profile, selection, up, focus) {
	if (focus >= 0) {
		const node = outermost(profile, selection, focus);
		return { node, weight: node.map(i => selection.total[i]), samples: node.map(i => selection.totalSamples[i]) };
	}
	if (!up)
		return { node: [0], weight: [selection.weight], samples: [selection.samples] };
	const seeds = { node: [], weight: [], samples: [] };
	for (let i = 0; i < profile.count; i++) {
		if (selection.self[i] > 0) {
			seeds.node.push(i);
			seeds.weight.push(selection.self[i]);
			seeds.samples.push(selection.selfSamples[i]);
		}
	}
	return seeds;
}

/*
 * options: {up, focus, byWeight}. window: the interval of positions that must be fine, or null.
 * Every level is one pass over the entries of its boxes: group by next frame, then deal them out.
 */
function viewMerged(profile, selection, options, window) {
	const { up, focus, byWeight } = options, { frame, parent, end } = profile;
	const seeds = mergeSeeds(profile, selection, up, focus);
	const sum = list => list.reduce((a, b) => a + b, 0);
	const weight = sum(seeds.weight), view = makeView(4096);
	const slotOf = new Int32Array(profile.frameCount).fill(-1);
	const frames = [], weights = [], samples = [], counts = [], target = [], order = [];
	let entries = { node: Int32Array.from(seeds.node), weight: Float64Array.from(seeds.weight),
		samples: Float64Array.from(seeds.samples), count: seeds.node.length };
	let from = [0], to = [entries.count]; /* by box of this level: its entries */

	view.merged = true;
	view.up = up;
	view.focus = focus;
	view.fine = (window ? window[1] - window[0] : weight) / RESOLUTION;
	if (!(weight > 0))
		return finishView(view);
	addBox(view, -1, focus >= 0 ? focus : 0, -1, 0, weight, sum(seeds.samples));
	view.levelStart.push(1);

	function small(start, total) {
		const inside = !window || (start < window[1] && start + total > window[0]);
		return total < (inside ? view.fine : weight / RESOLUTION);
	}
	/* Calls visit(node, weight, samples) for what entry i leads to. */
	function follow(i, first, visit) {
		const at = entries.node[i];
		if (up) {
			const next = first ? at : parent[at];
			if (next > 0)
				visit(next, entries.weight[i], entries.samples[i]);
		} else {
			for (let kid = at + 1; kid < end[at]; kid = end[kid])
				if (selection.total[kid] > 0)
					visit(kid, selection.total[kid], selection.totalSamples[kid]);
		}
	}

	for (let level = 0; ; level++) {
		const begin = view.levelStart[level], boxes = view.count - begin, first = up && focus < 0 && level === 0;
		const nextFrom = [], nextTo = [];
		let room = entries.count;
		if (!up) {
			room = 0;
			for (let i = 0; i < entries.count; i++)
				for (let kid = entries.node[i] + 1; kid < end[entries.node[i]]; kid = end[kid])
					room++;
		}
		const next = { node: new Int32Array(room), weight: new Float64Array(room),
			samples: new Float64Array(room), count: 0 };
		for (let b = 0; b < boxes; b++) {
			const box = begin + b;
			let kinds = 0, below = 0, belowSamples = 0;
			for (let i = from[b]; i < to[b]; i++)
				follow(i, first, (node, w, s) => {
					let slot = slotOf[frame[node]];
					if (slot < 0) {
						slot = slotOf[frame[node]] = kinds++;
						frames[slot] = frame[node];
						weights[slot] = samples[slot] = counts[slot] = 0;
					}
					weights[slot] += w;
					samples[slot] += s;
					counts[slot]++;
					below += w;
					belowSamples += s;
				});
			view.self[box] = Math.max(0, view.total[box] - below);
			view.selfSamples[box] = Math.max(0, view.samples[box] - belowSamples);
			if (view.self[box] < view.total[box] * 1e-12)
				view.self[box] = 0;
			for (let k = 0; k < kinds; k++) {
				order[k] = k;
				target[k] = -1;
			}
			sortFirst(order, kinds, byWeight ?
				(a, b) => weights[b] - weights[a] || frames[a] - frames[b] :
				(a, b) => frames[a] - frames[b]);
			view.first[box] = view.count;
			let start = view.start[box];
			for (let k = 0; k < kinds; k++) {
				const slot = order[k];
				if (small(start, weights[slot])) {
					view.complete = false;
				} else {
					addBox(view, box, frames[slot], -1, start, weights[slot], samples[slot]);
					target[slot] = next.count;
					nextFrom.push(next.count);
					next.count += counts[slot];
					nextTo.push(next.count);
				}
				start += weights[slot];
			}
			view.children[box] = view.count - view.first[box];
			if (view.children[box])
				for (let i = from[b]; i < to[b]; i++)
					follow(i, first, (node, w, s) => {
						const slot = slotOf[frame[node]];
						if (target[slot] < 0)
							return;
						const put = target[slot]++;
						next.node[put] = node;
						next.weight[put] = w;
						next.samples[put] = s;
					});
			for (let k = 0; k < kinds; k++)
				slotOf[frames[k]] = -1;
		}
		if (view.count === begin + boxes)
			return finishView(view);
		view.levelStart.push(view.count);
		entries = next;
		from = nextFrom;
		to = nextTo;
	}
}

/* ---- finding boxes --------------------------------------------------------------------------- */

function levelOf(view, box) {
	let low = 0, high = view.levels;
	while (low < high) {
		const middle = low + high >> 1;
		if (view.levelStart[middle + 1] <= box)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Frames from below the root to the box: what names it in any view of the same shape. */
function pathOf(view, box) {
	const path = [];
	for (; box > 0; box = view.parent[box])
		path.push(view.frame[box]);
	return path.reverse();
}

/* The box of a path, or the deepest one that is there. */
function findPath(view, path) {
	let box = 0;
	for (const frame of path) {
		const end = view.first[box] + view.children[box];
		let kid = view.first[box];
		while (kid < end && view.frame[kid] !== frame)
			kid++;
		if (kid === end)
			break;
		box = kid;
	}
	return view.count ? box : -1;
}

/* First box of the level whose right end is beyond x; the level's end when there is none. */
function firstBeyond(view, level, x, low = view.levelStart[level]) {
	let high = view.levelStart[level + 1];
	while (low < high) {
		const middle = low + high >> 1;
		if (view.start[middle] + view.total[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- scope ----------------------------------------------------------------------------------- */

/* The weights of the stacks inside a box: {self, weight, samples}; the whole selection for the root. */
function makeScope(profile, selection, view, box, groups) {
	if (box <= 0 && !(view.focus >= 0))
		return { self: selection.self, weight: selection.weight, samples: selection.samples };
	if (!view.merged)
		return downScope(profile, selection, view, box, groups);
	const self = new Float64Array(profile.count), { frame, parent, end } = profile;
	const path = pathOf(view, box), seeds = mergeSeeds(profile, selection, view.up, view.focus);
	const take = (from, to) => {
		for (let i = from; i < to; i++)
			self[i] += selection.self[i];
	};
	if (view.up) {
		for (let s = 0; s < seeds.node.length; s++) {
			let node = seeds.node[s], k = 0;
			if (view.focus >= 0)
				node = parent[node];
			while (k < path.length && node > 0 && frame[node] === path[k]) {
				node = parent[node];
				k++;
			}
			if (k === path.length && view.focus >= 0)
				take(seeds.node[s], end[seeds.node[s]]);
			else if (k === path.length)
				self[seeds.node[s]] += seeds.weight[s];
		}
	} else {
		const walk = (node, k) => {
			if (k === path.length)
				return take(node, end[node]);
			for (let kid = node + 1; kid < end[node]; kid = end[kid])
				if (frame[kid] === path[k])
					walk(kid, k + 1);
		};
		seeds.node.forEach(node => walk(node, 0));
	}
	return { self, weight: view.total[box], samples: view.samples[box] };
}

function downScope(profile, selection, view, box, groups) {
	const self = new Float64Array(profile.count), node = view.node[box], end = profile.end[node];
	let top = box;
	while (view.parent[top] > 0)
		top = view.parent[top];
	if (!view.grouped) {
		self.set(selection.self.subarray(node, end), node);
	} else {
		const group = groups.find(g => g.frame === view.frame[top]), event = selection.event;
		const members = new Set(group.threads);
		for (let g = 0; g < event.groups; g++) {
			if (!members.has(event.thread[g]) || (selection.threads && !selection.threads.has(event.thread[g])))
				continue;
			for (let i = event.start[g]; i < event.start[g + 1]; i++)
				if (profile.rows.node[i] >= node && profile.rows.node[i] < end)
					self[profile.rows.node[i]] += profile.rows.weight[i];
		}
	}
	return { self, weight: view.total[box], samples: view.samples[box] };
}

/* Functions of a scope: [{frame, self, total}]; a function within itself counts once in total. */
function functionTable(profile, scope) {
	const count = profile.count, { frame, parent, end } = profile;
	const self = new Float64Array(profile.frameCount), total = new Float64Array(profile.frameCount);
	const below = scope.self.slice(), until = new Int32Array(profile.frameCount), rows = [];

	for (let i = count - 1; i > 0; i--)
		below[parent[i]] += below[i];
	for (let i = 0; i < count; i++) {
		if (!(below[i] > 0)) {
			i = end[i] - 1;
			continue;
		}
		self[frame[i]] += scope.self[i];
		if (i >= until[frame[i]]) {
			until[frame[i]] = end[i];
			total[frame[i]] += below[i];
		}
	}
	for (let f = 1; f < profile.frameCount; f++)
		if (total[f] > 0)
			rows.push({ frame: f, self: self[f], total: total[f] });
	return rows;
}

/* Weight of the scope's stacks in which some frame matches; a stack counts once however often it does. */
function matchedWeight(profile, scope, matches) {
	const { frame, parent } = profile, hit = new Uint8Array(profile.count);
	let weight = 0;

	for (let i = 1; i < profile.count; i++) {
		hit[i] = hit[parent[i]] | matches[frame[i]];
		if (hit[i])
			weight += scope.self[i];
	}
	return weight;
}
