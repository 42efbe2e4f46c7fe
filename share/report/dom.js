// Elements, numbers and colours. All elements are made here: text comes into the page as text, whatever it holds.
'use strict';
function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false)
            continue;
        if (key.startsWith('on'))
            element.addEventListener(key.slice(2), value);
        else
            element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.flat(3).filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

// An element: 'td.num' names its tag and classes; attributes may be left out.
function make(create, words, rest) {
    const [tag, ...classes] = words.split('.'), element = create(tag);
    const attributes = rest[0] && rest[0].constructor === Object ? rest.shift() : null;
    if (classes.length)
        element.setAttribute('class', classes.join(' '));
    if (tag === 'button' && !(attributes && attributes.type))
        element.type = 'button';
    return fill(element, attributes, rest);
}

const SVG = 'http://www.w3.org/2000/svg';
const put = (element, ...children) => fill(element, null, children);
const h = (words, ...rest) => make(tag => document.createElement(tag), words, rest);
const svg = (words, ...rest) => make(tag => document.createElementNS(SVG, tag), words, rest);
const button = (text, label, act) => h('button', {'aria-label': label, title: label, onclick: act}, text);
const link = (text, act) => h('button.link', {onclick: act}, text);
const field = (text, control, ...more) => h('span.field', h('label', {for: control.id}, text), control, ...more);
const scrollBox = (classes, label, ...children) =>
    h('div.scroll' + classes, {tabindex: 0, role: 'region', 'aria-label': label}, ...children);
const columns = names => h('thead', h('tr', names.map(([kind, text]) => h('th', {scope: 'col', class: kind}, text))));

const number = n => typeof n === 'number' ? n.toLocaleString('en-US', {maximumFractionDigits: 2}) : '–';
const percent = x => typeof x === 'number' ? (100 * x).toFixed(1) + ' %' : '–';
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;

// Ascending numbers as text: 1–4, 7.
function ranges(numbers) {
    const parts = [];
    for (let i = 0, end; i < numbers.length; i = end) {
        for (end = i + 1; end < numbers.length && numbers[end] === numbers[end - 1] + 1;)
            end++;
        parts.push(numbers[i] + (end - i > 2 ? '–' + numbers[end - 1] : end - i === 2 ? ', ' + numbers[i + 1] : ''));
    }
    return parts.join(', ');
}

// The entry of a map; a fresh one where it has none.
const entryOf = (map, key, fresh) => map.get(key) ?? map.set(key, fresh()).get(key);

const linesText = lines => !lines.length ? '' : (lines.length === 1 ? 'line ' : 'lines ') + ranges(lines);

// A mask is a pair of 32-bit halves: 64 lanes at most.
const NO_LANES = [0, 0];
const parseMask = hex => [parseInt(hex.slice(-8), 16) | 0, parseInt(hex.slice(0, -8) || '0', 16) | 0];
const hasLane = (mask, lane) => (mask[lane >> 5] >>> (lane & 31) & 1) === 1;
const both = (a, b) => [a[0] & b[0], a[1] & b[1]];
const without = (a, b) => [a[0] & ~b[0], a[1] & ~b[1]];
const isEmpty = mask => (mask[0] | mask[1]) === 0;
const sameMask = (a, b) => a[0] === b[0] && a[1] === b[1];

function bits(word) {
    word -= word >>> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >>> 2 & 0x33333333);
    return Math.imul(word + (word >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const countLanes = mask => bits(mask[0]) + bits(mask[1]);

function lanesOf(mask) {
    const lanes = [];
    for (let half = 0; half < 2; half++)
        for (let rest = mask[half]; rest; rest &= rest - 1)
            lanes.push(32 * half + 31 - Math.clz32(rest & -rest));
    return lanes;
}

function lanesText(mask, most = 8) {
    const lanes = lanesOf(mask), parts = ranges(lanes).split(', ');
    return !lanes.length ? 'no lane' : (lanes.length === 1 ? 'lane ' : 'lanes ') + parts.slice(0, most).join(', ')
        + (parts.length > most ? ', …' : '');
}

// A row of squares, one for each lane: filled where kindOf(lane) is 'on', ringed where it is 'part', a dot otherwise.
function laneBar(lanes, kindOf, label, colour, pick) {
    const cells = Array.from({length: lanes}, (_, lane) => {
        const kind = kindOf(lane), large = kind === 'on' || kind === 'part', place = large ? {y: 1.5, width: 7,
            height: 7, rx: 1} : {y: 4, width: 2, height: 2}, style = kind === 'on' && colour ? `fill:${colour}` : null;
        return svg('rect.' + kind, {x: lane * 9 + (large ? 1 : 3.5), ...place, style, onclick: () => pick(lane)},
            svg('title', `lane ${lane}`));
    });
    return svg('svg.lanebar', {viewBox: `0 0 ${lanes * 9} 10`, width: lanes * 9, height: 10, role: 'img',
        'aria-label': label}, cells);
}

// The colours of viewer.css, as numbers for images (ABGR) and as text for canvases.
const COLOURS = 8, theme = {};

function readTheme() {
    const style = getComputedStyle(document.documentElement), read = key => style.getPropertyValue('--' + key).trim();
    for (const key of ['paper', 'ink', 'soft', 'faint', 'wait', 'wait2', 'none', 'accent', 'more', 'less', 'mono'])
        theme[key] = read(key);
    theme.code = Array.from({length: COLOURS}, (_, i) => read('code' + i));
}

const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

function pixel(hex) {
    const [r, g, b] = rgb(hex);
    return (0xff000000 | b << 16 | g << 8 | r) >>> 0;
}

// Black or white, whichever can be read on this colour.
function inkOn(hex) {
    const [r, g, b] = rgb(hex).map(value => (value / 255) ** 2.2);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#000000' : '#ffffff';
}

const codeColour = index => index < 0 ? theme.none : theme.code[index % COLOURS];
const codeVariable = index => index < 0 ? 'var(--none)' : `var(--code${index % COLOURS})`;

// A choice of one of several, as buttons in a row.
function segments(label, options, current, choose) {
    return h('div.segments', {role: 'group', 'aria-label': label},
        options.map(([value, text]) => h('button', {'aria-pressed': String(value === current),
            onclick: () => choose(value)}, text)));
}

const note = (...text) => h('p.note', ...text);
const clear = element => { element.replaceChildren(); return element; };
