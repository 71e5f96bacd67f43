/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the search box means: a part of a function's name, in any case unless it has a capital;
 * "dso:TEXT" a part of the library's path; "kind:kernel" a kind; with the switch on, or between
 * slashes, a regular expression.
 */

/* {test(frame)} or {error}; null for an empty query. */
function compileQuery(profile, text, isRegex) {
	let what = profile.names, query = text;

	if (!query)
		return null;
	if (query.startsWith("kind:")) {
		const kind = KINDS.indexOf(query.slice(5));
		return kind < 0 ? { error: `no such kind: ${query.slice(5)}` } : { test: frame => profile.kind[frame] === kind };
	}
	if (query.startsWith("dso:")) {
		what = profile.dso;
		query = query.slice(4);
	}
	if (query.length > 2 && query[0] === "/" && query.endsWith("/")) {
		isRegex = true;
		query = query.slice(1, -1);
	}
	if (!query)
		return null;
	const exact = /[A-Z]/.test(isRegex ? query.replace(/\\./g, "") : query);
	if (isRegex) {
		try {
			const regex = new RegExp(query, exact ? "" : "i");
			return { test: frame => regex.test(what[frame]) };
		} catch (error) {
			return { error: error.message };
		}
	}
	if (exact)
		return { test: frame => what[frame].includes(query) };
	query = query.toLowerCase();
	return { test: frame => what[frame].toLowerCase().includes(query) };
}

/* One byte a frame; made-up frames (processes, the root) never match. */
function matchFrames(profile, test) {
	const matches = new Uint8Array(profile.names.length);
	for (let frame = 1; frame < profile.frameCount; frame++)
		matches[frame] = test(frame) ? 1 : 0;
	return matches;
}

/* counts[i]: matching boxes before box i. Says at once whether a run of slivers holds a match. */
function countMatches(view, matches) {
	const counts = new Int32Array(view.count + 1);
	for (let i = 0; i < view.count; i++)
		counts[i + 1] = counts[i] + matches[view.frame[i]];
	return counts;
}
