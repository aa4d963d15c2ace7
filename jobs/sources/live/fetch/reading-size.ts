// Bounds the memory of a reading over all its pages, and of all readings at the same time. What does not fit is refused before it is
// parsed.
import type { Call, JudgedResponse, NetClient } from '../http/client.ts';
import { NetFault } from '../http/net-fault.ts';
import type { GuardRules } from './live-source.ts';

type SizeRules = Pick<GuardRules, 'max_bytes' | 'max_total_bytes' | 'max_values'>;
type UnboundedCall = Omit<Call, 'limits'> & { readonly timeoutMs: number };

/** Measured: a value takes up to 130 bytes while a page is parsed, and a member with a name of its own keeps as many. */
const BYTES_PER_VALUE = 130;
/** A reading that needs less is never refused on account of others. */
const SMALL_BYTES = 50_000_000;
/** Estimated memory of all readings at the same time. Node's heap has two gigabytes or more unless an option says otherwise. */
const SHARED_BYTES = 800_000_000;

/** Shared by all readings of a process. */
export class ReadingMemory {
  #used = 0;

  open(rules: SizeRules): ReadingSize {
    return new ReadingSize(rules, (bytes) => {
      this.#used += bytes;
      return this.#used <= SHARED_BYTES;
    });
  }
}

export class ReadingSize {
  readonly #rules: SizeRules;
  readonly #use: (bytes: number) => boolean;
  #bytes = 0;
  #values = 0;
  #estimate = 0;

  constructor(rules: SizeRules, use: (bytes: number) => boolean) {
    this.#rules = rules;
    this.#use = use;
  }

  /** Calls within what the reading may still take. @throws NetFault `too_much` if that is not enough; the faults of the client */
  async call(client: NetClient, { timeoutMs, ...call }: UnboundedCall): Promise<JudgedResponse> {
    const { max_bytes, max_total_bytes, max_values } = this.#rules;
    const left = max_total_bytes - this.#bytes;
    const limits = { timeoutMs, maxBytes: Math.min(max_bytes, left), maxValues: max_values - this.#values };
    const response = await client.call({ ...call, limits }).catch((error: unknown) => {
      const isTotal = error instanceof NetFault && error.kind === 'too_large' && left < max_bytes;
      throw isTotal ? this.#tooMuch(`more than ${max_total_bytes} bytes`, 'max_total_bytes') : error;
    });
    this.#take(response);
    return response;
  }

  #take({ body, values }: JudgedResponse): void {
    this.#bytes += body.length;
    this.#values += values;
    const bytes = body.length + values * BYTES_PER_VALUE;
    this.#estimate += bytes;
    if (this.#use(bytes) || this.#estimate <= SMALL_BYTES) return;
    throw new NetFault('too_much', 'the sources that are being read need too much memory together.', {
      todo: 'It is read again later; if this persists, read less at a time (`window.step`)',
    });
  }

  #tooMuch(what: string, guard: string): NetFault {
    return new NetFault('too_much', `the pages of one reading have ${what}.`, {
      todo: `Read less at a time (\`window.step\`), or raise guards.${guard}`,
    });
  }

  /** Must be called when the records of the reading are no longer used. */
  close(): void {
    this.#use(-this.#estimate);
    this.#estimate = 0;
  }
}
