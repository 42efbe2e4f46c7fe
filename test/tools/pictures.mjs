// pictures.mjs: the pictures of a lesson, drawn by the code of the viewer (share/report/), as SVG, without a browser.
//
//     node pictures.mjs KERNC ROOT FOLDER
//
// The kernel is the first of docs/divergence.md. FOLDER gets lesson_SCHEME.svg, a strip of lanes by steps under each
// scheme; lesson_compare.svg, two schemes aligned by the progress of lanes; lesson_graph.svg, the control-flow graph.
// Nothing depends on the machine: Graphviz places no blocks, and no text is measured.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import vm from 'node:vm';

const [kernc, root, folder] = process.argv.slice(2).map(path => resolve(path));
const SCHEMES = ['oracle', 'pdom', 'struct', 'barrier', 'hanoi', 'tf-stack', 'warp-core:frontier', 'warp-core:rpc'];
const COMPARED = ['pdom', 'tf-stack'];
const CELL = 24, NARROW = 14, LANE = 16, TITLE = 16; // pixels
const escaped = text => String(text).replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
const short = number => String(Math.round(number * 100) / 100);
const rect = (x, y, width, height, style) =>
    `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${style}/>`;

// The 2D context of a canvas, as far as strips use it: keeps what is drawn as SVG.
class Context {
    constructor(canvas) { Object.assign(this, {canvas, parts: [], path: '', clips: 0}); }
    setTransform() { Object.assign(this, {parts: [], clips: 0}); }
    fillRect(x, y, width, height) { this.parts.push(rect(x, y, width, height, `fill="${this.fillStyle}"`)); }
    strokeRect(x, y, width, height) {
        this.parts.push(rect(x, y, width, height,
            `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"`));
    }
    fillText(text, x, y) {
        const anchor = {left: 'start', center: 'middle', right: 'end'}[this.textAlign];
        // A browser's "central" differs from a canvas' "middle": a third of the size below serves both.
        const size = parseFloat(this.font), down = this.textBaseline === 'middle' ? size * 0.35 : 0;
        this.parts.push(`<text x="${short(x)}" y="${short(y + down)}" font-size="${size}" text-anchor="${anchor}" `
            + `fill="${this.fillStyle}">${escaped(text)}</text>`);
    }
    beginPath() { this.path = ''; }
    rect(x, y, width, height) { this.path += rect(x, y, width, height, ''); }
    moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }
    lineTo(x, y) { this.path += `L${short(x)} ${short(y)}`; }
    stroke() {
        this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" `
            + `stroke-width="${this.lineWidth}"/>`);
    }
    // Until the end: the inside of the path, a rectangle.
    clip() {
        const id = `c${Context.clipped++}`;
        this.parts.push(`<clipPath id="${id}">${this.path}</clipPath><g clip-path="url(#${id})">`);
        this.clips++;
    }
    createImageData(width, height) { return {width, height, data: new Uint8ClampedArray(4 * width * height)}; }
    putImageData(image) { this.canvas.image = image; }
    // A rectangle for each run of pixels of a column.
    drawImage(source, sx, sy, columns, rows, x, y, width, height) {
        const pixels = new Uint32Array(source.image.data.buffer), wide = width / columns, tall = height / rows;
        for (let column = 0; column < columns; column++)
            for (let from = 0, to; from < rows; from = to) {
                const value = pixels[from * columns + column], hex = shift =>
                    (value >>> shift & 255).toString(16).padStart(2, '0');
                for (to = from + 1; to < rows && pixels[to * columns + column] === value;)
                    to++;
                if (value >>> 24)
                    this.parts.push(rect(x + column * wide, y + from * tall, wide, (to - from) * tall,
                        `fill="#${hex(0)}${hex(8)}${hex(16)}"`));
            }
    }
    get text() { return this.parts.join('\n') + '</g>'.repeat(this.clips); }
}
Context.clipped = 0;

// An element, as far as the viewer makes and changes them.
class Element {
    constructor(tag) {
        Object.assign(this, {tag, attributes: new Map(), children: [], style: {setProperty() {}}});
        if (tag === 'canvas')
            this.context = new Context(this);
    }
    getContext() { return this.context; }
    setAttribute(key, value) { this.attributes.set(key, String(value)); }
    addEventListener() {}
    append(...children) { this.children.push(...children); }
    replaceChildren(...children) { this.children = children; }
    set textContent(text) { this.children = [text]; }
    getBoundingClientRect() { return {top: 0, bottom: 0, height: 0}; }
    querySelector() { return null; }
    get classList() {
        const toggle = (name, on) => {
            const names = new Set((this.attributes.get('class') || '').split(' ').filter(Boolean));
            names[on ? 'add' : 'delete'](name);
            this.setAttribute('class', [...names].join(' '));
        };
        return {toggle};
    }
    find(tag) {
        return this.tag === tag ? this : this.children.reduce((found, child) =>
            found || child instanceof Element && child.find(tag), null);
    }
    get text() {
        const given = [...this.attributes].filter(([key]) => !['tabindex', 'role'].includes(key));
        return `<${this.tag}${given.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`
            + this.children.map(child => child instanceof Element ? child.text : escaped(child)).join('')
            + `</${this.tag}>`;
    }
}

