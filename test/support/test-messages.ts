// Messages about events of which nothing but the envelope is known, for dispatchers in tests.
import type { Log } from '../../server/log.ts';
import { factsOf } from '../../server/replies/story/event-story.ts';
import { Messages } from '../../server/webhooks/messages/messages.ts';

export const BASE = 'https://risk.example.com';

export const testMessages = (nowMs: () => number, log: Log): Messages =>
  new Messages({ factsOf: async (event) => factsOf(event), base: () => BASE, nowMs, log });
