// Sandwiches as published. One whose tokens have no price has no extraction in USD, and says so.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

export const SandwichSchema = Strict({
  chain: Type.String({ description: 'Chain' }),
  pool_id: Type.String({ description: 'Pool' }),
  protocol: Nullable(Type.String({ description: 'Exchange' })),
  block_number: Type.Integer({ minimum: 0, description: 'Block' }),
  observed_at: UnixSeconds('Time of the block'),
  sender: Type.String({ description: 'Account that signed the front-run' }),
  same_by: Type.Enum(['sender', 'contract'], { description: 'What both legs have in common' }),
  front_tx: Type.String({ description: 'Transaction of the front-run' }),
  victim_txs: Type.Array(Type.String(), {
    description: 'Transactions between both legs that traded the same way',
  }),
  back_tx: Type.String({ description: 'Transaction of the back-run' }),
  token: Type.String({ description: 'Token in which the extraction was made' }),
  extracted_usd: Nullable(
    Type.Number({ description: 'Extraction before gas, USD; negative where the hand lost' }),
  ),
  priced_by: Nullable(
    Type.Enum(['front_run', 'back_run', 'feed', 'front_run_counter', 'back_run_counter', 'feed_counter'], {
      description:
        'The worth that extracted_usd rests on: that of the token by the source of the front-run or the back-run, or by our own feeds at the block; with _counter, that of the token it was swapped for',
    }),
  ),
  is_large: Nullable(
    Type.Boolean({
      description:
        'Whether it is large by the policy, and so an event; null where no price is known and nobody can say',
    }),
  ),
  gap: Nullable(
    Type.Enum(['no_price', 'no_amount'], {
      description: 'Why extracted_usd is not known. no_amount: one of the legs moved nothing',
    }),
  ),
});
export type Sandwich = Static<typeof SandwichSchema>;
