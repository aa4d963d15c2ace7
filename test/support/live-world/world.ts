// The misbehaving world: one server per source host, a script of troubles, and sources that the production code fetches from these servers
// in simulated time.
import { Agent } from 'undici';
import { liveSources, splitSources } from '../../../jobs/sources/live/fetch/configured.ts';
import { Fetcher } from '../../../jobs/sources/live/fetch/fetcher.ts';
import type { LiveSource } from '../../../jobs/sources/live/fetch/live-source.ts';
import type { Reader } from '../../../jobs/sources/live/fetch/reader.ts';
import { readerOf } from '../../../jobs/sources/live/fetch/readers.ts';
import type { RecordingFolder } from '../../../jobs/sources/live/fetch/recording-store.ts';
import { type Call, DEFAULT_HOST, NetClient } from '../../../jobs/sources/live/http/client.ts';
import { type Exchange, type HttpRequest, undiciExchange } from '../../../jobs/sources/live/http/exchange.ts';
import { NetFault } from '../../../jobs/sources/live/http/net-fault.ts';
import { SHIPPED_HOSTS } from '../../../jobs/sources/live/shipped/shipped.ts';
import { NO_SECRETS } from '../../../platform/base/secrets.ts';
import {
  type Asked,
  type ReplayServer,
  type Reply,
  replayServer,
} from '../../jobs/sources/live/http/replay-server.ts';
import { seededRandom } from '../seeded-random.ts';
import { countedDisk } from './counted-disk.ts';
import { endpointsOf, type Truth } from './endpoints.ts';
import { EventClock } from './event-clock.ts';
import { type GitHost, openGitHost } from './git-host.ts';
import { Journal } from './journal.ts';
import { asJson, type Detour, type Scene, type TroubleReply } from './replies.ts';
import type { Script } from './script.ts';
import { MAX_BYTES } from './trouble.ts';

/** Headers that tell the simulated world which source is asking, and what was decided about the response. */
const ASKING = 'x-asking';
const DECISION = 'x-decision';
/** A wait for something that never comes is cut short in real time and passes in simulated time instead. */
const HANGING_MS = 10;
const HANGING = new Set(['no answer', 'a slow body']);
const DETOURS: { readonly [K in Detour]: (address: string) => string } = {
  unknown_name: () => 'http://host.invalid',
  closed_port: () => 'http://127.0.0.1:9',
  broken_tls: (address) => address.replace('http:', 'https:'),
};

/** Sources that need no key, are on by default and fetch their own data; members of `changes` replace those of the same name. */
export const keylessSources = (changes: { readonly [id: string]: object } = {}): readonly LiveSource[] =>
  liveSources(splitSources(changes, true).fetched)
    .filter(({ request, is_on, needs }) => request !== null && is_on && needs.length === 0)
    .map((source) => ({ ...source, guards: { ...source.guards, max_bytes: MAX_BYTES } }));

/** These sources and those that map their recordings: everything that the profile reads on its own. */
export function keylessMappings(): readonly LiveSource[] {
  const fetching = new Set(keylessSources().map(({ id }) => id));
  return liveSources(splitSources({}, true).fetched).filter(
    ({ is_on, fetched_by }) => is_on && fetching.has(fetched_by),
  );
}

/** Every host that a source may contact. */
export function hostsOf({ request, partitions }: LiveSource): string[] {
  const { chain } = request ?? {};
  const urls = [request?.url, ...(chain?.nodes ?? []), chain?.directory].filter((url) => url !== undefined);
  // Git contacts its host itself.
  if (request?.git !== undefined) return [];
  const hosts = urls.map((url) => /^https?:\/\/([^/]+)/.exec(url)?.[1] ?? '');
  return [
    ...new Set(
      hosts.flatMap((host) => partitions.map(({ params }) => host.replace('{host}', params['host'] ?? ''))),
    ),
  ];
}

export interface LiveWorldOptions {
  readonly truth: Truth;
  readonly script: Script;
  readonly startMs: number;
  /** The data folder. */
  readonly dir: string;
  readonly sources?: readonly LiveSource[];
}

/** What happens to a request; null if the simulated world does not know the request. */
interface Decided {
  readonly scene: Scene;
  readonly source: string;
  /** Null for a good response. */
  readonly trouble: { readonly name: string; readonly given: TroubleReply } | null;
}

