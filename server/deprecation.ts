// Headers of an endpoint on its way out, and the 410 after its last day (9.5, decision 38).
import type { Deprecation } from '../schemas/deprecations.ts';
import { Failure } from './define-failure.ts';

const sunsetMs = ({ sunset_on }: Deprecation) => Date.parse(`${sunset_on}T00:00:00Z`);

export function deprecationHeaders(deprecation: Deprecation): readonly string[] {
  return [
    'Deprecation',
    'true',
    'Sunset',
    new Date(sunsetMs(deprecation)).toUTCString(),
    'Link',
    `<${deprecation.successor}>; rel="successor-version"`,
  ];
}

/** @throws Failure `gone` after the last day. */
export function checkSunset(deprecation: Deprecation, nowMs: number): void {
  if (nowMs < sunsetMs(deprecation)) return;
  throw new Failure('gone', `This path ended on ${deprecation.sunset_on}; use ${deprecation.successor}.`, {
    headers: deprecationHeaders(deprecation),
    details: { sunset_on: deprecation.sunset_on, successor: deprecation.successor },
  });
}
