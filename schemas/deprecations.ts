// Deprecated and removed paths: announcement, header roll-out, 180 days, removal (9.1, 9.2, 9.5). Deprecation headers and 410
// responses come from this table.

export interface Deprecation {
  /** Route pattern with parameters as `:name`. */
  readonly path: string;
  readonly deprecated_on: string;
  /** First UTC day on which the path returns 410; at least 180 days after `deprecated_on`. */
  readonly sunset_on: string;
  /** Path that replaces it; may use the same parameters. */
  readonly successor: string;
}

export const DEPRECATION_WINDOW_DAYS = 180;

/** `true` as in the interface, or RFC 9745's `@` and the Unix seconds of the day (decision 38). */
export type DeprecationHeader = 'true' | 'timestamp';

const retired = (path: string, successor = path.replace('/v1/', '/v2/')): Deprecation => ({
  path,
  deprecated_on: '2025-12-01',
  sunset_on: '2026-06-01',
  successor,
});

export const DEPRECATIONS: readonly Deprecation[] = [
  retired('/v1/data-manifest'),
  retired('/v1/data-manifest/coverage'),
  retired('/v1/events/replay'),
  retired('/v1/webhooks'),
  retired('/v1/webhooks/:id'),
  retired('/v1/webhooks/:id/deliveries'),
  retired('/v1/webhooks/:id/test'),
  retired('/v1/webhooks/:id/rotate-secret'),
  retired('/v1/webhooks/:id/deliveries/:delivery_id/redeliver'),
  retired('/v1/yield/opportunities'),
  retired('/v1/yield/portfolio/analyze'),
];
