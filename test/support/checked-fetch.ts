// Makes `fetch` check every response of the watched servers against the API document. A test that receives an undocumented response fails,
// whatever it was testing.
import { MCP_PATH } from '../../server/mcp/mcp-endpoint.ts';
import { answerProblems, type SeenAnswer } from './openapi-answers.ts';

const watched = new Set<string>();
const plainFetch = globalThis.fetch;

/** `url`: `http://host:port`. */
export function checkAnswersOf(url: string): void {
  watched.add(url);
  globalThis.fetch = checkedFetch;
}

/** Another server may get the port of a stopped one. */
export function stopCheckingResponses(): void {
  watched.clear();
  globalThis.fetch = plainFetch;
}

/** @throws Error naming what is undocumented, if the server of this URL is watched. */
export function checkAnswer(url: string, answer: SeenAnswer): void {
  if (!watched.has(url)) return;
  const problems = answerProblems(answer);
  if (problems.length > 0) throw new Error(`An answer is not as documented:\n${problems.join('\n')}`);
}

const checkedFetch: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const request = input instanceof Request ? input : undefined;
  const asked = new URL(request?.url ?? String(input));
  // The protocol for agents describes itself; its answers are checked against the schemas of its tools.
  if (!watched.has(asked.origin) || asked.pathname === MCP_PATH) return response;
  const type = response.headers.get('content-type') ?? '';
  const isRead = type === '' || type.startsWith('application/json');
  checkAnswer(asked.origin, {
    method: init?.method ?? request?.method ?? 'GET',
    target: asked.pathname + asked.search,
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    body: isRead ? await response.clone().text() : undefined,
  });
  return response;
};
