// What each product refuses, from its documentation, written independently of the messages: the problem of a body, or undefined.
import { expect } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: bodies are checked member by member
type Body = any;
export type Product = 'slack' | 'discord' | 'telegram' | 'teams' | 'pagerduty' | 'alertmanager';

const characters = (text: string): number => [...text].length;

function slack({ text, blocks }: Body): string | undefined {
  if (typeof text !== 'string' || blocks.length > 50) return 'no_text';
  for (const { type, text: shown, fields = [] } of blocks) {
    const max = type === 'header' ? 150 : 3_000;
    if (shown !== undefined && (shown.text === '' || shown.text.length > max)) return 'invalid_blocks';
    if (fields.length > 10) return 'invalid_blocks';
    for (const field of fields) if (field.text === '' || field.text.length > 2_000) return 'invalid_blocks';
  }
  return undefined;
}

function discord({ content = '', embeds = [] }: Body): string | undefined {
  let total = 0;
  for (const { title = '', description = '', fields = [] } of embeds) {
    if (title.length > 256 || description.length > 4_096 || fields.length > 25) return 'embeds';
    total += title.length + description.length;
    for (const { name, value } of fields) {
      if (name === '' || value === '' || name.length > 256 || value.length > 1_024) return 'embeds.fields';
      total += name.length + value.length;
    }
  }
  if (content.length > 2_000 || total > 6_000) return 'too long';
  return content === '' && embeds.length === 0 ? 'Cannot send an empty message' : undefined;
}

/** Accepts `<b>` and `<a>`, which must be closed, and three entities. */
function telegram({ chat_id, parse_mode, text }: Body): string | undefined {
  if (chat_id === '' || parse_mode !== 'HTML') return 'Bad Request: chat not found';
  const plain = text.replaceAll(/<b>([^<]*)<\/b>|<a href="[^"<>]*">([^<]*)<\/a>/g, '$1$2');
  if (/[<>]/.test(plain) || /&(?!(lt|gt|amp|quot);)/.test(plain)) return "Bad Request: can't parse entities";
  const shown = plain.replaceAll(/&(lt|gt|amp|quot);/g, '.');
  return shown.length > 4_096 ? 'Bad Request: message is too long' : undefined;
}

function teams(body: Body): string | undefined {
  if (Buffer.byteLength(JSON.stringify(body)) > 28 * 1_024) return 'RequestEntityTooLarge';
  const [{ contentType, content }] = body.attachments;
  const isCard = contentType === 'application/vnd.microsoft.card.adaptive' && content.type === 'AdaptiveCard';
  return body.type === 'message' && isCard ? undefined : 'InvalidCard';
}

function pagerduty({ routing_key, event_action, dedup_key, payload }: Body): string | undefined {
  if (!/^\w{32}$/.test(routing_key)) return "'routing_key' is invalid";
  if (dedup_key === '' || characters(dedup_key) > 255) return "'dedup_key' is too long";
  if (!['trigger', 'resolve'].includes(event_action)) return "'event_action' is invalid";
  if (!['critical', 'error', 'warning', 'info'].includes(payload.severity)) return "'severity' is invalid";
  if (payload.source === '' || payload.summary === '' || characters(payload.summary) > 1_024)
    return "'summary' is invalid";
  return undefined;
}

function alertmanager(alerts: Body): string | undefined {
  for (const { labels, startsAt, endsAt } of alerts) {
    if (labels.alertname === '' || Object.keys(labels).some((name) => !/^[a-zA-Z_]\w*$/.test(name)))
      return 'invalid label set';
    if (Date.parse(startsAt) > Date.parse(endsAt)) return 'start time must be before end time';
  }
  return undefined;
}

export const LIMITS_OF: Readonly<Record<Product, (body: Body) => string | undefined>> = {
  slack,
  discord,
  telegram,
  teams,
  pagerduty,
  alertmanager,
};

/** A surrogate without its other half. */
export function expectWellFormed(body: unknown): void {
  expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/);
}
