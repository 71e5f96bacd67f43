/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile as columns, from the bytes that flame_pack.c wrote (the format is described there).
 *
 * Nodes are in preorder: the subtree of node i is the interval [i, end[i]). Frames are numbered by
 * name. Behind the profile's own frames stand made-up ones for programs, processes and threads, the
 * first level of a grouped picture. A thread is one (pid, tid, comm), so a process that called exec has more than one.
 */

const KINDS = ["user", "kernel", "jit", "inlined", "unknown", "group"];
const KIND_UNKNOWN = 4, KIND_GROUP = 5;

function varintReader(bytes, pos) {
	return function () {
		let byte = bytes[pos++];
		if (byte < 0x80)
			return byte;
		let value = byte & 0x7f, shift = 7;
		do {
			byte = bytes[pos++];
			value = shift < 28 ? value | (byte & 0x7f) << shift : value + (byte & 0x7f) * 2 ** shift;
			shift += 7;
		} while (byte >= 0x80);
		return value;
	};
}

function unzigzag(value) {
	return value % 2 ? -(value + 1) / 2 : value / 2;
}

function readThreads(count, strings, next) {
	const threads = { count, pid: new Array(count), tid: new Array(count), comm: new Array(count) };
	for (let i = 0, before = 0; i < count; i++)
		before = threads.pid[i] = before + unzigzag(next());
	for (let i = 0; i < count; i++)
		threads.tid[i] = threads.pid[i] + unzigzag(next());
	for (let i = 0; i < count; i++)
		threads.comm[i] = strings[next()];
	return threads;
}

function readNodes(profile, count, next) {
	const depth = profile.depth = new Int32Array(count);
	const parent = profile.parent = new Int32Array(count);
	const end = profile.end = new Int32Array(count);
	const frame = profile.frame = new Int32Array(count);
	const path = [0];
	let levels = 1;

	parent[0] = -1;
	for (let i = 1; i < count; i++) {
		const level = depth[i - 1] + 1 - next();
		for (let d = level; d <= depth[i - 1]; d++)
			end[path[d]] = i;
		depth[i] = level;
		parent[i] = path[level - 1];
		path[level] = i;
		if (level >= levels)
			levels = level + 1;
	}
	for (let d = 0; count && d <= depth[count - 1]; d++)
		end[path[d]] = count;
	for (let i = 1; i < count; i++)
		frame[i] = next();
	profile.count = count;
	profile.levels = levels;
}

/* Each event gets its groups: the rows [start[g], start[g + 1]) are those of thread[g]. */
function readRows(profile, count, next) {
	const node = new Int32Array(count), weight = new Float64Array(count), samples = new Float64Array(count);
	let row = 0;

	for (const event of profile.events) {
		event.thread = new Int32Array(event.groups);
		event.start = new Int32Array(event.groups + 1);
		let thread = 0;
		for (let g = 0; g < event.groups; g++) {
			event.thread[g] = thread += next();
			event.start[g] = row;
			row += next();
		}
		event.start[event.groups] = row;
	}
	for (const event of profile.events)
		for (let g = 0; g < event.groups; g++)
			for (let i = event.start[g], at = 0; i < event.start[g + 1]; i++)
				node[i] = at += next();
	for (const event of profile.events)
		for (let i = event.start[0]; i < event.start[event.groups]; i++)
			weight[i] = next() * event.scale;
	for (const event of profile.events)
		for (let i = event.start[0]; i < event.start[event.groups]; i++)
			samples[i] = event.same ? weight[i] / event.scale : next();
	profile.rows = { count, node, weight, samples };
}

function addFrame(profile, name) {
	profile.names.push(name);
	return profile.names.length - 1;
}

/*
 * Processes by pid and programs by name. A process is called what its main thread is called (what the
 * heaviest one is, when the main thread never ran), and its threads belong to that program.
 */
function gatherProcesses(profile) {
	const threads = profile.threads;
	const rows = new Float64Array(threads.count), processes = new Map(), programs = new Map();

	for (const event of profile.events)
		for (let g = 0; g < event.groups; g++)
			rows[event.thread[g]] += event.start[g + 1] - event.start[g];
	for (let i = 0; i < threads.count; i++) {
		let process = processes.get(threads.pid[i]);
		if (!process)
			processes.set(threads.pid[i], process = { pid: threads.pid[i], threads: [], name: "", best: -1 });
		process.threads.push(i);
		const rank = rows[i] + (threads.tid[i] === threads.pid[i] ? 1e12 : 0);
		if (rank > process.best) {
			process.best = rank;
			process.name = threads.comm[i];
		}
	}
	threads.process = new Array(threads.count);
	threads.program = new Array(threads.count);
	threads.frame = new Int32Array(threads.count);
	for (const process of processes.values()) {
		process.frame = addFrame(profile, `${process.name} (${process.pid})`);
		for (const i of process.threads) {
			const name = threads.tid[i] === process.pid ? threads.comm[i] : process.name;
			let program = programs.get(name);
			if (!program)
				programs.set(name, program = { name, threads: [], frame: addFrame(profile, name) });
			program.threads.push(i);
			threads.process[i] = process;
			threads.program[i] = program;
			threads.frame[i] = addFrame(profile, `${threads.comm[i]} (${threads.pid[i]}/${threads.tid[i]})`);
		}
	}
	profile.processes = [...processes.values()];
	profile.programs = [...programs.values()];
}

/* Control characters, and those that turn the direction of writing, would change the text around them. */
function cleanTexts(list) {
	const bad = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
	list.forEach((text, i) => {
		if (bad.test(text))
			list[i] = text.replace(new RegExp(bad, "g"), "\ufffd");
	});
}

function decodeProfile(bytes) {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const jsonSize = view.getUint32(0, true);
	const profile = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + jsonSize)));
	const next = varintReader(bytes, 4 + jsonSize);
	const nodeCount = profile.nodes, rowCount = profile.rows, frameCount = profile.names.length;

	profile.frameCount = frameCount;
	cleanTexts(profile.names);
	cleanTexts(profile.strings);
	profile.threads = readThreads(profile.threads, profile.strings, next);
	const dso = [""], kind = [KIND_GROUP];
	for (let i = 1; i < frameCount; i++)
		dso.push(profile.strings[next()]);
	for (let i = 1; i < frameCount; i++)
		kind.push(next());
	readNodes(profile, nodeCount, next);
	readRows(profile, rowCount, next);
	gatherProcesses(profile);
	while (dso.length < profile.names.length) {
		dso.push("");
		kind.push(KIND_GROUP);
	}
	profile.dso = dso;
	profile.kind = Uint8Array.from(kind);
	profile.present = KINDS.map((name, k) => kind.indexOf(k, 1) > 0);
	return profile;
}

async function loadProfile(text) {
	return decodeProfile(await gunzip(base64Bytes(text)));
}

/* "libx.so" of "/usr/lib/libx.so"; "[kernel.kallsyms]" stays. */
function shortDso(dso) {
	return dso[0] === "[" ? dso : dso.slice(dso.lastIndexOf("/") + 1) || dso;
}
