import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withoutPaths } from '../../../platform/base/printable.ts';
import { ServerFixture } from '../server-fixture.ts';

describe('words for callers without a key', () => {
  test.each([
    ['/srv/data/snapshots/events/a.ndjson is damaged', 'events/a.ndjson is damaged'],
    [
      "ENOENT: no such file or directory, open '/etc/keys/seal.key'",
      "ENOENT: no such file or directory, open 'seal.key'",
    ],
    ['Cannot write /srv/data/snapshots/current.json: full', 'Cannot write current.json: full'],
    ['see https://example.org/docs/x and /v1', 'see https://example.org/docs/x and /v1'],
    ['EACCES, C:\\data\\store\\ops.sqlite', 'EACCES, ops.sqlite'],
  ])('%s', (text, expected) => {
    expect(withoutPaths(text, ['/srv/data/snapshots'])).toBe(expected);
  });
});

describe('a damaged folder', () => {
  let fixture: ServerFixture;
  beforeEach(async () => {
    fixture = await ServerFixture.create();
    await fixture.publish();
  });
  afterEach(() => fixture.remove());

  test.each([
    ['the pointer', (dir: string) => writeFile(join(dir, 'current.json'), '{}')],
    ['the versions', (dir: string) => rm(join(dir, 'versions'), { recursive: true })],
    [
      'a folder where the pointer was',
      async (dir: string) => {
        await rm(join(dir, 'current.json'));
        await mkdir(join(dir, 'current.json'));
      },
    ],
  ])('is reported by /v1/status and /v1/ready without its location: %s', async (_, damage) => {
    const dir = fixture.dir;
    await damage(dir);
    const { url } = await fixture.serve();
    for (const path of ['/v1/status', '/v1/ready', '/v2/data-manifest']) {
      const text = await (await fetch(`${url}${path}`)).text();
      expect(text).not.toContain(dir);
      expect(text).not.toMatch(/"[^"]*(?<![\w.:/])\/(tmp|home|work|var)\//);
    }
    const status = (await (await fetch(`${url}/v1/status`)).json()) as { readonly notices: unknown[] };
    expect(status.notices.length).toBeGreaterThan(0);
  });
});
