// Rounds of feeds read from a real node: every round of real feeds, phases, missing rounds, and feeds that cannot be read.
import { readFile } from 'node:fs/promises';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHead, readHeader } from '../../../../../jobs/sources/live/evm/block.ts';
import { type Feed, proxyRound } from '../../../../../jobs/sources/live/evm/feed-abi.ts';
import { type RoundPlan, readRounds, roundRows } from '../../../../../jobs/sources/live/evm/read-rounds.ts';
import { describeRealData, realData } from '../../../../support/real-data.ts';
import { type Anvil, describeOnNode, startAnvil } from './anvil.ts';

const PRICE = 99_990_000n;
const START = 1_700_000_000;

interface Submitted {
  readonly answers: readonly bigint[];
  readonly times: readonly number[];
}

/** Rounds one hour apart. */
const hourly = (count: number, from: number): Submitted => ({
  answers: Array.from({ length: count }, (_, index) => PRICE + BigInt(index)),
  times: Array.from({ length: count }, (_, index) => from + index * 3_600),
});

describeOnNode('rounds of feeds on a real node', () => {
  let node: Anvil;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
  });
  afterAll(() => node.stop());

  const submit = async (aggregator: Address, { answers, times }: Submitted) => {
    for (let at = 0; at < answers.length; at += 200)
      await node.send(
        'Aggregator',
        aggregator,
        'submit',
        answers.slice(at, at + 200),
        times.slice(at, at + 200),
      );
  };
  const feedWith = async (phases: readonly Submitted[]) => {
    const proxy = await node.deploy('AggregatorProxy');
    const aggregators: Address[] = [];
    for (const rounds of phases) {
      const aggregator = await node.deploy('Aggregator', [8]);
      await submit(aggregator, rounds);
      await node.send('AggregatorProxy', proxy, 'confirm', aggregator);
      aggregators.push(aggregator);
    }
    return { proxy, aggregators };
  };
  const read = async (
    feeds: readonly Feed[],
    { known = new Map(), since = 0, sinceOfNew = since, batch = 200 }: Partial<RoundPlan> = {},
  ) => {
    const head = await readHead(node.rpc, { confirmations: 0 });
    const reading = await readRounds(node.rpc, { feeds, known, since, sinceOfNew, head, batch });
    return { ...reading, rows: roundRows('anvil', reading) };
  };
  const feed = (address: string): Feed => ({ address, decimals: 8 });

  it('reads every round of every phase, and only what is new afterwards', async () => {
    const { proxy, aggregators } = await feedWith([hourly(40, START), hourly(3, START + 500_000)]);
    const first = await read([feed(proxy)]);
    const ids = [...Array(40).keys()].map((at) => proxyRound(1, BigInt(at + 1)).toString());
    const later = [1n, 2n, 3n].map((round) => proxyRound(2, round).toString());
    expect(first.rows.map(({ round_id }) => round_id).sort()).toEqual([...ids, ...later].sort());
    expect(first.known.get(proxy)).toEqual({
      newest: proxyRound(2, 3n),
      oldest: proxyRound(1, 1n),
      since: 0,
    });
    expect(first.rows.find(({ round_id }) => round_id === ids[7])).toEqual({
      chain: 'anvil',
      feed_address: proxy,
      round_id: ids[7],
      answered_in_round: ids[7],
      answer: (PRICE + 7n).toString(),
      decimals: 8,
      updated_at: START + 7 * 3_600,
    });
    await submit(aggregators[1] as Address, hourly(2, START + 600_000));
    const second = await read([feed(proxy)], { known: first.known });
    // The latest round comes with every reading; the other one needed a request.
    expect(second.rows.map(({ round_id }) => round_id)).toEqual(
      [5n, 4n].map((round) => proxyRound(2, round).toString()),
    );
    expect((await read([feed(proxy)], { known: second.known })).rows).toHaveLength(1);
  });

  it('reads across changes of phase: the rest of the old phase and all of the new ones', async () => {
    const { proxy, aggregators } = await feedWith([hourly(5, START)]);
    const { known } = await read([feed(proxy)]);
    await submit(aggregators[0] as Address, hourly(2, START + 100_000));
    for (const count of [0, 3]) {
      const next = await node.deploy('Aggregator', [8]);
      await submit(next, hourly(count, START + 200_000));
      await node.send('AggregatorProxy', proxy, 'confirm', next);
    }
    const { rows } = await read([feed(proxy)], { known });
    expect(rows.map(({ round_id }) => BigInt(round_id)).sort((a, b) => (a < b ? -1 : 1))).toEqual([
      ...[6n, 7n].map((round) => proxyRound(1, round)),
      ...[1n, 2n, 3n].map((round) => proxyRound(3, round)),
    ]);
  });

  it('reads back from the oldest known round, and requests nothing twice', async () => {
    const { proxy } = await feedWith([hourly(100, START), hourly(100, START + 360_000)]);
    const middle = START + 360_000 + 50 * 3_600;
    const first = await read([feed(proxy)], { since: middle });
    const back = await read([feed(proxy)], { since: 0, known: first.known });
    expect(back.known.get(proxy)).toEqual({
      newest: proxyRound(2, 100n),
      oldest: proxyRound(1, 1n),
      since: 0,
    });
    const ids = new Set([...first.rows, ...back.rows].map(({ round_id }) => round_id));
    expect(ids.size).toBe(200);
    const again = back.rows.filter(({ round_id }) => first.rows.some((row) => row.round_id === round_id));
    expect(again.map(({ round_id }) => round_id)).toEqual([proxyRound(2, 100n).toString()]);
    // A feed that is new to the reading is read as far back as requested.
    const recent = { since: middle, sinceOfNew: START + 360_000 };
    const fresh = await read([feed(proxy)], recent);
    expect(fresh.known.get(proxy)?.since).toBe(START + 360_000);
    expect(fresh.rows.length).toBeGreaterThanOrEqual(100);
  });

  it('skips rounds that revert, and stops at the first round before the wanted instant', async () => {
    const { proxy, aggregators } = await feedWith([hourly(10, START)]);
    await node.send('Aggregator', aggregators[0] as Address, 'skip', 3);
    await submit(aggregators[0] as Address, hourly(100, START + 36_000));
    const all = await read([feed(proxy)]);
    expect(all.rows).toHaveLength(110);
    const since = START + 36_000 + 90 * 3_600;
    const recent = await read([feed(proxy)], { since });
    const times = recent.rows.map(({ updated_at }) => updated_at);
    expect(times.filter((time) => time >= since)).toHaveLength(10);
    expect(times.filter((time) => time < since).length).toBeGreaterThan(0);
  });

  it('names feeds that cannot be read and reads the others', async () => {
    const { proxy } = await feedWith([hourly(2, START)]);
    const empty = (await feedWith([hourly(0, START)])).proxy;
    const noContract = '0x00000000000000000000000000000000000000aa';
    const wrong = { address: (await feedWith([hourly(1, START)])).proxy, decimals: 18 };
    const { rows, missing } = await read([feed(proxy), feed(empty), feed(noContract), wrong]);
    expect(new Set(rows.map(({ feed_address }) => feed_address))).toEqual(new Set([proxy]));
    expect(missing).toEqual([
      { feed: empty, why: 'it has no round (No data present)' },
      { feed: noContract, why: 'it does not return its decimals (no reason given)' },
      { feed: wrong.address, why: 'it has 8 decimals, but the registry states 18' },
    ]);
  });

  it('yields the same rows for any batch size', async () => {
    const { proxy } = await feedWith([hourly(70, START), hourly(5, START + 900_000)]);
    const [whole, small] = [await read([feed(proxy)]), await read([feed(proxy)], { batch: 7 })];
    expect(small.rows.toSorted(byRound)).toEqual(whole.rows.toSorted(byRound));
    expect(whole.rows).toHaveLength(75);
  });

  it('reports that a block is older than Multicall3', async () => {
    const fresh = await startAnvil();
    try {
      const head = await readHeader(fresh.rpc, 0);
      await expect(
        readRounds(fresh.rpc, { feeds: [feed(`0x${'1'.repeat(40)}`)], known: new Map(), since: 0, head }),
      ).rejects.toThrow(/no Multicall3 contract/);
    } finally {
      await fresh.stop();
    }
  });

  describeRealData('of USDT/USD', () => {
    it('are read back exactly, digit by digit', async () => {
      const rounds = await realRounds();
      const phases = [...new Set(rounds.map(({ phase }) => phase))].sort((a, b) => a - b);
      const { proxy } = await feedWith(
        phases.map((phase) => {
          const own = rounds.filter((round) => round.phase === phase);
          return { answers: own.map(({ answer }) => answer), times: own.map(({ time }) => time) };
        }),
      );
      const { rows } = await read([feed(proxy)]);
      const found = new Map(
        rows.map(({ round_id, answer, updated_at }) => [round_id, { answer, updated_at }]),
      );
      expect(found.size).toBe(rounds.length);
      for (const { id, answer, time } of rounds)
        expect(found.get(id)).toEqual({ answer: answer.toString(), updated_at: time });
    });
  });
});

const byRound = (a: { readonly round_id: string }, b: { readonly round_id: string }) =>
  a.round_id < b.round_id ? -1 : 1;

/** Both phases, oldest first. Columns: roundId, answer, startedAt, updatedAt, answeredInRound, phaseId, aggregatorRoundId. */
async function realRounds() {
  const text = await readFile(realData('oracles/chainlink-usdt-usd-rounds-all-phases.csv'), 'utf8');
  const lines = text.trim().split('\n').slice(1);
  const rounds = lines.map((line) => {
    const [id = '', answer = '', , time, , phase] = line.trim().split(',');
    return { id, answer: BigInt(answer), time: Number(time), phase: Number(phase) };
  });
  return rounds.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}
