// The dependencies of a server, and what a running one offers.

import type { ObjectStore } from '../platform/storage/object-store.ts';
import type { Traces } from '../platform/tracing/open-traces.ts';
import type { Deprecation, DeprecationHeader } from '../schemas/deprecations.ts';
import type { PlanName } from '../schemas/plans.ts';
import type { AnalyticsOptions } from './analytics/analytics.ts';
import type { Endpoint } from './define/endpoint.ts';
import type { Deadlines } from './http/protocol-errors.ts';
import type { MakeRequestId } from './http/request-gate.ts';
import type { Log } from './log.ts';
import type { MetricsAddress } from './metrics/serve-metrics.ts';
import type { JointCounts } from './store/joint-counts.ts';
import type { OpsStore } from './store/store.ts';
import type { WebhookOptions } from './webhooks/webhooks.ts';

export interface ServerDeps {
  /** The published versions and the event log. */
  readonly snapshots: ObjectStore;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Plan of a caller without a key; null: such a caller may use only open endpoints. */
  readonly anonymousPlan: PlanName | null;
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Origins of pages that may open the stream, in addition to the server's own; any if omitted. */
  readonly streamOrigins?: readonly string[] | undefined;
  readonly store: OpsStore;
  /** Counts requests and streams together with other servers; if omitted, this server counts alone. */
  readonly jointCounts?: JointCounts | undefined;
  readonly webhooks: WebhookOptions;
  /** Workers for calculations; if omitted, one worker that the first calculation starts. */
  readonly analytics?: AnalyticsOptions;
  /** Address of the documentation; if empty, `/docs` of this server. */
  readonly docsUrl: string;
  readonly serviceVersion: string;
  readonly nowMs: () => number;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  readonly makeRequestId: MakeRequestId;
  readonly log: Log;
  /** Calls its argument every `ms` milliseconds until the returned function is called. */
  readonly every: (ms: number, work: () => void) => () => void;
  /** Resolves after that many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Time between checks for a newer version; default 250. */
  readonly pollMs?: number;
  readonly endpoints?: readonly Endpoint[];
  readonly deprecations?: readonly Deprecation[];
  readonly deprecationHeader?: DeprecationHeader;
  /** Awaited before the stream looks names up. For tests, which make a lookup slow. */
  readonly beforeNames?: () => Promise<void>;
  /** Compares every routed response with its schema. For tests. */
  readonly isResponseChecked?: boolean;
  /** How long the server keeps accepting connections while it reports that it is not ready, before it stops listening. */
  readonly lingerMs?: number;
  readonly deadlines?: Deadlines;
  /** Where `/metrics` is served; nowhere if omitted. */
  readonly metrics?: MetricsAddress | undefined;
  /** Records requests and deliveries as spans; nothing if omitted. */
  readonly traces?: Pick<Traces, 'exporter' | 'ids' | 'ratio'> | undefined;
  /** Name under which the served version is protected from collection; without a name it is not protected. */
  readonly readerId?: string;
}

export interface RunningServer {
  /** `http://host:port` */
  readonly url: string;
  readonly port: number;
  /** Checks for a newer version now, and resolves once it is served, including replay. */
  refresh(): Promise<void>;
  /** Readiness becomes 503, requests in progress finish, connections close. */
  stop(): Promise<void>;
}
