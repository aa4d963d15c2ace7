// The verifiers to copy refuse what is not a signing secret, in both languages, and say what is wrong with it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { checkSecret, verify } from '../../../examples/webhooks/verify.ts';

const FOLDER = fileURLToPath(new URL('../../../examples/webhooks', import.meta.url));
const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 9).toString('base64')}`;
const GOOD = makeSecret((count) => Buffer.alloc(count, 5));

const inPython = (secret: string): string =>
  execFileSync(
    'python3',
    [
      '-c',
      'import sys\nfrom verify import check_secret\ntry:\n check_secret(sys.argv[1])\nexcept ValueError as e:\n print(e, end="")',
      secret,
    ],
    { cwd: FOLDER, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } },
  ).toString();

function inTypeScript(secret: string): string {
  try {
    checkSecret(secret);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  [GOOD, ''],
  [ofBytes(24), ''],
  [ofBytes(64), ''],
  [GOOD.replace(/=+$/, ''), ''],
  ['', 'is empty'],
  [`v1,${GOOD}`, 'begins with "v1,"'],
  ['v1', 'begins with "v1,"'],
  [`"${GOOD}"`, 'is in quotes'],
  [`${GOOD}\n`, 'spaces or line ends'],
  [` ${GOOD}`, 'spaces or line ends'],
  [ofBytes(23), '24 to 64 bytes'],
  [ofBytes(65), '24 to 64 bytes'],
  [GOOD.slice('whsec_'.length), '24 to 64 bytes'],
  ['whsec_!!!!', '24 to 64 bytes'],
  ['whsec_', '24 to 64 bytes'],
])('%j: %s', (secret, problem) => {
  for (const message of [inTypeScript(secret), inPython(secret)]) {
    expect(message).toContain(problem);
    expect(message === '').toBe(problem === '');
    if (secret.length > 10) expect(message).not.toContain(secret.trim().slice(-20));
  }
});

test('without a secret nothing verifies', () => {
  const delivery = { body: Buffer.from('{}'), signature: 't=1,v1=00' };
  expect(() => verify(delivery, [], 1)).toThrow('no signing secret');
  expect(() => verify(delivery, [GOOD, ''], 1)).toThrow('is empty');
});
