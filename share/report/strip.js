// A strip: a row a lane, a column a step, on a canvas. What runs is a full cell in its place's colour, what waits a thin
// grey line (thicker at a barrier or for others), what has ended is blank: shapes that grey paper keeps.
'use strict';

const MARKS = 14, AXIS = 18, GUTTER = 34;

// The columns that strips with one time axis show: from the first on, so many pixels each.
class Viewport {
    constructor(columns, changed) {
        this.columns = Math.max(1, columns);
        this.changed = changed;
        this.first = 0;
        this.cell = 0;
        this.width = 600;
    }

    get visible() { return this.width / this.cell; }
    get fit() { return this.width / this.columns; }

    clamp() {
        this.cell = Math.min(Math.max(this.cell, Math.min(this.fit, 12)), 48);
        this.first = Math.min(Math.max(0, this.first), Math.max(0, this.columns - this.visible));
    }

    resize(width) {
        const whole = this.cell && Math.abs(this.cell - Math.min(this.fit, 24)) < 0.01;
        this.width = width;
        if (!this.cell || whole)
            this.cell = this.fit < 2 && !whole ? 8 : Math.min(this.fit, 24);
        this.clamp();
    }

    zoom(factor, column = this.first + this.visible / 2) {
        const at = (column - this.first) * this.cell;
        this.cell *= factor;
        this.clamp();
        this.first = column - at / this.cell;
        this.clamp();
        this.changed();
    }

    all() {
        this.cell = Math.min(this.fit, 24);
        this.first = 0;
        this.clamp();
        this.changed();
    }

    pan(columns) {
        this.first += columns;
        this.clamp();
        this.changed();
    }

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

class Strip {
    // at: the step of each column or -1 (default: columns are steps); partner: which steps have one elsewhere.
    constructor(steps, {view, laneHeight, marks, axis, label, pick, hover, at, differs}) {
        Object.assign(this, {steps, view, at: at || null, differs: differs || null, marks: marks !== false, axis});
        this.laneHeight = laneHeight || (steps.lanes > 32 ? 6 : steps.lanes > 16 ? 10 : 14);
        this.top = this.marks ? MARKS : 2;
        this.height = this.top + this.laneHeight * steps.lanes + (this.differs ? 9 : 0) + (axis ? AXIS : 2);
        this.canvas = h('canvas.strip', {role: 'img', 'aria-label': label});
        this.canvas.style.height = this.height + 'px';
        this.cells = document.createElement('canvas');
        const under = event => {
            const box = this.canvas.getBoundingClientRect();
            const column = Math.floor(view.first + (event.clientX - box.left - GUTTER) / view.cell);
            const lane = Math.floor((event.clientY - box.top - this.top) / this.laneHeight);
            const step = this.stepAt(column);
            return {column, step, lane: lane >= 0 && lane < steps.lanes ? lane : -1};
        };
        this.canvas.addEventListener('click', event => pick(under(event).step, under(event).lane));
        this.canvas.addEventListener('mousemove', event => hover(under(event).step, under(event).lane));
        this.canvas.addEventListener('mouseleave', () => hover(-1, -1));
        this.canvas.addEventListener('wheel', event => {
            if (event.ctrlKey) {
                event.preventDefault();
                view.zoom(event.deltaY < 0 ? 1.25 : 0.8, under(event).column);
            } else if (event.deltaX || event.shiftKey) {
                event.preventDefault();
                view.pan((event.deltaX || event.deltaY) / view.cell);
            }
        }, {passive: false});
    }

    stepAt(column) {
        if (column < 0)
            return -1;
        return this.at ? (column < this.at.length ? this.at[column] : -1) : column < this.steps.count ? column : -1;
    }

    draw(focus) {
        const {steps, view, canvas, laneHeight, top} = this, ratio = window.devicePixelRatio || 1;
        const width = view.width + GUTTER, rows = steps.lanes * laneHeight;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(this.height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(this.height * ratio);
            canvas.style.width = width + 'px';
        }
        const g = canvas.getContext('2d');
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.clearRect(0, 0, width, this.height);
        // One pixel a column (or fewer columns than steps, where they are narrower than a pixel).
        const dense = view.cell < 1, first = Math.floor(view.first);
        const count = Math.max(1, dense ? Math.ceil(view.width)
            : Math.min(Math.ceil(view.visible) + 1, view.columns - first));
        const column = x => dense ? Math.floor(view.first + x / view.cell) : first + x;
        this.paint(count, rows, column);
        g.save();
        g.beginPath();
        g.rect(GUTTER, 0, view.width, this.height);
        g.clip();
        g.imageSmoothingEnabled = false;
        const left = GUTTER + (dense ? 0 : (first - view.first) * view.cell), cell = dense ? 1 : view.cell;
        g.drawImage(this.cells, 0, 0, count, rows, left, top, count * cell, rows);
        if (cell >= 5) {
            g.fillStyle = theme.paper;
            for (let x = 0; x <= count; x++)
                g.fillRect(Math.round(left + x * cell) - 0.5, top, 1, rows);
        }
        if (cell >= 15 && laneHeight >= 9)
            this.text(g, count, column, left, cell);
        this.drawMarks(g, count, column, left, cell);
        if (this.axis)
            this.drawAxis(g, rows);
        this.drawFocus(g, focus, rows);
        g.restore();
        this.drawGutter(g, focus);
    }

