import { describe, expect, it, test } from 'vitest';
import { AddressError, AddressGuard } from '../../../server/webhooks/address-guard.ts';
import { ALLOWED, FORBIDDEN, resolveTestName } from './forbidden-addresses.ts';

const guard = new AddressGuard({ resolve: resolveTestName, isLoopbackAllowed: false });
const developing = new AddressGuard({ resolve: resolveTestName, isLoopbackAllowed: true });

async function refusal(url: string, by = guard): Promise<AddressError> {
  const outcome = await by.check(url).catch((error: unknown) => error);
  if (!(outcome instanceof AddressError)) throw new Error(`${url} was not refused`, { cause: outcome });
  return outcome;
}

test('each forbidden address is listed once', () => {
  expect(new Set(FORBIDDEN).size).toBe(FORBIDDEN.length);
  expect(FORBIDDEN.length).toBeGreaterThan(160);
});

test.each(FORBIDDEN)('%s is refused', async (url) => {
  const { kind, message } = await refusal(url);
  expect(kind).toBe('blocked');
  expect(message).toMatch(/^(must|has|names|is) /);
});

test.each(ALLOWED)('%s is accepted', async (url) => {
  await expect(guard.check(url)).resolves.toMatchObject({ origin: expect.stringMatching(/^https:/) });
});

test('a name without addresses and an unknown name are unresolved, not forbidden', async () => {
  expect((await refusal('https://to-nothing.example.com/')).kind).toBe('unresolved');
  expect((await refusal('https://unknown.example.com/')).kind).toBe('unresolved');
});

test('a refusal does not reveal which private address a name has', async () => {
  expect((await refusal('https://to-private.example.com/')).message).not.toContain('10.1.2.3');
});

describe('the spelling of a URL', () => {
  test.each([
    ['', 'must be https://host'],
    ['not a url', 'printable ASCII'],
    ['ftp://receiver.example.com/', 'must be https://host'],
    ['https://', 'must be https://host'],
    ['https:///hook', 'must be https://host'],
    ['https:\\\\receiver.example.com\\hook', 'must be https://host'],
    ['https://receiver.example.com/#part', 'must be https://host'],
    ['https://receiver.example.com:99999/', 'must be https://host'],
    ['https://receiver.example.com:/', 'usual form'],
    ['https://receiver.example.com:0443/', 'usual form'],
    ['https://bücher.example/', 'punycode'],
    ['https://receiver.example.com/\n', 'printable ASCII'],
    [`https://receiver.example.com/${'a'.repeat(2_000)}`, 'longer than 1024'],
    [`https://${'a'.repeat(60)}.${'b.'.repeat(120)}com/`, 'must name a valid host'],
    [`https://${'a'.repeat(64)}.com/`, 'must name a valid host'],
    ['https://-a.example.com/', 'must name a valid host'],
    ['https://a..example.com/', 'must name a valid host'],
    ['https://single/', 'public internet'],
    ['https://printer.local/', 'public internet'],
    ['https://1.0.0.127.in-addr.arpa/', 'public internet'],
    ['https://receiver.example.com:11211/', 'port 11211'],
  ])('%j is refused with a reason', async (url, reason) => {
    expect((await refusal(url)).message).toContain(reason);
  });

  it('may be in capitals, in punycode, and state the default port', async () => {
    await expect(guard.check('HTTPS://RECEIVER.EXAMPLE.COM:443/A?b=%20')).resolves.toEqual({
      origin: 'https://receiver.example.com',
      host: 'receiver.example.com',
      path: '/A?b=%20',
      isLiteral: false,
    });
    expect((await refusal('https://xn--bcher-kva.example/')).kind).toBe('unresolved');
  });
});

describe('a development service', () => {
  it.each(['http://127.0.0.1:3000/hook', 'http://localhost:80/', 'http://[::1]:9/', 'https://127.0.0.1/'])(
    'may send to this machine: %s',
    async (url) => {
      await expect(developing.check(url)).resolves.toBeDefined();
    },
  );

  const OWN_MACHINE = /^https:\/\/(127\.|\[(::1|0:0:0:0:0:0:0:1)\]|localhost|to-(ipv6-)?loopback)/;
  const LEFT = FORBIDDEN.filter((url) => !OWN_MACHINE.test(url) || /127\.(1|0\.0\.1\.)\//.test(url));

  test.each(LEFT)('may not send to %s', async (url) => {
    expect((await refusal(url, developing)).kind).toBe('blocked');
  });
});

test('concurrent lookups share one query; later ones query again', async () => {
  let questions = 0;
  const counting = new AddressGuard({
    isLoopbackAllowed: false,
    resolve: async () => {
      questions++;
      return questions === 1 ? ['93.184.215.14'] : ['10.0.0.1'];
    },
  });
  const url = 'https://receiver.example.com/';
  await Promise.all([counting.check(url), counting.check(url), counting.check(url)]);
  expect(questions).toBe(1);
  expect((await refusal(url, counting)).kind).toBe('blocked');
  expect(questions).toBe(2);
});
