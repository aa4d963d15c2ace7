import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../jobs/policies.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { type OracleWorld, openOracleWorld } from './oracle-world.ts';

const DAY = 86_400;
const REGISTERED_AT = 1_609_459_200;
const ETH_USD = '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419';
const STETH_ETH = '0x86392dc19c0b719886221c78ab11eb8cf5c52812';
const USDT_USD = '0x3e7d1eab13ad0104d2750b8863b489d65364e32d';
const USDC_USD = '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6';

const { peg } = DEFAULT_POLICY;
/** The rules under which the owners of the USDT rounds looked at them: one observation is enough, and only prices below count. */
const ownersRules: Policy = {
  ...DEFAULT_POLICY,
  peg: {
    ...peg,
    bands: {
      ...peg.bands,
      fiat_usd: { enter_bps: 100, exit_bps: 50, is_downside_only: true, reference_fall_bps: 0 },
    },
    confirm_observations: 1,
  },
};

const quoted = (file: string) => `'${realData(`oracles/${file}`).replaceAll("'", "''")}'`;

const landRegistry = (world: OracleWorld) =>
  world.landQuery(
    'feed_registry',
    'obs.feed_registry',
    `select 'ethereum' as chain, 'chainlink' as provider, lower(coalesce(proxyAddress, feedId)) as feed_address, name,
       docs.baseAsset as base, docs.quoteAsset as quote, docs.attributeType as category, docs.assetClass as asset_class,
       lower(feedCategory) as risk_level, cast(heartbeat as bigint) as heartbeat_s, cast(threshold as double) * 100 as deviation_bps,
       cast(decimals as bigint) as decimals, lower(docs.marketHours) as market_hours, cast(${REGISTERED_AT} as bigint) as observed_at
     from read_json(${quoted('chainlink-feeds-mainnet.json')}, maximum_depth = 3)`,
  );

interface RoundsFile {
  readonly file: string;
  readonly feed_address: string;
  readonly decimals: number;
  readonly columns: readonly [round: string, time: string];
}

const landRounds = (world: OracleWorld, { file, feed_address, decimals, columns }: RoundsFile) =>
  world.landQuery(
    'feed_round',
    'obs.feed_round',
    `select 'ethereum' as chain, '${feed_address}' as feed_address, "${columns[0]}" as round_id, answer,
       cast(${decimals} as bigint) as decimals, cast(answer as double) / power(10, ${decimals}) as price,
       cast("${columns[1]}" as bigint) as updated_at
     from read_csv(${quoted(file)}, all_varchar = true)`,
  );

const PHASES = ['roundId', 'updatedAt'] as const;
const PLAIN = ['round', 'update'] as const;

const iso = (at: number) => new Date(at * 1000).toISOString().replace('.000Z', 'Z');
const edgesOf = (events: readonly Candidate[], symbol: string) =>
  events
    .filter(
      ({ type, envelope }) =>
        type !== 'peg.depeg.recovered' && envelope['subject_id'] === `peg:ethereum:${symbol}`,
    )
    .map(({ key, event_at, type }) => ({ type, round: key.split('|').at(-1), at: iso(event_at) }));

interface ExpectedLine {
  readonly type: string;
  readonly round: string | undefined;
  readonly at: string;
}

function expectedWindows(): readonly ExpectedLine[] {
  const [, ...lines] = readFileSync(realData('oracles/expected-depeg-windows-usdt.csv'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const [, , , event, round, , time = ''] = line.split(',');
    return {
      type: event === 'TRIGGER' ? 'peg.depeg.start' : 'peg.depeg.end',
      round,
      at: `${time.replace(' ', 'T')}Z`,
    };
  });
}

async function computed(world: OracleWorld, last: number): Promise<readonly Candidate[]> {
  await world.compute({ start: REGISTERED_AT, end: last + 1, now: last });
  return world.detect(-1, last);
}

describeRealData('the USDT rounds of 2021 and 2022 under the rules of their owners', () => {
  test.each(['chainlink-usdt-usd-rounds-all-phases.csv', 'chainlink-usdt-usd-rounds.csv'])(
    '%s gives exactly the depegs that they published',
    async (file) => {
      const world = await openOracleWorld({ policy: ownersRules, needs: { events: ['peg.'] } });
      await landRegistry(world);
      await landRounds(world, { file, feed_address: USDT_USD, decimals: 8, columns: PHASES });
      const events = await computed(world, 1_672_531_199);
      await world.close();
      expect(expectedWindows()).toHaveLength(4);
      expect(edgesOf(events, 'USDT')).toEqual(expectedWindows());
    },
  );
});