    paint(count, rows, column) {
        const {steps, laneHeight} = this, cells = this.cells;
        if (cells.width < count || cells.height !== rows) {
            cells.width = Math.max(count, cells.width);
            cells.height = rows;
        }
        const g = cells.getContext('2d'), image = g.createImageData(count, rows);
        const out = new Uint32Array(image.data.buffer);
        const colours = steps.places.map(place => pixel(codeColour(place.colour)));
        const wait = pixel(theme.wait), wait2 = pixel(theme.wait2), gap = pixel(theme.faint),
            middle = laneHeight - 1 >> 1;
        for (let x = 0; x < count; x++) {
            const step = this.stepAt(column(x));
            if (step < 0) {
                for (let y = 0; y < rows; y++)
                    out[y * count + x] = gap;
                continue;
            }
            const where = steps.lanesAt(step), groups = steps.at(step).groups, colour = colours[steps.place[step]];
            for (let lane = 0; lane < steps.lanes; lane++) {
                const w = where[lane];
                if (w === ENDED)
                    continue;
                let from = 0, to = laneHeight - 1, paint = colour;
                if (w !== ACTIVE) {
                    const turn = !groups[w - 1] || groups[w - 1].wait === 'turn';
                    from = turn ? middle : middle - 1;
                    to = middle + (turn ? 1 : 2);
                    paint = turn ? wait : wait2;
                }
                for (let y = lane * laneHeight + from; y < lane * laneHeight + to; y++)
                    out[y * count + x] = paint;
            }
        }
        g.putImageData(image, 0, 0);
    }

    // Lines of the source in the cells, where there is room.
    text(g, count, column, left, cell) {
        const {steps, laneHeight, top} = this, size = Math.min(11, laneHeight - 1);
        g.font = `${size}px ${theme.mono}`;
        g.textAlign = 'center';
        g.textBaseline = 'middle';
        for (let x = 0; x < count; x++) {
            const step = this.stepAt(column(x));
            if (step < 0)
                continue;
            const place = steps.placeAt(step), where = steps.lanesAt(step), groups = steps.at(step).groups;
            let label = place.label;
            if (label.length * size * 0.62 > cell - 2)
                label = place.lines.length ? String(place.lines[0]) : '';
            for (let lane = 0; lane < steps.lanes; lane++) {
                const w = where[lane], group = w !== ACTIVE && w !== ENDED ? groups[w - 1] : null;
                const words = w === ACTIVE ? label : group && group.line ? String(group.line) : '';
                if (!words || words.length * size * 0.62 > cell)
                    continue;
                const y = top + lane * laneHeight + (laneHeight - 1) / 2 + 0.5, middle = left + (x + 0.5) * cell;
                if (group) {
                    const wide = words.length * size * 0.62 + 2;
                    g.fillStyle = theme.paper;
                    g.fillRect(middle - wide / 2, y - laneHeight / 2, wide, laneHeight);
                }
                g.fillStyle = w === ACTIVE ? inkOn(codeColour(place.colour)) : theme.soft;
                g.fillText(words, middle, y);
            }
        }
    }

    // Above: where lanes part (<) and meet (>). Below, beside a reference: where the company differs.
    drawMarks(g, count, column, left, cell) {
        const {steps, top} = this, marks = this.marks && steps.marks, bottom = top + steps.lanes * this.laneHeight + 2;
        let lastMark = -9;
        for (let x = 0; x < count; x++) {
            const step = this.stepAt(column(x)), at = left + x * cell;
            if (step < 0)
                continue;
            if (marks && marks[step] && at - lastMark >= Math.min(4, cell)) {
                lastMark = at;
                const y = 6;
                g.strokeStyle = theme.ink;
                g.lineWidth = 1.25;
                const draw = (x0, x1) => {
                    g.beginPath();
                    g.moveTo(x1, y - 4);
                    g.lineTo(x0, y);
                    g.lineTo(x1, y + 4);
                    g.stroke();
                };
                if (cell < 8)
                    g.fillRect(at, marks[step] & Steps.JOINS ? 1 : 6, 1, 5), g.fillStyle = theme.ink;
                else {
                    if (marks[step] & Steps.JOINS)
                        draw(at + 4.5, at + 1);
                    if (marks[step] & Steps.DIVERGES)
                        draw(at + cell - 4.5, at + cell - 1);
                }
            }
            if (this.differs) {
                const difference = this.differs(step);
                if (!difference)
                    continue;
                g.fillStyle = difference < 0 ? theme.less : theme.more;
                g.fillRect(at, difference < 0 ? bottom : bottom + 2, Math.max(1, cell - (cell >= 5 ? 1 : 0)),
                    difference < 0 ? 6 : 3);
            }
        }
    }

