// What determines the development score (decision 5): weights, window, and which authors are bots.
import { DAY_S } from '../../../platform/base/time.ts';
import { definePolicy, oneRow, type PolicyKeywords, Strict, Type } from '../../define/policy/define.ts';

const Share = (value: number, description: string) =>
  Type.Number({ minimum: 0.001, maximum: 1, default: value, description });
const Weight = (value: number, part: string) =>
  Share(value, `Weight of ${part}; an unknown part is left out and the others carry the full weight`);
const Whole = (value: number, description: string, column: Pick<PolicyKeywords, 'column' | 'times'> = {}) =>
  Type.Integer({ minimum: 1, maximum: 365, default: value, description, ...column });

const schema = Strict({
  window_days: Whole(30, 'Days whose activity is scored, the record’s day included', {
    column: 'window_s',
    times: DAY_S,
  }),
  commits_weight: Weight(0.4, 'commits'),
  authors_weight: Weight(0.25, 'authors'),
  merges_weight: Weight(0.2, 'merges'),
  releases_weight: Weight(0.15, 'releases'),
  bot_share: Share(
    0.95,
    'An author with more than this share of a repository’s commits in the window may be a bot',
  ),
  bot_commits: Whole(
    50,
    'Such an author with more than this many commits counts as a bot from then on, even if the source does not flag it',
  ),
  sustained_days: Whole(
    90,
    'Days over which activity that no person could sustain is looked for, the record’s day included',
    {
      column: 'sustained_s',
      times: DAY_S,
    },
  ),
  bot_active_share: Share(0.95, 'An author who commits on at least this share of those days is a bot'),
  bot_alike_commits: Whole(
    20,
    'Minimum number of commits in those days for an author to be judged by their similarity',
  ),
  bot_alike_share: Share(
    0.8,
    'Share of those commits with identical numbers of changed files and lines at which the author is a bot',
  ),
});

export const developmentPolicy = definePolicy({
  section: 'development',
  schema,
  tables: [oneRow('development', schema)],
});
