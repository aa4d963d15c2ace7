// Transfers over a made-up bridge: one an hour, and every day at noon a large one.
import type { Source } from '../../../../jobs/define/source.ts';
import { unit } from '../../../../jobs/sources/demo/scenario/hash.ts';
import { type DemoSettings, firstDay } from '../../../../jobs/sources/demo/scenario/settings.ts';
import { simulated } from '../../../../jobs/sources/demo/scenario/simulated.ts';
import { instants } from '../../../../jobs/sources/demo/scenario/stress.ts';

const HOUR_S = 3_600;
const LARGE_USD = 2_000_000;

export const bridgeDemoSources = ({ seed, startedAt, days }: DemoSettings): readonly Source[] => [
  simulated({
    table: 'bridge_transfer',
    what: 'transfers over a bridge',
    chain: null,
    rowsIn: (interval) =>
      [...instants(firstDay(startedAt, days), interval, HOUR_S)].map((sent_at) => ({
        bridge: 'hop',
        transfer_id: String(sent_at),
        sent_at,
        amount_usd:
          sent_at % (24 * HOUR_S) === 12 * HOUR_S ? LARGE_USD : Math.round(1_000 * unit(seed, sent_at)),
      })),
  }),
];
