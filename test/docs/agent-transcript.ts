// A conversation of an agent with the tools, recorded over the demo: `npm run transcript` writes it into docs/agents.md, and a test compares
// it with what the tools answer now.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { servedDemo } from '../schemathesis/served-demo.ts';
import { callTool } from '../server/mcp/mcp-client.ts';

interface Step {
  /** What the agent wants to know. */
  readonly question: string;
  readonly tool: string;
  readonly args: (earlier: readonly unknown[]) => object;
  /** Members of the data that are printed. */
  readonly shown: readonly string[];
}

const SUBJECT = 'peg:ethereum:USDC';

const STEPS: readonly Step[] = [
  {
    question: 'What is wrong now?',
    tool: 'what_is_wrong_now',
    args: () => ({ limit: 1 }),
    shown: ['status', 'headline', 'open_conditions'],
  },
  {
    question: 'Which depeg was the last?',
    tool: 'search_events',
    args: () => ({ type: 'peg.depeg.start', limit: 1 }),
    shown: ['event_id', 'type', 'severity', 'chain', 'subject_id', 'ts'],
  },
  {
    question: 'What happened?',
    tool: 'explain_event',
    args: (earlier) => ({ event_id: (earlier[1] as readonly { readonly event_id: string }[])[0]?.event_id }),
    shown: ['story', 'gaps'],
  },
  {
    question: 'May I act on the price of USDC?',
    tool: 'is_it_usable',
    args: () => ({ subject: SUBJECT }),
    shown: ['subject', 'verdict', 'checks'],
  },
];

const picked = (value: unknown, names: readonly string[]): unknown =>
  Array.isArray(value)
    ? value.map((one) => picked(one, names))
    : Object.fromEntries(Object.entries(value as object).filter(([name]) => names.includes(name)));

/** The conversation as Markdown. */
export async function agentTranscript(): Promise<string> {
  const { url, key, remove } = await servedDemo();
  const answers: unknown[] = [];
  const parts: string[] = [];
  for (const { question, tool, args, shown } of STEPS) {
    const asked = args(answers);
    const { structuredContent } = await callTool({ url }, tool, asked, { key });
    if (structuredContent === undefined) throw new Error(`${tool} does not answer.`);
    const { data, as_of, link } = structuredContent;
    answers.push(data);
    const answer = { as_of, data: picked(data, shown), link };
    parts.push(`**${question}** \`${tool}\` \`${JSON.stringify(asked)}\`\n\n${fenced(answer)}`);
  }
  await remove();
  return parts.join('\n');
}

const fenced = (answer: object): string => `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\n`;

const PAGE = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));
const REGION = /(<!-- transcript -->\n)[\s\S]*?(<!-- end -->)/;

/** The recorded conversation in the page. */
export const recordedTranscript = (): string =>
  /<!-- transcript -->\n([\s\S]*?)<!-- end -->/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const transcript = await agentTranscript();
  const text = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    text.replace(REGION, (_, start: string, end: string) => start + transcript + end),
  );
}
