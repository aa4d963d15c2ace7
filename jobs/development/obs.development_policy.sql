-- The settings that shape development scores, one row.
-- kind: view   grain: window_s
select
  window_s, commits_weight, authors_weight, merges_weight, releases_weight, bot_share, bot_commits, sustained_s, bot_active_share,
  bot_alike_share, bot_alike_commits
from landing.development_policy
