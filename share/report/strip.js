// A strip: a row a lane, a column a step, on a canvas. What runs is a full cell in its place's colour, what waits
// a thin grey line (thicker at a barrier or for others), what has ended is blank: shapes that grey paper keeps.
'use strict';
const MARKS = 14, AXIS = 18, GUTTER = 34, CELLS = {few: 2, usual: 8, large: 24, most: 48}; // pixels

// The columns that strips with one time axis show: from the first on, so many pixels each.
class Viewport {
    constructor(columns, changed) {
        Object.assign(this, {columns: Math.max(1, columns), changed, first: 0, cell: 0, width: 600});
    }

    get visible() { return this.width / this.cell; }
    get fit() { return Math.min(this.width / this.columns, CELLS.large); }

    clamp() {
        this.cell = Math.min(Math.max(this.cell, Math.min(this.width / this.columns, CELLS.usual)), CELLS.most);
        this.first = Math.min(Math.max(0, this.first), Math.max(0, this.columns - this.visible));
    }

    // What showed all goes on to.
    resize(width) {
        const whole = this.cell && Math.abs(this.cell - this.fit) < 0.01;
        this.width = width;
        if (!this.cell || whole)
            this.cell = this.fit < CELLS.few && !whole ? CELLS.usual : this.fit;
        this.clamp();
    }

    move(cell, first) {
        this.cell = cell;
        this.clamp();
        this.first = first();
        this.clamp();
        this.changed();
    }

    zoom(factor, column = this.first + this.visible / 2) {
        const at = (column - this.first) * this.cell;
        this.move(this.cell * factor, () => column - at / this.cell);
    }

    all() { this.move(this.fit, () => 0); }
    pan(columns) { this.move(this.cell, () => this.first + columns); }

    // Moves only when the column is out of sight, or near the edge.
    show(column) {
        const margin = Math.min(4, this.visible / 4);
        if (column < this.first + margin)
            this.first = column - this.visible / 3;
        else if (column > this.first + this.visible - margin - 1)
            this.first = column - 2 * this.visible / 3;
        this.clamp();
    }
}

// A canvas of so many pixels of the page, ready to draw on.
function sized(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1, g = canvas.getContext('2d');
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    return g;
}

class Strip {
    // at: the step of each column or -1 (default: columns are steps); differs(step): more or fewer lanes than elsewhere
    constructor(steps, {view, laneHeight, axis, label, pick, hover, at, differs}) {
        Object.assign(this, {steps, view, laneHeight, at, differs, axis});
        this.rows = this.laneHeight * steps.lanes;
        this.height = MARKS + this.rows + (differs ? 9 : 0) + (axis ? AXIS : 2);
        this.cells = document.createElement('canvas');
        const under = (event, act) => {
            const box = this.canvas.getBoundingClientRect();
            const column = Math.floor(view.first + (event.clientX - box.left - GUTTER) / view.cell);
            const lane = Math.floor((event.clientY - box.top - MARKS) / this.laneHeight);
            act(this.stepAt(column), lane >= 0 && lane < steps.lanes ? lane : -1, column);
        };
        this.canvas = h('canvas.strip', {role: 'img', 'aria-label': label, onclick: event => under(event, pick),
            onmousemove: event => under(event, hover), onmouseleave: () => hover(-1, -1)});
        this.canvas.addEventListener('wheel', event => {
            if (!event.ctrlKey && !event.deltaX && !event.shiftKey)
                return;
            event.preventDefault();
            if (event.ctrlKey)
                under(event, (step, lane, column) => view.zoom(event.deltaY < 0 ? 1.25 : 0.8, column));
            else
                view.pan((event.deltaX || event.deltaY) / view.cell);
        }, {passive: false});
    }

    stepAt(column) {
        const step = this.at ? this.at[column] : column < this.steps.count ? column : -1;
        return column < 0 || step === undefined ? -1 : step;
    }

