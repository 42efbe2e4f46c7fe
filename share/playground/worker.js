// Runs kernc beside the page. Messages to it:
//   {wasm, samples}      bytes of kernc.wasm, and [name, text] of files that a kernel may include: comes first
//   {graphviz}           source of Graphviz as WebAssembly; graphs have places from then on
//   {job, name, text, calls, draw}  runs kernc once for each list of words on the file `name`; draw: with Graphviz
// It answers {ready}, {drawn} when it has Graphviz, and {job, call, code, trap, out, err, files} for each call; `files`
// are those that the call wrote.
'use strict';

const encoder = new TextEncoder();
let module, samples, graphviz = null;

const dot = (words, input) => words[0] === 'dot'
    ? encoder.encode(graphviz.renderString(new TextDecoder().decode(input), {format: 'plain', engine: 'dot'})) : null;

async function work({job, name, text, calls, draw}) {
    const program = graphviz && draw ? dot : undefined;
    for (const [call, words] of calls.entries()) {
        const files = new Map([...samples, [name, encoder.encode(text)]]);
        const {code, trap, out, err} = await runKernc(module, ['kernc', ...words], {files, program});
        const own = [...files].filter(([key]) => key !== name && !samples.has(key));
        postMessage({job, call, code, trap, out, err, files: own});
    }
}

onmessage = async ({data}) => {
    if (data.wasm) {
        samples = new Map(data.samples.map(([name, text]) => [name, encoder.encode(text)]));
        module = await WebAssembly.compile(data.wasm);
        postMessage({ready: true});
    } else if (data.graphviz) {
        importScripts(URL.createObjectURL(new Blob([data.graphviz], {type: 'text/javascript'})));
        graphviz = await Viz.instance();
        postMessage({drawn: true});
    } else {
        await work(data);
    }
};