    drawAxis(g) {
        const {view} = this, y = this.height - 5;
        const every = niceStep(70 / view.cell);
        g.font = `10px ${theme.mono}`;
        g.textAlign = 'left';
        g.textBaseline = 'alphabetic';
        g.fillStyle = theme.soft;
        for (let c = Math.ceil(Math.max(1, view.first) / every) * every; c <= view.first + view.visible; c += every) {
            if (c > view.columns)
                break;
            const x = GUTTER + (c - 1 - view.first) * view.cell;
            g.fillRect(Math.round(x), y - 10, 1, 12);
            g.fillText(String(c), x + 4, y);
        }
    }

    drawFocus(g, focus, rows) {
        if (!focus)
            return;
        const {view, top, laneHeight} = this, x = GUTTER + (focus.column - view.first) * view.cell;
        const wide = Math.max(view.cell, 2);
        g.strokeStyle = theme.accent;
        g.lineWidth = 2;
        if (focus.step >= 0)
            g.strokeRect(x - 0.5, top - 1, wide, rows + 1);
        if (view.cell >= 5 && focus.step >= 0)
            g.strokeRect(x - 0.5, top + focus.lane * laneHeight - 1, wide, laneHeight + 1);
    }

    drawGutter(g, focus) {
        const {steps, laneHeight, top} = this, every = laneHeight >= 9 ? (laneHeight >= 12 ? 1 : 2) : laneHeight >= 5
            ? 4 : 8;
        g.font = `${Math.min(10, Math.max(9, laneHeight - 1))}px ${theme.mono}`;
        g.textAlign = 'right';
        g.textBaseline = 'middle';
        for (let lane = 0; lane < steps.lanes; lane++) {
            const on = focus && focus.lane === lane;
            if (!on && (lane % every || focus && Math.abs(focus.lane - lane) < every && every > 1))
                continue;
            g.fillStyle = on ? theme.accent : theme.soft;
            g.fillText((on ? '▸' : '') + lane, GUTTER - 5, top + lane * laneHeight + laneHeight / 2);
        }
    }
}

function niceStep(least) {
    let step = 1;
    while (step < least)
        step *= String(step)[0] === '2' ? 2.5 : 2;
    return Math.round(step);
}

// All of a strip in a line's height: how many lanes run, and which part is in sight.
function minimap(steps, view, columns, stepAt, label) {
    const canvas = h('canvas.minimap', {role: 'img', 'aria-label': label}), height = 32;
    canvas.style.height = height + 'px';
    let profile = null;
    const to = event => {
        const box = canvas.getBoundingClientRect();
        view.first = (event.clientX - box.left - GUTTER) / view.width * columns - view.visible / 2;
        view.clamp();
        view.changed();
    };
    canvas.addEventListener('mousedown', to);
    canvas.addEventListener('mousemove', event => event.buttons & 1 && to(event));
    const draw = focusColumn => {
        const ratio = window.devicePixelRatio || 1, width = Math.max(1, Math.floor(view.width));
        if (!profile || profile.length !== width) {
            profile = new Float32Array(width);
            const sum = new Float64Array(width), n = new Float64Array(width);
            for (let c = 0; c < columns; c++) {
                const step = stepAt(c);
                if (step < 0)
                    continue;
                const from = Math.floor(c / columns * width);
                const end = Math.max(from + 1, Math.floor((c + 1) / columns * width));
                for (let x = from; x < end && x < width; x++) {
                    sum[x] += countLanes(steps.active(step)) / steps.lanes;
                    n[x]++;
                }
            }
            for (let x = 0; x < width; x++)
                profile[x] = n[x] ? sum[x] / n[x] : 0;
        }
        canvas.width = Math.round((view.width + GUTTER) * ratio);
        canvas.height = height * ratio;
        canvas.style.width = view.width + GUTTER + 'px';
        const g = canvas.getContext('2d');
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.fillStyle = theme.faint;
        g.fillRect(GUTTER, 0, width, height);
        g.fillStyle = theme.wait2;
        for (let x = 0; x < width; x++)
            g.fillRect(GUTTER + x, height - profile[x] * (height - 2), 1, profile[x] * (height - 2));
        g.strokeStyle = theme.ink;
        g.lineWidth = 1.5;
        const from = GUTTER + view.first / columns * view.width;
        g.strokeRect(from + 0.75, 0.75, Math.max(3, Math.min(view.visible, columns) / columns * view.width - 1.5),
            height - 1.5);
        if (focusColumn >= 0) {
            g.fillStyle = theme.accent;
            g.fillRect(GUTTER + (focusColumn + 0.5) / columns * view.width - 1, 0, 2, height);
        }
    };
    return {canvas, draw};
}

// The buttons that go with a viewport.
function zoomButtons(view) {
    const button = (text, label, act) => h('button', {'aria-label': label, title: label, onclick: act}, text);
    return h('div.segments', {role: 'group', 'aria-label': 'Zoom'},
        button('−', 'Zoom out', () => view.zoom(1 / 1.5)), button('+', 'Zoom in', () => view.zoom(1.5)),
        button('All', 'Show all steps', () => view.all()));
}
