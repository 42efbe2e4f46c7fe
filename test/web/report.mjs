// report.mjs: opens pages of kernc report in Chromium and checks them.
//
//     node report.mjs [--only=schema,views,focus,figures,parts,hostile,damaged,speed] SCHEMA PAGE…
//
// CHROMIUM names the browser (default /usr/bin/chromium). How long a page takes is printed; with TIMED set it has to be
// at most 1 s to open and 17 ms for a step. Checked of each page: its experiment is one by the JSON schema and has no
// member that the schema does not name; no error on the console, every view draws something,
// keys, clicks and the address move the focus, figures are those of the experiment, axe-core finds no violation; paper,
// a phone and the dark. From the first page others are made: hostile, damaged, empty, of 100,000 steps.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Ajv2020} from 'ajv/dist/2020.js';
import {check, drawn, end, opened, violations} from './browser.mjs';

const VIEWS = ['source', 'lanes', 'compare', 'graph', 'why', 'state', 'passes', 'sets'];
const OPENS_IN = process.env.TIMED ? 1000 : Infinity, FRAME = process.env.TIMED ? 17 : Infinity; // milliseconds
const DATA = /(<script type="application\/json" id="experiment">)([\s\S]*?)(<\/script>)/;
const directory = mkdtempSync(join(tmpdir(), 'kernc-web-'));
const experimentOf = html => JSON.parse(DATA.exec(html)[2]);
const inside = experiment => JSON.stringify(experiment).replace(/</g, '\\u003c');

// A page with another experiment, or other text in its place.
function pageWith(html, text, name) {
    const path = join(directory, name);
    writeFileSync(path, html.replace(DATA, (_, before, old, after) => text === null ? '' : before + text + after));
    return path;
}

const focusOf = page => page.evaluate(() => ({...window.app.focus.value, hash: location.hash}));

// What a view shows: text, and whether its canvases have more than one colour.
const shownIn = (page, view) => page.evaluate(id => {
    const panel = document.getElementById('view-' + id), colours = new Set();
    for (const canvas of panel.querySelectorAll('canvas')) {
        const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width,
            canvas.height).data.buffer);
        for (let i = 0; i < data.length; i += 7)
            colours.add(data[i]);
    }
    return {text: panel.textContent.trim(), canvases: panel.querySelectorAll('canvas').length, colours: colours.size,
        drawings: panel.querySelectorAll('svg').length};
}, view);

// A schema under which objects whose members are listed have no others.
const closed = schema => Array.isArray(schema) ? schema.map(closed) : schema === null || typeof schema !== 'object'
    ? schema : Object.fromEntries([...Object.entries(schema).map(([key, value]) => [key, closed(value)]),
        ...schema.type === 'object' && schema.properties ? [['additionalProperties', false]] : []]);

const checkSchema = (path, experiment, valid) => check(`${path}: the JSON schema`, () => {
    valid(experiment);
    const wrong = (valid.errors || []).map(one => `${one.instancePath.replace(/\d+/g, 'N')}: ${one.message} `
        + JSON.stringify(one.params));
    assert.deepEqual([...new Set(wrong)], []);
    assert.ok(!valid({...experiment, version: 1}) && !valid({...experiment, more: 0}));
});

