// The development part of the policy as a table.
import { definePolicyTable } from '../define.ts';

const DAY_SECONDS = 86_400;

export const developmentPolicy = definePolicyTable({
  name: 'development_policy',
  columns: [
    { name: 'window_s', type: 'BIGINT' },
    { name: 'commits_weight', type: 'DOUBLE' },
    { name: 'authors_weight', type: 'DOUBLE' },
    { name: 'merges_weight', type: 'DOUBLE' },
    { name: 'releases_weight', type: 'DOUBLE' },
    { name: 'bot_share', type: 'DOUBLE' },
    { name: 'bot_commits', type: 'BIGINT' },
    { name: 'sustained_s', type: 'BIGINT' },
    { name: 'bot_active_share', type: 'DOUBLE' },
    { name: 'bot_alike_share', type: 'DOUBLE' },
    { name: 'bot_alike_commits', type: 'BIGINT' },
  ],
  rows: ({ development: policy }) => [
    [
      policy.window_days * DAY_SECONDS,
      policy.commits_weight,
      policy.authors_weight,
      policy.merges_weight,
      policy.releases_weight,
      policy.bot_share,
      policy.bot_commits,
      policy.sustained_days * DAY_SECONDS,
      policy.bot_active_share,
      policy.bot_alike_share,
      policy.bot_alike_commits,
    ],
  ],
});
