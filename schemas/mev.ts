// Sandwiches and payments to proposers as published. A sandwich whose tokens have no price has no extraction in USD, and states so.
import { ANOMALY_SUBJECT, AnomalyData, sampleAnomaly } from './anomalies.ts';
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { type EventType, eventType, Growing, suppression } from './event.ts';
import { EVENTS_ACCESS } from './plans.ts';
import { dailySeries, number, text as textColumn } from './series.ts';

export const SandwichSchema = Strict({
  chain: Type.String({ description: 'Chain' }),
  pool_id: Type.String({ description: 'Pool' }),
  protocol: Nullable(Type.String({ description: 'Exchange' })),
  block_number: Type.Integer({ minimum: 0, description: 'Block' }),
  observed_at: UnixSeconds('Time of the block'),
  sender: Type.String({ description: 'Account that signed the front-run' }),
  same_by: Type.Enum(['sender', 'contract'], { description: 'What both legs have in common' }),
  front_tx: Type.String({ description: 'Transaction of the front-run; the first, if there are several' }),
  front_txs: Type.Array(Type.String(), { description: 'All transactions of the front-run, sorted by hash' }),
  victim_txs: Type.Array(Type.String(), {
    description: 'Transactions between both legs that traded the same way',
  }),
  back_tx: Type.String({ description: 'Transaction of the back-run; the last, if there are several' }),
  back_txs: Type.Array(Type.String(), { description: 'All transactions of the back-run, sorted by hash' }),
  covered_share: Type.Number({
    minimum: 0,
    description:
      'Share of what the back-run sold that the front-run had bought; below 1, only that share is counted, and the rest came from elsewhere',
  }),
  token: Type.String({ description: 'Token in which the extraction was made' }),
  extracted: Type.Number({
    description:
      'Extraction before gas in the smallest unit of the token, to 15 digits; negative if the actor lost',
  }),
  extracted_usd: Nullable(
    Type.Number({ description: 'Extraction before gas, USD; negative if the actor lost' }),
  ),
  priced_by: Nullable(
    Type.Enum(['front_run', 'back_run', 'feed', 'front_run_counter', 'back_run_counter', 'feed_counter'], {
      description:
        'Price behind extracted_usd: the token’s value by the source of the front-run or the back-run, or by our own feeds at the block; with _counter, the value of the token it was swapped for',
    }),
  ),
  is_large: Nullable(
    Type.Boolean({
      description: 'Whether it is large by the policy, and therefore an event; null if no price is known',
    }),
  ),
  gap: Nullable(Type.Enum(['no_price'], { description: 'Why extracted_usd is unknown' })),
});
export type Sandwich = Static<typeof SandwichSchema>;

const Paid = (description: string) =>
  Nullable(
    Type.Number({
      minimum: 0,
      description: `${description}, native units; null unless every relay was read`,
    }),
  );

export const ProposerPaymentSchema = Strict({
  date: Type.String({ format: 'date', description: 'UTC day' }),
  slots: Type.Integer({
    minimum: 0,
    description: 'Slots whose block came from a relay, with a known payment',
  }),
  unknown_slots: Type.Integer({
    minimum: 0,
    description:
      'Slots for which relays delivered two blocks or report two amounts; not part of any other figure',
  }),
  builders: Nullable(
    Type.Integer({ minimum: 0, description: 'Builders of these blocks; null unless every relay was read' }),
  ),
  paid_native: Paid('Paid by builders to proposers'),
  largest_native: Paid('Largest payment for one block'),
  relays: Type.Array(Type.String(), { description: 'Relays that were read for the whole day' }),
  relays_not_read: Type.Array(Type.String(), {
    description: 'Relays known on the day that were not read for the whole day',
  }),
  gap: Nullable(
    Type.Enum(['relay_not_read', 'relays_disagree'], { description: 'Why the amounts are unknown' }),
  ),
});

const text = (description: string) => Type.String({ description });
const chain = text('Chain name');

export const SandwichData = Growing({
  chain,
  pool_id: Type.String(),
  block_number: Type.Optional(Type.Integer({ minimum: 0 })),
  sandwicher: Type.Optional(text('Account that signed the front-run')),
  front_run_tx: Type.Optional(text('Transaction of the front-run')),
  victim_txs: Type.Optional(Type.Array(Type.String(), { description: 'Sandwiched transactions' })),
  back_run_tx: Type.Optional(text('Transaction of the back-run')),
  extracted_usd: Type.Optional(Type.Number({ description: 'Extracted before gas, USD' })),
  threshold_usd: Type.Optional(Type.Number({ description: 'Extraction at which a sandwich is large, USD' })),
  ...suppression,
});

export const EVENTS: readonly EventType[] = [
  {
    type: 'mev.spike',
    severities: ['high'],
    summary: 'MEV extraction spiked',
    subject: ANOMALY_SUBJECT,
    data: AnomalyData,
    sample: sampleAnomaly('mev_spike', 'high'),
  },
  eventType('mev.sandwich.large', 'high', {
    summary: 'A large sandwich attack',
    subject: 'pool:<chain>:<pool>',
    data: SandwichData,
    sample: [
      'pool:ethereum:sample-pool',
      {
        chain: 'ethereum',
        pool_id: 'sample-pool',
        block_number: 24_000_000,
        sandwicher: `0x${'5b'.repeat(20)}`,
        front_run_tx: `0x${'f1'.repeat(32)}`,
        victim_txs: [`0x${'71'.repeat(32)}`],
        back_run_tx: `0x${'b1'.repeat(32)}`,
        extracted_usd: 25_000,
        threshold_usd: 10_000,
      },
    ],
  }),
];

export const PROPOSER_PAYMENT_SERIES = dailySeries('proposer-payments', {
  paid_native: number('native units', 'Paid by builders to proposers through relays'),
  largest_native: number('native units', 'Largest payment for one block'),
  slots: number(null, 'Slots with a known payment'),
  unknown_slots: number(null, 'Slots that relays disagree about'),
  builders: number(null, 'Builders of the blocks'),
  gap: textColumn('Why the amounts are unknown'),
});

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'mev-sandwiches': EVENTS_ACCESS,
};
