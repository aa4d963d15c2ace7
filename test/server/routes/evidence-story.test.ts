// The story in the evidence of an event: what belongs to it, what it is called, whether it lasts; and what a caller may not see is left out.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, isoSeconds, ServerFixture } from '../server-fixture.ts';

const MINUTE_MS = 60_000;
const FEED = `0x${'fe'.repeat(20)}`;
const MARKET = `0x${'ab'.repeat(20)}`;

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

interface Candidate {
  readonly type: string;
  readonly severity?: string;
  /** Minutes before the version. */
  readonly ago: number;
  readonly subject_id?: string;
  readonly data?: { readonly [name: string]: Json };
  readonly retracts?: { readonly key: string; readonly second: number };
}

const secondAgo = (minutes: number) => (AS_OF_MS - minutes * MINUTE_MS) / 1_000;

/** Appends events in order, and returns their ids. */
async function happen(...candidates: readonly Candidate[]): Promise<readonly string[]> {
  const texts = await fixture.append(
    candidates.map(
      ({ type, severity = 'high', ago, subject_id = 'peg:ethereum:PYUSD', data = {}, retracts }) => ({
        key: `${type}|${ago}${retracts === undefined ? '' : '|retraction'}`,
        ...(retracts === undefined ? {} : { retracts }),
        envelope: {
          type,
          severity,
          chain: 'ethereum',
          subject_id,
          ts: isoSeconds(AS_OF_MS - ago * MINUTE_MS),
          data: { chain: 'ethereum', ...data },
          meta: { _agentic: { freshness: { status: 'fresh' } } },
        },
      }),
    ),
  );
  return texts.map((text) => (JSON.parse(text) as { event_id: string }).event_id);
}

const PEG = {
  asset_symbol: 'PYUSD',
  peg_kind: 'fiat_usd',
  observed_price: '0.9737',
  reference_price: '1',
  deviation_bps: -263,
  enter_bps: 100,
  effective_enter_bps: 100,
};

const conditionOf = (event_id: string): DatasetInput =>
  datasetOf('conditions', [
    {
      key: 'one',
      value: {
        ...{
          id: 'one',
          type: 'peg.depeg.start',
          severity: 'high',
          title: 'PYUSD on ethereum is off its peg',
        },
        ...{ chain: 'ethereum', protocol: null, subject_id: 'peg:ethereum:PYUSD', subject_name: 'PYUSD' },
        ...{ symbols: ['PYUSD'], since: AS_OF, measure: 'deviation', unit: 'bps', value_start: -263 },
        ...{ value_worst: -350, worst_at: AS_OF, value_now: -323, now_at: AS_OF, policy_version: '1.0.0' },
        ...{ rule: [], event_key: null, event_id, evidence_url: null, series_url: null },
      },
    },
  ]);

async function serve(datasets: readonly DatasetInput[] = [], plan: 'team' | 'free' = 'team'): Promise<void> {
  await fixture.publish([...fixtureDatasets(), ...datasets]);
  server = await fixture.serve({ plan });
}

interface EvidenceBody {
  readonly story: {
    readonly headline: string;
    readonly further: readonly string[];
    readonly doubts: readonly string[];
    readonly text: string;
  };
  readonly course: readonly { readonly role: string; readonly event_id: string }[];
  readonly rules: readonly {
    readonly name: string;
    readonly value: number;
    readonly meaning: string | null;
  }[];
}

