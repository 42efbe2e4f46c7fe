// node kernc.mjs HOST.js KERNC.wasm ARGUMENT…: kernc as WebAssembly on the files below this folder, which it reads but
// does not write.
import {readFileSync, writeSync} from 'node:fs';
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
const result = await runKernc(await WebAssembly.compile(readFileSync(wasm)), ['kernc', ...words],
    {open, input: words.includes('-') ? new Uint8Array(readFileSync(0)) : undefined});
write(1, Buffer.from(result.out));
write(2, Buffer.from(result.err + (result.trap ? result.trap + '\n' : '')));
process.exitCode = result.trap ? 70 : result.code;