    // Cells are painted one pixel wide and stretched; where several are in a pixel, it shows one of them.
    draw(focus) {
        const {steps, view, canvas, rows} = this, dense = view.cell < 1, first = Math.floor(view.first);
        const some = Math.min(Math.ceil(view.visible) + 1, view.columns - first);
        const count = Math.max(1, dense ? Math.ceil(view.width) : some);
        const cell = dense ? 1 : view.cell, left = GUTTER + (dense ? 0 : (first - view.first) * cell);
        const shown = Array.from({length: count},
            (_, x) => this.stepAt(dense ? Math.floor(view.first + x / view.cell) : first + x));
        const g = sized(canvas, view.width + GUTTER, this.height), each = act => shown.forEach((step, x) =>
            step >= 0 && act(step, left + x * cell));
        this.paint(shown);
        this.drawGutter(g, focus.lane);
        g.beginPath();
        g.rect(GUTTER, 0, view.width, this.height);
        g.clip();
        g.imageSmoothingEnabled = false;
        g.drawImage(this.cells, 0, 0, count, rows, left, MARKS, count * cell, rows);
        g.fillStyle = theme.paper;
        for (let x = 0; x <= count && cell >= 5; x++)
            g.fillRect(Math.round(left + x * cell) - 0.5, MARKS, 1, rows);
        if (cell >= 15 && this.laneHeight >= 9)
            this.drawText(g, each, cell);
        this.drawMarks(g, each, cell);
        if (this.differs)
            each((step, x) => {
                const difference = this.differs(step), tall = difference < 0 ? 6 : difference ? 3 : 0;
                g.fillStyle = difference < 0 ? theme.less : theme.more;
                g.fillRect(x, MARKS + rows + 8 - tall, cell >= 5 ? cell - 1 : cell, tall);
            });
        if (this.axis)
            this.drawAxis(g);
        const x = GUTTER + (focus.column - view.first) * view.cell - 0.5, wide = Math.max(view.cell, 2);
        Object.assign(g, {strokeStyle: theme.accent, lineWidth: 2}).strokeRect(x, MARKS - 1, wide, rows + 1);
        if (view.cell >= 5)
            g.strokeRect(x, MARKS + focus.lane * this.laneHeight - 1, wide, this.laneHeight + 1);
    }

    paint(shown) {
        const {steps, laneHeight, rows, cells} = this, count = shown.length, middle = laneHeight - 1 >> 1;
        cells.width = count;
        cells.height = rows;
        const g = cells.getContext('2d'), image = g.createImageData(count, rows);
        const out = new Uint32Array(image.data.buffer);
        const colours = steps.places.map(place => pixel(codeColour(place.colour)));
        const wait = pixel(theme.wait), wait2 = pixel(theme.wait2), gap = pixel(theme.faint);
        const fill = (x, from, to, colour) => {
            for (let y = from * count + x; y < to * count; y += count)
                out[y] = colour;
        };
        for (let x = 0; x < count; x++) {
            const step = shown[x];
            if (step < 0) {
                fill(x, 0, rows, gap);
                continue;
            }
            const where = steps.lanesAt(step), groups = steps.at(step).groups, colour = colours[steps.place[step]];
            for (let lane = 0, y = 0; lane < steps.lanes; lane++, y += laneHeight) {
                const w = where[lane], group = groups[w - 1];
                if (w === ACTIVE)
                    fill(x, y, y + laneHeight - 1, colour);
                else if (w !== ENDED && group && group.wait !== 'turn')
                    fill(x, y + middle - 1, y + middle + 2, wait2);
                else if (w !== ENDED)
                    fill(x, y + middle, y + middle + 1, wait);
            }
        }
        g.putImageData(image, 0, 0);
    }

    // Lines of the source in the cells, where there is room: what runs, and where waiting lanes go on.
    drawText(g, each, cell) {
        const {steps, laneHeight} = this, size = Math.min(11, laneHeight - 1), fits = words =>
            words.length * size * 0.62 <= cell - 1;
        Object.assign(g, {font: `${size}px ${theme.mono}`, textAlign: 'center', textBaseline: 'middle'});
        each((step, left) => {
            const place = steps.placeAt(step), groups = steps.at(step).groups, x = left + cell / 2;
            const label = fits(place.label) ? place.label : String(place.lines[0] || '');
            steps.lanesAt(step).forEach((w, lane) => {
                const group = w === ACTIVE ? null : groups[w - 1], y = MARKS + (lane + 0.5) * laneHeight;
                const words = w === ACTIVE ? label : group && group.line ? String(group.line) : '';
                if (!words || !fits(words))
                    return;
                g.fillStyle = theme.paper;
                if (group)
                    g.fillRect(x - words.length * size * 0.31 - 1, y - laneHeight / 2, words.length * size * 0.62 + 2,
                        laneHeight);
                g.fillStyle = group ? theme.soft : inkOn(codeColour(place.colour));
                g.fillText(words, x, y);
            });
        });
    }

