// What determines the development score (decision 5): weights, window, and which authors are bots.
import { definePolicy, oneRow, type PolicyKeywords, Strict, Type } from '../policy/define.ts';

const DAY_S = 86_400;

const Share = (value: number, description: string) =>
  Type.Number({ minimum: 0.001, maximum: 1, default: value, description });
const Weight = (value: number, part: string) =>
  Share(value, `Weight of ${part}; a part that is not known is left out and the others count for all`);
const Whole = (value: number, description: string, column: Pick<PolicyKeywords, 'column' | 'times'> = {}) =>
  Type.Integer({ minimum: 1, maximum: 365, default: value, description, ...column });

const schema = Strict({
  window_days: Whole(30, 'Days, the record’s day included, whose activity is scored', {
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
    'Such an author with more than this many commits is a bot from then on, flagged as one or not',
  ),
  sustained_days: Whole(
    90,
    'Days, the record’s day included, over which activity no person keeps up is looked for',
    {
      column: 'sustained_s',
      times: DAY_S,
    },
  ),
  bot_active_share: Share(0.95, 'An author who commits on this share of those days is a bot'),
  bot_alike_commits: Whole(
    20,
    'Minimum commits in those days for an author to be judged by how alike they are',
  ),
  bot_alike_share: Share(
    0.8,
    'Share of them that change as many files and lines as one another, at which the author is a bot',
  ),
});

export const developmentPolicy = definePolicy({
  section: 'development',
  schema,
  tables: [oneRow('development', schema)],
});
