// The ways in which a source can repeat a secret: in every part of a response, and in every kind of response.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { json, type Reply } from './http/replay-server.ts';

type Echo = (secret: string) => Reply;

const said = (secret: string) => `invalid key ${secret} or its permissions`;
const error =
  (status: number): Echo =>
  (secret) => ({ ...json({ error: said(secret) }), status });
const text =
  (status: number, body: (secret: string) => string): Echo =>
  (secret) => ({
    status,
    headers: { 'content-type': 'text/plain' },
    body: body(secret),
  });
const to =
  (status: number, location: (secret: string) => string): Echo =>
  (secret) => ({
    status,
    headers: { location: location(secret) },
  });
const rpc =
  (fault: (secret: string) => unknown): Echo =>
  (secret) =>
    json({ jsonrpc: '2.0', id: 1, error: fault(secret) });
const rows = (secret: string) => [
  { id: 1, v: 1, note: secret },
  { id: 2, v: 2, note: 'x' },
];
const inUrl = encodeURIComponent;
/** A header takes no control character and nothing beyond Latin-1. */
const packed = (secret: string, pack: (bytes: Buffer) => Buffer, encoding: string): Reply => ({
  body: pack(Buffer.from(JSON.stringify({ error: said(secret) }))),
  headers: { 'content-encoding': encoding },
});

export const ECHOES: { readonly [name: string]: Echo } = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 408, 410, 418, 422, 425, 429, 451, 500, 502, 503, 504].map((status) => [
      `an error of ${status}`,
      error(status),
    ]),
  ),
  'text of 401': text(401, said),
  'text of 500': text(500, said),
  'text that a quote would cut inside the secret': text(400, (secret) => `${'x'.repeat(190)} ${secret}`),
  'text that a quote would cut at its end': text(
    400,
    (secret) => `${'x'.repeat(200 - secret.length)}${secret}.`,
  ),
  'text of 401, as a URL writes it': text(401, (secret) => said(inUrl(secret))),
  'text of 401, as a form writes it': text(401, (secret) => new URLSearchParams({ key: secret }).toString()),
  'text of 401, in base64': text(401, (secret) => `auth ${Buffer.from(`me:${secret}`).toString('base64')}`),
  'text of 401, in base64url': text(401, (secret) => Buffer.from(`xx${secret}`).toString('base64url')),
  'text of 401, in hex': text(401, (secret) => Buffer.from(secret).toString('hex')),
  'text of 401, as HTML': text(401, (secret) =>
    said(secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')),
  ),
  'text of 401, in JSON in JSON': text(401, (secret) => JSON.stringify(JSON.stringify({ key: secret }))),
  'a page': (secret) => ({ headers: { 'content-type': 'text/html' }, body: `<html>${secret}</html>` }),
  'a page of 503': (secret) => ({
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: `<p>${secret}`,
  }),
  'words in a 200': text(200, said),
  'JSON that is cut': (secret) => ({ body: `[{"note":${JSON.stringify(secret)}` }),
  'JSON with an error inside': (secret) => ({ body: `{"note":${JSON.stringify(secret)},oops}` }),
  'an object without records': (secret) => json({ [secret]: 1, [`key ${secret}`]: 2 }),
  'an object of errors': (secret) => json({ errors: [{ message: said(secret) }], data: null }),
  'an error of GraphQL of a limit': (secret) => json({ errors: [{ message: `rate limit of ${secret}` }] }),
  'an error of GraphQL of the server': (secret) => json({ errors: [{ message: `internal ${secret}` }] }),
  'an error of JSON-RPC': rpc((secret) => ({ code: -32_602, message: said(secret) })),
  'an error of JSON-RPC of a limit': rpc((secret) => ({ code: -32_005, message: said(secret) })),
  'an error of JSON-RPC in text': rpc(said),
  'an error of JSON-RPC with data': rpc((secret) => ({ code: -32_000, message: 'no', data: said(secret) })),
  'an error of JSON-RPC whose code is the secret': rpc((secret) => ({ code: secret, message: 'no' })),
  'an error of JSON-RPC about a range': rpc((secret) => ({ code: -1, message: `block range ${secret}` })),
  'a redirect to itself': to(302, () => '/again'),
  'a redirect without a Location': () => ({ status: 302 }),
  'a redirect to no address': to(302, (secret) => `http://[${inUrl(secret)}`),
  'a redirect to another scheme': to(302, (secret) => `ftp://x.example/${inUrl(secret)}`),
  'a redirect to a host that does not exist': to(302, (secret) => `http://127.0.0.1:1/?key=${inUrl(secret)}`),
  'a redirect of the body': to(307, (secret) => `http://127.0.0.1:1/?key=${inUrl(secret)}`),
  'a redirect that names the secret, without end': to(301, (secret) => `/x?key=${inUrl(secret)}`),
  'gzip of an error': (secret) => ({ ...packed(secret, gzipSync, 'gzip'), status: 401 }),
  'brotli of an error': (secret) => ({ ...packed(secret, brotliCompressSync, 'br'), status: 400 }),
  'damaged gzip': (secret) => packed(secret, (bytes) => bytes, 'gzip'),
  'an encoding named after it': (secret) => packed(secret, (bytes) => bytes, inUrl(secret)),
  'a body that breaks off': (secret) => ({ body: JSON.stringify(rows(secret)), cutAt: 30 }),
  'a part of a document': (secret) => ({ ...json(rows(secret)), status: 206 }),
  'rows that hold it': (secret) => json(rows(secret)),
  'rows whose members are named after it': (secret) => json([{ id: 1, v: 1, [secret]: 1 }]),
  'rows that hold it escaped': (secret) => ({
    body: `[{"id":1,"v":1,"note":"${[...secret].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')}"}]`,
  }),
  'rows, packed': (secret) => ({
    body: gzipSync(JSON.stringify(rows(secret))),
    headers: { 'content-encoding': 'gzip' },
  }),
  'rows with headers that hold it': (secret) =>
    json(rows('x'), { etag: `"${inUrl(secret)}"`, 'last-modified': inUrl(secret), 'x-key': inUrl(secret) }),
  'rows with a type named after it': (secret) => ({
    body: JSON.stringify(rows('x')),
    headers: { 'content-type': `application/json; key="${inUrl(secret)}"` },
  }),
  'rows with a link that holds it': (secret) =>
    json(rows('x'), { link: `<https://api.example/x?key=${inUrl(secret)}&page=2>; rel="next"` }),
  'rows with a link to no address': (secret) =>
    json(rows('x'), { link: `<http://[${inUrl(secret)}>; rel="next"` }),
  'rows with a link to another host': (secret) =>
    json(rows('x'), { link: `<https://other.example/?key=${inUrl(secret)}>; rel="next"` }),
  'a cursor that is the secret': (secret) => json({ data: rows('x'), next: secret }),
  'GraphQL data that holds it': (secret) => json({ data: { rows: rows(secret), next: secret } }),
  'a result of JSON-RPC that holds it': (secret) => json({ jsonrpc: '2.0', id: 1, result: rows(secret) }),
};
