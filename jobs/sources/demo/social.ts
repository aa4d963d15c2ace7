// Messages of the demo world: in some hours one author posts a message, composed from a few sentences, on a channel of a protocol. Each
// message is derived from a hash of its hour, so the messages do not depend on how time is divided.

import { HOUR_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { socialPolicy } from '../../families/social/policy.ts';
import { hash } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';

const HISTORY_DAYS = 9;
const ROWS_PER_DELIVERY = 50_000;
const AUTHORS = 60;
/** Mixed into the seed of the demo world. */
const STREAM = 401;

const OPENINGS = ['', '', '', 'gm, ', 'hey all, ', 'Question: ', 'PSA: ', 'honestly, '];
const SENTENCES = [
  'the APY on {name} looks great this week',
  'I got liquidated on {name} last night, rekt',
  'which wallet do you use for {name}?',
  '{name} governance proposal is up for a vote, please delegate',
  'is the {name} bridge down? my transaction is stuck',
  'so bullish on {name}, this breakout is real',
  'gas fees are insane, waiting for the weekend',
  'thanks for the quick support, all fixed now',
  'beware of the phishing link in your messages, it is a scam',
  'staking rewards of {name} arrived, compounding nicely',
  'where are the docs for the {name} subgraph and the API?',
  'whales are dumping {name}, I am out',
  'the audit of {name} came back without findings, LFG',
  'what is the collateral factor and the supply cap on {name}?',
  'price of {name} is going nowhere, boring market',
  'welcome everyone, the community call starts on Monday',
  '{name} airdrop claim works, love it',
  'the oracle of {name} reported a wrong price, bad debt incoming',
  'new listing for {name} on Binance, to the moon 🚀',
  'I lost my seed phrase, can a moderator help?',
] as const;

interface Room {
  readonly channel: string;
  readonly protocol: string;
  readonly name: string;
  readonly seed: number;
}

interface Message {
  readonly room: Room;
  readonly id: string;
  readonly sent_at: number;
  readonly author: string;
  readonly text: string | null;
}

/** `messagesAnHour`: the maximum number of messages that one protocol gets on one channel in one hour. */
export function socialDemoSources(settings: DemoSettings, messagesAnHour = 1): readonly Source[] {
  const start = firstDay(settings.startedAt, HISTORY_DAYS);
  const rooms = roomsOf(settings.seed);
  return [
    {
      facts: {
        id: 'demo-social',
        kind: 'simulated',
        name: 'Demo world (simulated): messages',
        url: null,
        chain: null,
        license: null,
      },
      table: 'social_message',
      async *deliveries(interval) {
        let waiting: Message[] = [];
        for (const message of messagesIn(rooms, { ...interval, start, messagesAnHour })) {
          waiting.push(message);
          if (waiting.length < ROWS_PER_DELIVERY) continue;
          yield deliveryOf(waiting);
          waiting = [];
        }
        if (waiting.length > 0) yield deliveryOf(waiting);
      },
    },
  ];
}

const roomsOf = (seed: number): readonly Room[] =>
  socialPolicy.defaults.channels.flatMap((channel, index) =>
    socialPolicy.defaults.protocols.map(({ protocol_id, name }, column) => ({
      channel,
      protocol: protocol_id,
      name,
      seed: hash(seed, STREAM * 1_000 + index * 500 + column),
    })),
  );

function* messagesIn(
  rooms: readonly Room[],
  { from, to, start, messagesAnHour }: Interval & { readonly start: number; readonly messagesAnHour: number },
): Generator<Message> {
  const first = Math.floor(Math.max(start, from + 1) / HOUR_S);
  const isNew = ({ sent_at }: Message) => sent_at > from && sent_at <= to;
  for (let hour = first; hour * HOUR_S <= to; hour++) {
    for (const room of rooms) {
      for (let slot = 0; slot < messagesAnHour; slot++) {
        const message = messageOf(room, hour * messagesAnHour + slot, hour * HOUR_S);
        if (message !== null && isNew(message)) yield message;
      }
    }
  }
}

/** Two hours in five have no message; one message in twenty is a picture. */
function messageOf(room: Room, counter: number, hourStart: number): Message | null {
  const draw = hash(room.seed, counter);
  if (draw % 5 < 2) return null;
  const more = hash(room.seed ^ STREAM, counter);
  const sentence = SENTENCES[more % SENTENCES.length] ?? '';
  const opening = OPENINGS[(more >>> 8) % OPENINGS.length] ?? '';
  return {
    room,
    id: `${room.seed}-${counter}`,
    sent_at: hourStart + ((draw >>> 4) % HOUR_S),
    author: `member ${(more >>> 16) % AUTHORS}`,
    text: (draw >>> 3) % 20 === 0 ? null : `${opening}${sentence.replace('{name}', room.name)}`,
  };
}

const deliveryOf = (messages: readonly Message[]): ColumnsDelivery => ({
  kind: 'columns',
  count: messages.length,
  columns: {
    channel: messages.map(({ room }) => room.channel),
    protocol: messages.map(({ room }) => room.protocol),
    sent_at: Float64Array.from(messages, ({ sent_at }) => sent_at),
    author: messages.map(({ author }) => author),
    text: messages.map(({ text }) => text),
    message_id: messages.map(({ id }) => id),
  },
});