async function evidenceOf(id: string | undefined, query = ''): Promise<EvidenceBody> {
  const answer = await fetch(`${server.url}/v2/events/${id}/evidence${query}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: EvidenceBody }).data;
}
const courseOf = async (id: string | undefined) =>
  (await evidenceOf(id)).course.map(({ role, event_id }) => [role, event_id]);

test('a depeg has its escalation, end and recovery, whichever of its events is asked for', async () => {
  const [start, rise, end, recovery] = await happen(
    { type: 'peg.depeg.start', severity: 'warn', ago: 600, data: { ...PEG, basis: 'source' } },
    { type: 'peg.depeg.start', ago: 590, data: PEG },
    { type: 'peg.depeg.end', severity: 'info', ago: 540, data: { ...PEG, deviation_bps: -7 } },
    { type: 'peg.depeg.recovered', severity: 'info', ago: 180, data: { asset_symbol: 'PYUSD' } },
  );
  await serve();
  expect(await courseOf(start)).toEqual([
    ['escalation', rise],
    ['end', end],
    ['recovery', recovery],
  ]);
  expect(await courseOf(end)).toEqual([
    ['start', start],
    ['escalation', rise],
    ['recovery', recovery],
  ]);
  const { story } = await evidenceOf(end);
  expect(story.headline).toBe(
    'PYUSD on ethereum returned to its peg on ' +
      `${isoSeconds(AS_OF_MS - 540 * MINUTE_MS)
        .slice(0, 16)
        .replace('T', ' ')} UTC, 1 h after it left it: ` +
      'its price was 0.9737, 7 bps below its reference of 1, within the threshold of 100 bps for dollar pegs.',
  );
  expect(story.text.startsWith(story.headline)).toBe(true);
});

const heldBack = (dataset: string, subject = '*') => ({
  held_subjects: {
    total: 1,
    list: [{ dataset, subject, checks: ['a'], reason: `${dataset} is held back`, since: AS_OF }],
  },
});
const pegsOf = (source_status: string) =>
  datasetOf('pegs', [{ key: 'ethereum|PYUSD', value: { quote: 'USD', source_status } }]);
const OTHER = '01HZX3K9Q4T2V7B8N6M5P1R0SD';

test('it lasts only if the open conditions say so, and is over only if they can say so', async () => {
  const [id = ''] = await happen({ type: 'peg.depeg.start', ago: 60, data: PEG });
  await serve([conditionOf(id), pegsOf('live')]);
  const further = async () => (await evidenceOf(id)).story.further;
  expect((await further())[0]).toMatch(/^It still lasts: the last value is −323 bps \(/);
  const publish = async (datasets: readonly DatasetInput[], more = {}) => {
    await fixture.publish([...fixtureDatasets(), ...datasets], AS_OF, '1.0.0', more);
    await server.refresh();
    return further();
  };
  const over = `It is over: it was no longer open on ${AS_OF.slice(0, 16).replace('T', ' ')} UTC. When it ended is not published.`;
  expect(await publish([conditionOf(OTHER), pegsOf('live')])).toEqual([over]);
  const unknown = (why: string) => [`Whether it is over is not known: ${why}.`];
  expect(await publish([conditionOf(OTHER), pegsOf('silent')])).toEqual(
    unknown('the sources of the subject do not cover that time (pegs)'),
  );
  expect(await publish([conditionOf(OTHER), datasetOf('pegs', [])])).toEqual(
    unknown('the dataset has no row of the subject (pegs)'),
  );
  expect(await publish([conditionOf(OTHER)])).toEqual(
    unknown('the version does not have the dataset (pegs)'),
  );
  expect(await publish([conditionOf(OTHER), pegsOf('live')], heldBack('pegs', 'ethereum PYUSD'))).toEqual(
    unknown('the dataset, or this subject of it, is held back (pegs)'),
  );
  expect(await publish([conditionOf(id), pegsOf('live')], heldBack('conditions'))).toEqual(
    unknown('the list of conditions is not published or held back'),
  );
  expect(await publish([pegsOf('live')])).toEqual(
    unknown('the list of conditions is not published or held back'),
  );
});

test('an end is stated with its time; what holds now is not known while its subject is held back', async () => {
  const [start] = await happen(
    { type: 'peg.depeg.start', ago: 60, data: PEG },
    { type: 'peg.depeg.end', severity: 'info', ago: 30, data: PEG },
  );
  const end = isoSeconds(AS_OF_MS - 30 * MINUTE_MS)
    .slice(0, 16)
    .replace('T', ' ');
  await serve([conditionOf(OTHER), pegsOf('live')]);
  expect((await evidenceOf(start)).story.further).toEqual([`It ended on ${end} UTC, after 30 min.`]);
  await fixture.publish(
    [...fixtureDatasets(), conditionOf(OTHER), datasetOf('pegs', [])],
    AS_OF,
    '1.0.0',
    heldBack('pegs', 'ethereum PYUSD'),
  );
  await server.refresh();
  expect((await evidenceOf(start)).story.further).toEqual([
    `It ended on ${end} UTC, after 30 min.`,
    'What holds now is not known: the dataset, or this subject of it, is held back (pegs).',
  ]);
});

test('an end that was retracted is no end', async () => {
  const [start = ''] = await happen(
    { type: 'peg.depeg.start', ago: 60, data: PEG },
    { type: 'peg.depeg.end', severity: 'info', ago: 30, data: PEG },
  );
  await happen({
    ...{ type: 'peg.depeg.end', ago: 5, retracts: { key: 'peg.depeg.end|30', second: secondAgo(30) } },
    data: { ...PEG, retraction: { reason: 'superseded', source_id: 'rounds', change: 'reland' } },
  });
  await serve([conditionOf(start), pegsOf('live')]);
  expect((await evidenceOf(start)).story.further[0]).toMatch(/^It still lasts/);
});

test('at a time before its end it still lasts', async () => {
  const [start = ''] = await happen({ type: 'peg.depeg.start', ago: 60, data: PEG });
  const before = isoSeconds(AS_OF_MS - 40 * MINUTE_MS);
  await fixture.publish([...fixtureDatasets(before), conditionOf(start), pegsOf('live')], before);
  await happen({ type: 'peg.depeg.end', severity: 'info', ago: 30, data: PEG });
  await serve([conditionOf(OTHER), pegsOf('live')]);
  expect((await evidenceOf(start)).story.further[0]).toMatch(/^It ended on/);
  expect((await evidenceOf(start, `?as_of=${before}`)).story.further[0]).toMatch(/^It still lasts/);
});

test('an event that was published before the conditions of its time is not over', async () => {
  await fixture.publish([...fixtureDatasets(), conditionOf(OTHER), pegsOf('live')]);
  server = await fixture.serve({ plan: 'team' });
  const later = AS_OF_MS + 2 * MINUTE_MS;
  const [text = ''] = await fixture.append(
    [
      {
        key: 'peg.depeg.start|late',
        envelope: {
          ...{
            type: 'peg.depeg.start',
            severity: 'high',
            chain: 'ethereum',
            subject_id: 'peg:ethereum:PYUSD',
          },
          ...{ ts: AS_OF, data: { chain: 'ethereum', ...PEG } },
          meta: { _agentic: { freshness: { status: 'fresh' } } },
        },
      },
    ],
    later,
  );
  await fixture.publishEvents(isoSeconds(later));
  fixture.nowMs = later;
  await server.refresh();
  expect((await evidenceOf((JSON.parse(text) as { event_id: string }).event_id)).story.further).toEqual([
    'Whether it is over is not known: conditions of its time are not published yet.',
  ]);
});

test('names, the unit of the price and the heartbeat come from the registries, and the rules have a meaning', async () => {
  const [stale, peg] = await happen(
    {
      type: 'oracle.stale',
      ago: 60,
      subject_id: `oracle:ethereum:${FEED}:${MARKET}`,
      data: { oracle_address: FEED, market_id: MARKET, stale_age_s: 600 },
    },
    { type: 'peg.depeg.start', ago: 50, data: PEG },
  );
  const rule = { type: 'oracle.stale', place: 1, role: 'threshold', name: 'oracle.grace_s', unit: 'seconds' };
  await serve([
    datasetOf('event-rules', [
      { key: 'oracle.stale', value: [{ ...rule, value: 60, policy_version: '1.0.0' }] },
    ]),
    datasetOf('feeds', [{ key: `ethereum|${FEED}`, value: { pair: 'AAVE-USD', heartbeat_s: 3_600 } }]),
    datasetOf('lending-markets', [{ key: `ethereum|${MARKET}`, value: { name: 'AAVE', protocol: 'aave' } }]),
    datasetOf('pegs', [{ key: 'ethereum|PYUSD', value: { quote: 'USD' } }]),
  ]);
  const { story, rules } = await evidenceOf(stale);
  expect(story.headline).toMatch(
    /^AAVE-USD on ethereum, which the market AAVE \(aave\) relies on, had not answered on .* past its heartbeat of 1 h and a grace of 1 min/,
  );
  expect(rules.map(({ name, value }) => [name, value])).toEqual([
    ['feeds.heartbeat_s', 3_600],
    ['oracle.grace_s', 60],
  ]);
  expect(rules.every(({ meaning }) => meaning !== null)).toBe(true);
  expect((await evidenceOf(peg)).story.headline).toContain('its price was 0.9737 USD, 263 bps below');
});

test('a retracted event says so and names its retraction, also to a caller who sees the log late', async () => {
  const [start] = await happen({ type: 'peg.depeg.start', ago: 60, data: PEG });
  const [retraction] = await happen({
    type: 'peg.depeg.start',
    ago: 5,
    data: { ...PEG, retraction: { reason: 'superseded', source_id: 'rounds', change: 'reland' } },
    retracts: { key: 'peg.depeg.start|60', second: secondAgo(60) },
  });
  for (const plan of ['team', 'free'] as const) {
    await serve([], plan);
    const { story, course } = await evidenceOf(start);
    expect(story.headline, plan).toMatch(
      /^Retracted on .*, because rows of the source rounds were taken back; /,
    );
    expect(story.further).toEqual([]);
    expect(course).toMatchObject([{ role: 'retraction', event_id: retraction }]);
  }
  await serve();
  const found = await evidenceOf(retraction);
  expect(found.story.headline).toMatch(/^An earlier event was retracted on .* this did not happen: PYUSD /);
  expect(found.course).toMatchObject([{ role: 'retracted', event_id: start }]);
});

test('a caller who sees the log late does not see what followed in the meantime', async () => {
  const [start, end] = await happen(
    { type: 'peg.depeg.start', ago: 60, data: PEG },
    { type: 'peg.depeg.end', severity: 'info', ago: 5, data: PEG },
  );
  await serve([], 'free');
  expect((await evidenceOf(start)).course).toEqual([]);
  await serve([], 'team');
  expect(await courseOf(start)).toEqual([['end', end]]);
});

test('the page of an unknown event has the status 404, that of a logged one 200, whoever asks', async () => {
  const [id = ''] = await happen({ type: 'peg.depeg.start', ago: 60 * 24 * 90, data: PEG });
  await serve([], 'free');
  const pageOf = async (event: string) => {
    const answer = await fetch(`${server.url}/events?id=${event}`, { headers: { Accept: 'text/html' } });
    return { status: answer.status, text: await answer.text() };
  };
  for (const unknown of ['01HZX3K9Q4T2V7B8N6M5P1R0SD', 'nothing', '%3Cb%3E']) {
    const { status, text } = await pageOf(unknown);
    expect(status, unknown).toBe(404);
    expect(text).toContain('There is no event with this id');
    expect(text).toContain('href="/events"');
  }
  for (const known of [id, id.toLowerCase()]) {
    const { status, text } = await pageOf(known);
    expect(status).toBe(200);
    expect(text).not.toContain('There is no event with this id');
  }
});
