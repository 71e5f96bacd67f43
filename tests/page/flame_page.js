/* SPDX-License-Identifier: Apache-2.0 */
/* node flame_page.js FOLDER: the flame graph's page in a browser, by real clicks. FOLDER holds the pages. */
"use strict";
const assert = require("assert");
const path = require("path");
const { test, done } = require("./assets.js");
const { findBrowser, launch } = require("./chromium.js");

const folder = path.resolve(process.argv[2]);
const url = (name, hash = "") => `file://${folder}/${name}.html${hash}`;
const near = (a, b) => assert.ok(Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * 1e-6, `${a} is not ${b}`);

/* The widest box of a function, and where it is on the screen. */
const findBox = (page, name, level = -1) => page.evaluate((wanted, at) => {
	const { graph, view, profile } = sonde, over = document.getElementById("over").getBoundingClientRect();
	let best = -1;
	for (let box = 0; box < view.count; box++)
		if (profile.names[view.frame[box]] === wanted && (best < 0 || view.total[box] > view.total[best]) &&
			(at < 0 || (box >= view.levelStart[at] && box < view.levelStart[at + 1])))
			best = box;
	if (best < 0)
		return null;
	const place = graph.place(best);
	return { box: best, x: over.left + place.x + place.width / 2, y: over.top + place.y + place.height / 2,
		start: view.start[best], total: view.total[best], width: place.width };
}, name, level);
const text = (page, selector) => page.evaluate(s => document.querySelector(s).textContent, selector);
/* Types into the field that has the focus, and waits until the page has taken it up. */
const type = async (page, typed) => {
	await page.type(typed);
	await page.until(() => document.activeElement.id !== "query" || sonde.state.query === document.activeElement.value);
	await page.settle();
};
const windowOf = page => page.evaluate(() => sonde.graph.window);

