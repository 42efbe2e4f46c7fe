// The page: what stands around the views, and how an experiment comes into it.
'use strict';
const KEYS = [['← →', 'a step back or on (with Shift: ten)'], ['↑ ↓', 'the lane above or below'], ['h l',
    'the last, the next reconvergence'], ['[ ]', 'the scheme before, the next one; the lane keeps its place'],
['Home End', 'the first, the last step'], ['1–8', 'views'], ['?', 'this help']];

class App {
    constructor(model) {
        this.model = model;
        this.resizers = [];
        this.focus = new Focus(model);
        this.updates = views.map(() => null);
        this.build();
        this.focus.listeners.push(() => this.update());
        window.onhashchange = () => location.hash === this.focus.toFragment()
            || this.focus.fromFragment(location.hash.slice(1));
        window.onresize = () => this.resizers.forEach(act => act());
        window.onbeforeprint = () => this.repaint(true);
        window.onafterprint = () => this.repaint(false);
        matchMedia('(prefers-color-scheme: dark)').onchange = () => this.repaint(false);
        document.onkeydown = event => {
            if (!document.querySelector('dialog[open]'))
                event.key === '?' ? this.help.showModal() : this.focus.key(event);
        };
        this.update();
    }

    // Canvases keep their colours: they are drawn anew when those change. Paper is light.
    repaint(paper) {
        document.documentElement.classList.toggle('paper', paper);
        readTheme();
        this.update();
    }

    build() {
        this.launchesOf = null;
        const {model, focus} = this, raw = model.raw, errors = model.runs.filter(run => run.error);
        const choice = id => h('select', {id, onchange: event => focus.set({[id]: Number(event.target.value)})});
        const counter = (key, from, kind) => h('input', {...kind, min: from,
            oninput: event => event.target.value && focus.set({[key]: event.target.value - from})});
        this.scheme = put(choice('scheme'), model.runs.map((run, index) => h('option', {value: index}, run.scheme)));
        this.launch = choice('launch');
        this.warp = choice('warp');
        this.step = counter('step', 1, {type: 'number', id: 'step'});
        this.slider = counter('step', 1, {type: 'range', 'aria-label': 'Step in time'});
        this.lane = counter('lane', 0, {type: 'number', id: 'lane'});
        this.total = h('span.soft');
        this.help = h('dialog', {'aria-labelledby': 'help-title'}, h('h2', {id: 'help-title'}, 'Keys'),
            h('dl', KEYS.map(([key, text]) => [h('dt', h('kbd', key)), h('dd', text)])),
            note('All views share one focus: scheme, launch, step, lane, line. A click moves it in all of them. ',
                'The address keeps it, so a link leads to what you see.'),
            h('form', {method: 'dialog'}, h('button', {type: 'submit'}, 'Close')));
        this.tabs = views.map(({id, title}, index) => h('button', {role: 'tab', id: 'tab-' + id,
            'aria-controls': 'view-' + id,
            onclick: () => focus.set({view: index})}, h('kbd', {'aria-hidden': 'true'}, String(index + 1)), title));
        const tablist = h('div', {role: 'tablist', 'aria-label': 'Views', onkeydown: event => {
            const view = focus.value.view + ({ArrowRight: 1, ArrowLeft: -1}[event.key] || 0);
            if (view !== focus.value.view) {
                focus.set({view: (view + views.length) % views.length});
                this.tabs[focus.value.view].focus();
                event.preventDefault();
            }
        }}, this.tabs);
        this.panels = views.map(({id}) =>
            h('section', {role: 'tabpanel', id: 'view-' + id, hidden: true, 'aria-labelledby': 'tab-' + id}));
        this.companion = model.source ? new SourceTable(this, false) : null;
        this.beside = h('div.beside');
        this.words = h('p.words', {role: 'status'});
        this.caption = h('p.print-only');
        this.launches = field('Launch', this.launch);
        this.warps = field('Warp', this.warp);
        this.aside = h('aside', {'aria-label': 'At the focus'}, this.companion && this.companion.element, this.beside);
        document.body.classList.toggle('sourceless', !this.companion);
        const steppers = h('span.segments', button('⇤', 'Last reconvergence (h)', () => focus.toJoin(-1)),
            button('←', 'Step back', () => focus.move(-1)), button('→', 'Step forward', () => focus.move(1)),
            button('⇥', 'Next reconvergence (l)', () => focus.toJoin(1)));
        const wrong = model.runs.length ? [...new Set(errors.map(run => run.error))].map(text => h('p', h('b',
            errors.filter(run => run.error === text).map(run => run.scheme).join(', ') + ': '), text))
            : [h('p', 'The experiment has no runs: the source has errors, or no scheme was asked for.')];
        put(document.getElementById('page'),
            h('header', h('div.title', h('h1', raw.name || 'Experiment'), button('?', 'Help: keys (?)', () =>
                this.help.showModal())),
                h('div.bar-focus', {role: 'group', 'aria-label': 'Focus'}, field('Scheme', this.scheme), this.launches,
                    this.warps, field('Step', this.step, this.total, steppers, this.slider), field('Lane', this.lane))),
            wrong.length > 0 && h('section.errors', {'aria-label': 'Errors'}, wrong),
            h('nav', {'aria-label': 'Views'}, tablist),
            h('main', this.aside, h('div.panel', this.caption, this.panels)), h('footer', this.words,
                h('span.soft.meta', `kernc ${raw.kernc} · ${raw.input} · -O${raw.level}`)), this.help);
    }

