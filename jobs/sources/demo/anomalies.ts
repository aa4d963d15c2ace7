// Values locked, flows, holders and large transfers of the demo world, calm except for scripted incidents: a crash of all values, one
// spike, one run on a protocol, one holder who accumulates, one large transfer, and one hour of extraction far above normal.

import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { hash, hexDigits, signed, unit } from './scenario/hash.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type Row, simulated } from './scenario/simulated.ts';
import { CRASH_S, episode, instants, type Programme, programme } from './scenario/stress.ts';

const SEED = 9_000;
const SIX_HOURS_S = 6 * HOUR_S;
const MEV_STEP_S = 20 * 60;
const SPIKE_S = 14 * DAY_S + 15 * HOUR_S;
const RUN_S = 14 * DAY_S;
const GATHERING_S = 15 * DAY_S + 6 * HOUR_S;
const WHALE_S = 15 * DAY_S + 12 * HOUR_S;
const EXTRACTION_S = 15 * DAY_S + 20 * HOUR_S;

/** Normal value locked, USD. */
const PROTOCOLS = [
  ['lido', 24e9],
  ['aave', 19e9],
  ['morpho', 6e9],
  ['curve', 2.1e9],
  ['pendle', 4.4e9],
  ['aerodrome', 0.6e9],
] as const;
const SPIKING = 'pendle';
const RUN_ON = 'morpho';
const TOKENS = ['ethena-usde', 'sky-usds'] as const;

type DemoContext = DemoSettings & Programme;

export function anomalyDemoSources(settings: DemoSettings): readonly Source[] {
  const world = { ...settings, ...programme(settings) };
  const every = (step: number, rowsAt: (world: DemoContext, at: number) => readonly Row[]) => ({
    chain: null,
    rowsIn: (interval: Interval) =>
      [...instants(world.start, interval, step)].flatMap((at) => rowsAt(world, at)),
  });
  return [
    simulated({ table: 'tvl_reading', what: 'value locked', ...every(SIX_HOURS_S, valuesAt) }),
    simulated({ table: 'capital_flow', what: 'flows', ...every(SIX_HOURS_S, flowsAt) }),
    simulated({ table: 'holder_concentration', what: 'holders', ...every(SIX_HOURS_S, holdersAt) }),
    simulated({ table: 'whale_transfer', what: 'large transfers', ...every(SIX_HOURS_S, transfersAt) }),
    simulated({ table: 'mev_block', what: 'extraction', ...every(MEV_STEP_S, extractionAt) }),
  ];
}

const noise = ({ seed }: DemoContext, index: number, step: number) => signed(hash(seed, SEED + index), step);

function valuesAt(world: DemoContext, at: number): readonly Row[] {
  const offset = world.offset(at);
  const crash = { from: CRASH_S, hold: 18 * HOUR_S, fade: 6 * DAY_S, factor: 0.66 };
  const spike = { from: SPIKE_S, hold: 0, fade: 6 * DAY_S, factor: 1.38 };
  return PROTOCOLS.map(([protocol, usual], index) => ({
    chain: null,
    protocol,
    pool_id: null,
    observed_at: at,
    tvl_usd:
      usual *
      (1 + 0.012 * noise(world, index, at / SIX_HOURS_S)) *
      episode(offset, crash) *
      (protocol === SPIKING ? episode(offset, spike) : 1),
  }));
}

function flowsAt(world: DemoContext, at: number): readonly Row[] {
  const offset = world.offset(at) ?? 0;
  const isRun = offset > RUN_S && offset <= RUN_S + DAY_S;
  return PROTOCOLS.map(([protocol, usual], index) => ({
    chain: null,
    protocol,
    pool_id: null,
    observed_at: at,
    inflow_usd: usual * (0.004 + 0.002 * noise(world, 20 + index, at / SIX_HOURS_S)),
    outflow_usd:
      usual *
      (0.004 +
        0.002 * noise(world, 40 + index, at / SIX_HOURS_S) +
        (isRun && protocol === RUN_ON ? 0.045 : 0)),
  }));
}

function holdersAt(world: DemoContext, at: number): readonly Row[] {
  const gathered = { from: GATHERING_S, hold: 3 * DAY_S, fade: 4 * DAY_S, factor: 1.3 };
  return TOKENS.map((entity_id, index) => ({
    chain: 'ethereum',
    protocol: null,
    entity_id,
    observed_at: at,
    top_holder_share:
      (0.4 + 0.004 * noise(world, 60 + index, at / SIX_HOURS_S)) *
      (index === 0 ? episode(world.offset(at), gathered) : 1),
  }));
}

function transfersAt(world: DemoContext, at: number): readonly Row[] {
  const isWhale = world.offset(at) === WHALE_S;
  return ['lido', 'aave'].map((protocol, index) => {
    const seed = hash(world.seed, SEED + 80 + index);
    const usual = 1.5e6 * (1 + 2 * unit(seed, at / SIX_HOURS_S));
    return {
      chain: 'ethereum',
      protocol,
      pool_id: null,
      wallet_id: `0x${hexDigits(hash(seed, at), 40)}`,
      tx_hash: `0x${hexDigits(hash(seed, at + 1), 64)}`,
      log_index: 17,
      observed_at: at,
      amount_usd: isWhale && protocol === 'lido' ? 95e6 : usual,
    };
  });
}

function extractionAt(world: DemoContext, at: number): readonly Row[] {
  const offset = world.offset(at) ?? 0;
  const isSpike = offset > EXTRACTION_S && offset <= EXTRACTION_S + HOUR_S;
  const usual = 1_600 * (1 + 0.8 * noise(world, 100, at / MEV_STEP_S));
  return [
    {
      chain: 'ethereum',
      // One block is reported per step. Block numbers are consecutive, because a gap in them would be a missing block.
      block_number: Math.floor(at / MEV_STEP_S),
      observed_at: at,
      extracted_usd: isSpike ? usual * 40 : usual,
    },
  ];
}
