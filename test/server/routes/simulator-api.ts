// The simulator of a real server over small published inputs, called by organisations whose plans do and do not include it.
import { fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { SIMULATOR_INPUTS } from './simulator-inputs.ts';

export const SUPPLY = { kind: 'supply', market: 'arbitrum:xusd-usdc', amount_usd: 100_000 };
export const ETH_FALLS = { kind: 'price', subject: 'ETH', path: [[0, 0.7]] };

export interface Asked {
  /** Each organisation has its own key; `analyst` has the plan of that name. */
  readonly org?: string | undefined;
  /** Text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const ORGS = ['team', 'analyst', 'repeats', 'careless'] as const;

export class SimulatorApi {
  readonly #fixture: ServerFixture;
  readonly url: string;
  readonly #keys: ReadonlyMap<string, string>;

  private constructor(fixture: ServerFixture, url: string, keys: ReadonlyMap<string, string>) {
    this.#fixture = fixture;
    this.url = url;
    this.#keys = keys;
  }

  /** `whatIfSocket`: where the detectors answer; without it, simulations list no events. */
  static async start(whatIfSocket?: string): Promise<SimulatorApi> {
    const fixture = await ServerFixture.create();
    await fixture.publish([...fixtureDatasets(), ...SIMULATOR_INPUTS]);
    const keys = new Map<string, string>();
    for (const org of ORGS) {
      const plan = org === 'analyst' ? 'analyst' : 'team';
      keys.set(org, await fixture.key(plan, { org, scopes: ['simulator:run'] }));
    }
    const analytics = { workers: 1, ...(whatIfSocket === undefined ? {} : { whatIfSocket }) };
    const { url } = await fixture.serve({ analytics });
    return new SimulatorApi(fixture, url, keys);
  }

  async ask(path: string, { org = 'team', body, headers = {} }: Asked = {}) {
    const response = await fetch(`${this.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.keyOf(org)}`,
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a test finds in a response
    const json: any = await response.json();
    return { status: response.status, headers: response.headers, json, error: json.error };
  }

  keyOf(org: string): string {
    const key = this.#keys.get(org);
    if (key === undefined) throw new Error(`there is no organisation ${org}`);
    return key;
  }

  run(body: unknown, org?: string) {
    return this.ask('/v2/simulator/run', { org, body });
  }

  /** Another server over the same version and the same keys, as after a restart. */
  async restarted(workers: number): Promise<SimulatorApi> {
    const { url } = await this.#fixture.serve({ analytics: { workers } });
    return new SimulatorApi(this.#fixture, url, this.#keys);
  }

  stop(): Promise<void> {
    return this.#fixture.remove();
  }
}