    update() {
        const {view, scheme, launch, step, lane} = this.focus.value, {steps, run} = this.focus;
        if (this.launchesOf !== run) {
            this.launchesOf = run;
            put(clear(this.launch), (run ? run.launches : []).map((one, index) => h('option', {value: index},
                `${one.number} ${one.kernel}${one.round ? ` (round ${one.round})` : ''}`)));
            this.launches.hidden = !run || run.launches.length < 2;
        }
        if (this.warpsOf !== this.focus.launch) {
            this.warpsOf = this.focus.launch;
            const warps = this.warpsOf ? this.warpsOf.warps : [];
            put(clear(this.warp), warps.map(one => h('option', {value: one.warp, title:
                `of block (${list(one.block).join()})`}, String(one.warp))));
            this.warps.hidden = warps.length < 2;
        }
        this.scheme.value = scheme;
        this.launch.value = launch;
        this.warp.value = steps ? steps.warp : 0;
        this.step.max = this.slider.max = steps ? steps.count : 1;
        this.lane.max = steps ? steps.lanes - 1 : 0;
        for (const [control, value] of [[this.step, step + 1], [this.slider, step + 1], [this.lane, lane]]) {
            control.disabled = !steps;
            control.value = value;
        }
        this.total.textContent = steps ? `of ${number(steps.total)}` : '';
        this.tabs.forEach((tab, index) => {
            tab.setAttribute('aria-selected', String(index === view));
            tab.tabIndex = index === view ? 0 : -1;
            this.panels[index].hidden = index !== view;
        });
        this.tabs[view].parentNode.scrollLeft = this.tabs[view].offsetLeft - 90;
        document.body.dataset.view = views[view].id;
        this.words.textContent = this.sentence();
        this.caption.textContent = `${this.model.raw.name}: ${views[view].title}, ${this.sentence()}`;
        this.updates[view] = this.updates[view] || views[view].make(this.panels[view], this);
        this.updates[view](this.focus.value);
        if (this.companion && this.aside.offsetParent)
            this.companion.update();
    }

    // What is under the mouse, in place of what is at the focus.
    say(run, steps, step, lane) {
        this.words.textContent = step < 0 ? this.sentence() : this.sentence(run, steps, step, lane);
    }

    sentence(run = this.focus.run, steps = this.focus.steps, step = this.focus.value.step,
        lane = this.focus.value.lane) {
        if (!steps)
            return run ? `${run.scheme}: ${run.error || 'no steps'}` : 'No runs.';
        const active = countLanes(steps.active(step)), live = countLanes(steps.at(step).live), mark = steps.marks[step];
        return `${run.scheme}, step ${step + 1}: ${steps.placeAt(step).text}. ${active} of ${steps.lanes} lanes run`
            + (live > active ? `, ${live - active} wait.` : '.')
            + (lane >= 0 ? ` Lane ${lane} ${doing(steps, step, lane)}.` : '')
            + (mark & Steps.JOINS ? ' Lanes meet here.' : '') + (mark & Steps.DIVERGES ? ' Lanes part behind it.' : '');
    }
}

function show(text) {
    clear(document.getElementById('page'));
    try {
        const model = new Model(text);
        document.title = `${model.raw.name || 'Experiment'} – kernc report`;
        window.app = new App(model);
    } catch (error) {
        broken(error);
    }
}

// What a view cannot show is the experiment's fault; if it is the viewer's, the console has it.
function broken(error) {
    if (!(error instanceof Damaged))
        console.error(error);
    dropTarget(error instanceof Damaged ? error.message : `The experiment is damaged: ${error.message}`);
}

// Without an experiment: a place to drop one.
function dropTarget(message) {
    const read = file => file && file.text().then(show), drop = event => {
        event.preventDefault();
        read(event.dataTransfer.files[0]);
    };
    const input = h('input', {type: 'file', id: 'file', accept: '.json,application/json', onchange: () =>
        read(input.files[0])});
    document.onkeydown = window.onhashchange = window.onresize = null;
    put(clear(document.getElementById('page')), h('main.drop',
        {ondragover: event => event.preventDefault(), ondrop: drop}, h('h1', 'kernc report'),
        message && h('p.errors', {role: 'alert'}, message), h('p', 'Drop an experiment here, as ',
            h('code', 'kernc report FILE -o experiment.json'), ' writes it, or choose one.'),
        field('Experiment', input)));
}

readTheme();
window.addEventListener('error', event => { event.preventDefault(); broken(event.error || event); });
const embedded = document.getElementById('experiment');
if (embedded && embedded.textContent.trim())
    show(embedded.textContent);
else
    dropTarget();
