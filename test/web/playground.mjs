// playground.mjs: the playground in Chromium, from disk and from the loopback.
//
//     node playground.mjs FOLDER ROOT     FOLDER: build/web; ROOT: of the sources
//
// How long views take after a change is printed; with TIMED set it has to be at most 300 ms.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {check, drawn, end, opened, violations} from './browser.mjs';

const [folder, root] = process.argv.slice(2), index = join(folder, 'index.html');
const VIEWS = ['source', 'lanes', 'compare', 'graph', 'why', 'state', 'passes', 'sets'];
const saved = resolve('saved.html');
const FOLLOWS_IN = process.env.TIMED ? 300 : Infinity; // milliseconds
const KERNEL = 'kernel void k(global int *o)\n{\n    int t = threadIdx.x;\n    if (t & 1)\n        o[t] = t * 3;\n'
    + '    else\n        o[t] = t / 3;\n}\n\nlaunch k(o = zeros(32)) block(32) show(o[0..4]);\n';

// A job has ended, after number `after`.
const settled = (page, after = 0) => page.waitForFunction(least => window.lastDrawn && window.lastDrawn.number > least
    && document.getElementById('playground').getAttribute('aria-busy') === 'false', after, {timeout: 60000});
const number = page => page.evaluate(() => window.lastDrawn ? window.lastDrawn.number : 0);
const text = page => page.evaluate(() => window.editor.text);
const viewer = page => page.frames().find(frame => frame !== page.mainFrame());
const state = page => page.textContent('.state');

// Other text, as if typed; the time until the views show it.
async function edit(page, words) {
    const before = await number(page);
    await page.evaluate(all => {
        const {view} = window.editor;
        view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: all}});
    }, words);
    await settled(page, before);
    return page.evaluate(() => window.lastDrawn.followed);
}

async function begin(page) {
    await settled(page);
    await drawn(page);
}

await check('it opens from disk, and each view draws something', () => opened(index, async page => {
    await begin(page);
    assert.ok((await page.textContent('.output')).includes('steps[0..8]: 0 1 7 2 5 8 16 3'));
    for (const view of VIEWS) {
        await viewer(page).click('#tab-' + view);
        await drawn(page);
        assert.ok((await viewer(page).textContent('#view-' + view)).length > 10, view);
    }
    assert.deepEqual(await violations(viewer(page)), []);
    assert.deepEqual(await violations(page.mainFrame()), []);
}));

for (const [name, how] of [['in the dark', {dark: true}], ['on a phone', {width: 390, height: 844}]])
    await check(`${name} it is legible and nothing sticks out`, () => opened(index, async page => {
        await begin(page);
        await edit(page, KERNEL.replace('t / 3;', 'tt / 3'));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await violations(page.mainFrame()), []);
    }, how));

await check('views follow a change', () => opened(index, async page => {
    await begin(page);
    const times = [];
    await edit(page, KERNEL);
    await viewer(page).click('#tab-lanes');
    await viewer(page).evaluate(() => window.app.focus.set({step: 1, lane: 3}));
    for (let i = 4; i < 12; i++) {
        times.push(await edit(page, KERNEL.replace('t / 3', `t / ${i}`)));
        assert.ok((await viewer(page).evaluate(() => window.app.model.raw.source)).includes(`t / ${i}`));
    }
    const focus = await viewer(page).evaluate(() => window.app.focus.value);
    assert.deepEqual([focus.view, focus.step, focus.lane], [1, 1, 3], 'the focus stays');
    times.sort((a, b) => a - b);
    console.log(`views follow a change of 32 threads in ${times[4].toFixed(0)} ms (${times[0].toFixed(0)} to `
        + `${times[7].toFixed(0)})`);
    assert.ok(times[4] < FOLLOWS_IN);
    const wide = await number(page);
    await page.selectOption('#warp', '8');
    await settled(page, wide);
    assert.equal(await viewer(page).evaluate(() => window.app.model.runs[0].warp), 8);
    const before = await number(page);
    await page.click('.choose summary');
    await page.check('.choose input[value=oracle]');
    await settled(page, before);
    assert.ok((await viewer(page).evaluate(() => window.app.model.runs.map(run => run.scheme))).includes('oracle'));
}));

await check('messages stand in place, and a fix is a click', () => opened(index, async page => {
    await begin(page);
    await edit(page, KERNEL.replace('t * 3;', 't * 3'));
    assert.equal(await page.locator('.cm-lintRange-error, .cm-lintPoint-error').count(), 1);
    assert.ok((await page.textContent('.problems li.error')).includes("expected ';'"));
    assert.ok((await page.getAttribute('.view', 'class')).includes('stale'));
    const before = await number(page);
    await page.click('.problems li.error button:has-text("Fix")');
    await settled(page, before);
    assert.equal(await text(page), KERNEL);
    assert.equal(await page.locator('.problems li').count(), 0);
    assert.ok(!(await page.getAttribute('.view', 'class')).includes('stale'));
    await edit(page, KERNEL.replace('t * 3', 'ü + tt * 3'));
    assert.ok((await page.textContent('.problems')).includes("'tt' is not declared"));
}));

