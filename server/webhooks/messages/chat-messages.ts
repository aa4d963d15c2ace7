// Messages for Slack, Discord, Telegram and Teams, within the limits that each documents.
import type { Alert } from './alert.ts';
import { type Fit, fitted, inert, jsonBytes } from './message-text.ts';

const MARKS = { info: '🔵', warn: '🟡', high: '🟠', critical: '🔴' } as const;
const COLORS = { info: 0x3b82f6, warn: 0xeab308, high: 0xf97316, critical: 0xdc2626 } as const;
const RESOLVED = { mark: '🟢', color: 0x16a34a };
const UNKNOWN = { mark: '⚪', color: 0x6b7280 };

const isResolved = ({ action }: Alert): boolean => action === 'resolve';

function markOf(alert: Alert): string {
  if (isResolved(alert)) return RESOLVED.mark;
  return alert.severity === undefined ? UNKNOWN.mark : MARKS[alert.severity];
}

function colorOf(alert: Alert): number {
  if (isResolved(alert)) return RESOLVED.color;
  return alert.severity === undefined ? UNKNOWN.color : COLORS[alert.severity];
}

/** `🟠 high · USDT on ethereum` */
const titleOf = (alert: Alert): string =>
  [
    `${markOf(alert)} ${isResolved(alert) ? 'resolved' : (alert.severity ?? 'severity unknown')}`,
    inert(alert.name),
  ].join(' · ');

const sentenceOf = ({ sentence }: Alert): string => inert(sentence);

/** Label and text, never empty. Only the doubts may repeat text of others. */
function rowsOf(alert: Alert): readonly (readonly [label: string, text: string])[] {
  const { figures, severity, type, doubts } = alert;
  const doubt = [doubts.length === 1 ? 'Doubt' : 'Doubts', inert(doubts.join('; '))] as const;
  return [
    ['Severity', severity ?? 'unknown'],
    ...figures,
    ['Event', type],
    ...(doubts.length === 0 ? [] : [doubt]),
  ];
}

const LINK = 'What happened, and the evidence';

const SLACK = { header: 150, section: 3_000, field: 2_000, notification: 3_000 };
/** The three characters that Slack reads as markup. */
const slackEscape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Plain text blocks, in which Slack reads no markup; only the link is ours. */
export function slackMessage(alert: Alert): object {
  const plain = (text: string, max: number) => ({
    type: 'plain_text',
    text: fitted(text, { max }),
    emoji: false,
  });
  return {
    text: fitted(`${titleOf(alert)}: ${sentenceOf(alert)}`, {
      max: SLACK.notification,
      escaped: slackEscape,
    }),
    blocks: [
      { type: 'header', text: plain(titleOf(alert), SLACK.header) },
      { type: 'section', text: plain(sentenceOf(alert), SLACK.section) },
      {
        type: 'section',
        fields: rowsOf(alert).map(([label, text]) => plain(`${label}\n${text}`, SLACK.field)),
      },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `<${slackEscape(alert.links.page)}|${LINK}>` },
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

const DISCORD = { title: 256, description: 4_096, name: 256, value: 1_024 };
/** Leaves room for the title and the fields within the 6,000 characters of all embeds. */
const DISCORD_SENTENCE = 2_500;
const discordEscape = (text: string): string => text.replace(/[\\*_~`|>#[\]()<-]/g, '\\$&');

export function discordMessage(alert: Alert): object {
  const escaped = (text: string, max: number) => fitted(text, { max, escaped: discordEscape });
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escaped(titleOf(alert), DISCORD.title),
        url: alert.links.page,
        description: escaped(sentenceOf(alert), Math.min(DISCORD.description, DISCORD_SENTENCE)),
        color: colorOf(alert),
        timestamp: alert.ts,
        fields: rowsOf(alert).map(([label, text]) => ({
          name: fitted(label, { max: DISCORD.name }),
          value: escaped(text, label.startsWith('Doubt') ? DISCORD.value : DISCORD.value / 4),
          inline: !label.startsWith('Doubt'),
        })),
      },
    ],
  };
}

/** Characters of a message after its entities; the rest is for the rows. */
const TELEGRAM = { message: 4_096, title: 300, sentence: 2_500, row: 200 };
const telegramEscape = slackEscape;

/** HTML, because it has three characters to escape; the limit counts what remains of them. */
export function telegramMessage(alert: Alert, chatId: string): object {
  const cut = (text: string, max: number) => telegramEscape(fitted(text, { max }));
  const rows = rowsOf(alert)
    .map(([label, text]) => cut(`${label}: ${text}`, TELEGRAM.row))
    .join('\n');
  const link = `<a href="${telegramEscape(alert.links.page).replaceAll('"', '&quot;')}">${LINK}</a>`;
  return {
    chat_id: chatId,
    parse_mode: 'HTML',
    text: `<b>${cut(titleOf(alert), TELEGRAM.title)}</b>\n${cut(sentenceOf(alert), TELEGRAM.sentence)}\n\n${rows}\n\n${link}`,
    link_preview_options: { is_disabled: true },
  };
}

/** Bytes of a message, of which the sentence may take half. */
const TEAMS = { title: 1_024, sentence: 12_288, row: 1_024 };
const TEAMS_COLORS = { info: 'Accent', warn: 'Warning', high: 'Warning', critical: 'Attention' } as const;

/** Runs of rich text, in which Teams reads no Markdown. */
export function teamsMessage(alert: Alert): object {
  const run = (text: string, max: number, more: object = {}) => {
    const fit: Fit = { max, lengthOf: jsonBytes };
    return { type: 'TextRun', text: fitted(text, fit), ...more };
  };
  const line = (...inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines });
  const color = alert.severity === undefined ? 'Default' : TEAMS_COLORS[alert.severity];
  const title = { size: 'Medium', weight: 'Bolder', color: isResolved(alert) ? 'Good' : color };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(run(titleOf(alert), TEAMS.title, title)),
      line(run(sentenceOf(alert), TEAMS.sentence)),
      ...rowsOf(alert).map(([label, text]) =>
        line({ type: 'TextRun', text: `${label}: `, weight: 'Bolder' }, run(text, TEAMS.row)),
      ),
    ],
    actions: [{ type: 'Action.OpenUrl', title: LINK, url: alert.links.page }],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}