    // Above: where lanes part (<) and meet (>); ticks where there is no room.
    drawMarks(g, each, cell) {
        const angle = (x, tip) => {
            g.beginPath();
            g.moveTo(x, 2);
            g.lineTo(tip, 6);
            g.lineTo(x, 10);
            g.stroke();
        };
        let last = -9;
        Object.assign(g, {strokeStyle: theme.ink, fillStyle: theme.ink, lineWidth: 1.25});
        each((step, x) => {
            const mark = this.steps.marks[step];
            if (mark && cell < 8 && x - last >= 3)
                g.fillRect(last = x, mark & Steps.JOINS ? 1 : 6, 1, 5);
            if (mark & Steps.JOINS && cell >= 8)
                angle(x + 1, x + 4.5);
            if (mark & Steps.DIVERGES && cell >= 8)
                angle(x + cell - 1, x + cell - 4.5);
        });
    }

    drawAxis(g) {
        const {view} = this, y = this.height - 5, every = niceStep(70 / view.cell);
        const end = Math.min(view.columns, view.first + view.visible);
        Object.assign(g, {font: `10px ${theme.mono}`, textAlign: 'left', textBaseline: 'alphabetic',
            fillStyle: theme.soft});
        for (let c = Math.ceil(Math.max(1, view.first) / every) * every; c <= end; c += every) {
            const x = GUTTER + (c - 1 - view.first) * view.cell;
            g.fillRect(Math.round(x), y - 10, 1, 12);
            g.fillText(String(c), x + 4, y);
        }
    }

    drawGutter(g, focus) {
        const {steps, laneHeight} = this, every = laneHeight >= 12 ? 1 : laneHeight >= 9 ? 2 : laneHeight >= 5 ? 4 : 8;
        const font = `${Math.min(10, Math.max(9, laneHeight - 1))}px ${theme.mono}`;
        Object.assign(g, {font, textAlign: 'right', textBaseline: 'middle'});
        for (let lane = 0; lane < steps.lanes; lane++) {
            const on = focus === lane;
            if (!on && (lane % every || every > 1 && Math.abs(focus - lane) < every))
                continue;
            g.fillStyle = on ? theme.accent : theme.soft;
            g.fillText((on ? '▸' : '') + lane, GUTTER - 5, MARKS + (lane + 0.5) * laneHeight);
        }
    }
}

// Of 1, 2, 5, 10, 20, … the first that is as large.
const niceStep = least => [1, 2, 5, 10].map(n => n * 10 ** Math.floor(Math.log10(Math.max(1, least))))
    .find(n => n >= least);

// All of a strip in a line's height: how many lanes run, and which part is in sight.
function minimap(steps, view, stepAt, label) {
    const HEIGHT = 32, room = () => Math.min(view.width, view.columns * CELLS.large);
    const to = event => view.pan((event.clientX - canvas.getBoundingClientRect().left - GUTTER) / room() * view.columns
        - view.visible / 2 - view.first);
    const canvas = h('canvas.minimap', {role: 'img', 'aria-label': label, onmousedown: to,
        onmousemove: event => event.buttons & 1 && to(event)});
    let profile = [];
    const measure = width => {
        const sum = new Float64Array(width), n = new Float64Array(width), scale = width / view.columns;
        for (let c = 0; c < view.columns; c++) {
            const step = stepAt(c), share = step < 0 ? 0 : countLanes(steps.active(step)) / steps.lanes;
            for (let x = Math.floor(c * scale); x < Math.max(Math.floor(c * scale) + 1,
                Math.floor((c + 1) * scale)); x++) {
                sum[x] += share;
                n[x]++;
            }
        }
        profile = sum.map((share, x) => n[x] ? share / n[x] : 0);
    };
    const draw = column => {
        const width = Math.max(1, Math.floor(room())), scale = room() / view.columns, g = sized(canvas,
            view.width + GUTTER, HEIGHT);
        if (profile.length !== width)
            measure(width);
        g.fillStyle = theme.faint;
        g.fillRect(GUTTER, 0, width, HEIGHT);
        g.fillStyle = theme.wait2;
        profile.forEach((share, x) => g.fillRect(GUTTER + x, HEIGHT - share * (HEIGHT - 2), 1, share * (HEIGHT - 2)));
        Object.assign(g, {strokeStyle: theme.ink, lineWidth: 1.5}).strokeRect(GUTTER + view.first * scale + 0.75, 0.75,
            Math.max(3, Math.min(view.visible, view.columns) * scale - 1.5), HEIGHT - 1.5);
        g.fillStyle = theme.accent;
        g.fillRect(GUTTER + (column + 0.5) * scale - 1, 0, 2, HEIGHT);
    };
    return {canvas, draw};
}

// The buttons that go with a viewport.
function zoomButtons(view) {
    return h('div.segments', {role: 'group', 'aria-label': 'Zoom'}, button('−', 'Zoom out', () => view.zoom(1 / 1.5)),
        button('+', 'Zoom in', () => view.zoom(1.5)), button('All', 'Show all steps', () => view.all()));
}
