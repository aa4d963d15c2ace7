-- Whether one feed is fresh now, without the times that change with every answer, so models that read it stay unchanged while verdicts do.
-- kind: full   grain: chain, feed_address
select chain, scope_id as feed_address, has_metadata, verdict, invalid_reason
from derived.feed_coverage
