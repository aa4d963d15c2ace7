// What limits must do, whether one server counts in memory or several servers count in a database.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Limits, Rate } from '../../../server/access/limits.ts';

export interface LimitsFixture {
  /** One entry per server. */
  readonly servers: readonly Limits[];
  readonly nowMs: () => number;
  advance(ms: number): Promise<void>;
}

const ORG = 'acme';

let fixture: LimitsFixture;

function serverAt(index: number): Limits {
  const limits = fixture.servers[index % fixture.servers.length];
  if (limits === undefined) throw new Error('There is no server.');
  return limits;
}

const take = async (limit: number, subject = ORG, index = 0): Promise<Rate> =>
  serverAt(index).keyed.take(subject, limit, fixture.nowMs());

export function limitsConform(create: () => Promise<LimitsFixture>): void {
  beforeEach(async () => {
    fixture = await create();
  });
  describe('the limit of a minute', minuteConforms);
  describe('subjects of limits', subjectsConform);
  describe('streams of an owner', streamsConform);
}

function minuteConforms(): void {
  test('exactly the limit passes in a minute, which starts with the first request', async () => {
    const taken = [await take(3), await take(3), await take(3), await take(3)];
    expect(taken.map(({ isExceeded, remaining }) => [isExceeded, remaining])).toEqual([
      [false, 2],
      [false, 1],
      [false, 0],
      [true, 0],
    ]);
    expect(taken[3]?.resetMs).toBeGreaterThan(50_000);
    expect(taken[3]?.resetMs).toBeLessThanOrEqual(60_000);
    await fixture.advance(30_000);
    expect((await take(3)).isExceeded).toBe(true);
    await fixture.advance(30_000);
    expect(await take(3)).toMatchObject({ isExceeded: false, remaining: 2 });
  });

  test('a burst over all servers at once lets exactly the limit through', async () => {
    const burst = await Promise.all(Array.from({ length: 90 }, (_, index) => take(50, ORG, index)));
    expect(burst.filter(({ isExceeded }) => !isExceeded)).toHaveLength(50);
    expect((await take(50)).isExceeded).toBe(true);
  });
}

function subjectsConform(): void {
  test('subjects, and kinds of subjects, do not share a window; looking costs nothing', async () => {
    await take(1);
    const { keyless } = serverAt(0);
    expect((await take(1, 'other')).isExceeded).toBe(false);
    expect((await keyless.take(ORG, 1, fixture.nowMs())).isExceeded).toBe(false);
    expect(serverAt(0).keyed.look(ORG, 1, fixture.nowMs())).toMatchObject({
      remaining: 0,
      isExceeded: true,
    });
    expect(serverAt(0).keyed.look('third', 1, fixture.nowMs())).toMatchObject({
      remaining: 1,
      isExceeded: false,
    });
  });

  test('after a change within a minute, a lower limit leaves nothing below zero, and a higher limit admits more', async () => {
    await Promise.all(Array.from({ length: 10 }, () => take(10)));
    expect(await take(3)).toMatchObject({ remaining: 0, isExceeded: true });
    expect(await take(12)).toMatchObject({ remaining: 1, isExceeded: false });
  });

  test('keys of one organisation with different limits are counted together', async () => {
    const both = await Promise.all([5, 7, 5, 7, 5, 7, 5, 7, 5, 7].map((limit) => take(limit)));
    for (let more = 0; more < 7; more++) both.push(await take(7));
    expect(both.filter(({ isExceeded }) => !isExceeded)).toHaveLength(7);
  });
}

function streamsConform(): void {
  test('streams of an owner are limited over all servers, and a closed stream returns its place', async () => {
    const positions = await Promise.all(
      Array.from({ length: 9 }, async (_, index) => ({
        index,
        isTaken: await serverAt(index).streams.take(ORG, 4),
      })),
    );
    const taken = positions.filter(({ isTaken }) => isTaken);
    expect(taken).toHaveLength(4);
    expect(await serverAt(0).streams.take('other', 4)).toBe(true);
    const at = taken[0]?.index ?? 0;
    serverAt(at).streams.release(ORG);
    // Reports arrive in the order of the calls.
    await serverAt(at).streams.take('third', 1);
    expect(await serverAt(at + 1).streams.take(ORG, 4)).toBe(true);
    expect(await serverAt(at + 1).streams.take(ORG, 4)).toBe(false);
  });
}
