// What every implementation of leases must do, on one machine and over several hosts.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Leases } from '../../../platform/leases/leases.ts';

/** Two processes. */
export interface LeasesFixture {
  readonly one: Leases;
  readonly other: Leases;
}

const NEVER = new Promise<never>(() => undefined);

let one: Leases;
let other: Leases;

export function leasesConform(create: () => Promise<LeasesFixture>): void {
  beforeEach(async () => {
    ({ one, other } = await create());
  });
  describe('a lease is held by one', heldByOne);
  describe('a lease that ends', endsForAll);
}

function heldByOne(): void {
  test('only one of two processes holds a lease; another name is another lease', async () => {
    const taken = await Promise.all([one.take('lead'), other.take('lead')]);
    expect(taken.filter((lease) => lease !== null)).toHaveLength(1);
    expect((await other.take('second'))?.isHeld()).toBe(true);
  });

  test('a process that holds a lease does not get it twice', async () => {
    expect(await one.take('lead')).not.toBeNull();
    expect(await one.take('lead')).toBeNull();
  });
}

function endsForAll(): void {
  test('a released lease ends, and another process gets it', async () => {
    const lease = await one.take('lead');
    expect(lease?.isHeld()).toBe(true);
    await lease?.release();
    await lease?.ended;
    expect(lease?.isHeld()).toBe(false);
    expect((await other.wait('lead', NEVER))?.isHeld()).toBe(true);
    await lease?.release();
    expect(await one.take('lead')).toBeNull();
  });

  test('a process that closes releases what it holds', async () => {
    const lease = await one.take('lead');
    await one.close();
    expect(lease?.isHeld()).toBe(false);
    expect(await other.take('lead')).not.toBeNull();
  });

  test('a process that is stopped while it waits, or before, gets nothing', async () => {
    const lease = await one.take('lead');
    expect(await other.wait('lead', Promise.resolve())).toBeNull();
    await lease?.release();
  });
}
