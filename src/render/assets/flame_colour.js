/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours, chosen in OKLCH, where equal numbers look equally bright and equally strong: no box shouts because
 * its hue does. The kind of code gives the hue, the library a variation of it, the function a shade;
 * all come from hashes of names, so they are the same in every picture of a program.
 */

const HUES = 5, SHADES = 3, VARIANTS = HUES * SHADES; /* of each kind */
const WHEEL = 24; /* hues around the circle, when not by kind */

/* Hue, its spread over the variants, and strength, by kind. */
const KIND_HUES = [
	{ hue: 70, spread: 32, strength: 1 }, /* user: sand to amber */
	{ hue: 248, spread: 30, strength: 0.85 }, /* kernel: steel blue */
	{ hue: 150, spread: 26, strength: 1 }, /* jit: green */
	{ hue: 330, spread: 26, strength: 0.75 }, /* inlined: mauve */
	{ hue: 80, spread: 0, strength: 0.08 }, /* unknown: grey */
	{ hue: 255, spread: 0, strength: 0.22 }, /* group: slate */
];

const THEMES = {
	light: { lightness: 0.855, step: 0.018, chroma: 0.075, ink: "#1d2025",
		match: oklch(0.73, 0.17, 355), matchInk: "#2a0715", paper: "#fbfaf8", group: 0.89,
		outline: "#1d2025", mark: "#0b6e99" },
	dark: { lightness: 0.49, step: 0.024, chroma: 0.08, ink: "#eceae5",
		match: oklch(0.56, 0.19, 355), matchInk: "#ffffff", paper: "#16181b", group: 0.36,
		outline: "#ffffff", mark: "#7cc4e8" },
};

function oklch(lightness, chroma, hue) {
	const a = chroma * Math.cos(hue * Math.PI / 180), b = chroma * Math.sin(hue * Math.PI / 180);
	const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
	const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
		-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
		-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
	return "#" + linear.map(value => {
		const clipped = Math.min(1, Math.max(0, value));
		const encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
		return Math.round(encoded * 255).toString(16).padStart(2, "0");
	}).join("");
}

/* FNV-1a, folded: the same text has the same colour in every page. */
function hashText(text) {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	return (hash ^ hash >>> 15) >>> 0;
}

/* Colour strings: HUES x SHADES for each kind, then WHEEL x SHADES. */
function makePalette(theme) {
	const palette = [], { lightness, step, chroma, group } = THEMES[theme];
	KIND_HUES.forEach((kind, k) => {
		for (let hue = 0; hue < HUES; hue++)
			for (let shade = -1; shade <= 1; shade++)
				palette.push(oklch((k === KIND_GROUP ? group : lightness) + shade * step, chroma * kind.strength,
					kind.hue + kind.spread * (hue / (HUES - 1) - 0.5)));
	});
	for (let hue = 0; hue < WHEEL; hue++)
		for (let shade = -1; shade <= 1; shade++)
			palette.push(oklch(lightness + shade * step, chroma * 0.9, hue * 360 / WHEEL + 20));
	return palette;
}

/* Palette number by frame. by: "kind", "dso" or "name" (hue by the hash of that). */
function frameColours(profile, by) {
	const colours = new Uint8Array(profile.names.length), hashes = new Map();
	for (let frame = 0; frame < colours.length; frame++) {
		const kind = profile.kind[frame], dso = profile.dso[frame], name = hashText(profile.names[frame]);
		let hash = hashes.get(dso);
		if (hash === undefined)
			hashes.set(dso, hash = hashText(shortDso(dso)));
		if (by === "name")
			hash = name;
		if (by === "kind" || kind === KIND_GROUP || (kind === KIND_UNKNOWN && !dso))
			colours[frame] = kind * VARIANTS + hash % HUES * SHADES + name % SHADES;
		else
			colours[frame] = KIND_HUES.length * VARIANTS + hash % WHEEL * SHADES + (name >>> 8) % SHADES;
	}
	return colours;
}
