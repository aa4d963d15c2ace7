// What shapes the development score (decision 5): weights, window, and who counts as a bot.
import { Strict, Type } from './define.ts';

export interface DevelopmentPolicy {
  /** Days, the record's day included, whose activity is scored. */
  readonly window_days: number;
  /** Weights of the parts; a part that is not known is left out and the others count for all. */
  readonly commits_weight: number;
  readonly authors_weight: number;
  readonly merges_weight: number;
  readonly releases_weight: number;
  /** An author with more than this share of a repository's commits in the window ... */
  readonly bot_share: number;
  /** ... and more than this many of them is a bot, flagged as one or not, from then on. */
  readonly bot_commits: number;
  /** Days, the record's day included, over which behaviour is watched that no person keeps up. */
  readonly sustained_days: number;
  /** An author who commits on this share of these days is a bot. */
  readonly bot_active_share: number;
  /** So is one with at least so many commits in these days ... */
  readonly bot_alike_commits: number;
  /** ... of which this share change as many files, add and remove as many lines. */
  readonly bot_alike_share: number;
}

export const DEFAULT_DEVELOPMENT_POLICY: DevelopmentPolicy = Object.freeze({
  window_days: 30,
  commits_weight: 0.4,
  authors_weight: 0.25,
  merges_weight: 0.2,
  releases_weight: 0.15,
  bot_share: 0.95,
  bot_commits: 50,
  sustained_days: 90,
  bot_active_share: 0.95,
  bot_alike_commits: 20,
  bot_alike_share: 0.8,
});

const Weight = Type.Optional(
  Type.Number({ minimum: 0.001, maximum: 1, description: 'a weight from .001 to 1' }),
);
const Whole = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 365, description: 'a whole number, 1 to 365' }),
);

export const DevelopmentSection = Strict({
  window_days: Whole,
  commits_weight: Weight,
  authors_weight: Weight,
  merges_weight: Weight,
  releases_weight: Weight,
  bot_share: Weight,
  bot_commits: Whole,
  sustained_days: Whole,
  bot_active_share: Weight,
  bot_alike_commits: Whole,
  bot_alike_share: Weight,
});
