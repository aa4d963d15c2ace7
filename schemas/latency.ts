// Percentiles of durations in API responses.
import { Nullable, Type } from './define.ts';

const Milliseconds = (share: string, of: string) =>
  Nullable(
    Type.Number({
      minimum: 0,
      description: `Milliseconds that ${share} of ${of} did not exceed, accurate to 9 % from 0.125 on; null if there were none`,
    }),
  );

/** `of`: what took the time, such as `requests`. */
export const percentileProperties = (of: string) => ({
  p50_ms: Milliseconds('50 %', of),
  p95_ms: Milliseconds('95 %', of),
  p99_ms: Milliseconds('99 %', of),
});
