import { expect, test } from 'vitest';
import { namingParts } from '../../../server/web/browser/subject-parts.ts';

test.each([
  ['anomaly:tvl_drop:ethereum::ethena-usde:1794096000', 'ethereum', ['ethena-usde']],
  ['anomaly:tvl_drop::pendle::1794182400', null, ['pendle']],
  ['anomaly:mev_spike:ethereum:1794168000', 'ethereum', []],
  ['peg:ethereum:MIM', 'ethereum', ['MIM']],
  ['oracle:ethereum:0xaa:0xbb', 'ethereum', ['0xaa', '0xbb']],
  ['vault:global', null, ['global']],
  ['aave', null, ['aave']],
  // A number that is not a time stays.
  ['pool:ethereum:42', 'ethereum', ['42']],
])('%s on %s', (id, chain, parts) => {
  expect(namingParts(id, chain)).toEqual(parts);
});
