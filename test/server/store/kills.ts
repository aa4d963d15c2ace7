// What killed processes must leave of a store, whatever the database.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { NOW_MS } from './store-fixture.ts';

const WORKER = new URL('./kill-worker.ts', import.meta.url).pathname;

export interface Killed {
  readonly store: OpsStore;
  /** Path or address of the store, and the seal key file of the host. */
  readonly location: string;
  readonly sealKeyFile: string;
}

/** Starts a worker and kills it after `killAfter` acknowledgements. Returns what it acknowledged. */
async function acknowledged(
  { location, sealKeyFile }: Killed,
  [name, work]: readonly [name: string, work: string],
  end: { killAfter?: number; count?: number },
) {
  const args = [WORKER, location, name, work, String(end.count ?? 1_000_000), sealKeyFile];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (end.killAfter !== undefined && output.split('\n').length - 2 > end.killAfter) child.kill('SIGKILL');
  });
  const [code, signal] = await once(child, 'close');
  expect([code, signal]).toEqual(end.killAfter === undefined ? [0, null] : [null, 'SIGKILL']);
  return output.split('\n').slice(1, -1);
}

async function keysSurvive(killed: Killed, kills: number): Promise<void> {
  const { store } = killed;
  for (let kill = 0; kill < kills; kill++) {
    const name = `w${kill}`;
    const said = await acknowledged(killed, [name, 'rotate'], { killAfter: 1 + ((kill * 7) % 13) });
    const keys = await store.keys.list(name);
    const ids = keys.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(said));
    expect(ids.length - said.length).toBeLessThanOrEqual(1);
    // In a chain of rotations, exactly the last key has no end.
    expect(keys.filter(({ expires_ms }) => expires_ms === null)).toHaveLength(1);
  }
  const keys = await store.keys.list();
  expect(await store.audit.verify()).toBeUndefined();
  expect(await store.audit.list(0, 1_000_000)).toHaveLength(keys.length);
}

async function claimsSurvive(killed: Killed, kills: number): Promise<void> {
  const { store } = killed;
  for (let kill = 0; kill < kills; kill++) {
    const name = `w${kill}`;
    const said = await acknowledged(killed, [name, 'answer'], { killAfter: 1 + ((kill * 5) % 11) });
    for (let made = 0; made <= said.length + 1; made++) {
      const key = `${name}-${made}`;
      const effects = await store.keys.list(key);
      const again = await store.idempotency.begin({ org: 'acme', key, fingerprint: 'f', nowMs: NOW_MS });
      const [effect] = effects;
      if (effect === undefined) expect(again).toEqual({ state: 'begun' });
      else expect(again).toMatchObject({ state: 'done', response: { body: Buffer.from(effect.id) } });
      expect(effects.length).toBeLessThanOrEqual(1);
      expect(effect !== undefined || !said.includes(key)).toBe(true);
    }
  }
}

async function writersShare(killed: Killed): Promise<void> {
  const { store } = killed;
  const names = ['left', 'right'];
  const said = await Promise.all(names.map((name) => acknowledged(killed, [name, 'rotate'], { count: 60 })));
  for (const [index, name] of names.entries()) {
    const ids = (await store.keys.list(name)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(said[index]?.toSorted());
  }
  expect(await store.audit.list(0, 1_000)).toHaveLength(120);
  expect(await store.audit.verify()).toBeUndefined();
}

export function survivesKills(killed: () => Killed, kills: number): void {
  test('kill -9 while keys are created and rotated loses no acknowledged key and leaves none incomplete', () =>
    keysSurvive(killed(), kills));
  test('kill -9 between an effect and its response: both exist, or neither and the next request begins', () =>
    claimsSurvive(killed(), kills));
  test('two processes that change one store concurrently lose nothing and keep one log', () =>
    writersShare(killed()));
}
