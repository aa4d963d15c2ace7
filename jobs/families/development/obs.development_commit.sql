-- One commit of a repository, dated by its UTC day whatever the author's time zone. If the author is a name and not a hash, a name typical
-- of programs marks a bot.
-- kind: append   grain: repository, commit_id   time: committed_at   order: committed_at, repository, commit_id
select
  repository, commit_id, author,
  coalesce(is_bot, false)
    or regexp_like(lower(author), '(\[(ro)?bot\]|[-_.](ro)?bot|-(ci|jenkins|gerrit|testing|automation))$')
    or regexp_like(
      lower(author),
      '^((ro)?bot-.*|jenkins-.*|codecov-.*|[a-z0-9-]+-bot-.*|(dependabot|renovate|greenkeeper|github-actions?|snyk|pre-commit-ci|mergify|imgbot|allcontributors|codecov|coveralls|semantic-release|web-flow)([-_.].*)?)$'
    )
    -- `prowbot`, but not people called Talbot, Abbot or similar.
    or (regexp_like(lower(author), '[a-z0-9]{3}bot$') and not regexp_like(lower(author), '(ab|ar|ca|gar|her|tal|tur)bot$')) as is_bot,
  committed_at, committed_at - committed_at % 86400 as day, parents,
  files_changed, insertions, deletions, source_id, fetched_at
from landing.development_commit
