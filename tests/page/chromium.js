/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A browser for tests: Chromium without a window, driven by its debugging protocol through two
 * pipes (messages of JSON, each ended by a NUL). Mouse and keyboard go the way that real ones go. It
 * needs nothing but node and the browser.
 */
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const KEYS = { Enter: 13, Escape: 27, Backspace: 8, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9 };

exports.findBrowser = function () {
	const folders = (process.env.PATH || "").split(":");
	for (const name of ["chromium", "chromium-browser", "google-chrome"])
		for (const folder of folders)
			if (fs.existsSync(path.join(folder, name)))
				return path.join(folder, name);
	return null;
};

exports.launch = async function (program) {
	const home = fs.mkdtempSync(path.join(os.tmpdir(), "page-"));
	const child = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars=false",
		`--user-data-dir=${home}`, "--remote-debugging-pipe", "about:blank"],
	{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
	const waiting = new Map(), listeners = [];
	let last = 0, rest = "";

	child.stdio[4].on("data", data => {
		const parts = (rest + data.toString("utf8")).split("\0");
		rest = parts.pop();
		for (const part of parts) {
			const message = JSON.parse(part), wait = waiting.get(message.id);
			if (wait) {
				waiting.delete(message.id);
				message.error ? wait.reject(new Error(`${wait.method}: ${message.error.message}`)) : wait.resolve(message.result);
			} else {
				listeners.forEach(listener => listener(message));
			}
		}
	});
	const send = (method, params = {}, sessionId) => new Promise((resolve, reject) => {
		waiting.set(++last, { resolve, reject, method });
		child.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + "\0");
	});
	const gone = new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("exit", status => {
			for (const wait of waiting.values())
				wait.reject(new Error(`the browser ended (status ${status})`));
			resolve();
		});
	});
	gone.catch(() => {});
	await Promise.race([send("Target.getTargets"), gone.then(() => { throw new Error("the browser does not start"); })]);
	return {
		open: options => openPage(send, listeners, options || {}),
		async close() {
			send("Browser.close").catch(() => {});
			await gone;
			fs.rmSync(home, { recursive: true, force: true });
		},
	};
};

/* options: width, height, theme "light" or "dark", before: a script that runs first. */
async function openPage(send, listeners, { width = 1280, height = 800, theme = "light", before = "" }) {
	const { targetId } = await send("Target.createTarget", { url: "about:blank" });
	const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
	const call = (method, params) => send(method, params, sessionId);
	const page = { errors: [], requests: [] };

	listeners.push(message => {
		if (message.sessionId !== sessionId)
			return;
		if (message.method === "Runtime.exceptionThrown")
			page.errors.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
		if (message.method === "Log.entryAdded" && message.params.entry.level === "error")
			page.errors.push(message.params.entry.text);
		if (message.method === "Network.requestWillBeSent")
			page.requests.push(message.params.request.url);
	});
	for (const domain of ["Page", "Runtime", "Network", "Log"])
		await call(`${domain}.enable`);
	page.resize = (w, h) => call("Emulation.setDeviceMetricsOverride", { width: w, height: h, deviceScaleFactor: 1, mobile: false });
	await page.resize(width, height);
	page.setTheme = value => call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value },
		{ name: "prefers-reduced-motion", value: "reduce" }] });
	await page.setTheme(theme);
	if (before)
		await call("Page.addScriptToEvaluateOnNewDocument", { source: before });

	/* Evaluates an expression, or calls a function with arguments that JSON can carry. */
	page.evaluate = async (what, ...args) => {
		const expression = typeof what === "function" ? `(${what})(${args.map(arg => JSON.stringify(arg)).join()})` : what;
		const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
		return result.value;
	};
	page.until = async (what, ...args) => {
		for (let i = 0; i < 400; i++) {
			const value = await page.evaluate(what, ...args).catch(() => false);
			if (value)
				return value;
			await new Promise(resolve => setTimeout(resolve, 25));
		}
		throw new Error(`never: ${what}`);
	};
	/* Two frames and the work that waits behind them. */
	page.settle = () => page.evaluate(() => new Promise(resolve => requestAnimationFrame(() =>
		requestAnimationFrame(() => setTimeout(resolve, 30)))));
	page.goto = async url => {
		await call("Page.navigate", { url });
		await page.until(() => document.readyState === "complete" && !document.body.classList.contains("loading"));
		await page.settle();
	};
	const mouse = (type, x, y, more) => call("Input.dispatchMouseEvent", { type, x, y, ...more });
	page.move = async (x, y) => {
		await mouse("mouseMoved", x, y);
		await page.settle();
	};
	page.click = async (x, y, { button = "left", modifiers = 0 } = {}) => {
		await mouse("mouseMoved", x, y);
		await mouse("mousePressed", x, y, { button, modifiers, clickCount: 1 });
		await mouse("mouseReleased", x, y, { button, modifiers, clickCount: 1 });
		await page.settle();
	};
	page.drag = async (x0, y0, x1, y1) => {
		await mouse("mouseMoved", x0, y0);
		await mouse("mousePressed", x0, y0, { button: "left", clickCount: 1 });
		for (let i = 1; i <= 5; i++)
			await mouse("mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5, { button: "left", buttons: 1 });
		await mouse("mouseReleased", x1, y1, { button: "left", clickCount: 1 });
		await page.settle();
	};
	page.wheel = async (x, y, deltaX, deltaY, modifiers = 0) => {
		await mouse("mouseWheel", x, y, { deltaX, deltaY, modifiers });
		await page.settle();
	};
	/* Where the middle of an element is on the screen. */
	page.find = (selector, index = 0) => page.evaluate((s, i) => {
		const box = document.querySelectorAll(s)[i].getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	}, selector, index);
	page.clickOn = async (selector, index = 0, options) => page.click(...await page.find(selector, index), options);
	page.press = async key => {
		const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
		const common = { key, text, windowsVirtualKeyCode: KEYS[key] || key.toUpperCase().charCodeAt(0) };
		await call("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...common });
		await call("Input.dispatchKeyEvent", { type: "keyUp", ...common, text: undefined });
		await page.settle();
	};
	page.type = async text => {
		await call("Input.insertText", { text });
		await new Promise(resolve => setTimeout(resolve, 120));
		await page.settle();
	};
	page.screenshot = async file => {
		const { data } = await call("Page.captureScreenshot", { format: "png" });
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	};
	page.print = async () => Buffer.from((await call("Page.printToPDF", { printBackground: true })).data, "base64");
	page.close = () => send("Target.closeTarget", { targetId });
	return page;
}
