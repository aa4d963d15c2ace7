// One reading of the oracles of many markets at one block. Prices are read every time. Legs are read when a market is new, once a day in
// turn, and when a price jumps or an oracle switches, because they are what costs most. What runs at each contract is read once a day too.

import { DAY_S } from '../../../../../platform/base/time.ts';
import { type Ask, askEach, NO_ADDRESS } from '../contract-call.ts';
import { type ContractCode, readCodes } from '../contract-codes.ts';
import type { BlockRef, Rpc } from '../rpc.ts';
import { readTokens } from '../token-abi.ts';
import { readMarketParams } from '../vaults/market-state.ts';
import { readAavePaths } from './aave-oracles.ts';
import { currentQuestion, priceQuestion } from './oracle-kinds.ts';
import type { OraclePath } from './oracle-legs.ts';
import {
  type BlockFacts,
  barePriceRow,
  type Codes,
  oracleLegRows,
  oraclePriceRow,
  type PriceFacts,
} from './oracle-rows.ts';
import { readOraclePaths } from './read-oracle-paths.ts';

/** Incremented when what the state holds is read in another way. */
const STATE_VERSION = 1;
const TURNS = 24;
const TURN_S = DAY_S / TURNS;
/** A jump of a price of two percent may come from another path. */
const JUMP = { part: 2n, of: 100n } as const;
/** In a crash all prices jump; the legs of the others are read by the next readings, or in their turn. */
const MAX_JUMPS = 40;

/** A price over four feeds takes a few hundred thousand gas. */
const PRICE_BATCH = 150;

interface MarketRecord extends Omit<PriceFacts, 'price' | 'market_id'> {
  /** Digits of the price as of the last reading, or of the last one before a jump whose legs have not been read yet. */
  readonly price: string | null;
  /** Which oracle a switching one read then. */
  readonly current: string | null;
  /** When the legs are read next, Unix seconds. */
  readonly due_at: number;
}

/** What the next reading continues from; a JSON value. */
export interface OraclesState {
  readonly version: number;
  readonly markets: { readonly [id: string]: MarketRecord };
  readonly codes: { readonly [contract: string]: ContractCode & { readonly read_at: number } };
}

export interface OraclesTask {
  readonly morpho: string;
  readonly ids: readonly string[];
  readonly factories: readonly string[];
  readonly before: OraclesState | null;
  readonly head: BlockRef & { readonly timestamp: number };
  /** Name of the chain in rows. */
  readonly chain: string;
}

type Row = { readonly [field: string]: string | number | boolean | null };

export interface OraclesReading {
  readonly rows: { readonly oracle_price: readonly Row[]; readonly oracle_leg: readonly Row[] };
  readonly missing: readonly { readonly id: string; readonly why: string }[];
  readonly state: OraclesState;
}

export async function readOracles(ask: Ask, rpc: Rpc, task: OraclesTask): Promise<OraclesReading> {
  const { ids, head, factories } = task;
  const before = task.before?.version === STATE_VERSION ? task.before : null;
  const wanted = new Set(ids);
  const known = new Map(Object.entries(before?.markets ?? {}).filter(([id]) => wanted.has(id)));
  const fresh = await readFresh(
    ask,
    task,
    ids.filter((id) => !known.has(id)),
  );
  const prices = await readPrices(ask, [...known]);
  const isDue = ({ market }: { readonly market: MarketRecord }) => head.timestamp >= market.due_at;
  const due = prices.filter(isDue);
  const jumped = prices.filter((one) => one.hasJumped && !isDue(one)).slice(0, MAX_JUMPS);
  const dueIds = new Set([...due, ...jumped].map(({ id }) => id));
  const paths = await readOraclePaths(ask, {
    factories,
    markets: [
      ...fresh.markets,
      ...prices.filter(({ id }) => dueIds.has(id)).map(({ id, market }) => ({ id, ...marketOf(market) })),
    ],
  });
  const codes = await codesOf(ask, rpc, { paths, head, before: before?.codes ?? {} });
  const light = prices.filter(({ id }) => !dueIds.has(id));
  return {
    rows: rowsOf(task, { paths, light, codes }),
    missing: fresh.missing,
    state: {
      version: STATE_VERSION,
      markets: Object.fromEntries([
        ...light.map(({ id, market, row, current, hasJumped }) => [
          id,
          hasJumped ? market : { ...market, price: row.price?.toString() ?? null, current },
        ]),
        ...paths.map((path) => [path.marketId, recordOf(path, head.timestamp)]),
      ]),
      codes,
    },
  };
}

function rowsOf(
  { chain, head }: Pick<OraclesTask, 'chain' | 'head'>,
  {
    paths,
    light,
    codes,
  }: {
    readonly paths: readonly OraclePath[];
    readonly light: readonly { readonly row: PriceFacts }[];
    readonly codes: OraclesState['codes'];
  },
): OraclesReading['rows'] {
  const at: BlockFacts = { chain, observed_at: head.timestamp, block_number: head.number };
  const runs: Codes = new Map(Object.entries(codes));
  return {
    oracle_price: [
      ...paths.map((path) => oraclePriceRow(at, path, runs)),
      ...light.map(({ row }) => barePriceRow(at, row)),
    ],
    oracle_leg: paths.flatMap((path) => oracleLegRows(at, path, runs)),
  };
}