// The viewer's code, with the light colours of its style.
const share = join(root, 'share/report'), css = readFileSync(join(share, 'viewer.css'), 'utf8');
const colours = /:root \{([^}]*)\}/.exec(css)[1];
const style = {getPropertyValue: key => (new RegExp(`${key}: ([^;]*);`).exec(colours) || [])[1] || ''};
const make = (first, second) => new Element(second || first);
const viewer = vm.runInNewContext(['dom.js', 'model.js', 'align.js', 'focus.js', 'strip.js', 'views/source.js',
    'views/graph.js'].map(name => readFileSync(join(share, name), 'utf8')).join('\n')
    + '\n({Model, Focus, Strip, Viewport, views, alignAll, readTheme, theme, GUTTER});', {
    document: {createElement: make, createElementNS: make, documentElement: null}, getComputedStyle: () => style,
    window: {devicePixelRatio: 1}, location: {hash: ''}, history: {replaceState() {}}, requestAnimationFrame() {}});
viewer.readTheme();
const {theme} = viewer;

const file = (name, width, height, title, inside, more = '') => writeFileSync(join(folder, name),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" `
    + `width="${Math.ceil(width)}" height="${Math.ceil(height)}" role="img" font-family="${escaped(theme.mono)}">\n`
    + `<title>${escaped(title)}</title>\n${more}${rect(0, 0, width, height, `fill="${theme.paper}"`)}\n`
    + `${inside}\n</svg>\n`);

// A strip as in view 2 or, with more, in view 3; nothing is at the focus.
function strip(steps, columns, more) {
    const cell = columns > 24 ? NARROW : CELL, view = new viewer.Viewport(columns, () => {});
    Object.assign(view, {cell, width: cell * columns});
    const made = new viewer.Strip(steps, {view, laneHeight: LANE, axis: true, label: '', ...more});
    made.draw({column: -9, lane: -1});
    return {width: view.width + viewer.GUTTER + 2, height: made.height, text: made.canvas.getContext('2d').text};
}

const directory = mkdtempSync(join(tmpdir(), 'kernc-pictures-'));
try {
    const lesson = readFileSync(join(root, 'docs/divergence.md'), 'utf8');
    writeFileSync(join(directory, 'visit.kern'), /```kern\n([\s\S]*?)```/.exec(lesson)[1]);
    execFileSync(kernc, ['report', 'visit.kern', '-O0', '--warp=8', `--schemes=${SCHEMES}`, '-o', 'visit.json'],
        {cwd: directory, env: {PATH: '/nowhere'}, stdio: ['ignore', 'ignore', 'inherit']});
    const model = new viewer.Model(readFileSync(join(directory, 'visit.json'), 'utf8'));
    const index = scheme => model.runs.findIndex(run => run.scheme === scheme);
    const of = scheme => model.steps(index(scheme), 0);

    for (const scheme of SCHEMES) {
        const {width, height, text} = strip(of(scheme), of(scheme).count, {});
        file(`lesson_${scheme.replace(/\W/g, '_')}.svg`, width, height, `Lanes by steps under ${scheme}`, text);
    }

    const [reference, other] = COMPARED.map(of), {strips, columns} = viewer.alignAll(reference, [other],
        Array.from({length: reference.lanes}, (_, lane) => lane));
    const both = strips.map(({steps, at}, k) => strip(steps, columns, {at, axis: k > 0}));
    const down = both[0].height + TITLE + 8;
    file('lesson_compare.svg', both[0].width, down + TITLE + both[1].height,
        `${COMPARED.join(' and ')}, aligned by the progress of lanes`, both.map(({text}, k) =>
            `<g transform="translate(0 ${k * down})"><text x="${viewer.GUTTER}" y="12" font-size="12" `
            + `font-weight="700" fill="${theme.ink}">${COMPARED[k]}</text>`
            + `<g transform="translate(0 ${TITLE})">${text}</g></g>`).join('\n'));

    const panel = new Element('section'), focus = new viewer.Focus(model);
    focus.set({scheme: index('pdom'), step: 1});
    viewer.views.find(view => view.id === 'graph').make(panel, {model, focus})();
    const graph = panel.find('svg');
    const [left, top, width, height] = graph.attributes.get('viewBox').split(' ').map(Number);
    const rules = [...css.slice(css.indexOf('/* Graph,')).matchAll(/([^{}]+)\{[^{}]*\}/g)].filter(rule =>
        /^\s*\.(graph (text|\.)|edge|ipdom|arrow|region|block)/.test(rule[1]))
        .map(rule => rule[0].trim().replace(/\s+/g, ' '));
    file('lesson_graph.svg', width, height, 'The control-flow graph', `<g class="graph" transform="translate(${-left} `
        + `${-top})">${graph.children.map(child => child.text).join('\n')}</g>`,
    `<style>:root {${colours}}\n${rules.join('\n')}</style>\n`);
} finally {
    rmSync(directory, {recursive: true});
}
