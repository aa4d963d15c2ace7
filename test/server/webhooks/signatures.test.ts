import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verify } from '../../../examples/webhooks/verify.ts';
import { isPythonAvailable } from '../../support/python-available.ts';
import { READERS_FOLDER } from '../../support/python-readers.ts';
import { AS_OF_MS } from '../server-fixture.ts';
import { DeliveryFixture } from './delivery-fixture.ts';
import type { ReceivedPost } from './received.ts';

const NOW_S = AS_OF_MS / 1000;

let fixture: DeliveryFixture;
beforeEach(async () => {
  fixture = await DeliveryFixture.start();
});
afterEach(() => fixture.stop());

const verifiedBy = (post: ReceivedPost | undefined, secrets: readonly string[], nowSeconds = NOW_S) => {
  const signature = post?.headers['service-signature'];
  return verify({ body: post?.body ?? Buffer.alloc(0), signature: String(signature) }, secrets, nowSeconds);
};

describe('signatures', () => {
  /** Requests a receiver gets around a rotation: before it, during the overlap, and after it. */
  async function postsAroundRotation() {
    const { id, signing_secret: old } = await fixture.subscribe();
    await fixture.publish(1);
    await fixture.receiver.until(1);
    const rotated = await fixture.api.ask('POST', `/v2/webhooks/${id}/rotate-secret`, {
      body: { grace_period_seconds: 60 },
    });
    const next = rotated.json.data.signing_secret;
    fixture.tick();
    await fixture.publish(2, 3);
    await fixture.receiver.until(3);
    fixture.api.fixture.nowMs += 60_000;
    await fixture.publish(4);
    const [before, during, , after] = await fixture.receiver.until(4);
    return { old, next, before, during, after };
  }

  it('verify with the old and the new secret during the overlap, and with no other', async () => {
    const { old, next, before, during, after } = await postsAroundRotation();
    const stranger = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const verdicts = [before, during, after].map((post) =>
      [old, next, stranger].map((secret) => verifiedBy(post, [secret], NOW_S + 30)),
    );
    const [good, wrong] = ['good', 'wrong signature'];
    expect(verdicts).toEqual([
      [good, wrong, wrong],
      [good, good, wrong],
      [wrong, good, wrong],
    ]);
  });

  it('do not verify after one flipped bit or beyond 300 seconds', async () => {
    const { signing_secret } = await fixture.subscribe();
    await fixture.publish(1);
    const [post] = await fixture.receiver.until(1);
    if (post === undefined) throw new Error('nothing came');
    for (let bit = 0; bit < post.body.length * 8; bit += 7) {
      const body = Buffer.from(post.body);
      body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(verifiedBy({ ...post, body }, [signing_secret])).toBe('wrong signature');
    }
    const at = (offset: number) => verifiedBy(post, [signing_secret], NOW_S + offset);
    expect([-301, -300, 0, 300, 301].map(at)).toEqual([
      'too old or too new',
      'good',
      'good',
      'good',
      'too old or too new',
    ]);
  });

  it('verify with the stock Standard Webhooks library, which uses the real clock', async () => {
    fixture.api.fixture.nowMs = Date.now();
    const { signing_secret } = await fixture.subscribe();
    await fixture.publish(1);
    const [post] = await fixture.receiver.until(1);
    const headers = post?.headers as Record<string, string>;
    const body = post?.body.toString() ?? '';
    expect(new Webhook(signing_secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(signing_secret).verify(`${body} `, headers)).toThrow(
      'No matching signature found',
    );
  });

  it.skipIf(!isPythonAvailable())(
    'verify with readers in Python (needs python3; the stock library: npm run install:readers)',
    async () => {
      fixture.api.fixture.nowMs = Date.now();
      const { signing_secret } = await fixture.subscribe();
      await fixture.publish(1);
      const [post] = await fixture.receiver.until(1);
      if (post === undefined) throw new Error('nothing came');
      const now = Math.floor(fixture.api.fixture.nowMs / 1000);
      const flipped = Buffer.from(post.body);
      flipped[20] = (flipped[20] ?? 0) ^ 1;
      const caseOf = (body: Buffer, offset = 0) => ({
        body: body.toString('base64'),
        headers: post.headers,
        secrets: [signing_secret],
        now: now + offset,
      });
      const answers = inPython([
        caseOf(post.body),
        caseOf(flipped),
        caseOf(post.body, 301),
        caseOf(post.body, -301),
      ]);
      expect(answers.map(({ ours }) => ours)).toEqual([
        'good',
        'wrong signature',
        'too old or too new',
        'too old or too new',
      ]);
      if (answers[0]?.library === null) return;
      expect(answers.slice(0, 2).map(({ library }) => library)).toEqual([
        ['good'],
        ['No matching signature found'],
      ]);
    },
  );
});

interface PythonAnswer {
  readonly ours: string;
  readonly library: readonly string[] | null;
}

function inPython(cases: readonly object[]): readonly PythonAnswer[] {
  const stock = process.env['READERS_PYTHON'] ?? join(READERS_FOLDER, 'bin/python');
  const script = new URL('../../support/verify-webhooks.py', import.meta.url).pathname;
  const python = existsSync(stock) ? stock : 'python3';
  return JSON.parse(execFileSync(python, [script], { input: JSON.stringify(cases), encoding: 'utf8' }));
}
