// The tools as servers of the official library: one for each request, which holds nothing between two of them. The library is loaded with
// the first request, because it takes a tenth of a second and 35 MB.
import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import { DAY_MS } from '../../platform/base/time.ts';
import { errorsOf } from '../../schemas/validator.ts';
import { authorize } from '../access/authorize.ts';
import { Failure } from '../define/failure.ts';
import { bodyChecker } from '../http/validate.ts';
import type { Log } from '../log.ts';
import { errorResponse, failureOf } from '../replies/error-response.ts';
import type { Services } from '../services.ts';
import type { Arguments, Tool, ToolCall } from './tool.ts';
import { TOOLS } from './tools.ts';

/** What became of a request, for its counters. */
export interface CallRecord {
  /** Name of a known tool. */
  tool: string | undefined;
  failure: Failure | undefined;
}

export interface ServedCall extends ToolCall {
  /** Address of this server for links, without a trailing slash. */
  readonly docsUrl: string;
  readonly record: CallRecord;
}

export interface ToolServersDeps {
  readonly services: Pick<Services, 'operations'>;
  readonly log: Log;
  readonly isResponseChecked: boolean;
}

type Library = typeof import('@modelcontextprotocol/server');

interface ServedTool {
  readonly tool: Tool;
  readonly input: StandardSchemaWithJSON<Arguments>;
  readonly output: StandardSchemaWithJSON<Arguments>;
  readonly check: (value: unknown) => Arguments;
}

interface PreparedServer {
  readonly library: Library;
  readonly tools: readonly ServedTool[];
}

const INSTRUCTIONS =
  'Risk data of decentralized finance, computed from named sources and published in versions. Start with what_is_wrong_now. Before acting on a number, call is_it_usable for its subject: only `usable` means that every check passed. Null is unknown, never zero. Every answer ends in a link that reproduces it: cite it.';

export class ToolServers {
  readonly #deps: ToolServersDeps;
  #prepared: Promise<PreparedServer> | undefined;

  constructor(deps: ToolServersDeps) {
    this.#deps = deps;
  }

  async fetch(request: Request, call: ServedCall): Promise<Response> {
    this.#prepared ??= this.#prepare();
    const { library, tools } = await this.#prepared;
    const onerror = (err: Error) =>
      this.#deps.log.debug?.({ err, request_id: call.requestId }, 'mcp refused');
    const { fetch } = library.createMcpHandler(() => this.#serverFor({ library, tools }, call), {
      legacy: 'stateless',
      onerror,
    });
    return fetch(request);
  }

  async #prepare(): Promise<PreparedServer> {
    const library = await import('@modelcontextprotocol/server');
    const { isResponseChecked } = this.#deps;
    const tools = TOOLS.map((tool) => ({
      tool,
      input: schemaOf(library, tool.input, () => undefined),
      output: schemaOf(
        library,
        withoutTexts(tool.output),
        isResponseChecked ? problemWith(tool.output) : () => undefined,
      ),
      check: bodyChecker(tool.input),
    }));
    return { library, tools };
  }

  #serverFor({ library, tools }: PreparedServer, call: ServedCall): McpServer {
    const version = this.#deps.services.operations.serviceVersion;
    const server = new library.McpServer(
      { name: 'defi-risk-data-service', title: 'DeFi risk data', version },
      {
        capabilities: { tools: { listChanged: false } },
        instructions: INSTRUCTIONS,
        cacheHints: {
          'tools/list': { ttlMs: DAY_MS, cacheScope: 'public' },
          'server/discover': { ttlMs: DAY_MS, cacheScope: 'public' },
        },
      },
    );
    for (const served of tools) {
      const { name, title, description } = served.tool;
      server.registerTool(
        name,
        {
          ...{ title, description, inputSchema: served.input, outputSchema: served.output },
          annotations: {
            title,
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
          scopeChallenge: ({ request }) => missingScope(served.tool, request, call),
        },
        (args) => answered(served, args, call),
      );
    }
    return server;
  }
}

/**
 * A schema without descriptions and examples, which make up half of the list of tools. Members are described in the API document, and what an
 * agent must know is in the description of the tool.
 */
function withoutTexts<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutTexts) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => name !== 'examples' && (name !== 'description' || typeof value !== 'string'),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutTexts(value)])) as T;
}

/** A schema for the library, which only lists it: arguments are checked as bodies are everywhere in the API. */
const schemaOf = (
  { fromJsonSchema }: Library,
  schema: TObject,
  problem: (value: unknown) => string | undefined,
) =>
  fromJsonSchema<Arguments>(JSON.parse(JSON.stringify(schema)), {
    getValidator:
      <T>() =>
      (value: unknown) => {
        const errorMessage = problem(value);
        return errorMessage === undefined
          ? { valid: true, data: value as T, errorMessage }
          : { valid: false, data: undefined, errorMessage };
      },
  });

const problemWith = (schema: TObject) => (value: unknown) => {
  const [first] = errorsOf(schema, value);
  return first && `${first.instancePath} ${first.message}`;
};

/** A key without the scope gets the protocol's own error, so that a client can ask for more. */
function missingScope(
  tool: Tool,
  request: { readonly params?: unknown },
  { caller, services, record }: ServedCall,
) {
  const { arguments: args = {} } = (request.params ?? {}) as { readonly arguments?: Arguments };
  record.tool = tool.name;
  try {
    authorize(tool.accessOf?.(args, services) ?? tool.access, caller, services.upgradeUrl);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'insufficient_scope') return undefined;
    record.failure = thrown;
    const scope = String(thrown.details?.['required_scope']);
    return {
      scopes: [scope] as const,
      errorDescription: `${tool.name} needs a key with the scope ${scope}.`,
    };
  }
}

/** The answer, or the error as text that an agent can act on. */
async function answered(
  { tool, check }: ServedTool,
  args: Arguments,
  call: ServedCall,
): Promise<CallToolResult> {
  const { record, docsUrl, requestId } = call;
  record.tool = tool.name;
  try {
    const answer = await tool.call(check(args), call);
    const structuredContent = { ...answer, link: `${docsUrl}${answer.link}` };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (thrown) {
    const failure = failureOf(thrown);
    record.failure = failure;
    const { body } = errorResponse(failure, { requestId, docsUrl });
    return { content: [{ type: 'text', text: body.toString() }], isError: true };
  }
}
