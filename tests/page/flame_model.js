/* SPDX-License-Identifier: Apache-2.0 */
/* node flame_model.js PAGE...: what the page computes, against the slow and obvious way of computing it. */
"use strict";
const assert = require("assert");
const zlib = require("zlib");
const { loadAssets, dataOf, test, done } = require("./assets.js");
const page = loadAssets("inflateRaw", "loadProfile", "makeSelection", "wholeForest", "groupedForest", "viewDown", "viewMerged",
	"makeScope", "functionTable", "matchedWeight", "matchFrames", "compileQuery", "countMatches", "pathOf", "findPath",
	"levelOf", "firstBeyond", "threadWeights", "encodeState", "decodeState", "exportFolded", "formatShare", "formatWeight",
	"DEFAULTS", "frameColours", "makePalette", "describeThreads");

const near = (a, b, scale, what) => assert.ok(Math.abs(a - b) <= scale * 1e-9 + 1e-6, `${what}: ${a} is not ${b}`);

/* Every stack of a selection: {path: frames from the root, weight}. */
function stacksOf(profile, selection) {
	const stacks = [];
	for (let i = 1; i < profile.count; i++) {
		if (!selection.self[i])
			continue;
		const path = [];
		for (let n = i; n > 0; n = profile.parent[n])
			path.push(profile.frame[n]);
		stacks.push({ path: path.reverse(), weight: selection.self[i], node: i });
	}
	return stacks;
}

/* Path -> weight of the tree that grows from lists of frames. */
function trieOf(lists) {
	const trie = new Map();
	for (const { path, weight } of lists)
		for (let length = 1; length <= path.length; length++) {
			const key = path.slice(0, length).join();
			trie.set(key, (trie.get(key) || 0) + weight);
		}
	return trie;
}

/* Levels are sorted and do not overlap, children lie inside their parents and are neighbours. */
function checkShape(view) {
	assert.strictEqual(view.levelStart[view.levels], view.count);
	for (let level = 0; level < view.levels; level++)
		for (let box = view.levelStart[level]; box < view.levelStart[level + 1]; box++) {
			const slack = view.weight * 1e-9, parent = view.parent[box];
			if (box > view.levelStart[level])
				assert.ok(view.start[box] >= view.start[box - 1] + view.total[box - 1] - slack, "boxes overlap");
			if (level) {
				assert.ok(view.start[box] >= view.start[parent] - slack, "left of its parent");
				assert.ok(view.start[box] + view.total[box] <= view.start[parent] + view.total[parent] + slack);
				assert.ok(box >= view.first[parent] && box < view.first[parent] + view.children[parent]);
			}
			let sum = view.complete ? view.self[box] : 0;
			for (let kid = view.first[box]; kid < view.first[box] + view.children[box]; kid++)
				sum += view.total[kid];
			if (view.complete)
				near(sum, view.total[box], view.weight, "self and children");
			else
				assert.ok(sum <= view.total[box] + slack);
		}
}

function checkTrie(view, trie, least, skip = 0) {
	let seen = 0;
	for (let box = 1; box < view.count; box++) {
		const key = page.pathOf(view, box).slice(skip).join();
		if (!key)
			continue;
		assert.ok(trie.has(key), "a box that is no stack");
		near(view.total[box], trie.get(key), view.weight, "weight");
		seen++;
	}
	let wanted = 0;
	for (const weight of trie.values())
		wanted += weight >= least * 1.000001 ? 1 : 0;
	assert.ok(seen >= wanted, `${wanted} boxes, ${seen} there`);
}

