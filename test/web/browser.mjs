// browser.mjs: Chromium for the tests of pages. CHROMIUM names it (default /usr/bin/chromium-headless-shell).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox',
    '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync',
        '--no-first-run']});
const failures = [];
let checks = 0;

export async function check(name, act) {
    checks++;
    try {
        await act();
    } catch (error) {
        failures.push(name);
        console.error(`FAILED: ${name}\n    ${String(error.stack || error).replace(/\n/g, '\n    ')}`);
    }
}

// Pages that are not in use: a new one costs more than most checks do.
const idle = [];

// Empty, as a new one is, in the only context there is, or in another if a page of it is in use.
async function blank({width, height, dark, net}) {
    const page = idle.pop() || await (await browser.newContext()).newPage();
    await page.context().setOffline(!net);
    await page.setViewportSize({width, height});
    await page.emulateMedia({media: null, colorScheme: dark ? 'dark' : 'light'});
    return page;
}

// Opens a page for a while; whatever it reports as an error fails, unless it may. net: its address on the loopback,
// instead of a path.
export async function opened(path, act, {fragment = '', net = null, mayFail = false, width = 1440, height = 900, dark = false} = {}) {
    const page = await blank({width, height, dark, net}), errors = [];
    page.on('console', message => ['error', 'warning'].includes(message.type()) && errors.push(message.text()));
    page.on('pageerror', error => errors.push(String(error)));
    page.on('request', request => !/^(file|data|blob|about):/.test(request.url())
        && !(net && request.url().startsWith(net)) && errors.push(`asks for ${request.url()}`));
    try {
        await page.goto((net || pathToFileURL(resolve(path)).href) + fragment);
        await act(page);
        assert.deepEqual(mayFail ? [] : errors, []);
        await page.goto('about:blank');
        page.removeAllListeners();
        idle.push(page);
    } catch (error) {
        await page.context().close();
        throw error;
    }
}

export const drawn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() =>
    requestAnimationFrame(done))));

// What axe-core finds in a page or a frame; `rules`: these alone; `within`: what these selectors name alone.
export async function violations(page, rules, within) {
    if (!await page.evaluate(() => Boolean(window.axe)))
        await page.evaluate(axe);
    const options = {resultTypes: ['violations'], preload: false, iframes: false,
        ...rules ? {runOnly: {type: 'rule', values: rules}} : {}};
    const result = await page.evaluate(([given, parts]) => window.axe.run(parts ? {include:
        parts.filter(part => document.querySelector(part)).map(part => [part])} : document, given),
    [options, within]);
    return result.violations.map(one => `${one.id}: ${one.nodes[0].html.slice(0, 160)} (${one.nodes.length})`);
}

// Closes the browser, says how many checks passed, and ends with the exit code of it.
export async function end() {
    await browser.close();
    console.log(`${checks - failures.length} passed, ${failures.length} failed`);
    process.exit(failures.length ? 1 : 0);
}
