import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { createReceiver } from '../../../examples/webhooks/receiver.ts';
import { sendSigned } from '../../../packages/client/src/cli/listen.ts';
import { sampleEvent } from '../../../packages/client/src/cli/trigger.ts';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { AS_OF_MS } from '../../server/server-fixture.ts';
import { isPythonAvailable } from '../../support/python-available.ts';

const SECRET = makeSecret((bytes) => Buffer.alloc(bytes, 5));
const OTHER = makeSecret((bytes) => Buffer.alloc(bytes, 6));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startTypescript(seen: string[], nowMs: number): Promise<string> {
  const server = createReceiver({
    secrets: [SECRET],
    nowSeconds: () => nowMs / 1000,
    onEvent: ({ event_id }) => seen.push(event_id),
  });
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the receiver in TypeScript', () => {
  it('takes every type of event, each once, and refuses what is not signed for it or not now', async () => {
    const seen: string[] = [];
    const url = await startTypescript(seen, AS_OF_MS);
    const ids: string[] = [];
    for (const type of EVENT_TYPES) {
      const event = sampleEvent(type, AS_OF_MS);
      if (event === undefined) throw new Error(`${type} has no sample`);
      ids.push(event.event_id);
      for (let time = 0; time < 2; time++)
        expect(await sendSigned({ url, secret: SECRET }, event, AS_OF_MS)).toBe(204);
      expect(await sendSigned({ url, secret: OTHER }, event, AS_OF_MS)).toBe(401);
      expect(await sendSigned({ url, secret: SECRET }, event, AS_OF_MS - 301_000)).toBe(401);
    }
    expect(seen).toEqual(ids);
  });
});

describe('the receiver in Python', () => {
  it.skipIf(!isPythonAvailable())('prints each event once and refuses the rest (needs python3)', async () => {
    const script = new URL('../../../examples/webhooks/receiver.py', import.meta.url).pathname;
    const child = spawn('python3', [script, '--port', '0'], {
      env: { ...process.env, WEBHOOK_SECRET: SECRET },
    });
    closers.push(() => child.kill());
    const [line] = (await once(createInterface(child.stderr), 'line')) as [string];
    const url = /http:\S+/.exec(line)?.[0] ?? '';
    const event = sampleEvent('peg.depeg.start', Date.now());
    const printed = once(createInterface(child.stdout), 'line');
    expect(await sendSigned({ url, secret: OTHER }, event, Date.now())).toBe(401);
    expect(await sendSigned({ url, secret: SECRET }, event, Date.now() - 400_000)).toBe(401);
    for (let time = 0; time < 2; time++)
      expect(await sendSigned({ url, secret: SECRET }, event, Date.now())).toBe(204);
    expect(JSON.parse(String((await printed)[0]))).toEqual(event);
  });
});

it('there is no sample of a type that there is not', () => {
  expect(() => sampleEvent('no.such.type', AS_OF_MS)).toThrow(
    '"no.such.type" is not an event type:\n  oracle.stale',
  );
});
