// A web server for files, as a mirror is served: byte ranges, no query, nothing else.
import { createServer, type Server } from 'node:http';
import { readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

/** Serves a folder on a free port of this machine. */
export async function serveFiles(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(({ url = '', headers, method }, response) => {
    const path = join(folder, normalize(decodeURIComponent(url.split('?', 1)[0] ?? '')));
    const bytes = bytesOf(path);
    if (bytes === undefined) return void response.writeHead(404).end();
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const first = Number(from ?? 0);
    const last = Math.min(to === undefined || to === '' ? bytes.length - 1 : Number(to), bytes.length - 1);
    const part = bytes.subarray(first, last + 1);
    response.writeHead(from === undefined ? 200 : 206, {
      'Accept-Ranges': 'bytes',
      'Content-Length': part.length,
      ...(from === undefined ? {} : { 'Content-Range': `bytes ${first}-${last}/${bytes.length}` }),
    });
    response.end(method === 'HEAD' ? undefined : part);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => stopped(server) };
}

const bytesOf = (path: string): Buffer | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path) : undefined;

function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