/** The price sources of Aave's markets, which are read as a whole each time. */
export async function readAaveOracles(
  ask: Ask,
  rpc: Rpc,
  { providers, before, ...task }: Pick<OraclesTask, 'before' | 'head' | 'chain'> & AaveMarkets,
): Promise<OraclesReading> {
  const { paths, missing } = await readAavePaths(ask, providers);
  const known = before?.version === STATE_VERSION ? before.codes : {};
  const codes = await codesOf(ask, rpc, { paths, head: task.head, before: known });
  return {
    rows: rowsOf(task, { paths, light: [], codes }),
    missing,
    state: { version: STATE_VERSION, markets: {}, codes },
  };
}

interface AaveMarkets {
  /** Addresses providers. */
  readonly providers: readonly string[];
}

interface FreshMarkets {
  readonly markets: readonly ({ readonly id: string } & ReturnType<typeof marketOf>)[];
  readonly missing: OraclesReading['missing'];
}

/** Markets that are read for the first time; those without an oracle have no path. */
async function readFresh(
  ask: Ask,
  { morpho }: Pick<OraclesTask, 'morpho'>,
  ids: readonly string[],
): Promise<FreshMarkets> {
  const params = await readMarketParams(ask, { morpho, ids });
  const priced = [...params].filter(([, { oracle }]) => oracle !== NO_ADDRESS);
  const tokens = await readTokens(
    ask,
    priced.flatMap(([, { loanToken, collateralToken }]) => [loanToken, collateralToken]),
  );
  return {
    markets: priced.map(([id, { oracle, loanToken, collateralToken }]) => ({
      id,
      oracle,
      tokens: { loan: tokens.get(loanToken) ?? null, collateral: tokens.get(collateralToken) ?? null },
    })),
    missing: ids.filter((id) => !params.has(id)).map((id) => ({ id, why: 'no such market' })),
  };
}

/** Of tokens, only the decimals go into rows. */
const marketOf = ({ oracle_address: oracle, loan_decimals, collateral_decimals }: MarketRecord) => ({
  oracle,
  tokens: { loan: tokenOf(loan_decimals), collateral: tokenOf(collateral_decimals) } as OraclePath['tokens'],
});

const tokenOf = (decimals: number | null) => (decimals === null ? null : { symbol: '', decimals });

async function readPrices(ask: Ask, known: readonly (readonly [string, MarketRecord])[]) {
  const oracles = [...new Set(known.map(([, { oracle_address }]) => oracle_address))];
  const switching = new Set(
    known.flatMap(([, { kind, oracle_address }]) => (kind === 'meta' ? [oracle_address] : [])),
  );
  // One that fails without a reason is asked again with fewer others: an answer that is lost to a limit of gas is no revert.
  const priced = await askEach(ask, oracles, (oracle) => ({ price: priceQuestion(oracle) }), {
    batch: PRICE_BATCH,
  });
  const switched = await askEach(ask, [...switching], (oracle) => ({ current: currentQuestion(oracle) }), {
    mayRevert: true,
  });
  const prices = new Map(priced.map(({ item, answers }) => [item, answers.price]));
  const current = new Map(switched.map(({ item, answers }) => [item, answers.current]));
  return known.map(([id, market]) => {
    const price = prices.get(market.oracle_address) ?? null;
    const now = current.get(market.oracle_address) ?? null;
    const { price: last, current: _, due_at: _due, ...facts } = market;
    return {
      ...{ id, market, current: now },
      row: { ...facts, market_id: id, price },
      hasJumped: now !== market.current || isJump(last, price),
    };
  });
}

/** An answer that appears or disappears is one, too. */
function isJump(last: string | null, price: bigint | null): boolean {
  if (last === null || price === null) return (last === null) !== (price === null);
  const change = price - BigInt(last);
  return change !== 0n && (change < 0n ? -change : change) * JUMP.of >= BigInt(last) * JUMP.part;
}

const recordOf = ({ marketId, oracle, tokens }: OraclePath, time: number): MarketRecord => ({
  oracle_address: oracle.oracle,
  kind: oracle.kind,
  kind_by: oracle.kindBy,
  loan_decimals: tokens.loan?.decimals ?? null,
  collateral_decimals: tokens.collateral?.decimals ?? null,
  price: oracle.price?.toString() ?? null,
  current: oracle.kind === 'meta' ? oracle.current : null,
  due_at: nextTurn(marketId, time),
});

/** The next start of the hour of the day that is this market's, at least an hour from now. */
function nextTurn(id: string, time: number): number {
  const turn = (Number.parseInt(id.slice(-4), 16) % TURNS) * TURN_S;
  const today = Math.floor(time / DAY_S) * DAY_S + turn;
  return today >= time + TURN_S ? today : today + DAY_S;
}

/** Codes that have not been read for a day are read again; an hour before that, because turns do not come at the same minute. */
async function codesOf(
  ask: Ask,
  rpc: Rpc,
  {
    paths,
    head,
    before,
  }: {
    readonly paths: readonly OraclePath[];
    readonly head: OraclesTask['head'];
    readonly before: OraclesState['codes'];
  },
): Promise<OraclesState['codes']> {
  const all = paths.flatMap(({ oracle, legs }) => [
    oracle.oracle,
    ...legs.map(({ source }) => source.contract),
  ]);
  const due = [...new Set(all)].filter(
    (contract) => head.timestamp >= (before[contract]?.read_at ?? 0) + DAY_S - TURN_S,
  );
  if (due.length === 0) return before;
  const read = await readCodes(rpc, ask, { contracts: due, block: head });
  return {
    ...before,
    ...Object.fromEntries(
      [...read].map(([contract, code]) => [contract, { ...code, read_at: head.timestamp }]),
    ),
  };
}
