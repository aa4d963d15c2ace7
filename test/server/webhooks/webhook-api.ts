// A server with webhooks over the test's own DNS, and keys of two organisations to call it with.
import type { RunningServer, ServerDeps } from '../../../server/deps.ts';
import { secretBinding, type WebhookRecord } from '../../../server/store/webhook-store.ts';
import { TEST_SEALER, testWebhookOptions } from '../../support/ops-store.ts';
import { ServerFixture } from '../server-fixture.ts';
import { resolveTestName } from './forbidden-addresses.ts';

const OFTEN_MS = 250;
export const URL_OK = 'https://receiver.example.com/hook';
export const UNKNOWN = 'wh_01HZX3K9Q4T2V7B8N6M5P1R0SD';
export const DRAFT = { url: URL_OK, events: ['oracle.stale'] };

export interface Asked {
  readonly by?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare any response
  readonly json: any;
}

export class WebhookApi {
  readonly fixture: ServerFixture;
  readonly server: RunningServer;
  readonly keys: Readonly<Record<'team' | 'other' | 'analyst' | 'reader' | 'writer' | 'limited', string>>;

  private constructor(fixture: ServerFixture, server: RunningServer, keys: WebhookApi['keys']) {
    this.fixture = fixture;
    this.server = server;
    this.keys = keys;
  }

  /** `onRepeated` receives the work the server repeats several times a second; without it nothing is repeated. */
  static async start(
    options: Partial<ServerDeps['webhooks']> = {},
    onRepeated: (work: () => void) => void = () => undefined,
  ): Promise<WebhookApi> {
    const fixture = await ServerFixture.create();
    await fixture.publish();
    const keys = {
      team: await fixture.key('team'),
      other: await fixture.key('team', { org: 'other' }),
      analyst: await fixture.key('analyst'),
      reader: await fixture.key('team', { scopes: ['webhooks:read'] }),
      writer: await fixture.key('team', { scopes: ['webhooks:write'] }),
      limited: await fixture.key('team', { limits: { webhook_subscriptions: 2 } }),
    };
    const server = await fixture.serve({
      every: (ms, work) => {
        if (ms <= OFTEN_MS) onRepeated(work);
        return () => undefined;
      },
      webhooks: testWebhookOptions({ resolve: resolveTestName, isLoopbackAllowed: false, ...options }),
    });
    return new WebhookApi(fixture, server, keys);
  }

  async ask(method: string, path: string, { by, body, headers = {} }: Asked = {}): Promise<Answered> {
    const answer = await fetch(`${this.server.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${by ?? this.keys.team}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: text === '' ? null : JSON.parse(text),
    };
  }

  /** The secret of a subscription, sealed for another subscription. */
  reseal({ id, secrets: [secret] }: WebhookRecord, to: string): Buffer {
    if (secret === undefined) throw new Error(`${id} has no secret.`);
    return TEST_SEALER.seal(TEST_SEALER.open(secret.sealed, secretBinding(id)), secretBinding(to));
  }

  async create(body: object = DRAFT, by = this.keys.team) {
    return (await this.ask('POST', '/v2/webhooks', { body, by })).json.data;
  }
}
