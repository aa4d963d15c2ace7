// Makes a tool of an endpoint: its parameters become arguments, its response the answer, and its handler and access are reused.
import { authorize } from '../access/authorize.ts';
import { type Cursor, filterHashOf, readCursor, writeCursor } from '../data/paging/list-page.ts';
import { servicesAt } from '../define/as-of.ts';
import { pathOf, type Reply } from '../define/endpoint.ts';
import { parameterFailure } from '../define/failure.ts';
import { currentVersion, missingDocument } from '../define/missing-data.ts';
import type { Services } from '../services.ts';
import { COMMON_META, EndpointShape, type EndpointTool, type Fields, type Parts } from './endpoint-shape.ts';
import {
  type Answer,
  type Arguments,
  boundedAnswer,
  headOf,
  linkTo,
  provenanceOf,
  ROWS,
  type Tool,
  type ToolCall,
} from './tool.ts';

export function endpointTool(tool: EndpointTool): Tool {
  const { name, title, description, endpoint } = tool;
  const reader = new EndpointReader(tool);
  const { input, output } = reader.shape;
  const { access } = endpoint;
  const accessOf: Tool['accessOf'] = (args, services) =>
    endpoint.accessOf?.(reader.shape.partsOf(args).params, services) ?? access;
  return { name, title, description, input, output, access, accessOf, call: reader.call.bind(reader) };
}

interface Page {
  /** The arguments that select the data. */
  readonly own: Arguments;
  readonly parts: Parts;
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly as_of: string | undefined;
}

class EndpointReader {
  readonly #tool: EndpointTool;
  readonly shape: EndpointShape;

  constructor(tool: EndpointTool) {
    this.#tool = tool;
    this.shape = new EndpointShape(tool);
  }

  async call(args: Arguments, call: ToolCall): Promise<Answer> {
    const { endpoint } = this.#tool;
    const { limit = ROWS.usual, cursor, as_of, ...own } = args;
    if (as_of !== undefined && own['snapshot_version'] !== undefined)
      throw parameterFailure('as_of', 'is given together with snapshot_version: send one of them');
    const parts = this.shape.partsOf(own);
    const { caller, services } = call;
    authorize(endpoint.accessOf?.(parts.params, services) ?? endpoint.access, caller, services.upgradeUrl);
    const page = { own, parts, cursor: textOf(cursor), as_of: textOf(as_of) };
    const instead = `${endpoint.method} ${pathOf(endpoint, parts.params)}`;
    return boundedAnswer(Number(limit), instead, (wanted) => this.#read({ ...page, limit: wanted }, call));
  }

  async #read(page: Page, call: ToolCall) {
    const { pagedBy } = this.shape;
    const { name } = this.#tool;
    const filterHash = filterHashOf({ name, ...page.own, as_of: page.as_of });
    const isOwn = pagedBy === 'tool' && page.cursor !== undefined;
    const start = isOwn ? cursorOf(page.cursor ?? '', filterHash) : undefined;
    const services = await this.#servicesAt(page, start, call.services);
    const { manifest } = currentVersion(services);
    const { data: whole, meta, about } = await this.#reply(page, { ...call, services });
    const all = this.shape.rowsOf(whole);
    const from = start?.offset ?? 0;
    const rows = pagedBy === 'tool' && all !== null ? all.slice(from, from + page.limit) : all;
    if (rows?.length === 0) this.#checkFound(page, services);
    const offset = from + (rows?.length ?? 0);
    const hasMore = pagedBy === 'tool' && all !== null && offset < all.length;
    const own = hasMore ? writeCursor({ version: manifest.version, offset, filterHash }) : null;
    const answer = {
      ...headOf(manifest),
      provenance: provenanceOf(about, services),
      data: this.shape.dataOf(whole, rows),
      meta: Object.fromEntries(Object.entries(meta).filter(([member]) => !COMMON_META.has(member))),
      cursor: pagedBy === 'tool' ? own : (textOf(meta['cursor']) ?? null),
      link: this.#linkOf(page, services),
    };
    return { answer, rows: this.shape.rowsOf(answer.data) };
  }

  /** Services that see the version of the cursor, or of `as_of`. */
  async #servicesAt({ as_of }: Page, start: Cursor | undefined, services: Services): Promise<Services> {
    if (start === undefined && as_of === undefined) return services;
    const { datasets = [], alsoReads = [] } = this.#tool.endpoint;
    const needed = this.#tool.datasets ?? [...datasets, ...alsoReads];
    return servicesAt(services, needed, start === undefined ? { as_of } : { version: start.version });
  }

  async #reply(page: Page, call: ToolCall) {
    const { endpoint, name } = this.#tool;
    const { caller, requestId, services } = call;
    const { params, body } = page.parts;
    const query = this.shape.queryOf(page, currentVersion(services).version);
    let about: Reply['about'];
    const sent = { bytes: Buffer.from(JSON.stringify({ name, params, body })), value: body };
    const rendered = await call.once({ endpoint, sent }, async (commit) => {
      const reply = await endpoint.handle({ params, query, body, caller, requestId, commit }, services);
      about = reply.about;
      return reply;
    });
    const { data, meta = {} } = JSON.parse(rendered.body.toString()) as { data: unknown; meta?: Fields };
    return { data, meta, about };
  }

  /** @throws Failure if what the tool was called for is not there */
  #checkFound({ own, cursor }: Page, services: Services): void {
    const { required = [], endpoint } = this.#tool;
    const [dataset] = endpoint.datasets ?? [];
    if (required.length === 0 || dataset === undefined || cursor !== undefined) return;
    const key = ['chain', ...required].flatMap((name) => own[name] ?? []).join('|');
    throw missingDocument(services.versions.current, dataset, key);
  }

  #linkOf({ own, parts }: Page, services: Services): string {
    const { endpoint, linkOf } = this.#tool;
    const { path, query } = linkOf?.(own) ?? { path: pathOf(endpoint, parts.params), query: parts.query };
    return linkTo(path, query, currentVersion(services).manifest);
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The position of a cursor that this tool issued for the same arguments. @throws Failure `validation_failed` */
export function cursorOf(text: string, filterHash: string): Cursor {
  const cursor = readCursor(text);
  if (cursor === undefined) throw parameterFailure('cursor', 'was not issued by this tool');
  if (cursor.filterHash !== filterHash)
    throw parameterFailure('cursor', 'belongs to other arguments: start again without a cursor');
  return cursor;
}
