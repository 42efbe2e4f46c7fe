// browser.mjs: Chromium for the tests of pages. CHROMIUM names it (default /usr/bin/chromium).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
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

// Opens a page for a while; whatever it reports as an error fails. net: its address on the loopback, instead of a path.
export async function opened(path, act, {fragment = '', net = null, width = 1440, height = 900, dark = false} = {}) {
    const context = await browser.newContext({viewport: {width, height}, colorScheme: dark ? 'dark' : 'light',
        offline: !net});
    const page = await context.newPage(), errors = [];
    page.on('console', message => ['error', 'warning'].includes(message.type()) && errors.push(message.text()));
    page.on('pageerror', error => errors.push(String(error)));
    page.on('request', request => !/^(file|data|blob|about):/.test(request.url())
        && !(net && request.url().startsWith(net)) && errors.push(`asks for ${request.url()}`));
    try {
        await page.goto((net || pathToFileURL(resolve(path)).href) + fragment);
        await act(page);
        assert.deepEqual(errors, []);
    } finally {
        await context.close();
    }
}

export const drawn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() =>
    requestAnimationFrame(done))));

// What axe-core finds in a page or a frame; `rules`: these alone.
export async function violations(page, rules) {
    if (!await page.evaluate(() => Boolean(window.axe)))
        await page.evaluate(axe);
    const options = {resultTypes: ['violations'], preload: false, iframes: false,
        ...rules ? {runOnly: {type: 'rule', values: rules}} : {}};
    const result = await page.evaluate(given => window.axe.run(document, given), options);
    return result.violations.map(one => `${one.id}: ${one.nodes[0].html.slice(0, 160)} (${one.nodes.length})`);
}

// Closes the browser, says how many checks passed, and ends with the exit code of it.
export async function end() {
    await browser.close();
    console.log(`${checks - failures.length} passed, ${failures.length} failed`);
    process.exit(failures.length ? 1 : 0);
}
