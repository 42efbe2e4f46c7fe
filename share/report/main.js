// The page: what stands around the views, and how an experiment comes into it.
'use strict';

class App {
    constructor(model) {
        this.model = model;
        this.resizers = [];
        this.focus = new Focus(model, views);
        this.updates = views.map(() => null);
        this.build();
        this.focus.listeners.push(() => this.update());
        window.addEventListener('hashchange', () => {
            if (location.hash !== this.focus.toFragment())
                this.focus.fromFragment(location.hash.slice(1));
        });
        document.addEventListener('keydown', event => {
            if (document.querySelector('dialog[open]'))
                return;
            if (event.key === '?')
                this.help.showModal();
            else
                this.focus.key(event);
        });
        window.addEventListener('resize', () => this.resizers.forEach(act => act()));
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
        window.addEventListener('beforeprint', () => this.repaint(true));
        window.addEventListener('afterprint', () => this.repaint(false));
        this.update();
    }

    onResize(act) { this.resizers.push(act); }

    // Canvases keep their colours: they are drawn anew when those change. Paper is light.
    repaint(paper) {
        document.documentElement.classList.toggle('paper', paper === true);
        readTheme();
        this.update();
    }

    build() {
        const {model, focus} = this, raw = model.raw;
        this.scheme = h('select', {id: 'scheme', onchange: event => focus.set({scheme: Number(event.target.value)})},
            model.runs.map((run, index) => h('option', {value: index}, run.scheme)));
        this.launch = h('select', {id: 'launch', onchange: event => focus.set({launch: Number(event.target.value)})});
        this.step = h('input', {id: 'step', type: 'number', min: 1, onchange: event => focus.set({step: event.target.value - 1})});
        this.slider = h('input', {type: 'range', min: 1, 'aria-label': 'Step in time', oninput: event => focus.set({step: event.target.value - 1})});
        this.lane = h('input', {id: 'lane', type: 'number', min: 0, onchange: event => focus.set({lane: Number(event.target.value)})});
        this.total = h('span', {class: 'soft'});
        const move = (text, label, act) => h('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
        this.help = helpDialog();
        this.tabs = views.map((view, index) => h('button', {type: 'button', role: 'tab', id: 'tab-' + view.id,
            'aria-controls': 'view-' + view.id, title: `${view.title} (${index + 1})`, onclick: () => focus.set({view: index})},
        h('kbd', {'aria-hidden': 'true'}, String(index + 1)), view.title));
        const tablist = h('div', {role: 'tablist', 'aria-label': 'Views', onkeydown: event => {
            const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (by) {
                const view = (focus.value.view + by + views.length) % views.length;
                focus.set({view});
                this.tabs[view].focus();
                event.preventDefault();
            }
        }}, this.tabs);
        this.panels = views.map(view => h('section', {role: 'tabpanel', id: 'view-' + view.id, class: 'view',
            'aria-labelledby': 'tab-' + view.id, hidden: true}));
        this.companion = model.source ? new SourceTable(this, false) : null;
        this.beside = h('div', {class: 'beside'});
        this.words = h('p', {role: 'status', class: 'words'});
        this.caption = h('p', {class: 'print-only'});
        const label = (id, text) => h('label', {for: id}, text);
        document.getElementById('page').append(
            h('header', {}, h('div', {class: 'title'}, h('h1', {}, raw.name || 'Experiment'), this.help.open_),
            h('div', {class: 'bar-focus', role: 'group', 'aria-label': 'Focus'},
                h('span', {class: 'field'}, label('scheme', 'Scheme'), this.scheme),
                h('span', {class: 'field', id: 'launches'}, label('launch', 'Launch'), this.launch),
                h('span', {class: 'field steps'}, label('step', 'Step'), this.step, this.total,
                    h('span', {class: 'segments'}, move('⇤', 'Last reconvergence (h)', () => focus.toJoin(-1)), move('←', 'Step back', () => focus.move(-1)),
                        move('→', 'Step forward', () => focus.move(1)), move('⇥', 'Next reconvergence (l)', () => focus.toJoin(1))), this.slider),
                h('span', {class: 'field'}, label('lane', 'Lane'), this.lane))),
            h('nav', {'aria-label': 'Views'}, tablist),
            h('main', {}, this.aside = h('aside', {'aria-label': 'Source at the focus'}, this.companion && this.companion.element, this.beside),
                h('div', {class: 'panel'}, this.caption, this.panels)),
            h('footer', {}, this.words, h('span', {class: 'soft meta'}, `kernc ${raw.kernc || ''} · ${raw.input || 'source'} · -O${raw.level ?? '?'}`)), this.help);
        this.showErrors();
    }

    showErrors() {
        const errors = this.model.runs.filter(run => run.error);
        if (errors.length)
            document.querySelector('header').after(h('div', {class: 'errors', role: 'note', 'aria-label': 'Errors'},
                errors.map(run => h('p', {}, h('b', {}, run.scheme + ': '), run.error))));
        if (!this.model.runs.length)
            document.querySelector('header').after(h('div', {class: 'errors', role: 'note', 'aria-label': 'Errors'},
                h('p', {}, 'The experiment has no runs: the source has errors, or no scheme was asked for.')));
    }

    update() {
        const {view, scheme, launch, step, lane} = this.focus.value, steps = this.focus.steps, run = this.focus.run;
        this.scheme.value = String(scheme);
        if (this.launchesOf !== run) {
            this.launchesOf = run;
            clear(this.launch).append(...(run ? run.launches : []).map((one, index) => h('option', {value: index},
                `${one.number} ${one.kernel}${one.round ? ` (round ${one.round})` : ''}`)));
            document.getElementById('launches').hidden = !run || run.launches.length < 2;
        }
        this.launch.value = String(launch);
        this.step.value = this.slider.value = String(step + 1);
        this.step.max = this.slider.max = String(steps ? steps.count : 1);
        this.slider.max = this.step.max;
        this.slider.value = String(step + 1);
        this.total.textContent = steps ? `of ${number(steps.total)}` : '';
        for (const control of [this.step, this.slider, this.lane])
            control.disabled = !steps;
        this.lane.max = String(steps ? steps.lanes - 1 : 0);
        this.lane.value = String(lane);
        this.tabs.forEach((tab, index) => {
            tab.setAttribute('aria-selected', String(index === view));
            tab.tabIndex = index === view ? 0 : -1;
            this.panels[index].hidden = index !== view;
        });
        document.body.dataset.view = views[view].id;
        document.body.classList.toggle('sourceless', !this.companion);
        this.words.textContent = this.sentence();
        this.caption.textContent = `${this.model.raw.name}: ${views[view].title}, ${this.sentence()}`;
        this.updates[view] = this.updates[view] || views[view].make(this.panels[view], this);
        this.updates[view](this.focus.value);
        if (this.companion && this.aside.offsetParent)
            this.companion.update();
    }

    // What is under the mouse, in place of what is at the focus.
    say(run, steps, step, lane) { this.words.textContent = step < 0 ? this.sentence() : this.sentence(run, steps, step, lane); }

    sentence(run = this.focus.run, steps = this.focus.steps, step = this.focus.value.step, lane = this.focus.value.lane) {
        if (!steps)
            return run ? `${run.scheme}: ${run.error || 'no steps'}` : 'No runs.';
        const active = countLanes(steps.active(step)), live = countLanes(steps.at(step).live), mark = steps.marks[step];
        return `${run.scheme}, step ${step + 1}: ${steps.placeAt(step).text}. ${active} of ${steps.lanes} lanes run`
            + (live > active ? `, ${live - active} wait.` : '.') + (lane >= 0 ? ` Lane ${lane} ${doing(steps, step, lane)}.` : '')
            + (mark & Steps.JOINS ? ' Lanes meet here.' : '') + (mark & Steps.DIVERGES ? ' Lanes part behind it.' : '');
    }
}

function helpDialog() {
    const keys = [['← →', 'a step back or on (with Shift: ten)'], ['↑ ↓', 'the lane above or below'], ['h l', 'the last, the next reconvergence'],
        ['[ ]', 'the scheme before, the next one; the lane keeps its place'], ['Home End', 'the first, the last step'], ['1–8', 'views'], ['?', 'this help']];
    const dialog = h('dialog', {'aria-labelledby': 'help-title'}, h('h2', {id: 'help-title'}, 'Keys'),
        h('dl', {}, keys.map(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
        note('All views share one focus: a scheme, a launch, a step, a lane, a line. A click in any view moves it in all of them. ',
            'The address keeps it, so a link leads to what you see.'),
        h('form', {method: 'dialog'}, h('button', {type: 'submit'}, 'Close')));
    dialog.open_ = h('button', {type: 'button', class: 'help', 'aria-label': 'Help: keys', title: 'Keys (?)', onclick: () => dialog.showModal()}, '?');
    return dialog;
}

function show(text) {
    const page = document.getElementById('page');
    clear(page);
    try {
        const model = new Model(text);
        document.title = `${model.raw.name || 'Experiment'} – kernc report`;
        window.app = new App(model);
    } catch (error) {
        if (!(error instanceof Damaged))
            console.error(error);
        clear(page);
        dropTarget(error instanceof Damaged ? error.message : `The experiment is damaged: ${error.message}`);
    }
}

// Without an experiment: a place to drop one.
function dropTarget(message) {
    const read = file => file && file.text().then(show);
    const input = h('input', {type: 'file', id: 'file', accept: '.json,application/json', onchange: () => read(input.files[0])});
    const target = h('main', {class: 'drop', ondragover: event => event.preventDefault(), ondrop: event => {
        event.preventDefault();
        read(event.dataTransfer.files[0]);
    }}, h('h1', {}, 'kernc report'), message && h('p', {class: 'errors', role: 'alert'}, message),
    h('p', {}, 'Drop an experiment here, as ', h('code', {}, 'kernc report FILE --json -o experiment.json'), ' writes it, or choose one.'),
    h('p', {}, h('label', {for: 'file'}, 'Experiment '), input));
    document.getElementById('page').append(target);
}

readTheme();
const embedded = document.getElementById('experiment');
if (embedded && embedded.textContent.trim())
    show(embedded.textContent);
else
    dropTarget();
