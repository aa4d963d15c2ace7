// Bodies and their compressed forms, without a server.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { RenderedResponse } from '../../../server/replies/rendered-response.ts';

const AT_ONCE = 32 * 1_024;
const bodyOf = (length: number) => Buffer.alloc(length, 'rows of a dataset, ');
const rendered = (body: Buffer) => new RenderedResponse({ status: 200, body, etag: '"tag"', headers: [] });

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)(
  'a body of %s is compressed at once up to a size, and off the event loop beyond it',
  async (encoding, decompress) => {
    const small = rendered(bodyOf(AT_ONCE));
    expect(small.compress(encoding)).toBeUndefined();
    expect(small.form(encoding).head).toContain(`Content-Encoding: ${encoding}`);
    const body = bodyOf(AT_ONCE + 1);
    const large = rendered(body);
    expect(large.form(encoding).body).toBe(body);
    await large.compress(encoding);
    const form = large.form(encoding);
    expect(form.head).toContain(`Content-Encoding: ${encoding}`);
    expect(form.head).toContain(`ETag: "tag-${encoding}"`);
    expect(decompress(form.body ?? Buffer.alloc(0))).toEqual(body);
    expect(large.compress(encoding)).toBeUndefined();
  },
);

test('all responses with one body share its compressed forms', async () => {
  const body = bodyOf(AT_ONCE * 4);
  const [first, second] = [rendered(body), rendered(body)];
  await Promise.all([first.compress('br'), second.compress('br')]);
  expect(first.form('br').body).toBe(second.form('br').body);
});

test('a client without encodings, and a 304, need no compression', () => {
  const large = rendered(bodyOf(AT_ONCE * 4));
  expect(large.compress(undefined)).toBeUndefined();
  expect(large.notModifiedHead('br')).toContain('ETag: "tag-br"');
  expect(large.notModifiedHead('br')).toMatch(/^HTTP\/1\.1 304 /);
});
