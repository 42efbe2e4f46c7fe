// What kernc as WebAssembly asks of its host: as much of WASI preview 1 as it imports, on files in a Map, and programs.
// For a worker and for node: no module.
'use strict';

const ERRNO = {ok: 0, badf: 8, exist: 20, inval: 28, noent: 44, spipe: 70};
const KIND = {character: 2, folder: 3, file: 4};

// Ends a call of kernc with its exit code.
class Exit extends Error {
    constructor(code) {
        super('exit');
        this.code = code;
    }
}

function joined(parts) {
    const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
    parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    return all;
}

// Runs kernc once. files: from names to Uint8Arrays; what kernc writes is put there. program(words, input) →
// Uint8Array, or null: there is none. open(name): a file that is not in `files`. The exit code, what came out as texts;
// `trap`: why it broke down instead.
async function runKernc(module, words, {files = new Map(), input = new Uint8Array(), program = () => null, open} = {}) {
    const encoder = new TextEncoder(), decoder = new TextDecoder(), output = {1: [], 2: []};
    const opened = [{kind: KIND.character, bytes: input, at: 0}, {kind: KIND.character, parts: output[1]},
        {kind: KIND.character, parts: output[2]}, {kind: KIND.folder}];
    let memory, fetched;
    const view = () => new DataView(memory.buffer), bytes = (at, n) => new Uint8Array(memory.buffer, at, n);
    const text = (at, n) => decoder.decode(bytes(at, n)).replace(/^\.\//, '');
    const find = name => {
        const found = !files.has(name) && open && open(name);
        return found ? (files.set(name, found), found) : files.get(name);
    };
    // Lists of strings, each ended by a zero.
    const list = strings => {
        const all = strings.map(word => encoder.encode(word + '\0'));
        const sizes = (count, size) => {
            view().setUint32(count, all.length, true);
            view().setUint32(size, joined(all).length, true);
            return ERRNO.ok;
        };
        const get = (at, to) => {
            for (const word of all) {
                view().setUint32(at, to, true);
                bytes(to, word.length).set(word);
                at += 4;
                to += word.length;
            }
            return ERRNO.ok;
        };
        return [sizes, get];
    };
    // Calls act(address, length) for each vector until one is not used up; puts the sum at `result`.
    const vectors = (at, n, result, act) => {
        let total = 0;
        for (let i = 0; i < n; i++) {
            const room = view().getUint32(at + 8 * i + 4, true), used = act(view().getUint32(at + 8 * i, true), room);
            total += used;
            if (used < room)
                break;
        }
        view().setUint32(result, total, true);
        return ERRNO.ok;
    };
    // Files have an inode each, which tells them from the streams.
    const status = (at, kind, size, inode) => {
        bytes(at, 64).fill(0);
        view().setBigUint64(at + 8, BigInt(inode), true);
        view().setUint8(at + 16, kind);
        view().setBigUint64(at + 24, 1n, true);
        view().setBigUint64(at + 32, BigInt(size), true);
        return ERRNO.ok;
    };
    const [args_sizes_get, args_get] = list(words), [environ_sizes_get, environ_get] = list([]);
    const wasi = {
        args_sizes_get, args_get, environ_sizes_get, environ_get,
        clock_time_get(clock, precision, at) {
            const now = clock ? performance.now() : Date.now();
            view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
            return ERRNO.ok;
        },
        fd_prestat_get(fd, at) {
            if (fd !== 3)
                return ERRNO.badf;
            view().setUint32(at, 0, true);
            view().setUint32(at + 4, 1, true);
            return ERRNO.ok;
        },
        fd_prestat_dir_name(fd, at) {
            bytes(at, 1)[0] = '.'.charCodeAt(0);
            return ERRNO.ok;
        },
        fd_fdstat_get(fd, at) {
            if (!opened[fd])
                return ERRNO.badf;
            bytes(at, 24).fill(0);
            view().setUint8(at, opened[fd].kind);
            view().setBigUint64(at + 8, ~0n, true);
            view().setBigUint64(at + 16, ~0n, true);
            return ERRNO.ok;
        },
        fd_filestat_get: (fd, at) => opened[fd] ? status(at, opened[fd].kind, (opened[fd].bytes || []).length, fd)
            : ERRNO.badf,
        fd_close(fd) {
            if (!opened[fd])
                return ERRNO.badf;
            if (opened[fd].name)
                files.set(opened[fd].name, joined(opened[fd].parts));
            opened[fd] = undefined;
            return ERRNO.ok;
        },
        fd_seek: () => ERRNO.spipe,
        fd_tell: () => ERRNO.spipe,
        fd_read(fd, at, n, result) {
            const from = opened[fd];
            return !from || !from.bytes ? ERRNO.badf : vectors(at, n, result, (to, room) => {
                const part = from.bytes.subarray(from.at, from.at + room);
                bytes(to, part.length).set(part);
                from.at += part.length;
                return part.length;
            });
        },
        fd_write(fd, at, n, result) {
            const to = opened[fd];
            return !to || !to.parts ? ERRNO.badf : vectors(at, n, result, (from, length) => {
                to.parts.push(bytes(from, length).slice());
                return length;
            });
        },
        path_filestat_get(fd, flags, at, n, to) {
            const name = text(at, n), file = find(name);
            return file ? status(to, KIND.file, file.length, 100 + [...files.keys()].indexOf(name))
                : name === '.' ? status(to, KIND.folder, 0, 3) : ERRNO.noent;
        },
        path_open(fd, lookup, at, n, flags, rights, inherited, fdFlags, result) {
            const create = flags & 1, exclusive = flags & 4, write = rights & 64n, name = text(at, n), file = find(name);
            if (!file && !create)
                return ERRNO.noent;
            if (file && create && exclusive)
                return ERRNO.exist;
            let free = opened.indexOf(undefined);
            free = free < 0 ? opened.length : free;
            opened[free] = write ? {kind: KIND.file, name, parts: []} : {kind: KIND.file, bytes: file, at: 0};
            if (!file)
                files.set(name, new Uint8Array());
            view().setUint32(result, free, true);
            return ERRNO.ok;
        },
        path_readlink: (fd, at, n) => find(text(at, n)) ? ERRNO.inval : ERRNO.noent,
        path_rename(fd, at, n, fd2, at2, n2) {
            const name = text(at, n), file = files.get(name);
            if (!file)
                return ERRNO.noent;
            files.delete(name);
            files.set(text(at2, n2), file);
            return ERRNO.ok;
        },
        path_unlink_file: (fd, at, n) => files.delete(text(at, n)) ? ERRNO.ok : ERRNO.noent,
        proc_exit(code) { throw new Exit(code); },
    };
    const kernc = {
        run(at, n, from, length) {
            fetched = program(text(at, n).split('\0').slice(0, -1), bytes(from, length).slice());
            return fetched ? fetched.length : -1;
        },
        fetch(to) { bytes(to, fetched.length).set(fetched); },
    };
    const {exports} = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi, kernc});
    memory = exports.memory;
    let code = 0, trap = null;
    try {
        exports._start();
    } catch (error) {
        if (error instanceof Exit)
            code = error.code;
        else
            trap = String(error);
    }
    return {code, trap, out: decoder.decode(joined(output[1])), err: decoder.decode(joined(output[2])), files};
}
