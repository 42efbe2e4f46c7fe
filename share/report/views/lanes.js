// View 2: lanes × time.
'use strict';

views.push({id: 'lanes', title: 'Lanes × time', make(panel, app) {
    let made = '', strip, map, view, focusStep = -1;
    const box = h('div.figure'), tools = h('div.tools');
    panel.append(tools, box);
    const draw = () => {
        if (!strip)
            return;
        const {step, lane} = app.focus.value;
        strip.draw({column: step, step, lane});
        map.draw(step);
    };
    const fit = () => {
        if (view && box.clientWidth) {
            view.resize(box.clientWidth - GUTTER);
            draw();
        }
    };
    const build = () => {
        const steps = app.focus.steps, {scheme, launch} = app.focus.value;
        made = `${scheme} ${launch}`;
        strip = view = null;
        clear(tools);
        clear(box);
        if (!steps) {
            box.append(noSteps(app));
            return;
        }
        view = new Viewport(steps.count, draw);
        focusStep = -1;
        strip = new Strip(steps, {view, axis: true, label: `Lanes by steps under ${app.focus.run.scheme}`,
            pick: (step, lane) => step >= 0 && app.focus.set(lane >= 0 ? {step, lane} : {step}),
            hover: (step, lane) => app.say(app.focus.run, steps, step, lane)});
        map = minimap(steps, view, steps.count, step => step, 'All steps: how many lanes run');
        tools.append(zoomButtons(view), legend());
        box.append(strip.canvas, map.canvas);
        if (steps.count < steps.total)
            box.append(note(`The first ${number(steps.count)} of ${number(steps.total)} steps; --max-steps=N keeps more.`));
    };
    app.onResize(fit);
    return () => {
        const {scheme, launch, step} = app.focus.value;
        if (made !== `${scheme} ${launch}`)
            build();
        if (!strip)
            return;
        view.resize(box.clientWidth - GUTTER);
        if (focusStep !== step)
            view.show(step);
        focusStep = step;
        draw();
    };
}});

// What the shapes of strips mean.
function legend(compare) {
    const item = (kind, text) => h('span', {class: 'key ' + kind}, h('i'), text);
    return h('div.legend', {role: 'note', 'aria-label': 'Legend'},
        item('k-run', 'runs (colour: place)'), item('k-turn', 'waits for its turn'),
        item('k-others', 'waits for others'), item('k-ended', 'ended'),
        h('span.key', h('b', '<'), 'part'), h('span.key', h('b', '>'), 'meet'),
        compare && [item('k-less', 'fewer lanes,'), item('k-more', 'more than the reference')]);
}

function noSteps(app) {
    const run = app.focus.run, launch = app.focus.launch;
    return note(run && run.error ? `No steps under ${run.scheme}: ${run.error}` : !launch
        ? 'There are no steps: nothing was launched.'
        : `No steps are kept of launch ${launch.number}, ${launch.kernel}: the warp is not in it, or it is beyond the limit of launches.`);
}
