// A snapshot folder in a temporary place, written by the real writer, and a real server over it with a clock that stands still.
import { rm } from 'node:fs/promises';
import type { Json } from '../../platform/base/json.ts';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import type { PlanName } from '../../schemas/plans.ts';
import { startServer } from '../../server/app.ts';
import type { RunningServer, ServerDeps } from '../../server/deps.ts';
import { requestIdMaker } from '../../server/http/request-gate.ts';
import type { KeyRecord, OpsStore } from '../../server/store/store.ts';
import type { DatasetInput } from '../../snapshots/dataset-intake.ts';
import { type EventCandidate, type EventLog, openEventLog } from '../../snapshots/events.ts';
import type { Inputs, SegmentEntry } from '../../snapshots/layout.ts';
import { type PublishInput, publishEvents, publishVersion } from '../../snapshots/write.ts';
import { checkAnswersOf } from '../support/checked-fetch.ts';
import { inFolder } from '../support/in-folder.ts';
import { addKey, openTestStore, type TestStore, testWebhookOptions } from '../support/ops-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const AS_OF = '2026-03-01T12:00:00Z';
export const AS_OF_MS = Date.parse(AS_OF);
export const CADENCE_S = 300;
export const DAY_MS = 86_400_000;

type Documents = readonly { readonly key: string; readonly value: Json }[];

export function datasetOf(
  id: string,
  documents: Documents,
  computed_at = AS_OF,
  more: Partial<DatasetInput> = {},
): DatasetInput {
  return {
    ...more,
    id,
    documents,
    computed_at,
    update_cadence_seconds: CADENCE_S,
    sources: [
      {
        id: 'test-feeds',
        kind: 'simulated',
        name: 'Test feeds',
        url: null,
        chain: 'ethereum',
        block_number: null,
        observed_at: computed_at,
        fetched_at: computed_at,
        content_hash: null,
        license: null,
      },
    ],
    confidence: { score: 1, level: 'high', inputs_used: 1, inputs_expected: 1, reasons: [] },
    quality_gate: { verdict: 'pass', checks: [], evaluated_at: computed_at, policy_version: '1.0.0' },
  };
}

/** One family with all datasets, whose only source is read. */
export const inputsOf = (datasets: readonly DatasetInput[]): Inputs => ({
  families: [
    {
      id: 'fixture',
      title: 'Test feeds',
      is_derived: false,
      datasets: datasets.map(({ id }) => id),
      tables: ['test_round'],
      essential: [],
      other_tables: [],
    },
  ],
  tables: [{ name: 'test_round', is_sourced: true, has_rows: true }],
  sources: [{ id: 'test-feeds', table: 'test_round', state: 'read', reason: null }],
});

export const coverageRow = (scope_id: string, pct: number | null, scope = 'oracle_feed') => ({
  key: `ethereum|${scope}|${scope_id}`,
  value: {
    chain: 'ethereum',
    scope,
    scope_id,
    label: `${scope_id} / USD`,
    classified: true,
    has_metadata: true,
    history_completeness_pct: pct,
    last_update_at: AS_OF,
    gaps: pct === null ? [{ kind: 'unverifiable' }] : [],
  },
});

export const pairRow = (pair: string) => ({
  pair,
  base: pair.split('-')[0] ?? '',
  quote: pair.split('-')[1] ?? '',
  chain: 'ethereum',
  feed_address: '0x00000000000000000000000000000000000000a1',
  category: 'price',
  heartbeat_s: 3600,
  deviation_bps: 50,
  decimals: 8,
  market_hours: 'crypto',
  last_update_at: AS_OF,
  status: 'fresh',
});

export const parameterRow = (timestamp: string) => ({
  timestamp,
  chain: 'ethereum',
  feed_address: '0x00000000000000000000000000000000000000a1',
  updates: 24,
  avg_interval_s: 3600,
  max_gap_s: 3600,
  heartbeat_breaches: 0,
  deviation_triggers: 0,
  price: { min: 1, max: 2, avg: 1.5, last: 1.7 },
  max_deviation_bps: 12.5,
  volatility: 0.01,
});

export const SUMMARY = {
  markets: { total: 0, classified: 0, fresh: 0, stale: 0, unverifiable: 0, unknown: 0 },
  feeds: { total: 2, with_metadata: 2, with_history: 2, complete: 1 },
  vaults: { total: 0, governance_indexed: 0 },
};

export function fixtureDatasets(
  computed_at = AS_OF,
  coverage: Documents = [coverageRow('0xa1', 90), coverageRow('0xa2', 100)],
): DatasetInput[] {
  const week = [0, 1, 2, 3, 4, 5, 6].map((day) => parameterRow(isoSeconds(AS_OF_MS - day * DAY_MS)));
  return [
    datasetOf(
      'oracle-pairs',
      [{ key: 'chainlink', value: [pairRow('ETH-USD'), pairRow('USDT-USD')] }],
      computed_at,
    ),
    datasetOf('oracle-parameters', [{ key: 'chainlink/ETH-USD', value: week }], computed_at),
    datasetOf('coverage', coverage, computed_at),
    datasetOf('manifest-summary', [{ key: 'summary', value: SUMMARY }], computed_at),
  ];
}