async function checkViews(path, experiment) {
    const steps = experiment.runs.some(run => run.launches.some(launch => launch.warps[0] && launch.warps[0].run.length));
    // What stands beside the views is the same in all but the first, and in the third has words of its own.
    const part = view => view === 'source' || view === 'lanes' ? undefined : ['#view-' + view, '.beside'];
    for (const dark of [false, true])
        await opened(path, async page => {
            for (const view of VIEWS) {
                await page.click('#tab-' + view);
                await drawn(page);
                await check(`${path}: ${view}${dark ? ' in the dark' : ''} draws something`, async () => {
                    const {text, canvases, colours} = await shownIn(page, view);
                    assert.ok(text.length > 10, 'no text');
                    if (steps && (view === 'lanes' || view === 'compare')) {
                        assert.ok(canvases >= 2, 'no strip');
                        assert.ok(colours > 4, `only ${colours} colours`);
                    }
                });
                await check(`${path}: axe on ${view}${dark ? ' in the dark' : ''}`, async () =>
                    assert.deepEqual(await violations(page, dark ? ['color-contrast'] : null, part(view)), []));
            }
            if (dark)
                return;
            await check(`${path}: nothing is wider than a phone`, async () => {
                await page.setViewportSize({width: 390, height: 844});
                for (const [index, view] of VIEWS.entries()) {
                    await page.evaluate(at => window.app.focus.set({view: at}), index);
                    await drawn(page);
                    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), view);
                    const tab = await page.locator('#tab-' + view).boundingBox();
                    assert.ok(tab.x >= 0 && tab.x + tab.width <= 390, `the tab of ${view} is out of sight`);
                }
            });
        }, {dark});
    await check(`${path}: paper has the view and a caption alone`, () => opened(path, async page => {
        await page.emulateMedia({media: 'print'});
        assert.ok(!await page.isVisible('nav') && !await page.isVisible('header'));
        assert.ok(await page.isVisible('.print-only') && await page.isVisible('#view-compare'));
    }, {fragment: '#compare'}));
}

// A run that stopped has steps, but nothing that was counted: then nothing is said of lost slots.
async function checkStopped(path, experiment) {
    const run = experiment.runs.find(one => one.error && one.launches.length && one.launches.every(launch =>
        !launch.lines.length));
    if (run)
        await check(`${path}: a run that stopped has no figures by line`, () => opened(path, async page =>
            assert.match(await page.textContent('#view-source'), /No figures by line: /),
        {fragment: `#source&scheme=${run.scheme}`}));
}

// The convergent operation shown first is one that the launch performs, if it performs any.
async function checkSets(path, experiment) {
    await check(`${path}: an operation that is performed is shown`, () => opened(path, async page => {
        const all = await page.locator('#view-sets .entry').count();
        const soft = await page.locator('#view-sets .entry.soft').count();
        if (soft < all)
            assert.doesNotMatch(await page.textContent('#view-sets'), /is not performed/);
        if (experiment.name.endsWith('convops.kern'))
            assert.ok(soft > 0 && soft < all, `${soft} of ${all} are not performed`);
    }, {fragment: '#sets'}));
}

// Where places have lines, so has each row of the differences, though barriers make blocks of none.
async function checkDifferences(path, experiment) {
    if (!experiment.runs.some(run => run.launches.some(one => one.warps.some(warp => warp.places.some(place =>
        place[1].length)))))
        return;
    await check(`${path}: differences are at lines`, () => opened(path, async page => {
        const rows = await page.locator('.differences tbody th').allTextContents();
        for (const row of rows)
            assert.match(row, /^(code after )?lines? \d/);
        if (experiment.name.endsWith('collatz.kern') && experiment.runs.some(run => run.scheme === 'barrier'))
            assert.ok(rows.some(row => row.startsWith('code after ')), rows.join());
    }, {fragment: '#compare&scheme=barrier'}));
}

