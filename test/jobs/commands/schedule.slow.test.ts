// When a schedule ends by itself, and when it continues with the next tick.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runSchedule } from '../../../jobs/commands/schedule.ts';
import { WarehouseLostError } from '../../../jobs/engine/errors.ts';
import type { PipelineContext } from '../../../jobs/pipeline/context.ts';
import { lastTick } from '../../../jobs/pipeline/run/ledger.ts';
import { Claim } from '../../../snapshots/claim.ts';
import { DEMO_NOW, FEED_DEMO, feedDemoFolder } from '../../support/demo-folder.ts';
import { inWorld } from '../../support/pipeline-world.ts';
import { removeFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const NEVER = new Promise<never>(() => undefined);

let dir: string;
beforeEach(async () => {
  dir = await feedDemoFolder();
});
afterEach(() => removeFolder(dir));

const later = <T>(work: (context: PipelineContext) => Promise<T>): Promise<T> =>
  inWorld(dir, { ...FEED_DEMO, now: DEMO_NOW + 300 }, work);

const failing = (context: PipelineContext, error: Error): PipelineContext => ({
  ...context,
  claim: { check: () => Promise.reject(error), tail: [], noteTail: () => Promise.reject(error) } as never,
});

test('ends when another writer publishes in its place', async () => {
  await later(async (context) => {
    const claimant = { installation: 'one', term: null };
    const claim = await Claim.take(context.snapshots, claimant);
    await Claim.take(context.snapshots, claimant);
    await expect(runSchedule({ ...context, claim }, NEVER)).rejects.toThrow(
      /has another writer, with term 2.*when restarted, this one takes over/,
    );
  });
});

test('ends when a later leader has the warehouse, however the error is wrapped', async () => {
  await later(async (context) => {
    const cause = new WarehouseLostError('a later leader has it');
    const error = new Error('the version cannot be placed', { cause: new AggregateError([cause]) });
    await expect(runSchedule(failing(context, error), NEVER)).rejects.toBe(error);
  });
});

test('reports any other failure and continues', async () => {
  await later(async (context) => {
    const stop = Promise.withResolvers<void>();
    const ended = runSchedule(failing(context, new Error('the store does not respond')), stop.promise);
    const log = () => readFileSync(join(dir, 'log.ndjson'), 'utf8');
    await vi.waitFor(() => expect(log()).toMatch(/tick failed: the store does not respond/), 60_000);
    stop.resolve();
    expect(await ended).toBe(0);
  });
});

test('begins no further tick of those that it missed once it is stopped', async () => {
  await later(async (context) => {
    const stop = Promise.withResolvers<void>();
    const settings = { ...context.settings, tick_seconds: 60 };
    const reporter = {
      ...context.reporter,
      step: (what: string) => {
        if (what === 'tick done') stop.resolve();
      },
    };
    expect(await runSchedule({ ...context, settings, reporter }, stop.promise)).toBe(0);
    expect(lastTick(context.ledger.entries)).toBe(DEMO_NOW + 60);
  });
});

test('logs a tick that becomes due during another, and prints nothing of its own', async () => {
  const printed = vi.spyOn(console, 'warn');
  await later(async (context) => {
    const stop = Promise.withResolvers<void>();
    const hang = Promise.withResolvers<never>();
    // The tick may not be awaiting this promise yet when it is rejected.
    hang.promise.catch(() => undefined);
    const settings = { ...context.settings, tick_cron: '* * * * * *' };
    const claim = { check: () => hang.promise, tail: [], noteTail: () => hang.promise } as never;
    const ended = runSchedule({ ...context, settings, claim }, stop.promise);
    const log = () => readFileSync(join(dir, 'log.ndjson'), 'utf8');
    await vi.waitFor(
      () => expect(log()).toMatch(/a tick was skipped; the next one covers its interval/),
      60_000,
    );
    stop.resolve();
    hang.reject(new Error('the store does not respond'));
    expect(await ended).toBe(0);
  });
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});
