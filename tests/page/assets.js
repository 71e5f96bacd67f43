/* SPDX-License-Identifier: Apache-2.0 */
/* The page's scripts as node sees them, and the data of a page: for tests without a browser. */
"use strict";
const fs = require("fs");
const path = require("path");

const FOLDER = path.join(__dirname, "../../src/render/assets");
const SCRIPTS = ["inflate", "data", "tree", "search", "colour", "table", "panels", "export", "page"];

/* loadAssets("makeSelection", ...): these functions and constants of the page. */
exports.loadAssets = function (...names) {
	const source = SCRIPTS.map(name => fs.readFileSync(path.join(FOLDER, `flame_${name}.js`), "utf8")).join("\n");
	return new Function(`${source}\nreturn { ${names.join(", ")} };`)();
};

exports.dataOf = function (file) {
	return fs.readFileSync(file, "utf8").match(/<script type="application\/gzip" id="data">([^<]*)</)[1];
};

/* TAP: test(name, function), then done(). */
let count = 0, failed = 0;
exports.test = async function (name, run) {
	count++;
	try {
		await run();
		console.log(`ok ${count} - ${name}`);
	} catch (error) {
		failed++;
		console.log(`not ok ${count} - ${name}`);
		console.log(String(error.stack || error).split("\n").slice(0, 12).map(line => "# " + line).join("\n"));
	}
};
exports.done = function () {
	console.log(`1..${count}`);
	process.exitCode = failed ? 1 : 0;
};
