// How to receive webhooks: verification, headers and retries. The figures come from the dispatcher's own constants.
import { LIMITS } from '../../schemas/plans.ts';
import { DELIVERY_HEADERS } from '../openapi/headers.ts';
import { WAIT_SECONDS } from '../webhooks/retry.ts';
import { type Html, html, prose } from './html.ts';

/** Allowed clock difference for a signature, seconds (5.8). */
const TOLERANCE_S = 300;

const STEPS: readonly string[] = [
  'Read the raw body before parsing it, and read `t` and every `v1` from the header `Service-Signature: t=<unix seconds>,v1=<hex>`.',
  'Compute HMAC-SHA256 of `<t>.<raw body>`, keyed with the complete signing secret (`whsec_…`), as hex.',
  `Compare it with each \`v1\` in constant time; one must match. After a rotation, there is one per secret for ${LIMITS.webhook_grace_seconds.default / 3_600} hours.`,
  `Reject a \`t\` that differs from your clock by more than ${TOLERANCE_S} seconds.`,
  'Respond with 2xx within 15 seconds, then process the event, once per `event_id`: deliveries can arrive twice and out of order.',
  'Ignore events with `test: true`, and undo the effect of the event that `retracts_event_id` names.',
];

/** `5 s`, `30 min`, `24 h` */
function pauseText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
}

const RETRIES = `Any other status, or no response, is retried: ${WAIT_SECONDS.length} attempts in all, with pauses of ${WAIT_SECONDS.slice(1).map(pauseText).join(', ')}, each varied by 10 %. \`Retry-After\` is honoured, redirects are not followed, and 410 disables the subscription. Read missed events with \`GET /v2/events/replay\` from \`Service-Replay-Cursor\` on.`;

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
