// A webhook receiver: checks each delivery, processes each event once, responds at once. To run it:
//   WEBHOOK_SECRET=whsec_… npm run receiver -- [--port 3000]
// Accepts several secrets separated by commas: after a rotation, set both the new and the old one.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readOptions } from '../read-options.ts';
import { checkSecret, type Verdict, verify } from './verify.ts';

const MAX_BODY_BYTES = 1_048_576;
const REMEMBERED = 10_000;

export interface ReceivedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly severity?: string;
  readonly subject_id?: string;
  /** When the condition became true, ISO 8601. */
  readonly ts?: string;
  /** Present if the service doubts the data of the event. */
  readonly data_quality?: string;
  /** Whether the event is a sample. */
  readonly test?: true;
  /** The earlier event with this id did not happen after all. */
  readonly retracts_event_id?: string;
}

export interface ReceiverOptions {
  readonly secrets: readonly string[];
  readonly nowSeconds: () => number;
  /** Called once per event. Queue slow work: the service waits 15 s for the response. */
  readonly onEvent: (event: ReceivedEvent) => void;
}

export function createReceiver(options: ReceiverOptions) {
  const seen = new Set<string>();
  return createServer((request, response) => {
    receive(request, options, seen).then(
      (status) => response.writeHead(status).end(),
      (error: Error) => fail(response, error),
    );
  });
}

const STATUS: Readonly<Record<Verdict, number>> = {
  good: 204,
  'no signature': 401,
  'too old or too new': 401,
  'wrong signature': 401,
};

async function receive(
  request: IncomingMessage,
  options: ReceiverOptions,
  seen: Set<string>,
): Promise<number> {
  const body = await bodyOf(request);
  const signature = request.headers['service-signature'];
  const delivery = { body, signature: typeof signature === 'string' ? signature : undefined };
  const verdict = verify(delivery, options.secrets, options.nowSeconds());
  if (verdict !== 'good') return STATUS[verdict];
  const event = JSON.parse(body.toString());
  // A delivery can arrive twice, or after newer ones: `event_id` identifies the event.
  if (seen.has(event.event_id)) return 204;
  options.onEvent(event);
  seen.add(event.event_id);
  if (seen.size > REMEMBERED) seen.delete(seen.values().next().value ?? '');
  return 204;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error('The body is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Responds with 500, after which the service sends the delivery again. */
function fail(response: ServerResponse, error: Error): void {
  console.error(error.message);
  response.writeHead(500).end();
}

if (import.meta.main) {
  const { values } = readOptions('WEBHOOK_SECRET=whsec_… npm run receiver -- [--port 3000]', {
    options: { port: { type: 'string', default: '3000' } },
  });
  const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(',').filter((secret) => secret !== '');
  if (secrets.length === 0) {
    console.error('Set WEBHOOK_SECRET to the signing secret.');
    process.exit(2);
  }
  for (const secret of secrets) checkSecret(secret);
  const server = createReceiver({
    secrets,
    nowSeconds: () => Math.floor(Date.now() / 1000),
    onEvent: (event) => console.log(JSON.stringify(event)),
  });
  server.listen(Number(values.port), '127.0.0.1', () => {
    console.error(`Waiting for events at http://127.0.0.1:${values.port}/`);
  });
}