export class LiveWorld {
  readonly clock: EventClock;
  readonly journal = new Journal();
  readonly folder: RecordingFolder;
  readonly endpoints: ReturnType<typeof endpointsOf>;
  readonly warnings: string[] = [];
  readonly sources: readonly LiveSource[];
  readonly git: GitHost;
  readonly #script: Script;
  readonly #servers = new Map<string, ReplayServer>();
  readonly #agent = new Agent({ keepAliveTimeout: 1_000 });
  readonly #decisions = new Map<string, Decided>();
  #requests = 0;
  #stopping = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  private constructor(
    { truth, script, startMs, dir, sources = keylessSources() }: LiveWorldOptions,
    git: GitHost,
  ) {
    this.git = git;
    this.clock = new EventClock(startMs);
    this.folder = { disk: countedDisk(this.clock), dir };
    this.endpoints = endpointsOf(truth);
    this.sources = sources.map((source) => onGitHost(source, git));
    this.#script = script;
  }

  /** Sources whose host is not simulated. */
  get unplayed(): readonly string[] {
    return this.sources.filter((source) => !this.#isPlayed(source)).map(({ id }) => id);
  }

  #isPlayed(source: LiveSource): boolean {
    if (source.request?.git !== undefined) return true;
    const path =
      (source.request?.url ?? '').replace(/^https?:\/\/[^/]+/, '').replace('{file}', 'mainnet') || '/';
    return hostsOf(source).some((host) => this.endpoints.find(host, path) !== null);
  }

  static async open(options: LiveWorldOptions): Promise<LiveWorld> {
    const { from, to } = options.truth;
    const world = new LiveWorld(options, await openGitHost(from, to));
    // Loaded before time starts: a module that loads while time passes would be late.
    await import('../../../jobs/sources/live/evm/chain-reader.ts');
    for (const host of new Set(world.sources.flatMap(hostsOf)))
      world.#servers.set(host, await replayServer((asked) => world.#answer(asked)));
    return world;
  }

  /** Starts the fetching process, as after a restart. */
  start(): void {
    const hosts = Object.fromEntries(
      [...this.#servers].map(([host, { address }]) => [
        host,
        { ...DEFAULT_HOST, ...SHIPPED_HOSTS[host], address },
      ]),
    );
    const { clock, folder } = this;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const client = new NetClient({
      exchange: this.#exchange(),
      clock,
      random: seededRandom(1),
      hosts,
      signal,
      scrubber: NO_SECRETS,
    });
    const notices = { step: () => {}, warn: (text: string) => void this.warnings.push(text) };
    const git = { path: process.env['PATH'] ?? '', pseudonymKey: () => 'a key of the world' };
    const readerOf = (source: LiveSource) => this.#readerOf(source);
    const tools = { clock, client, folder, readerOf, secretsOf: () => ({}), notices, git };
    this.#watching = new Fetcher(this.sources, tools).watch(signal);
  }

  /** Git contacts its host itself. It sees the commits up to now, and time stands still meanwhile. */
  #readerOf(source: LiveSource): Reader {
    const { clock, git } = this;
    if (source.request?.git === undefined) return namedReader(source);
    return async function* (...given) {
      git.showUntil(clock.nowMs() / 1000);
      const pages = await clock.during(() => Array.fromAsync(readerOf(source)(...given)));
      yield* pages;
      return null;
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all([...this.#servers.values(), this.git].map((server) => server.close()));
    await this.#agent.destroy();
  }

  /** The outcome of a request is decided before it is sent, because some requests never reach their host. */
  #exchange(): Exchange {
    const send = undiciExchange(this.#agent);
    return async (request, limits, signal) => {
      this.#requests += 1;
      const id = String(this.#requests);
      const decided = this.#decide(request);
      if (decided !== null) this.#decisions.set(id, decided);
      const isHanging = HANGING.has(decided?.trouble?.name ?? '');
      const headers = { ...request.headers, [DECISION]: id };
      const sent = { ...request, url: this.#detoured(request.url, decided), headers };
      const within = isHanging ? { ...limits, timeoutMs: HANGING_MS } : limits;
      try {
        return await this.clock.during(() => send(sent, within, signal));
      } catch (error) {
        if (isHanging && error instanceof NetFault && error.kind === 'timeout')
          await this.clock.sleep(limits.timeoutMs, signal);
        throw error;
      } finally {
        this.#decisions.delete(id);
      }
    };
  }

  #decide({ url, body, headers }: HttpRequest): Decided | null {
    const { origin, pathname, search } = new URL(url);
    const [host = ''] = [...this.#servers].find(([, { address }]) => address === origin) ?? [];
    const question = { host, path: `${pathname}${search}`, body: body ?? '', now: this.clock.nowMs() / 1000 };
    const endpoint = this.endpoints.find(host, question.path);
    if (endpoint === null) return null;
    const scene = { endpoint, question, document: endpoint.answer(question) };
    const next = this.#script.next(scene);
    const trouble =
      next === null ? null : { name: next.trouble.name, given: next.trouble.play(scene, next.turn) };
    return { scene, source: headers[ASKING] ?? '', trouble };
  }

  #detoured(url: string, decided: Decided | null): string {
    const detour = decided?.trouble?.given.detour;
    if (decided === null || detour === undefined) return url;
    this.#note(decided);
    const { origin } = new URL(url);
    return url.replace(origin, DETOURS[detour](origin));
  }

  #note({ scene, source, trouble }: Decided): void {
    this.journal.note({ ...scene, source }, scene.document, trouble);
  }

  #answer({ path, headers }: Asked): Reply {
    const decided = this.#decisions.get(String(headers[DECISION]));
    if (decided === undefined) return { status: 404 };
    const met = path.includes('moved=1') ? { ...decided, trouble: null } : decided;
    this.#note(met);
    return met.trouble?.given.reply ?? asJson(met.scene.document, met.scene.question.now);
  }
}

const onGitHost = (source: LiveSource, { source: { request } }: GitHost): LiveSource =>
  source.request?.git === undefined ? source : { ...source, request: { ...source.request, ...request } };

/** The reader of a source, whose requests name that source. */
const namedReader = (source: LiveSource): Reader => {
  const read = readerOf(source);
  return (asking, window, tools, earlier) => {
    const { client } = tools;
    const call = ({ request, ...rest }: Call) =>
      client.call({ ...rest, request: { ...request, headers: { ...request.headers, [ASKING]: asking.id } } });
    return read(asking, window, { ...tools, client: { call } as unknown as NetClient }, earlier);
  };
};
