/* SPDX-License-Identifier: Apache-2.0 */
/* The picture in sight as SVG, and the selected stacks as folded lines: "program;main;work 42". */

function escapeMarkup(text) {
	return text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/* look: {icicle, theme, palette, colours, matches, unit, least}; boxes of fewer pixels (of 1200) than `least` are left out. */
function exportSvg(profile, view, window, look) {
	const { icicle, theme, palette, colours, matches, unit, least } = look;
	const width = 1200, row = 18, [from, to] = window, scale = width / (to - from), parts = [];
	const height = view.levels * row + 8, { ink, paper, match, matchInk } = THEMES[theme];

	for (let level = 0; level < view.levels; level++) {
		const y = icicle ? 4 + level * row : height - 4 - (level + 1) * row;
		for (let box = firstBeyond(view, level, from); box < view.levelStart[level + 1] && view.start[box] < to; box++) {
			const x0 = Math.max(0, (view.start[box] - from) * scale);
			const x1 = Math.min(width, (view.start[box] + view.total[box] - from) * scale);
			if (x1 - x0 < least)
				continue;
			const frame = view.frame[box], name = profile.names[frame], hit = matches && matches[frame];
			const letters = Math.floor((x1 - x0 - 6) / 6.6);
			const label = letters >= name.length ? name : letters > 2 ? name.slice(0, letters - 1) + "\u2026" : "";
			parts.push(`<g><title>${escapeMarkup(name)} (${formatShare(view.total[box], view.weight)}, ` +
				`${formatWeight(view.total[box], unit)})</title><rect x="${x0.toFixed(2)}" y="${y}" ` +
				`width="${Math.max(0.1, x1 - x0 - 0.4).toFixed(2)}" height="${row - 1}" ` +
				`fill="${hit ? match : palette[colours[frame]]}"/>` +
				(label ? `<text x="${(x0 + 3).toFixed(2)}" y="${y + 12.5}" fill="${hit ? matchInk : ink}">` +
					`${escapeMarkup(label)}</text>` : "") + "</g>");
		}
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
		`viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">` +
		`<rect width="100%" height="100%" fill="${paper}"/>${parts.join("\n")}</svg>\n`;
}

function exportFolded(profile, selection) {
	const { event } = selection, { node, weight } = profile.rows, sums = new Map(), lines = [];
	const clean = text => text.replace(/;/g, ":").replace(/\n/g, " ");

	for (let g = 0; g < event.groups; g++) {
		const thread = event.thread[g], comm = profile.threads.comm[thread];
		if (selection.threads && !selection.threads.has(thread))
			continue;
		let sum = sums.get(comm);
		if (!sum)
			sums.set(comm, sum = new Map());
		for (let i = event.start[g]; i < event.start[g + 1]; i++)
			sum.set(node[i], (sum.get(node[i]) || 0) + weight[i]);
	}
	for (const [comm, sum] of sums)
		for (const [leaf, value] of sum) {
			const path = [];
			for (let i = leaf; i > 0; i = profile.parent[i])
				if (profile.frame[i] !== profile.noStackFrame || !profile.noStackFrame)
					path.push(clean(profile.names[profile.frame[i]]));
			lines.push([clean(comm), ...path.reverse()].join(";") + " " + Math.round(value));
		}
	return lines.sort().join("\n") + "\n";
}

function saveFile(name, type, text) {
	const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/* navigator.clipboard is missing on file:// in some browsers; the old way is there. */
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = make("textarea", { style: "position:fixed;opacity:0" });
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		return done;
	}
}
