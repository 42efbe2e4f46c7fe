// node kernc.mjs HOST.js KERNC.wasm ARGUMENT…: kernc as WebAssembly on the files below this folder, which it reads but
// does not write.
// node kernc.mjs HOST.js KERNC.wasm --each FOLDER: for each line of the input, arguments between tabs, the output to
// FOLDER/N.out, N.err and N.code; compiled once. What it would write to experiment.json is behind its output.
import {readFileSync, writeFileSync, writeSync} from 'node:fs';
import vm from 'node:vm';

const [host, wasm, ...words] = process.argv.slice(2);
const runKernc = vm.runInThisContext(readFileSync(host, 'utf8') + '\nrunKernc');
const open = name => {
    try {
        return new Uint8Array(readFileSync(name));
    } catch {
        return undefined;
    }
};
const write = (fd, bytes) => {
    for (let at = 0; at < bytes.length;)
        at += writeSync(fd, bytes, at);
};
const module = await WebAssembly.compile(readFileSync(wasm));
const run = async (all, input) => {
    const result = await runKernc(module, ['kernc', ...all], {open, input});
    const made = all.includes('experiment.json') && result.files.get('experiment.json');
    return {out: Buffer.concat([Buffer.from(result.out), made || Buffer.alloc(0)]), err: Buffer.from(result.err + (result.trap ? result.trap + '\n' : '')),
        code: result.trap ? 70 : result.code};
};
if (words[0] === '--each')
    for (const [n, line] of readFileSync(0, 'utf8').trimEnd().split('\n').entries()) {
        for (const [kind, bytes] of Object.entries(await run(line.split('\t'))))
            writeFileSync(`${words[1]}/${n}.${kind}`, kind === 'code' ? `${bytes}\n` : bytes);
    }
else {
    const {out, err, code} = await run(words, words.includes('-') ? new Uint8Array(readFileSync(0)) : undefined);
    write(1, out);
    write(2, err);
    process.exitCode = code;
}