async function checkFocus(path, experiment) {
    const run = experiment.runs.find(one => one.launches[0] && one.launches[0].warps[0]
        && one.launches[0].warps[0].run.length > 8);
    if (!run)
        return;
    const fragment = `#lanes&scheme=${encodeURIComponent(run.scheme)}&launch=1&step=2&lane=1`;
    await check(`${path}: address and keys move the focus`, () => opened(path, async page => {
        let focus = await focusOf(page);
        assert.equal(experiment.runs[focus.scheme].scheme, run.scheme);
        assert.deepEqual([focus.view, focus.step, focus.lane], [1, 1, 1]);
        const press = async key => { await page.keyboard.press(key); await drawn(page); focus = await focusOf(page); };
        await press('ArrowRight');
        assert.equal(focus.step, 2);
        await press('ArrowLeft');
        await press('ArrowLeft');
        assert.equal(focus.step, 0);
        await press('ArrowDown');
        assert.equal(focus.lane, 2);
        await press('End');
        assert.equal(focus.step, run.launches[0].warps[0].run.length / 2 - 1);
        await press('h');
        const back = focus.step;
        await press('Home');
        await press('l');
        assert.ok(focus.step <= back || back === 0);
        for (const [index, view] of VIEWS.entries()) {
            await press(String(index + 1));
            assert.equal(focus.view, index);
            assert.ok(focus.hash.startsWith('#' + view + '&'));
            assert.ok(await page.isVisible('#view-' + view));
        }
        await press('?');
        assert.ok(await page.isVisible('dialog'));
        await page.keyboard.press('Escape');
        assert.ok(!await page.isVisible('dialog'));
        await press(']');
        assert.equal(focus.scheme, (experiment.runs.indexOf(run) + 1) % experiment.runs.length);
    }, {fragment}));
    await check(`${path}: a click in a strip and in the source moves the focus`, () => opened(path, async page => {
        await drawn(page);
        const box = await page.locator('#view-lanes canvas.strip').boundingBox();
        await page.mouse.click(box.x + 34 + 3, box.y + 14 + 3);
        await drawn(page);
        assert.deepEqual([(await focusOf(page)).step, (await focusOf(page)).lane], [0, 0]);
        const line = run.launches[0].warps[0].places[0][1][0];
        if (experiment.source && line) {
            await page.click(`aside .lineno >> text="${line}"`);
            await drawn(page);
            const focus = await focusOf(page);
            assert.equal(focus.line, line);
            assert.ok(run.launches[0].warps[0].places[run.launches[0].warps[0].run[2 * focus.step]][1].includes(line));
        }
    }, {fragment}));
    await check(`${path}: a wrong address is forgiven`, () => opened(path, async page => {
        assert.ok((await focusOf(page)).step >= 0);
    }, {fragment: '#%E0%A4%A&scheme=nobody&step=-4&lane=900&launch=77&line=x'}));
}

// Another scheme draws views anew, and the numbers on the page are those of the experiment.
async function checkFigures(path, experiment) {
    const show = n => n.toLocaleString('en-US', {maximumFractionDigits: 2}), percent = x => (100 * x).toFixed(1) + ' %';
    const withSteps = experiment.runs.filter(run => run.launches[0] && run.launches[0].warps[0]);
    const start = text => text.slice(0, 40);
    const figures = async (page, run) => {
        const launch = run.launches[0];
        await page.evaluate(scheme => window.app.focus.set({view: 0, scheme, step: 0}), experiment.runs.indexOf(run));
        await drawn(page);
        if (experiment.source) {
            const cells = await page.evaluate(() =>
                Object.fromEntries([...document.querySelectorAll('#view-source tbody tr:not(.notes)')]
                .map(tr => [...tr.cells].map(cell => cell.textContent)).map(row => [row[0], row])));
            for (const line of launch.lines.filter(one => one.warp_instructions && cells[one.line])) {
                const row = cells[line.line];
                assert.deepEqual([row[4], row[5], row[6]], [show(line.warp_instructions),
                    show(line.thread_instructions),
                    line.divergences ? show(line.divergences) : ''], `line ${line.line}`);
            }
        }
        await page.keyboard.press('2');
        await drawn(page);
        assert.equal(await page.getAttribute('#view-lanes .strip', 'aria-label'), `Lanes by steps under ${run.scheme}`);
        await page.keyboard.press('4');
        await drawn(page);
        const graph = run.graphs.find(one => one.function === launch.kernel);
        if (graph)
            assert.deepEqual((await page.locator('#view-graph .block .name').allTextContents()).map(start),
                graph.blocks.map(one => start((graph.layout && one.text || one.name).split('\n')[0])));
        await page.keyboard.press('3');
        await drawn(page);
        const box = page.locator('.schemes input').nth(withSteps.filter(one =>
            one.launches[0].warps[0].run.length).indexOf(run));
        if (!await box.isChecked())
            await box.check();
        await drawn(page);
        const texts = await page.locator('.totals').allTextContents();
        const own = texts.find(text => text.startsWith(run.scheme + 'Steps') || text.startsWith(run.scheme
            + ' reference'));
        assert.ok(own, `${run.scheme} is not in ${texts.join(' | ')}`);
        assert.ok(own.includes(`Steps${show(launch.warps[0].total)}`), own);
        if (launch.metrics) {
            assert.ok(own.includes(`Instructions${show(launch.metrics.warp_instructions)}`), own);
            assert.ok(own.includes(`Efficiency${percent(launch.metrics.simt_efficiency)}`), own);
        }
        await page.keyboard.press('6');
        await drawn(page);
        const [active, , ] = launch.warps[0].states[launch.warps[0].run[1]];
        const lanes = BigInt('0x' + active).toString(2).replace(/0/g, '').length;
        assert.equal(await page.locator('#view-state tbody tr').first().locator('td').first().textContent(),
            String(lanes));
    };
    if (withSteps.length)
        await opened(path, async page => {
            for (const run of withSteps)
                await check(`${path}: figures of ${run.scheme}`, () => figures(page, run));
        }, {fragment: '#source&launch=1'});
}

