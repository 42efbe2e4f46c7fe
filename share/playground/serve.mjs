// node serve.mjs FOLDER PORT: the files of a folder on the loopback. PORT 0: a free one; the address is printed then.
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {join, normalize} from 'node:path';

const [folder, port] = process.argv.slice(2);
const kinds = {html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css',
    wasm: 'application/wasm'};
const server = createServer((request, answer) => {
    const name = normalize(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    try {
        const bytes = readFileSync(join(folder, name));
        answer.writeHead(200, {'content-type': kinds[name.split('.').pop()] || 'application/octet-stream'}).end(bytes);
    } catch {
        answer.writeHead(404).end();
    }
});
server.listen(Number(port), '127.0.0.1', () =>
    port === '0' && console.log(`http://127.0.0.1:${server.address().port}/`));
