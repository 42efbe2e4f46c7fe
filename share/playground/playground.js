// The playground: an editor, kernc in a worker, and the viewer of kernc report in a frame, which draws the experiment
// that kernc makes of the text after each change. The address keeps text, schemes, warp and focus.
//
// `kernc` is what data.js holds: viewer (the page of share/report/), worker, samples, schemes; kernc.js adds wasm,
// graphviz.js graphviz. h, put, clear, field, plural are those of share/report/dom.js.
import {Editor} from './editor.js';

const LIVE_FUEL = 1 << 22, PAUSE = 60, PATIENCE = 1500; // warp instructions, milliseconds, milliseconds
const FIRST = ['pdom', 'tf-stack', 'barrier'], OWN = 'kernel.kern';
const encoder = new TextEncoder();
const samples = kernc.samples.filter(([name]) => !name.includes('/data/'));
const isPuzzle = name => name.startsWith('samples/puzzles/');
const titleOf = name => name.replace(/^.*\//, '').replace('.kern', '');

// ---- what is asked for ---------------------------------------------------------------------------------

const asked = {name: OWN, schemes: [...FIRST], warp: 32};

// The fragment's words; bytes are base64 with - and _.
const toWord = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const fromWord = word => Uint8Array.from(atob(word.replace(/-/g, '+').replace(/_/g, '/')), sign => sign.charCodeAt(0));
const through = async (bytes, stream) =>
    new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const packed = async text => toWord(await through(encoder.encode(text), new CompressionStream('deflate-raw')));
const unpacked = async word =>
    new TextDecoder().decode(await through(fromWord(word), new DecompressionStream('deflate-raw')));

const focus = () => viewer() && viewer().app ? viewer().app.focus.toFragment().slice(1) : '';
let address = '', wanted = ''; // wanted: the focus that the address asked for, until there is something to show

async function keepAddress() {
    const {name, schemes, warp} = asked, text = editor.text, sample = kernc.samples.find(one => one[0] === name);
    const words = [focus() || wanted, `schemes=${schemes.join(',')}`, `warp=${warp}`,
        name !== OWN && `sample=${titleOf(name)}`, (!sample || sample[1] !== text) && `kernel=${await packed(text)}`];
    const fragment = '#' + words.filter(Boolean).join('&');
    if (text === editor.text && fragment !== address)
        history.replaceState(null, '', address = fragment);
}

async function readAddress() {
    const words = new Map(location.hash.slice(1).split('&').map(part => [part.split('=')[0],
        part.slice(part.indexOf('=') + 1)]));
    const known = (words.get('schemes') || '').split(',').filter(name => kernc.schemes.some(one => one[0] === name));
    const sample = samples.find(([name]) => titleOf(name) === words.get('sample'));
    let text = sample && sample[1];
    address = location.hash;
    wanted = location.hash.slice(1).split('&').filter(part => !/^(schemes|warp|sample|kernel)=/.test(part)).join('&');
    if (words.get('kernel'))
        text = await unpacked(words.get('kernel')).catch(() => {
            say('The address holds no whole kernel.');
            return text;
        });
    asked.schemes = known.length ? known : [...FIRST];
    asked.warp = [4, 8, 16, 32, 64].includes(Number(words.get('warp'))) ? Number(words.get('warp')) : 32;
    const first = samples.find(([name]) => name === 'samples/collatz.kern');
    open(sample ? sample[0] : text === undefined ? first[0] : OWN, text === undefined ? first[1] : text);
}

// ---- kernc ---------------------------------------------------------------------------------------------

let worker = null, ready = false, wasm = null;
let job = null; // {number, began, full, name, problems, draw, stopped, failure}
let waiting = null; // what to run next: {full}
let changed = 0, patience = 0, timer = 0, jobs = 0, lastFull = false;
let hasGraphviz = false, placed = false; // the graphs of what is shown have places

const script = name => new Promise((done, failed) =>
    document.head.append(Object.assign(document.createElement('script'), {src: name, onload: done, onerror: failed})));

// From a server the file itself, which it may compress better; from disk, where pages may not read files, a script.
async function loadWasm() {
    if (location.protocol !== 'file:') {
        const answer = await fetch('kernc.wasm').catch(() => null);
        if (answer && answer.ok)
            return answer.arrayBuffer();
    }
    await script('kernc.js');
    const bytes = Uint8Array.from(atob(kernc.wasm), sign => sign.charCodeAt(0));
    return (await through(bytes, new DecompressionStream('gzip'))).buffer;
}

function start() {
    if (worker)
        worker.terminate();
    ready = hasGraphviz = false;
    job = null;
    worker = new Worker(URL.createObjectURL(new Blob([kernc.worker], {type: 'text/javascript'})));
    worker.onmessage = ({data}) => hear(data);
    worker.onerror = event => fail(event.message);
    worker.postMessage({wasm, samples: kernc.samples});
    if (kernc.graphviz)
        worker.postMessage({graphviz: kernc.graphviz});
}

// A worker that broke down, memory that failed: kernc starts anew, and the text stays.
function fail(why) {
    waiting = null;
    start();
    say(`kernc broke down and was started anew: ${why}`);
    busy();
}

function hear(message) {
    if (message.ready) {
        ready = true;
        next();
    } else if (message.drawn) {
        hasGraphviz = true;
        needGraphviz();
    } else if (job && message.job === job.number) {
        if (message.trap)
            fail(message.trap);
        else
            message.call === 0 ? reported(message) : ran(message);
    }
}

// Runs what the editor holds, when the worker is free; what runs too long makes way for what is newer.
function run(full = false) {
    clearTimeout(timer);
    waiting = {full};
    if (job && performance.now() - job.began > PATIENCE)
        start();
    else if (job)
        patience = patience || setTimeout(() => { patience = 0; waiting && job && start(); }, PATIENCE);
    next();
}

function next() {
    if (!ready || job || !waiting)
        return;
    const {full} = waiting, {name, schemes, warp} = asked;
    const fuel = full ? [] : [`--fuel=${LIVE_FUEL}`], quick = full ? [] : ['--limit=report_pass_fuel=0'];
    const common = [...fuel, `--warp=${warp}`, '--threads=1'];
    job = {number: ++jobs, began: performance.now(), full, name, problems: [], draw: hasGraphviz && viewIs('graph')};
    waiting = null;
    lastFull = full;
    worker.postMessage({job: job.number, name, text: editor.text, draw: job.draw, calls: [
        ['report', name, '-o', 'experiment.json', `--schemes=${schemes.join(',')}`, ...common, ...quick],
        ['run', name, '--diagnostics=json', `--scheme=${schemes[0]}`,
            ...common.filter(word => !schemes[0].startsWith('warp-core') || !word.startsWith('--warp'))]]});
    busy();
}

function stop() {
    waiting = null;
    start();
    say('Stopped. The text is as it was.');
    busy();
}

// ---- what comes of it ----------------------------------------------------------------------------------

function addProblems(list) {
    const key = one => `${one.line} ${one.column} ${one.message}`, known = new Set(job.problems.map(key));
    job.problems.push(...list.filter(one => !known.has(key(one)) && known.add(key(one))));
    const shown = editor.diagnose(job.problems.filter(one => !one.file || one.file === asked.name));
    put(clear(problems), shown.map(one => h('li.' + one.severity,
        h('button.link.line', {onclick: () => editor.toLine(one.line)}, `line ${one.line}`),
        h('span', h('b', one.severity), ` ${one.message}`),
        one.actions.length > 0 && h('button', {onclick: () => editor.fix(one)}, 'Fix'))));
}

const viewer = () => frame.contentWindow;
const viewIs = id => Boolean(viewer() && viewer().app && viewer().document.body.dataset.view === id);

function reported({err, files}) {
    const text = new Map(files).get('experiment.json');
    const experiment = text ? JSON.parse(new TextDecoder().decode(text)) : {diagnostics: [], runs: []};
    const good = experiment.runs.length > 0;
    addProblems(experiment.diagnostics);
    view.classList.toggle('stale', !good);
    job.stopped = experiment.runs.some(one => one.launches.some(launch => launch.status === 'limit'));
    job.failure = text ? '' : err.trim();
    if (good)
        draw(experiment);
    job.drawn = performance.now();
    window.lastDrawn = {number: job.number, followed: job.drawn - changed};
}

// The viewer shows the experiment, at the focus that it had.
function draw(experiment) {
    const old = focus() || wanted, {app} = viewer();
    placed = job.draw;
    viewer().show(JSON.stringify(experiment));
    if (viewer().app === app)
        return;
    view.classList.add('begun');
    viewer().app.focus.fromFragment(old);
    viewer().app.update();
    viewer().app.focus.listeners.push(() => {
        keepAddress();
        needGraphviz();
    });
    keepAddress();
    needGraphviz();
}

// The graph's blocks get places from Graphviz once it is looked at.
function needGraphviz() {
    if (!viewIs('graph') || placed)
        return;
    if (hasGraphviz && !waiting && !(job && job.draw))
        run(lastFull);
    else if (!kernc.asked) {
        kernc.asked = true;
        script('graphviz.js').then(() => worker.postMessage({graphviz: kernc.graphviz}), () => {});
    }
}

// What kernc run says of goals; the rest is what the launches show.
const GOAL = /^(reached|not yet) +(.*?)(?:: (?!.*: )(.*))?$/, GOALS = /^\d+ of \d+ goals? reached$/;

function showGoals(found) {
    const left = found.filter(one => one[1] !== 'reached').length, puzzles = samples.map(one => one[0]).filter(isPuzzle);
    const after = isPuzzle(job.name) && puzzles[puzzles.indexOf(job.name) + 1];
    const row = ([, reached, goal, now]) => h('li', {class: reached === 'reached' ? 'reached' : 'open'},
        h('i', {'aria-label': reached}, reached === 'reached' ? '✓' : '○'),
        h('span', goal, now && h('span.found', ` – ${now}`)));
    put(clear(goals), found.length > 0 && [h('div.head', h('h2',
        left ? `Goals: ${found.length - left} of ${found.length}` : 'All goals reached'),
    after && link('Next puzzle →', () => choose(after))), h('ul', found.map(row))]);
}

function showOutput(text, files) {
    const pictures = files.filter(([name]) => name.endsWith('.png')).map(([name, bytes]) => h('img', {alt: name,
        src: URL.createObjectURL(new Blob([bytes], {type: 'image/png'}))}));
    put(clear(output), job.failure && h('p.wrong', job.failure), (text || pictures.length > 0) && [
        h('h2', `Output under ${asked.schemes[0]}`), text && h('pre', {tabindex: 0}, text), pictures]);
}

function ran({code, out, err, files}) {
    const lines = out.split('\n'), isShown = line => !GOAL.test(line) && !GOALS.test(line);
    try {
        addProblems(JSON.parse(err || '[]').filter(one => one.line));
    } catch { /* words of a program that broke off */ }
    showGoals(lines.map(line => GOAL.exec(line)).filter(Boolean));
    showOutput(lines.filter(isShown).join('\n').trimEnd(), files);
    const {began, drawn, full, stopped} = job, errors = job.problems.filter(one => one.severity === 'error').length;
    const outcome = code === 0 || code === 4 ? 'Done' : errors ? plural(errors, 'error') : `Exit code ${code}`;
    job = null;
    busy();
    put(clear(state), `${outcome}. Views after ${Math.round(drawn - began)} ms.`, stopped && !full && [
        ` Out of fuel at ${LIVE_FUEL.toLocaleString('en-US')} warp instructions. `,
        link('Run with all of it', () => run(true))]);
    next();
}

// ---- the page ------------------------------------------------------------------------------------------

const say = text => put(clear(state), text);
const busy = () => {
    stopButton.disabled = !job;
    document.getElementById('playground').setAttribute('aria-busy', String(Boolean(job)));
};

function open(name, text) {
    asked.name = name;
    editor.show(text);
    sampleSelect.value = name;
    warpSelect.value = asked.warp;
    document.title = `${name === OWN ? 'Kernel' : titleOf(name)} – kernc playground`;
    markSchemes();
    run();
}

function choose(name) {
    const found = samples.find(one => one[0] === name);
    wanted = '';
    open(name, found ? found[1] : editor.text);
    keepAddress();
}

function markSchemes() {
    const {length} = asked.schemes;
    schemeCount.textContent = length > 3 ? plural(length, 'scheme') : asked.schemes.join(', ');
    for (const box of schemeList.querySelectorAll('input'))
        box.checked = asked.schemes.includes(box.value);
}

// In the order in which they were chosen.
function chooseSchemes({target}) {
    const on = [...schemeList.querySelectorAll('input:checked')].map(box => box.value);
    asked.schemes = on.length ? [...asked.schemes.filter(one => on.includes(one)),
        ...on.filter(one => !asked.schemes.includes(one))] : [target.value];
    markSchemes();
    run();
}

async function copyLink() {
    await keepAddress();
    say(await navigator.clipboard.writeText(location.href).then(() => 'The link is copied.', () =>
        'The address of this page is the link.'));
}

// A page of kernc report with what is shown, in one file.
function save() {
    const raw = viewer() && viewer().app ? JSON.stringify(viewer().app.model.raw) : null;
    if (!raw)
        return;
    const data = `<script type="application/json" id="experiment">${raw.replace(/</g, '\\u003c')}</script>`;
    const page = kernc.viewer.replace('<!-- experiment -->', () => data);
    h('a', {href: URL.createObjectURL(new Blob([page], {type: 'text/html'})), download: `${titleOf(asked.name)}.html`})
        .click();
}

const button = (text, title, act) => h('button', {title, onclick: act}, text);
const group = (label, list) => h('optgroup', {label}, list.map(([name]) => h('option', {value: name}, titleOf(name))));
const sampleSelect = h('select', {id: 'sample', onchange: () => choose(sampleSelect.value)},
    h('option', {value: OWN}, 'my own'), group('Puzzles', samples.filter(([name]) => isPuzzle(name))),
    group('Samples', samples.filter(([name]) => !isPuzzle(name))));
const warpSelect = h('select', {id: 'warp', onchange: () => { asked.warp = Number(warpSelect.value); run(); }},
    [4, 8, 16, 32, 64].map(n => h('option', {value: n}, String(n))));
const schemeCount = h('summary');
const schemeList = h('fieldset', h('legend.hidden', 'Schemes'), kernc.schemes.map(([name, meaning]) => h('label',
    h('input', {type: 'checkbox', value: name, onchange: chooseSchemes}), h('b', name), h('span', meaning))));
const schemes = h('details.choose', schemeCount, schemeList);
const stopButton = button('Stop', 'End what runs; the text stays', stop);
const problems = h('ul.problems', {'aria-label': 'Messages'}), goals = h('section.goals', {'aria-label': 'Goals'});
const output = h('section.output', {'aria-label': 'Output'}), state = h('p.state', {role: 'status'}, 'Loading kernc …');
const frame = h('iframe.viewer', {title: 'Views', srcdoc: kernc.viewer});
const editorPane = h('div.editor'), view = h('div.view', frame);
const editor = new Editor(editorPane, () => {
    changed = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => { run(); keepAddress(); }, PAUSE);
}, () => run(true));

put(document.getElementById('playground'),
    h('header', h('h1', 'kernc playground'), field('Kernel', sampleSelect),
        h('span.field', h('span', 'Schemes'), schemes), field('Warp', warpSelect),
        h('span.last', button('Run', 'Run without a limit of fuel (Ctrl-Enter)', () => run(true)), stopButton,
            button('Copy link', 'A link that holds this kernel', copyLink),
            button('Save page', 'The views as one file, as kernc report makes it', save))),
    h('main', h('section.work', {'aria-label': 'Kernel'}, editorPane, h('div.results', {tabindex: 0, role: 'region',
        'aria-label': 'Results'}, problems, goals, output), state), view));
document.addEventListener('click', event => schemes.contains(event.target) || schemes.removeAttribute('open'));
window.onhashchange = () => location.hash === address || readAddress();
Object.assign(window, {editor, kernelFails: fail}); // for tests
busy();

frame.onload = async () => {
    frame.onload = null;
    wasm = await loadWasm();
    start();
    await readAddress();
};
