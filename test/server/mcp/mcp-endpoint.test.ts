import { expect, test } from 'vitest';
import { checkOrigin } from '../../../server/mcp/mcp-endpoint.ts';

const isAllowed = (origin: string | undefined, host: string, allowed?: readonly string[]): boolean => {
  try {
    const headers = origin === undefined ? {} : { origin };
    checkOrigin({ headers }, { host, allowed: allowed === undefined ? undefined : new Set(allowed) });
    return true;
  } catch {
    return false;
  }
};
const PAGE = 'https://app.example';

test.each([
  ['no page', undefined, '127.0.0.1', undefined, true],
  ['a local page on a local server', 'http://localhost:3000', '127.0.0.1', undefined, true],
  ['a local page by address', 'http://127.0.0.1:8080', 'localhost', undefined, true],
  ['a local page over IPv6', 'http://[::1]:8080', '::1', undefined, true],
  ['a foreign page on a local server', PAGE, '127.0.0.1', undefined, false],
  ['a listed page on a local server', PAGE, '127.0.0.1', [PAGE], true],
  ['any page on a public server', PAGE, '0.0.0.0', undefined, true],
  ['a page that is not listed', PAGE, '0.0.0.0', ['https://other.example'], false],
  ['a local page where others are listed', 'http://localhost', '0.0.0.0', [PAGE], true],
  [
    'a name that only begins like a local one',
    'http://localhost.evil.example',
    '127.0.0.1',
    undefined,
    false,
  ],
  ['a name that only ends like an address', 'http://evil-127.0.0.1', '127.0.0.1', undefined, false],
  ['no address', 'null', '0.0.0.0', undefined, false],
  ['another scheme', 'file:///etc', '0.0.0.0', undefined, false],
  ['an address with a path', `${PAGE}/x`, '0.0.0.0', undefined, false],
])('%s', (_, origin, host, allowed, expected) => {
  expect(isAllowed(origin, host, allowed)).toBe(expected);
});