await check('a kernel without end is stopped by its fuel, or by the button', () => opened(index, async page => {
    const endless = KERNEL.replace('if (t & 1)', 'for (uint n = 1; n; n = n * 3 | 1)\n        t ^= n;\n    if (t & 1)');
    await begin(page);
    await edit(page, endless);
    assert.ok((await state(page)).includes('Out of fuel'));
    await page.click('button:text-is("Run")');
    await page.waitForTimeout(1500);
    assert.equal(await page.getAttribute('#playground', 'aria-busy'), 'true');
    await page.click('button:text-is("Stop")');
    assert.ok((await state(page)).includes('Stopped'));
    assert.equal(await text(page), endless);
    await edit(page, KERNEL);
    assert.ok((await state(page)).startsWith('Done'));
}));

await check('want of memory, and a broken worker, leave the text', () => opened(index, async page => {
    await begin(page);
    const large = KERNEL.replace('zeros(32)', 'zeros(200000000)');
    await edit(page, large);
    assert.match(await page.textContent('.results'), /memory/);
    assert.equal(await text(page), large);
    await page.evaluate(() => window.kernelFails('as if'));
    assert.ok((await state(page)).includes('started anew'));
    await edit(page, KERNEL);
    assert.ok((await state(page)).startsWith('Done'));
}));

await check('a link carries the kernel and the focus', () => opened(index, async page => {
    await begin(page);
    await edit(page, KERNEL + '// <b>&amp; ünï\n');
    await viewer(page).click('#tab-state');
    await viewer(page).evaluate(() => window.app.focus.set({step: 2, lane: 5}));
    await page.waitForFunction(() => /#state&.*step=3&lane=5.*&kernel=/.test(location.hash));
    const hash = await page.evaluate(() => location.hash);
    await opened(index, async other => {
        await begin(other);
        assert.equal(await text(other), KERNEL + '// <b>&amp; ünï\n');
        const focus = await viewer(other).evaluate(() => window.app.focus.value);
        assert.deepEqual([focus.view, focus.step, focus.lane], [5, 2, 5]);
    }, {fragment: hash});
    await opened(index, async other => {
        await begin(other);
        assert.ok((await text(other)).includes('collatz'));
    }, {fragment: '#kernel=damaged!&schemes=nonsense&warp=7'});
}));

await check('puzzles tell how far one is', () => opened(index, async page => {
    await begin(page);
    assert.ok((await page.textContent('.goals')).includes('Goals: 1 of 2'));
    const solution = readFileSync(join(root, 'samples/puzzles/solutions/01_two_loops.kern'), 'utf8');
    await edit(page, solution);
    assert.ok((await page.textContent('.goals')).includes('All goals reached'));
    const before = await number(page);
    await page.click('text=Next puzzle');
    await settled(page, before);
    assert.equal(await page.inputValue('#sample'), 'samples/puzzles/02_stride.kern');
    for (let i = 2; i < 12; i++) {
        const last = await number(page);
        await page.click('text=Next puzzle');
        await settled(page, last);
        assert.match(await page.textContent('.goals'), /Goals: \d of \d/);
    }
    assert.equal(await page.locator('text=Next puzzle').count(), 0);
}, {fragment: '#sample=01_two_loops'}));

await check('Graphviz places the blocks of the graph', () => opened(index, async page => {
    await begin(page);
    assert.equal(await page.evaluate(() => Boolean(window.kernc.graphviz)), false);
    await viewer(page).click('#tab-graph');
    await viewer(page).waitForFunction(() => window.app.model.runs[0].graphs[0].layout, null, {timeout: 30000});
    await edit(page, KERNEL);
    assert.ok(await viewer(page).evaluate(() => window.app.model.runs[0].graphs[0].layout));
    assert.deepEqual(await violations(viewer(page)), []);
}));

await check('pictures, and the page of a report', () => opened(index, async page => {
    await begin(page);
    const before = await number(page);
    await page.click('button:text-is("Run")');
    await settled(page, before);
    // A browser reads a picture after it is in the page.
    await page.waitForFunction(() => document.querySelector('.output img').complete);
    assert.equal(await page.evaluate(() => document.querySelector('.output img').naturalWidth), 640);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button:text-is("Save page")')]);
    await download.saveAs(saved);
    await opened(saved, async other => {
        await other.waitForFunction(() => window.app);
        assert.equal(await other.textContent('h1'), 'samples/mandelbrot.kern');
    });
}, {fragment: '#sample=mandelbrot&schemes=pdom'}));

const server = spawn(process.execPath, [join(root, 'share/playground/serve.mjs'), folder, '0']);
const net = await new Promise(done => server.stdout.on('data', words => done(String(words).trim())));
await check('it comes from a server as well', () => opened(index, async page => {
    await begin(page);
    assert.ok((await state(page)).startsWith('Done'));
    assert.equal(await page.evaluate(() => window.kernc.wasm), undefined);
}, {net}));
server.kill();
await end();