// Another warp; what passes gain, pairs of csc, stages; live ranges in the graph: where the experiment has them.
async function checkParts(path, experiment) {
    const index = experiment.runs.findIndex(run => run.launches[0] && run.launches[0].warps.length > 1);
    const of = run => `#passes&launch=1&scheme=${encodeURIComponent(run.scheme)}`;
    if (index >= 0)
        await check(`${path}: another warp`, () => opened(path, async page => {
            const [first, second] = experiment.runs[index].launches[0].warps;
            await page.selectOption('#warp', String(second.warp));
            await drawn(page);
            assert.equal(await page.getAttribute('#step', 'max'), String(second.run.length / 2));
            assert.ok((await focusOf(page)).hash.includes(`&in=${second.warp}&`));
            await page.selectOption('#warp', String(first.warp));
            await drawn(page);
            assert.equal(await page.getAttribute('#step', 'max'), String(first.run.length / 2));
        }, {fragment: of(experiment.runs[index]).replace('passes', 'lanes')}));
    for (const run of experiment.runs.filter(one => one.passes.length && one.launches[0]))
        await check(`${path}: passes and live ranges of ${run.scheme}`, () => opened(path, async page => {
            await drawn(page);
            const own = run.passes.filter(pass => pass.function === run.launches[0].kernel);
            const last = own.filter(pass => pass.metrics).pop();
            const entries = (await page.locator('.pass').allTextContents()).join('\n');
            assert.ok(!last || entries.includes((100 * last.metrics.simt_efficiency).toFixed(1) + ' %'), entries);
            assert.ok(own.every(pass => !pass.stage || entries.includes(`) ${pass.stage}`)), entries);
            const pairs = run.remarks.filter(one => one.function === run.launches[0].kernel)
                .flatMap(one => one.pairs || []);
            if (pairs.length) {
                await page.click('.pass >> text="csc"');
                assert.ok((await page.textContent('.pairs')).includes(`line ${pairs[0].other_line}`));
            }
            const graph = run.graphs.find(one => one.function === run.launches[0].kernel);
            await page.keyboard.press('4');
            await drawn(page);
            for (const barrier of graph.barriers) {
                await page.selectOption('#overlay', `b${barrier.register}`);
                assert.equal(await page.locator('.block.live').count(), barrier.live.length);
            }
        }, {fragment: of(run)}));
}

