// How to take webhooks: what to verify, what the headers say, when a delivery is tried again. Figures come from where the dispatcher has them.
import { LIMITS } from '../../schemas/plans.ts';
import { DELIVERY_HEADERS } from '../openapi/headers.ts';
import { WAIT_SECONDS } from '../webhooks/retry.ts';
import { type Html, html, prose } from './html.ts';

/** Seconds that a signature's time may be off (5.8). */
const TOLERANCE_S = 300;

const STEPS: readonly string[] = [
  'Take the raw body before anything parses it, and `t` and every `v1` from the header `Service-Signature: t=<unix seconds>,v1=<hex>`.',
  'Compute HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole signing secret (`whsec_…`), as hex.',
  `Compare it with each \`v1\` in constant time; one of them must be equal. After a rotation there is one for each secret for ${LIMITS.webhook_grace_seconds.default / 3_600} hours.`,
  `Refuse a \`t\` more than ${TOLERANCE_S} seconds from your clock.`,
  'Answer 2xx within 15 seconds, then act on the event: once for each `event_id`, because deliveries can come twice and out of order.',
  'Pass over events with `test: true`, and take back what you did for the event that `retracts_event_id` names.',
];

/** `5 s`, `30 min`, `24 h` */
function pauseWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
}

const RETRIES = `Anything but 2xx, and silence, is tried again: ${WAIT_SECONDS.length} attempts in all, with pauses of ${WAIT_SECONDS.slice(1).map(pauseWords).join(', ')}, each varied by a tenth. \`Retry-After\` is heeded, redirects are not followed, and 410 disables the subscription. What was missed is read with \`GET /v2/events/replay\` from \`Service-Replay-Cursor\` on.`;

const headers = (): readonly (readonly [name: string, description: string])[] =>
  Object.values(DELIVERY_HEADERS).map(({ name, description = '' }) => [name, description]);

export const webhookGuide = (): Html => html`<h2 id="receive">Receive webhooks</h2>
<ol>${STEPS.map((step) => html`<li>${prose(step)}</li>`)}</ol>
<p>Any Standard Webhooks library verifies the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> instead.</p>
<dl>${headers().map(([name, description]) => html`<dt><code>${name}</code></dt><dd>${prose(description)}</dd>`)}</dl>
<p>${prose(RETRIES)}</p>
`;

export const webhookGuideText = (): string => `## Receive webhooks

${STEPS.map((step, index) => `${index + 1}. ${step}`).join('\n')}

Headers of a delivery:

${headers()
  .map(([name, description]) => `- \`${name}\`: ${description}`)
  .join('\n')}

${RETRIES}
`;
