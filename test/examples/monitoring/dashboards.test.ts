// The committed dashboards are those of the code, and what they read exists.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asText, DASHBOARDS } from '../../../examples/monitoring/dashboards.ts';

test.each(DASHBOARDS)('%s is what `npm run dashboards` writes', (file, build) => {
  const committed = readFileSync(new URL(`../../../examples/monitoring/${file}`, import.meta.url), 'utf8');
  expect(committed).toBe(asText(build()));
});