// Strings that are HTML, JavaScript and marks of direction stay text.
async function checkHostile(html) {
    const bad = '"><img src=x onerror=window.hacked=1><script>window.hacked=1</script>\u202e</style>${alert(1)}';
    const hurt = (value, key) => typeof value === 'string' ? (['text', 'name', 'function', 'kernel', 'message', 'why',
        'kind', 'pass', 'meaning', 'stage', 'way', 'operation',
        'listing', 'error', 'source', 'printed', 'shown', 'kernc', 'input', 'difference', 'status'].includes(key) ? bad
            + value : value)
        : Array.isArray(value) ? value.map(one => hurt(one, key)) : value && typeof value === 'object'
            ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hurt(one, name)])) : value;
    const experiment = hurt(experimentOf(html), '');
    experiment.runs.forEach(run => { run.scheme += bad; run.equal = false; run.error = bad; });
    await check('a hostile experiment stays text', () => opened(pageWith(html, inside(experiment), 'hostile.html'),
        async page => {
        for (const view of VIEWS) {
            await page.click('#tab-' + view);
            await drawn(page);
        }
        assert.equal(await page.evaluate(() => window.hacked), undefined);
        assert.equal(await page.locator('#page img, #page script, #page style').count(), 0);
        assert.ok((await page.textContent('h1')).includes('<img src=x'));
    }));
}

async function checkDamaged(html) {
    const experiment = experimentOf(html), cut = inside(experiment);
    const broken = change => { const copy = structuredClone(experiment); change(copy); return JSON.stringify(copy); };
    const cases = [['not JSON', cut.slice(0, cut.length / 2)], ['no experiment', '{"format": "other"}'],
        ['no experiment', '[]'],
        ['no experiment', 'null'], ['version', broken(one => { one.version = 3; })], ['no runs',
            broken(one => { one.runs = 7; })],
        ['place or state', broken(one => { one.runs.forEach(run => run.launches.forEach(launch => launch.warps[0]
            && (launch.warps[0].run[0] = 1e9))); })],
        ['number of lanes', broken(one => { one.runs.forEach(run => run.launches.forEach(launch => launch.warps[0]
            && (launch.warps[0].lanes = 1e6))); })]];
    await check('a page without an experiment asks for one, and says what is wrong with it', () =>
        opened(pageWith(html, null, 'empty.html'), async page => {
            assert.ok(await page.isVisible('#file'));
            assert.deepEqual(await violations(page), []);
            for (const [message, text] of cases) {
                await page.evaluate(words => {
                    const dataTransfer = new DataTransfer();
                    dataTransfer.items.add(new File([words], 'a.json'));
                    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {dataTransfer}));
                }, text);
                await page.waitForFunction(words => (document.querySelector('[role=alert]')
                    || {}).textContent?.includes(words), message);
            }
            await page.setInputFiles('#file', {name: 'a.json', mimeType: 'application/json',
                buffer: Buffer.from(JSON.stringify(experiment))});
            await page.waitForSelector('[role=tab]');
        }));
    const later = [['place or state', one => { one.runs.at(-1).launches[0].warps[0].run[0] = 1e9; }, page =>
        page.selectOption('#scheme', String(experiment.runs.length - 1))],
    ['The experiment is damaged', one => one.runs.forEach(run => { run.graphs = [{blocks: [null]}]; }), page =>
        page.click('#tab-graph')]];
    for (const [message, change, act] of later)
        await check(`damage that a later view meets is said: ${message}`, () => opened(pageWith(html,
            broken(change).replace(/</g, '\\u003c'), 'later.html'), async page => {
            await act(page);
            await page.waitForFunction(words => (document.querySelector('[role=alert]')
                || {}).textContent?.includes(words), message);
            assert.ok(await page.isVisible('#file'));
            await page.keyboard.press('ArrowRight');
        }, {mayFail: true}));
    const bare = {...experiment, source: null, diagnostics: [{severity: 'error', message: 'nothing is right',
        line: 0}], operations: [],
        runs: experiment.runs.map(run => ({...run, error: 'it does not compile', passes: [], remarks: [],
            divergence: [], analyses: [], graphs: [],
            listing: null, metrics: null, launches: [], equal: null}))};
    for (const [name, one] of [['no launches', bare], ['no runs', {...bare, runs: []}]])
        await check(`an experiment with ${name} says why in each view`, () => opened(pageWith(html, inside(one),
            'bare.html'), async page => {
            for (const view of VIEWS) {
                await page.click('#tab-' + view);
                await drawn(page);
                assert.ok((await shownIn(page, view)).text.length > 10, view);
            }
            for (const key of ['ArrowRight', 'h', 'l', 'End', ']', 'ArrowDown'])
                await page.keyboard.press(key);
        }));
}

