// The made-up eighth family on the wire: one day of one bridge, all its days together, their history, and the event of a large transfer.
import { IsoTime, Nullable, type Static, Strict, Type } from '../../../../schemas/define.ts';
import { dailySeries, number } from '../../../../schemas/series.ts';
import { type EventType, eventType, Growing } from '../../../../schemas/event.ts';

export const BridgeDaySchema = Strict({
  timestamp: IsoTime('00:00 UTC of the day'),
  transfers: Type.Integer({ minimum: 0, description: 'Transfers of the day' }),
  volume_usd: Nullable(Type.Number({ minimum: 0, description: 'Worth of those whose worth is known, USD' })),
});
export type BridgeDay = Static<typeof BridgeDaySchema>;

export const BridgeTotalSchema = Strict({
  bridge: Type.String({ description: 'Bridge, lower case' }),
  transfers: Type.Integer({ minimum: 0, description: 'All transfers that are known' }),
  last_transfers: Type.Integer({ minimum: 0, description: 'Transfers of the last day with any' }),
  last_volume_usd: Nullable(Type.Number({ minimum: 0, description: 'Their worth, USD; null if unknown' })),
});

/** The days of each bridge. */
export const BRIDGE_SERIES = dailySeries('bridge-totals', {
  transfers: number(null, 'Transfers of the day'),
  volume_usd: number('USD', 'Their worth'),
});

export const BridgeTransferData = Growing({
  bridge: Type.String({ description: 'Bridge, lower case' }),
  amount_usd: Type.Number({ description: 'Worth of the transfer, USD' }),
  threshold_usd: Type.Number({ description: 'Worth from which a transfer is large, USD' }),
});

export const EVENTS: readonly EventType[] = [
  eventType('bridge.transfer.large', 'warn', {
    summary: 'A large transfer over a bridge',
    subject: 'bridge:<bridge>',
    data: BridgeTransferData,
    sample: ['bridge:hop', { bridge: 'hop', amount_usd: 2_000_000, threshold_usd: 1_000_000 }],
  }),
];