describeRealData('the feeds of the main network with four histories', () => {
  let world: OracleWorld;
  let events: readonly Candidate[];
  const last = 1_706_572_799;

  beforeAll(async () => {
    world = await openOracleWorld({
      needs: { events: ['oracle.feed.invalid', 'peg.'], tables: ['out.coverage', 'out.oracle_parameter'] },
    });
    await landRegistry(world);
    await landRounds(world, {
      file: 'chainlink-usdt-usd-rounds-all-phases.csv',
      feed_address: USDT_USD,
      decimals: 8,
      columns: PHASES,
    });
    await landRounds(world, {
      file: 'chainlink-usdc-usd-rounds-all-phases.csv',
      feed_address: USDC_USD,
      decimals: 8,
      columns: PHASES,
    });
    await landRounds(world, {
      file: 'chainlink-eth-usd-rounds.csv',
      feed_address: ETH_USD,
      decimals: 8,
      columns: PLAIN,
    });
    await landRounds(world, {
      file: 'chainlink-steth-eth-rounds.csv',
      feed_address: STETH_ETH,
      decimals: 18,
      columns: PLAIN,
    });
    events = await computed(world, last);
  });
  afterAll(() => world.close());

  test('has 287 feeds, of which the 20 without a heartbeat are unverifiable', async () => {
    const [counts] = await world.rows(`
      select count(*) as feeds, count(*) filter (where heartbeat_s is null) as without_heartbeat,
        count(*) filter (where heartbeat_s is null and c.verdict = 'unverifiable') as unverifiable
      from derived.feed f join derived.coverage c on c.scope_id = f.feed_address`);
    expect(counts).toMatchObject({ feeds: 287, without_heartbeat: 20, unverifiable: 20 });
  });

  test('fires one invalid answer, for the round of ETH / USD that was never answered', () => {
    const invalid = events.filter(({ type }) => type === 'oracle.feed.invalid');
    expect(invalid.map(({ envelope }) => [envelope['subject_id'], envelope['ts']])).toEqual([
      [`oracle:ethereum:${ETH_USD}:ETH-USD`, '2023-04-05T22:38:35Z'],
    ]);
  });

  test('sees stETH leave its peg before June 2022 and come back only when its price did', () => {
    const [start, end] = edgesOf(events, 'STETH');
    expect(start).toMatchObject({ type: 'peg.depeg.start', at: '2022-05-12T17:12:57Z' });
    expect(end).toMatchObject({ type: 'peg.depeg.end', at: '2022-09-26T09:30:47Z' });
  });

  test('finds a start and no end when it watches June 2022 alone', async () => {
    const june = await openOracleWorld({ needs: { events: ['peg.'] } });
    await landRegistry(june);
    await landRounds(june, {
      file: 'chainlink-steth-eth-rounds.csv',
      feed_address: STETH_ETH,
      decimals: 18,
      columns: PLAIN,
    });
    const [from, to] = [1_654_041_600, 1_656_633_599];
    await june.rows(`delete from obs.feed_round where observed_at < ${from} or observed_at > ${to}`);
    expect(edgesOf(await computed(june, to), 'STETH').map(({ type }) => type)).toEqual(['peg.depeg.start']);
    await june.close();
  });

  test('has a history of ETH / USD that is complete, and none of USDT / USD after it ends', async () => {
    const rows = await world.rows(
      `select label, history_completeness_pct as pct, gaps from out.coverage where scope_id in ('${ETH_USD}', '${USDT_USD}') order by label`,
    );
    expect(rows).toEqual([
      { label: 'ETH-USD', pct: 100, gaps: [{ kind: 'stale' }] },
      {
        label: 'USDT-USD',
        pct: expect.closeTo(93.3, 0),
        gaps: [{ kind: 'missing_history' }, { kind: 'stale' }],
      },
    ]);
  });

  test('names a hole of 27 days in a history that has more rounds than heartbeats without them', async () => {
    const holed = await openOracleWorld({ needs: { tables: ['out.coverage'] } });
    await landRegistry(holed);
    await landRounds(holed, {
      file: 'chainlink-eth-usd-rounds.csv',
      feed_address: ETH_USD,
      decimals: 8,
      columns: PLAIN,
    });
    const [from, to] = [1_685_577_600, 1_685_577_600 + 27 * DAY];
    const [edge] = await holed.rows(`
      select max(observed_at) filter (where observed_at < ${from}) as before,
        min(observed_at) filter (where observed_at >= ${to}) as after,
        count(*) filter (where observed_at >= ${from} and observed_at < ${to}) as gone
      from derived.feed_answer where is_valid`);
    await holed.rows(`delete from obs.feed_round where observed_at >= ${from} and observed_at < ${to}`);
    await computed(holed, last);
    const [row] = await holed.rows(
      `select history_completeness_pct as pct, gaps from out.coverage where scope_id = '${ETH_USD}'`,
    );
    expect(Number(edge?.['gone'])).toBeGreaterThan(900);
    expect(row).toEqual({
      pct: expect.closeTo(90.98, 2),
      gaps: [
        { kind: 'missing_history', from: iso(Number(edge?.['before'])), to: iso(Number(edge?.['after'])) },
        { kind: 'stale' },
      ],
    });
    await holed.close();
  });

  test('shows one row of the week for every day and feed that has a history', async () => {
    const rows = await world.rows(
      'select feed_address, count(*) as days from out.oracle_parameter group by feed_address',
    );
    expect(rows.map((row) => row['days'])).toEqual([7, 7, 7, 7]);
    expect(last % DAY).toBe(DAY - 1);
  });
});