async function checkProfile(file) {
	const profile = await page.loadProfile(dataOf(file)), name = file.replace(/.*\//, "");
	profile.defaults = { ...page.DEFAULTS };
	const threadSets = [null, new Set([0]), new Set([1, 2].filter(i => i < profile.threads.count))];

	for (let e = 0; e < profile.events.length; e++)
		for (const threads of threadSets) {
			const label = `${name}, ${profile.events[e].name}, ${threads ? [...threads].join("+") : "all"}`;
			const selection = page.makeSelection(profile, e, threads), stacks = stacksOf(profile, selection);
			const weight = stacks.reduce((sum, stack) => sum + stack.weight, 0);

			await test(`${label}: weights`, () => {
				near(selection.weight, weight, weight, "sum");
				if (!threads) {
					near(weight, profile.events[e].weight, weight, "event");
					near(selection.samples, profile.events[e].samples, weight, "samples");
				}
				const byThread = page.threadWeights(profile, e);
				let sum = 0;
				for (let i = 0; i < profile.threads.count; i++)
					sum += !threads || threads.has(i) ? byThread[i] : 0;
				near(sum, weight, weight, "threads");
			});
			const down = trieOf(stacks);
			for (const byWeight of [false, true])
				await test(`${label}: down${byWeight ? ", heaviest first" : ""}`, () => {
					const view = page.viewDown(profile, selection, page.wholeForest(profile, selection), byWeight);
					checkShape(view);
					checkTrie(view, down, 0);
					assert.strictEqual(view.count, weight ? down.size + 1 : 0);
					for (let box = 2; byWeight && box < view.count; box++)
						if (view.parent[box] === view.parent[box - 1])
							assert.ok(view.total[box] <= view.total[box - 1]);
				});
			await test(`${label}: grouped`, () => {
				const groups = profile.threads.comm.map((comm, i) => ({ frame: profile.threads.frame[i], threads: [i] }));
				const forest = page.groupedForest(profile, selection, groups);
				const view = page.viewDown(profile, selection, forest, false), byThread = page.threadWeights(profile, e);
				checkShape(view);
				for (let box = view.first[0]; box < view.first[0] + view.children[0]; box++) {
					const group = groups.find(item => item.frame === view.frame[box]);
					near(view.total[box], byThread[group.threads[0]], weight, "group");
					const scope = page.makeScope(profile, selection, view, box, groups);
					near(scope.self.reduce((a, b) => a + b, 0), view.total[box], weight, "scope of a group");
					const deep = view.first[box];
					if (view.children[box])
						near(page.makeScope(profile, selection, view, deep, groups).self.reduce((a, b) => a + b, 0),
							view.total[deep], weight, "scope in a group");
				}
			});
			const hot = page.functionTable(profile, { self: selection.self }).sort((a, b) => b.total - a.total);
			await test(`${label}: functions`, () => {
				const self = new Map(), total = new Map();
				for (const stack of stacks) {
					const last = stack.path[stack.path.length - 1];
					self.set(last, (self.get(last) || 0) + stack.weight);
					for (const frame of new Set(stack.path))
						total.set(frame, (total.get(frame) || 0) + stack.weight);
				}
				assert.strictEqual(hot.length, total.size);
				for (const row of hot) {
					near(row.self, self.get(row.frame) || 0, weight, "self");
					near(row.total, total.get(row.frame), weight, "total");
				}
			});
			for (const [up, focus] of [[true, -1], ...hot.slice(0, 24).filter((row, i) => i % 12 === 3)
				.flatMap(row => [[true, row.frame], [false, row.frame]])])
				await test(`${label}: ${up ? "callers" : "callees"} of ${focus < 0 ? "all" : profile.names[focus].replace(/[#\n\\]/g, "?")}`, () => {
					const lists = stacks.filter(stack => focus < 0 || stack.path.includes(focus)).map(({ path, weight: w }) => {
						const at = focus < 0 ? path.length : path.indexOf(focus);
						return { weight: w, path: up ? path.slice(0, at).reverse() : path.slice(at + 1) };
					});
					const trie = trieOf(lists), options = { up, focus, byWeight: false };
					const view = page.viewMerged(profile, selection, options, null);
					checkShape(view);
					checkTrie(view, trie, view.fine);
					near(view.weight, lists.reduce((sum, list) => sum + list.weight, 0), weight, "whole");
					for (let box = 0; box < view.count; box += Math.max(1, view.count >> 3))
						near(page.makeScope(profile, selection, view, box, []).self.reduce((a, b) => a + b, 0),
							view.total[box], weight, "scope");
					/* Finer around a box: what was there stays where it was, more comes below it. */
					if (view.count > 3) {
						const box = view.levelStart[Math.min(2, view.levels - 1)];
						const closer = page.viewMerged(profile, selection, options,
							[view.start[box], view.start[box] + view.total[box]]);
						checkShape(closer);
						checkTrie(closer, trie, weight);
						const same = page.findPath(closer, page.pathOf(view, box));
						near(closer.start[same], view.start[box], weight, "place");
						near(closer.total[same], view.total[box], weight, "size");
						assert.ok(closer.fine <= view.fine && closer.count >= view.count);
					}
				});
			await test(`${label}: matches count once`, () => {
				for (const [query, regex] of [["e", false], ["Token", false], ["^(ma|re)", true], ["kind:kernel", false],
					["dso:libc", false], ["/recurse|leaf/", false], ["no such name", false]]) {
					const { test: matcher } = page.compileQuery(profile, query, regex);
					const matches = page.matchFrames(profile, matcher);
					const wanted = stacks.reduce((sum, { path, weight: w }) => sum + (path.some(frame => matches[frame]) ? w : 0), 0);
					near(page.matchedWeight(profile, selection, matches), wanted, weight, query);
					const view = page.viewDown(profile, selection, page.wholeForest(profile, selection), false);
					const counts = page.countMatches(view, matches);
					assert.strictEqual(counts[view.count], [...view.frame.subarray(0, view.count)].filter(f => matches[f]).length);
				}
			});
			await test(`${label}: folded`, () => {
				const sum = page.exportFolded(profile, selection).split("\n").filter(line => line)
					.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
				near(sum, weight, weight, "folded");
			});
		}
	await test(`${name}: the address`, () => {
		const few = Math.min(3, profile.threads.count);
		const state = { ...profile.defaults, up: true, icicle: true, query: "a b&c=d,e%", regex: true, group: "thread",
			colour: "dso", panel: null, byWeight: true, threads: few ? new Set([...Array(few).keys()]) : null,
			path: [1, 2].filter(frame => frame < profile.names.length), focus: profile.frameCount > 1 ? 1 : -1, selected: -1 };
		assert.deepStrictEqual(page.decodeState(profile, "#" + page.encodeState(profile, state)), state);
		assert.strictEqual(page.encodeState(profile, profile.defaults), "");
		for (const junk of ["#", "#e=99&t=zzzzzz&z=-1,!,9999999&f=x&s=&g=nothing&c=&p=..&u=2", "#%%%", "#e=1e3&z=,,,&t=,"]) {
			const parsed = page.decodeState(profile, junk);
			assert.ok(parsed.event < Math.max(1, profile.events.length) && parsed.focus < profile.frameCount);
			assert.ok(parsed.path.every(frame => frame >= 0 && frame < profile.names.length));
		}
	});
	await test(`${name}: colours`, () => {
		for (const by of ["kind", "dso", "name"])
			for (const theme of ["light", "dark"]) {
				const palette = page.makePalette(theme);
				assert.ok(palette.every(colour => /^#[0-9a-f]{6}$/.test(colour)));
				assert.ok(page.frameColours(profile, by).every(colour => colour < palette.length));
			}
	});
}

async function main() {
	await test("inflate", () => {
		let seed = 1;
		const random = Buffer.from(Array.from({ length: 70000 }, () => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 16 & 255));
		const inputs = [Buffer.alloc(0), Buffer.from("a"), Buffer.alloc(100000, "abc"), random,
			Buffer.concat([random.subarray(0, 300), Buffer.alloc(70000, "xyz"), random.subarray(0, 300)])];
		for (const input of inputs)
			for (const level of [0, 1, 4, 9])
				for (const strategy of [zlib.constants.Z_DEFAULT_STRATEGY, zlib.constants.Z_FIXED, zlib.constants.Z_HUFFMAN_ONLY]) {
					const packed = zlib.deflateRawSync(input, { level, strategy });
					assert.ok(Buffer.compare(Buffer.from(page.inflateRaw(packed, 0, input.length)), input) === 0);
				}
	});
	await test("numbers", () => {
		assert.strictEqual(page.formatShare(1, 3), "33.3\u2009%");
		assert.strictEqual(page.formatShare(1, 30), "3.33\u2009%");
		assert.strictEqual(page.formatShare(1, 1), "100\u2009%");
		assert.strictEqual(page.formatShare(1, 1e9), "<0.01\u2009%");
		assert.strictEqual(page.formatShare(0, 5), "0\u2009%");
		assert.strictEqual(page.formatShare(0, 0), "\u2013");
		assert.strictEqual(page.formatWeight(1234567, "ns"), "1.23\u2009ms");
		assert.strictEqual(page.formatWeight(12e9, "ns"), "12.0\u2009s");
		assert.strictEqual(page.formatWeight(2.5e9, "cycles"), "2.50\u2009G\u2009cycles");
		assert.strictEqual(page.formatWeight(1234, ""), "1,234");
	});
	for (const file of process.argv.slice(2))
		await checkProfile(file);
	done();
}
main();