async function main() {
	let browser;
	try {
		browser = await launch(findBrowser());
	} catch (error) {
		console.log(`1..0 # SKIP ${error.message}`);
		return;
	}
	let page = await browser.open();
	await page.goto(url("demo"));

	await test("opens, without an error and without asking anybody for anything", async () => {
		assert.deepStrictEqual(page.errors, []);
		assert.ok(page.requests.every(request => request.startsWith("file:")), page.requests.join());
		assert.strictEqual(await text(page, "#title"), "./server --port 8080 --workers 8");
		assert.match(await text(page, "#summary"), /20,000 samples of cpu-clock · 12\.4 s · 12 threads/);
		assert.match(await text(page, "#banner"), /312 samples were lost.*81\.0.% of stacks reach an entry point.*libcrypto/s);
	});
	await test("draws: most of the bottom rows are coloured", async () => {
		const share = await page.evaluate(() => {
			const canvas = document.getElementById("base"), { width, height } = canvas;
			const data = canvas.getContext("2d").getImageData(0, height - 60, width, 50).data;
			let other = 0;
			for (let i = 0; i < data.length; i += 4)
				other += data[i] !== 0xfb || data[i + 1] !== 0xfa ? 1 : 0;
			return other / (data.length / 4);
		});
		assert.ok(share > 0.9, `${share}`);
	});
	await test("root at the bottom, in sight", async () => {
		const { y } = await findBox(page, "all"), bottom = await page.evaluate(() => document.getElementById("scroller").getBoundingClientRect().bottom);
		assert.ok(y > bottom - 30 && y < bottom, `${y} ${bottom}`);
	});
	await test("a tooltip says name, library, weights and shares", async () => {
		const main = await findBox(page, "main");
		await page.move(main.x, main.y);
		const tip = await text(page, "#tip");
		assert.match(tip, /^mainuser · app.*Total.*s[\d,]+\d+\.\d.%Self/s);
		assert.strictEqual(await page.evaluate(() => document.getElementById("tip").hidden), false);
		assert.match(await text(page, "#detail-text"), /^main.*%/);
	});
	await test("a click zooms, the crumbs and the address follow, Back goes back", async () => {
		const main = await findBox(page, "main");
		await page.click(main.x, main.y);
		const [from, to] = await windowOf(page);
		near(from, main.start);
		near(to, main.start + main.total);
		assert.match(await text(page, "#crumbs"), /^allserver_start__libc_start_mainmain$/);
		assert.match(await page.evaluate("location.hash"), /z=/);
		await page.clickOn("#crumbs button", 1);
		assert.match(await text(page, "#crumbs"), /^allserver$/);
		await page.clickOn("#back");
		await page.settle();
		assert.match(await text(page, "#crumbs"), /main$/);
		await page.evaluate("history.back()");
		await page.settle();
		assert.strictEqual(await text(page, "#crumbs"), "all");
		const [again, end] = await windowOf(page);
		near(end - again, await page.evaluate("sonde.view.weight"));
	});
	await test("a second click on the zoomed box goes one level out", async () => {
		let box = await findBox(page, "__libc_start_main");
		await page.click(box.x, box.y);
		box = await findBox(page, "__libc_start_main");
		await page.click(box.x, box.y);
		assert.match(await text(page, "#crumbs"), /_start$/);
		await page.press("0");
		assert.strictEqual(await text(page, "#crumbs"), "all");
	});
	await test("/ searches: shares, highlights, table; Escape clears", async () => {
		await page.press("/");
		await type(page, "query");
		assert.match(await text(page, "#matched"), /^\d+\.\d.%$/);
		assert.match(await text(page, "#function-count"), /^\d+ of 182 functions match$/);
		assert.ok(await page.evaluate(() => [...document.querySelectorAll("#functions .item:not([hidden]) .name")]
			.every(name => /query/i.test(name.textContent))));
		const pink = await page.evaluate(() => {
			const canvas = document.getElementById("base"), data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
			let count = 0;
			for (let i = 0; i < data.length; i += 4)
				count += data[i] > 240 && data[i + 1] < 140 && data[i + 2] > 140 ? 1 : 0;
			return count;
		});
		assert.ok(pink > 1000, `${pink} pixels`);
		await page.press("Enter");
		assert.ok(await page.evaluate(() => /query/i.test(sonde.profile.names[sonde.view.frame[sonde.graph.cursor]])));
		await page.press("Escape");
		assert.strictEqual(await text(page, "#matched"), "");
		assert.strictEqual(await page.evaluate("document.activeElement.id"), "scroller");
	});
	await test("regular expressions, and what is none", async () => {
		await page.press("/");
		await page.clickOn("#regex");
		await page.press("/");
		await page.clickOn("#query");
		await type(page, "^do_(sys|fut)");
		assert.match(await text(page, "#function-count"), /^2 of/);
		await type(page, "(");
		assert.match(await text(page, "#matched"), /./);
		assert.strictEqual(await page.evaluate(() => document.getElementById("query").getAttribute("aria-invalid")), "true");
		await page.press("Escape");
		await page.clickOn("#regex");
		assert.deepStrictEqual(page.errors, []);
	});
	await test("callers: leaves at the root, whole weight, zoom makes it finer", async () => {
		await page.press("r");
		const before = await page.evaluate(() => ({ count: sonde.view.count, complete: sonde.view.complete, weight: sonde.view.weight }));
		near(before.weight, await page.evaluate("sonde.profile.events[0].weight"));
		const leaf = await findBox(page, "do_syscall_64", 1);
		assert.ok(leaf.width > 5);
		await page.click(leaf.x, leaf.y);
		const after = await page.evaluate(() => ({ fine: sonde.view.fine, path: sonde.state.path.map(f => sonde.profile.names[f]) }));
		assert.deepStrictEqual(after.path, ["do_syscall_64"]);
		if (!before.complete)
			assert.ok(after.fine < before.weight / 16384);
		await page.press("Escape");
		await page.press("r");
		assert.strictEqual(await page.evaluate("sonde.state.up"), false);
	});
	await test("icicle: root at the top", async () => {
		await page.press("i");
		const { y } = await findBox(page, "all"), top = await page.evaluate(() => document.getElementById("scroller").getBoundingClientRect().top);
		assert.ok(y > top && y < top + 30);
		await page.clickOn("#tools [data-icicle='0']");
	});
	await test("Ctrl and wheel, Shift and wheel, dragging, + and -", async () => {
		const whole = await page.evaluate("sonde.view.weight"), [x, y] = await page.find("#over");
		await page.wheel(x, y, 0, -50, 2);
		let [from, to] = await windowOf(page);
		assert.ok(to - from < whole * 0.7);
		near((from + to) / 2, whole / 2);
		await page.drag(x, y, x + 100, y);
		const [moved] = await windowOf(page);
		assert.ok(moved < from);
		await page.wheel(x, y, 80, 0);
		assert.ok((await windowOf(page))[0] > moved);
		await page.press("-");
		await page.press("-");
		[from, to] = await windowOf(page);
		near(to - from, whole);
		await page.press("+");
		assert.ok((await windowOf(page))[0] > 0);
		await page.press("0");
		near((await windowOf(page))[1], whole);
	});
	await test("the keyboard walks along the stacks and says where it is", async () => {
		await page.evaluate(() => document.getElementById("scroller").focus());
		for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight"])
			await page.press(key);
		assert.match(await text(page, "#live"), /%.*level \d/);
		await page.press("Enter");
		assert.ok(await page.evaluate("sonde.state.path.length > 0"));
		await page.press("Backspace");
		assert.strictEqual(await page.evaluate("sonde.state.path.length"), 0);
		await page.press("?");
		assert.strictEqual(await page.evaluate("document.getElementById('keys').open"), true);
		await page.press("Escape");
		assert.strictEqual(await page.evaluate("document.getElementById('keys').open"), false);
	});
	await test("threads: one, several, all", async () => {
		await page.press("p");
		assert.match(await text(page, "#thread-count"), /^4 processes$/);
		await page.clickOn("#threads .item", 1);
		const one = await page.evaluate("sonde.view.weight");
		assert.match(await text(page, "#chips"), /postgres \(430\d\)/);
		assert.match(await text(page, "#threads .item.selected"), /postgres/);
		await page.clickOn("#threads .item", 2, { modifiers: 2 });
		assert.ok(await page.evaluate("sonde.view.weight") > one);
		assert.match(await text(page, "#chips"), /2 processes/);
		await page.clickOn("#panel-threads [data-by='thread']");
		assert.match(await text(page, "#thread-count"), /^12 threads$/);
		await page.clickOn("#thread-filter");
		await type(page, "worker-3");
		assert.match(await text(page, "#thread-count"), /^1 of 12 threads$/);
		await page.clickOn("#threads .item", 0);
		assert.match(await text(page, "#chips"), /worker-3 \(4242\/4245\)/);
		await page.clickOn("#all-threads");
		near(await page.evaluate("sonde.view.weight"), await page.evaluate("sonde.profile.events[0].weight"));
	});
	await test("another event", async () => {
		await page.evaluate(() => document.getElementById("scroller").focus());
		await page.press("e");
		near(await page.evaluate("sonde.view.weight"), await page.evaluate("sonde.profile.events[1].weight"));
		await page.press("e");
		assert.strictEqual(await page.evaluate("sonde.state.event"), 0);
	});
	await test("the table sorts, highlights, and leads to callers and callees", async () => {
		await page.clickOn("#tab-functions");
		await page.clickOn("#panel-functions [data-key='total']");
		assert.ok(await page.evaluate(() => {
			const shares = [...document.querySelectorAll("#functions .item:not([hidden])")].map(row => parseFloat(row.children[3].textContent));
			return shares.length > 10 && shares.every((share, i) => i === 0 || share <= shares[i - 1]);
		}));
		const name = await text(page, "#functions .item:nth-child(6) .name");
		await page.clickOn("#functions .item:nth-child(6)");
		assert.ok((await text(page, "#chips")).startsWith(name));
		const share = await text(page, "#functions .item:nth-child(6) .number:last-child");
		assert.strictEqual(await text(page, "#matched"), share);
		await page.clickOn(".chip button", 0);
		assert.deepStrictEqual(await page.evaluate(() => [sonde.state.up, sonde.view.up, sonde.profile.names[sonde.view.frame[0]]]), [true, true, name]);
		await page.press("r");
		assert.deepStrictEqual(await page.evaluate(() => [sonde.state.up, sonde.profile.names[sonde.view.frame[0]]]), [false, name]);
		await page.press("0");
		assert.strictEqual(await page.evaluate("sonde.state.focus"), -1);
	});
	await test("the menu of a box", async () => {
		const main = await findBox(page, "main");
		await page.click(main.x, main.y, { button: "right" });
		assert.match(await text(page, "#menu"), /^mainZoom to this box.*Callers.*Copy stack$/);
		await page.clickOn("#menu button", 3);
		assert.match(await text(page, "#chips"), /^main/);
		await page.press("Escape");
	});
	await test("grouping, order and colours", async () => {
		await page.evaluate(() => document.getElementById("scroller").focus());
		for (const [key, name, values] of [["g", "group", ["process", "thread", "none", "program"]], ["s", "byWeight", [true, false]],
			["o", "colour", ["dso", "name", "kind"]]])
			for (const value of values) {
				await page.press(key);
				assert.strictEqual(await page.evaluate(`sonde.state.${name}`), value);
				near(await page.evaluate("sonde.view.weight"), await page.evaluate("sonde.profile.events[0].weight"));
			}
	});
	await test("a link opens the same view", async () => {
		const leaf = await findBox(page, "server::run");
		await page.click(leaf.x, leaf.y);
		await page.press("/");
		await type(page, "Token");
		await page.press("Escape");
		await page.press("i");
		const hash = await page.evaluate("location.hash"), state = await page.evaluate("JSON.stringify(sonde.state)");
		const other = await browser.open();
		await other.goto(url("demo", hash));
		assert.strictEqual(await other.evaluate("JSON.stringify(sonde.state)"), state);
		assert.deepStrictEqual(await windowOf(other), await windowOf(page));
		await other.close();
		const strange = await browser.open();
		await strange.goto(url("demo", "#z=zzzz,1&t=99999&e=7&f=zzzzz&q=%00%ff&u=1&p=x"));
		assert.deepStrictEqual(strange.errors, []);
		assert.ok(await strange.evaluate("sonde.view.count > 0"));
		await strange.close();
		await page.press("i");
		await page.press("0");
	});
	await test("dark and light, small windows, paper", async () => {
		await page.press("d");
		assert.strictEqual(await page.evaluate("document.documentElement.dataset.theme"), "dark");
		await page.press("d");
		await page.resize(400, 700);
		await page.settle();
		assert.ok(await page.evaluate(() => document.body.scrollWidth <= 400 && sonde.graph.size[0] <= 400));
		assert.ok((await findBox(page, "all")).y < await page.evaluate("document.getElementById('side').getBoundingClientRect().top"));
		assert.ok(await page.evaluate("document.getElementById('detail').getBoundingClientRect().bottom <= 700"));
		await page.resize(1280, 800);
		await page.settle();
		await page.press("d");
		await page.evaluate(() => addEventListener("beforeprint", () => {
			window.printed = [document.querySelectorAll("#paper rect").length, document.documentElement.dataset.theme].join();
		}, { once: true }));
		assert.ok((await page.print()).length > 10000);
		await page.settle();
		assert.match(await page.evaluate("window.printed"), /^\d{3,},light$/);
		assert.deepStrictEqual(await page.evaluate(() => [document.documentElement.dataset.theme,
			document.getElementById("paper").children.length]), ["dark", 0]);
		await page.press("d");
		assert.deepStrictEqual(page.errors, []);
	});
	await page.close();

	await test("names cannot break out", async () => {
		page = await browser.open();
		await page.goto(url("names"));
		for (const key of ["p", "m", "t", "r", "r"])
			await page.press(key);
		const box = await findBox(page, "<img src=x onerror=window.broken=1>");
		await page.click(box.x, box.y);
		await page.click(box.x, box.y, { button: "right" });
		assert.strictEqual(await page.evaluate("typeof window.broken"), "undefined");
		assert.strictEqual(await page.evaluate("document.querySelectorAll('img, b > script').length"), 0);
		assert.match(await page.evaluate("document.title"), /^sh -c 'echo <\/title><script>/);
		assert.match(await text(page, "#menu p"), /^<img src=x onerror/);
		assert.deepStrictEqual(page.errors, []);
		await page.close();
	});
	await test("nothing to draw is said in words", async () => {
		for (const name of ["empty", "silent"]) {
			page = await browser.open({ theme: "dark" });
			await page.goto(url(name));
			assert.match(await text(page, "#empty"), /^No samples/);
			for (const key of ["r", "i", "t", "m", "+", "ArrowUp", "Enter", "n", "0", "Escape", "s", "c"])
				await page.press(key);
			await page.press("/");
			await type(page, "x");
			assert.deepStrictEqual(page.errors, []);
			await page.close();
		}
	});
	await test("500 levels scroll", async () => {
		page = await browser.open();
		await page.goto(url("deep"));
		assert.ok(await page.evaluate("document.getElementById('scroller').scrollHeight > 9900"));
		const [x, y] = await page.find("#over"), top = () => page.evaluate("document.getElementById('scroller').scrollTop");
		const before = await top();
		assert.ok(before > 9000);
		await page.wheel(x, y, 0, -2000);
		await page.until(b => document.getElementById("scroller").scrollTop < b - 500, before);
		await page.evaluate(() => document.getElementById("scroller").focus());
		const leaf = await page.evaluate(() => sonde.profile.names[sonde.view.frame[sonde.graph.boxAt(400, 300)]]);
		assert.match(leaf, /recurse|level_/);
		assert.deepStrictEqual(page.errors, []);
		await page.close();
	});
	await test("browsers that cannot inflate by themselves", async () => {
		page = await browser.open({ before: "delete globalThis.DecompressionStream; delete Uint8Array.fromBase64;" });
		await page.goto(url("demo"));
		assert.deepStrictEqual(page.errors, []);
		near(await page.evaluate("sonde.view.weight"), 20000 * 1001001);
		await page.close();
	});
	await test("100,000 stacks, a million nodes, 10,000 threads", async () => {
		for (const name of ["stacks", "threads"]) {
			page = await browser.open({ width: 1600, height: 1000 });
			await page.goto(url(name));
			const times = await page.evaluate(async () => {
				const { graph, view, change } = sonde, paints = [], gaps = [];
				const first = performance.getEntriesByName("first-view")[0].startTime;
				for (let i = 0, before = 0; i < 60; i++) {
					const now = await new Promise(requestAnimationFrame);
					if (before)
						gaps.push(now - before);
					before = now;
					graph.setWindow(view.weight * i / 200, view.weight * (0.5 + i / 200));
					const begin = performance.now();
					graph.paint();
					paints.push(performance.now() - begin);
				}
				const time = run => {
					const begin = performance.now();
					run();
					return performance.now() - begin;
				};
				const search = time(() => change({ query: "Token" })), callers = time(() => change({ up: true, query: "" }));
				const middle = list => list.sort((a, b) => a - b)[list.length >> 1].toFixed(1);
				return { nodes: sonde.profile.count, first: first.toFixed(0), paint: middle(paints), frame: middle(gaps),
					search: search.toFixed(0), callers: callers.toFixed(0) };
			});
			console.log(`## ${name}: ${times.nodes} nodes, first view after ${times.first} ms, ${times.paint} ms to paint, ` +
				`${times.frame} ms a frame, search ${times.search} ms, callers ${times.callers} ms`);
			assert.deepStrictEqual(page.errors, []);
			await page.close();
		}
	});
	await browser.close();
	done();
}
main().catch(error => {
	console.log(`Bail out! ${error.stack}`);
	process.exit(1);
});
