// node build.mjs WASM NPM OUT REPORT_FILE…: the playground as static files in OUT: index.html, what it shows at once,
// and what it loads on demand (kernc.js, graphviz.js). REPORT_FILES: the viewer, as driver/build.mk names it.
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import vm from 'node:vm';
import {gzipSync} from 'node:zlib';

const [wasm, npm, out, ...report] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..'), modules = resolve(npm, 'node_modules');
const {build} = createRequire(join(modules, 'x.js'))('esbuild');
const own = name => readFileSync(join(here, name), 'utf8');
const write = (name, content) => writeFileSync(join(out, name), content);
const text = name => readFileSync(join(root, name), 'utf8');
const kernels = folder => readdirSync(join(root, folder)).filter(name => name.endsWith('.kern')).sort()
    .map(name => `${folder}/${name}`);

// The page of kernc report, with a place for an experiment (driver/report_page.c).
const css = report.filter(name => name.endsWith('.css')).map(text).join('');
const scripts = report.filter(name => name.endsWith('.js')).map(name => `<script>\n${text(name)}</script>`).join('\n');
const viewer = text(report.find(name => name.endsWith('.html')))
    .replace('<!-- styles -->', () => `<style>\n${css}</style>`).replace('<!-- scripts -->', () => scripts);

const words = Object.fromEntries([...text('share/vim/syntax/kern.vim').matchAll(/^syn keyword kern(\w+) +(.*)$/gm)]
    .flatMap(([, group, list]) => list.trim().split(/\s+/).map(word => [word, group])));
const samples = [...kernels('samples'), ...kernels('samples/puzzles'), ...kernels('samples/data')]
    .map(name => [name, text(name)]);

const bytes = readFileSync(wasm), runKernc = vm.runInThisContext(own('host.js') + '\nrunKernc');
const {out: help} = await runKernc(await WebAssembly.compile(bytes), ['kernc', 'run', '--scheme=help']);
const schemes = [...help.matchAll(/^(\S+) +\S+ +(.*)$/gm)].slice(1).map(([, name, meaning]) => [name, meaning])
    .filter(([name]) => !name.startsWith('--'));

mkdirSync(out, {recursive: true});
const data = {viewer, worker: own('host.js') + own('worker.js'), samples, schemes};
write('data.js', `var kernc = ${JSON.stringify(data)};\n${text('share/report/dom.js')}`);
write('index.html', own('index.html'));
write('playground.css', css + own('playground.css'));
write('kernc.wasm', bytes);
write('kernc.js', `kernc.wasm = "${gzipSync(bytes, {level: 9}).toString('base64')}";\n`);
const viz = readFileSync(join(modules, '@viz-js/viz/dist/viz-global.js'), 'utf8');
write('graphviz.js', `kernc.graphviz = ${JSON.stringify(viz)};\n`);
await build({entryPoints: [join(here, 'playground.js')], outfile: join(out, 'playground.js'), bundle: true,
    minify: true, format: 'iife', target: 'es2022', charset: 'utf8', nodePaths: [modules], logLevel: 'warning',
    plugins: [{name: 'kern-words', setup(made) {
        made.onResolve({filter: /^kern-words$/}, () => ({path: 'kern-words', namespace: 'words'}));
        made.onLoad({filter: /.*/, namespace: 'words'}, () => ({contents: JSON.stringify(words), loader: 'json'}));
    }}]});
