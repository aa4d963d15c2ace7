// Every metric of `/metrics`, read before and after load: each changes, to a value that matches the load.
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeKey } from '../../../server/access/keys.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { RequestMetrics } from '../../../server/metrics/request-metrics.ts';
import { freePort } from '../../support/free-port.ts';
import { raw } from '../http/raw-http.ts';
import { eventCandidate, fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { openStream } from '../stream/stream-client.ts';
import { type Families, familiesOf, type Sample } from './exposition.ts';

const PREPARED = '/data/oracle/chainlink/pairs';
const ROUTED = '/data/oracle/chainlink/ETH-USD';
const LIMIT = 42;
const REFUSED = 5;
const GUESSES = 13;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

interface Reads {
  readonly before: Families;
  readonly loaded: Families;
  /** Read when the newest version is damaged and one of its events cannot be read. */
  readonly troubled: Families;
  /** Duration of the load, seconds. */
  readonly took: number;
}

async function reads(): Promise<Reads> {
  const port = await freePort();
  const key = await fixture.key('team', { limits: { requests_per_minute: LIMIT } });
  const server = await fixture.serve({
    anonymousPlan: null,
    steadyMs: () => performance.now(),
    metrics: { host: '127.0.0.1', port },
  });
  const read = async () => familiesOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  const before = await read();
  const start = performance.now();
  await load(server, key);
  const took = (performance.now() - start) / 1000;
  const loaded = await read();
  fixture.nowMs += 60_000;
  await damage(server.refresh.bind(server));
  return { before, loaded, troubled: await read(), took };
}

async function load(server: RunningServer, key: string): Promise<void> {
  await fixture.publish(fixtureDatasets());
  await server.refresh();
  const Authorization = `Bearer ${key}`;
  const client = await openStream(server.url, { key });
  const staying = await openStream(server.url, { key });
  await fixture.append([eventCandidate(0), eventCandidate(1)]);
  await fixture.publish(fixtureDatasets());
  await server.refresh();
  await client.first(2);
  await staying.first(2);
  for (let i = 2; i < LIMIT; i++) await raw(server.url, i % 2 === 0 ? PREPARED : ROUTED, { Authorization });
  for (let i = 0; i < REFUSED; i++) await raw(server.url, PREPARED, { Authorization });
  for (let i = 0; i < GUESSES; i++)
    await raw(server.url, ROUTED, { Authorization: `Bearer ${makeKey(randomBytes)}` });
  await client.close();
}

async function damage(refresh: () => Promise<void>): Promise<void> {
  const folder = join(fixture.dir, 'events');
  const known = new Set(await readdir(folder));
  await fixture.append([eventCandidate(2)]);
  await fixture.publish(fixtureDatasets());
  for (const name of await readdir(folder)) if (!known.has(name)) await rm(join(folder, name));
  await refresh();
}

const of = (families: Families, family: string): readonly Sample[] => families.get(family) ?? [];
const only = (families: Families, family: string): number => {
  const samples = of(families, family);
  expect(samples, family).toHaveLength(1);
  return samples[0]?.value ?? Number.NaN;
};
const total = (samples: readonly Sample[], name: string): number =>
  samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
const labelled = (samples: readonly Sample[], labels: Sample['labels']): number =>
  samples.find((sample) => Object.entries(labels).every(([name, text]) => sample.labels[name] === text))
    ?.value ?? Number.NaN;

/** The expectation for each metric. A metric that is missing here fails the test. */
const PLAUSIBLE: Readonly<Record<string, (reads: Reads, name: string) => void>> = {
  http_requests_total: ({ before, loaded }, name) => {
    expect(of(before, name)).toEqual([]);
    const samples = of(loaded, name);
    expect(total(samples, name)).toBe(LIMIT - 2 + REFUSED + GUESSES);
    const withStatus = (status: string) =>
      total(
        samples.filter(({ labels }) => labels['status'] === status),
        name,
      );
    expect([withStatus('429'), withStatus('401')]).toEqual([REFUSED + GUESSES - 10, 10]);
  },
  http_request_duration_seconds: checkDurations,
  snapshot_age_seconds: ({ before, loaded, troubled }, name) => {
    expect(only(before, name)).toBeNaN();
    expect([only(loaded, name), only(troubled, name)]).toEqual([0, 60]);
  },
  dataset_age_seconds: ({ loaded, troubled }, name) => {
    expect(of(loaded, name).map(({ value }) => value)).toEqual([0, 0, 0, 0]);
    expect(labelled(of(troubled, name), { dataset: 'coverage' })).toBe(60);
  },
  snapshot_notices: ({ loaded, troubled }, name) =>
    expect([only(loaded, name), only(troubled, name)]).toEqual([0, 1]),
  events_published: ({ loaded, troubled }, name) =>
    expect([only(loaded, name), only(troubled, name)]).toEqual([2, 3]),
  events_unindexed: ({ loaded, troubled }, name) =>
    expect([only(loaded, name), only(troubled, name)]).toEqual([0, 1]),
  ready: ({ before, loaded }, name) => expect([only(before, name), only(loaded, name)]).toEqual([0, 1]),
  service_status: ({ before, loaded, troubled }, name) => {
    expect(labelled(of(before, name), { status: 'empty' })).toBe(1);
    expect(labelled(of(loaded, name), { status: 'ok' })).toBe(1);
    expect(labelled(of(troubled, name), { status: 'degraded' })).toBe(1);
    for (const read of [before, loaded, troubled]) expect(total(of(read, name), name)).toBe(1);
  },
  dataset_gate: ({ before, loaded }, name) => {
    expect(of(before, name)).toEqual([]);
    expect(total(of(loaded, name), name)).toBe(of(loaded, 'dataset_age_seconds').length);
  },
  rate_limit_subjects: ({ before, loaded }, name) =>
    expect([only(before, name), only(loaded, name)]).toEqual([0, 2]),
  rate_limit_refused: ({ before, loaded }, name) =>
    expect([only(before, name), only(loaded, name)]).toEqual([0, REFUSED]),
  key_guesses_refused: ({ before, loaded }, name) =>
    expect([only(before, name), only(loaded, name)]).toEqual([0, GUESSES - 10]),
  stream_connections: ({ before, loaded }, name) =>
    expect([only(before, name), only(loaded, name)]).toEqual([0, 1]),
  stream_frames_sent: ({ before, loaded }, name) =>
    expect([only(before, name), only(loaded, name)]).toEqual([0, 4]),
  stream_connections_ended: ({ before, loaded }, name) => {
    expect(of(before, name)).toEqual([]);
    expect(labelled(of(loaded, name), { code: '0' })).toBe(1);
  },
  process_resident_memory_bytes: ({ loaded }, name) => {
    const rss = process.memoryUsage.rss();
    expect(only(loaded, name)).toBeGreaterThan(rss / 3);
    expect(only(loaded, name)).toBeLessThan(rss * 3);
  },
};

/** This load contains no calculation; metrics.test.ts covers these. */
/** Tested where they originate. */
const OF_OTHERS = /^(analytics|source|joint|webhook|conditions|subjects)_/;

function checkDurations({ before, loaded, took }: Reads, name: string): void {
  expect(of(before, name)).toEqual([]);
  const samples = of(loaded, name);
  expect(total(samples, `${name}_count`)).toBe(LIMIT - 2 + REFUSED + GUESSES);
  expect(total(samples, `${name}_sum`)).toBeGreaterThan(0);
  expect(total(samples, `${name}_sum`)).toBeLessThan(took);
  for (const { labels, value } of samples.filter((sample) => sample.name === `${name}_count`)) {
    const buckets = samples.filter(
      (sample) => sample.name === `${name}_bucket` && sample.labels['route'] === labels['route'],
    );
    const counts = buckets.map((bucket) => bucket.value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect([buckets.at(-1)?.labels['le'], counts.at(-1)]).toEqual(['+Inf', value]);
  }
}

test('every metric changes under load, to a matching value', async () => {
  const read = await reads();
  const names = [...read.loaded.keys()].filter((name) => !OF_OTHERS.test(name));
  expect(names.toSorted()).toEqual(Object.keys(PLAUSIBLE).toSorted());
  for (const [name, check] of Object.entries(PLAUSIBLE)) {
    const seen = [read.before, read.loaded, read.troubled].map((families) =>
      JSON.stringify(of(families, name)),
    );
    expect(new Set(seen).size, `${name} never moves`).toBeGreaterThan(1);
    check(read, name);
  }
});

test('a request is counted in the bucket of its duration', async () => {
  const requests = new RequestMetrics();
  for (const seconds of [0.0005, 0.03, 20]) requests.record('/a', 200, seconds);
  const values = requests.durations('d').map(({ labels, value }) => [labels['le'], value]);
  const under = (le: number | string) => values.find(([bound]) => bound === le)?.[1];
  expect([0.0005, 0.001, 0.025, 0.05, 10, '+Inf'].map(under)).toEqual([1, 1, 1, 2, 2, 3]);
  expect(values.slice(-2)).toEqual([
    [undefined, 20.0305],
    [undefined, 3],
  ]);
});
