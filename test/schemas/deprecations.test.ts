import { expect, test } from 'vitest';
import { DEPRECATION_WINDOW_DAYS, DEPRECATIONS } from '../../schemas/deprecations.ts';

const DAY_MS = 86_400_000;

test.each(DEPRECATIONS)('$path ends no sooner than its window after it was deprecated', (deprecation) => {
  const { deprecated_on, sunset_on, successor } = deprecation;
  expect((Date.parse(sunset_on) - Date.parse(deprecated_on)) / DAY_MS).toBeGreaterThanOrEqual(
    DEPRECATION_WINDOW_DAYS,
  );
  expect(successor).toMatch(/^\/v2\//);
});