export const isoSeconds = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');

/** Event number `n`. Types cycle through two values, subjects through three. */
export function eventCandidate(n: number, tsMs = AS_OF_MS): EventCandidate {
  const isInvalid = n % 2 === 0;
  const feed = `0xf${n % 3}`;
  const data = { chain: 'ethereum', oracle_address: feed, market_id: feed };
  return {
    key: `test|${n}`,
    envelope: {
      type: isInvalid ? 'oracle.feed.invalid' : 'oracle.stale',
      severity: isInvalid ? 'high' : 'warn',
      chain: 'ethereum',
      subject_id: `oracle:ethereum:${feed}:${feed}`,
      ts: isoSeconds(tsMs),
      data: isInvalid ? data : { ...data, stale_age_s: n },
      meta: { _agentic: { freshness: { status: 'fresh' } } },
    },
  };
}

/** The real disk without waiting for it, because these tests are not about crashes. */
const HASTY_DISK: Disk = {
  ...nodeDisk,
  create: async (path) => ({ ...(await nodeDisk.create(path)), sync: async () => undefined }),
  syncFolder: async () => undefined,
};

export class ServerFixture {
  readonly dir: string;
  nowMs = AS_OF_MS;
  readonly logged: string[] = [];
  readonly #servers: RunningServer[] = [];
  #steadyMs = 0;
  #ops: Promise<TestStore> | undefined;
  #log: EventLog | undefined;
  #segments: readonly SegmentEntry[] = [];

  constructor(dir: string) {
    this.dir = dir;
  }

  static async create(): Promise<ServerFixture> {
    return new ServerFixture(temporaryFolder('server'));
  }

  /** `more`: other members of the version, such as its inputs. */
  async publish(
    datasets = fixtureDatasets(),
    as_of = AS_OF,
    policy_version = '1.0.0',
    more: Partial<PublishInput> = {},
  ): Promise<string> {
    const published = await publishVersion(inFolder(this.dir, HASTY_DISK), {
      as_of,
      generated_at: as_of,
      engine_version: 'test 1',
      methodology_version: '1.0.0',
      policy_version,
      inputs: inputsOf(datasets),
      datasets,
      segments: this.#segments,
      ...more,
    });
    return published.version;
  }

  /** Publishes the appended events before the datasets of their time. */
  async publishEvents(as_of: string): Promise<void> {
    const successor = { as_of, generated_at: as_of, segments: this.#segments };
    await publishEvents(inFolder(this.dir, HASTY_DISK), successor);
  }

  /** Appends events with ids of `atMs`, which become visible with the next publication. */
  async append(candidates: readonly EventCandidate[], atMs = AS_OF_MS): Promise<readonly string[]> {
    this.#log ??= await openEventLog(inFolder(this.dir, HASTY_DISK), []);
    const appended = await this.#log.append(candidates, atMs);
    this.#segments = this.#log.segments();
    return appended.map(({ envelope }) => envelope);
  }

  get segments(): readonly SegmentEntry[] {
    return this.#segments;
  }

  async serve(more: Partial<ServerDeps> & { plan?: PlanName; disk?: Disk } = {}): Promise<RunningServer> {
    const server = await startServer({
      snapshots: inFolder(this.dir),
      host: '127.0.0.1',
      port: 0,
      anonymousPlan: more.plan ?? 'team',
      store: await this.store(),
      webhooks: testWebhookOptions(),
      // Every request starts a new minute, so that only tests of the limiter reach a limit.
      steadyMs: () => (this.#steadyMs += 60_000),
      docsUrl: 'https://docs.example',
      serviceVersion: '0.0.0-test',
      nowMs: () => this.nowMs,
      makeRequestId: requestIdMaker('test'),
      log: this.#recorder(),
      every: () => () => undefined,
      wait: () => new Promise((resolve) => setImmediate(resolve)),
      isResponseChecked: true,
      ...more,
    });
    this.#servers.push(server);
    if (more.endpoints === undefined) checkAnswersOf(server.url);
    await server.refresh();
    return server;
  }

  /** The store shared by all servers of this fixture. */
  async store(): Promise<OpsStore> {
    this.#ops ??= openTestStore();
    return (await this.#ops).store;
  }

  /** The folder of that store. */
  async storeFolder(): Promise<string> {
    this.#ops ??= openTestStore();
    return (await this.#ops).dir;
  }

  /** A key that servers of this fixture know once they poll. */
  async key(plan: PlanName, more: Partial<KeyRecord> = {}): Promise<string> {
    return (await addKey(await this.store(), plan, { created_ms: this.nowMs, ...more })).text;
  }

  #recorder(): ServerDeps['log'] {
    const record = (facts: object, message: string) =>
      this.logged.push(`${message} ${JSON.stringify(facts)}`);
    return { info: record, warn: record, error: record };
  }

  async remove(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    await (await this.#ops)?.remove();
    await rm(this.dir, { recursive: true, force: true });
  }
}
