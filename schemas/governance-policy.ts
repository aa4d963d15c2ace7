// What shapes governance figures beside the proposals and votes themselves (decision 6).
import { Strict, Type } from './define.ts';

export interface GovernancePolicy {
  /** Days, the record's day included, in which a voter has voted to count as taking part. */
  readonly participation_days: number;
  /** Days without a proposal, a vote or word of the electorate after which a protocol has no records: nobody can say that it is quiet. */
  readonly silence_days: number;
}

export const DEFAULT_GOVERNANCE_POLICY: GovernancePolicy = Object.freeze({
  participation_days: 30,
  silence_days: 90,
});

const Days = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 3_650, description: 'whole days, 1 to 3650' }),
);

export const GovernanceSection = Strict({
  participation_days: Days,
  silence_days: Days,
});
