// Who leads the job hosts, seen from outside: for those who watch an installation and take no part in it.
import { makeClient } from '../postgres/pg-pool.ts';

export interface Leader {
  /** Empty if the last leader has released the lease. */
  readonly holder: string;
  /** Since it was renewed, milliseconds by the clock of the database. */
  readonly age_ms: number;
}

/** Null if no host has ever led. @throws the error of the driver if the database cannot be reached */
export async function leaderOf(url: string): Promise<Leader | null> {
  const client = makeClient(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ holder: string; age_ms: string }>(
      "select holder, extract(epoch from clock_timestamp()) * 1000 - renewed_ms as age_ms from lease where name = 'lead'",
    );
    const [lead] = rows;
    return lead === undefined ? null : { holder: lead.holder, age_ms: Number(lead.age_ms) };
  } finally {
    await client.end();
  }
}