// The page opens within a second, and a step takes less than a frame, with 100,000 steps.
async function checkSpeed(html) {
    const experiment = experimentOf(html), STEPS = 100000;
    for (const run of experiment.runs)
        for (const launch of run.launches.slice(0, 1))
            if (launch.warps[0]) {
                const run_ = launch.warps[0].run, long = [];
                while (run_.length && long.length < 2 * STEPS)
                    for (let i = 0; i < run_.length && long.length < 2 * STEPS; i++)
                        long.push(run_[i]);
                Object.assign(launch.warps[0], {run: long, total: STEPS});
            }
    experiment.runs = experiment.runs.filter(run => run.scheme !== 'oracle').slice(0, 2);
    await check('100,000 steps', () => opened(pageWith(html, inside(experiment), 'long.html'), async page => {
        await drawn(page);
        const opens = await page.evaluate(() => performance.now());
        const frame = await page.evaluate(() => {
            const start = performance.now(), N = 120;
            for (let i = 0; i < N; i++) {
                window.app.focus.set({step: i * 7});
                window.app.update();
            }
            return (performance.now() - start) / N;
        });
        await page.keyboard.press('3');
        const before = Date.now();
        await drawn(page);
        console.log(`100,000 steps: opens in ${opens.toFixed(0)} ms, a step takes ${frame.toFixed(1)} ms, `
            + `schemes are aligned in ${Date.now() - before} ms`);
        assert.ok(opens < OPENS_IN, `opens in ${opens} ms`);
        assert.ok(frame < FRAME, `a step takes ${frame} ms`);
    }, {fragment: '#lanes'}));
}

try {
    const [schema, ...pages] = process.argv.slice(2).filter(word => !word.startsWith('--only='));
    const only = process.argv.slice(2).find(word => word.startsWith('--only='));
    const wanted = part => !only || only.slice(7).split(',').includes(part);
    assert.ok(pages.length, 'usage: node report.mjs [--only=PART,…] SCHEMA PAGE…');
    const valid = new Ajv2020({allErrors: true, allowUnionTypes: true, strictTuples: false}).compile(closed(JSON.parse(readFileSync(schema,
        'utf8'))));
    for (const path of pages) {
        const experiment = experimentOf(readFileSync(path, 'utf8'));
        if (wanted('schema'))
            await checkSchema(path, experiment, valid);
        for (const [part, act] of [['views', checkViews], ['focus', checkFocus], ['figures', checkFigures],
            ['differences', checkDifferences], ['stopped', checkStopped], ['sets', checkSets],
            ['parts', checkParts]])
            if (wanted(part))
                await act(path, experiment);
    }
    const first = readFileSync(pages[0], 'utf8');
    for (const [part, act] of [['hostile', checkHostile], ['damaged', checkDamaged], ['speed', checkSpeed]])
        if (wanted(part))
            await act(first);
} finally {
    rmSync(directory, {recursive: true});
}
await end();
