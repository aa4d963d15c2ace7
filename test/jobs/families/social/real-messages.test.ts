// Real Discord messages against what their collectors published of them: the number of messages of each day, and the mean sentiment of their
// own preparation of the texts, by plain VADER, in which a message without text counts as 0.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileDelivery } from '../../../../jobs/define/source.ts';
import { socialScores } from '../../../../jobs/families/social/domain.ts';
import type { SocialScore } from '../../../../schemas/social.ts';
import { type DomainWorld, exampleConfig } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import { computeDays, DAY, openSocialWorld } from './social-world.ts';

const FILES = {
  aave: { rows: 3_844, repeated: 35, withText: 3_579, days: 1_456, daysWithRows: 784 },
  aragon: { rows: 702, repeated: 11, withText: 689, days: 269, daysWithRows: 162 },
} as const;
type Protocol = keyof typeof FILES;
const PROTOCOLS = Object.keys(FILES) as Protocol[];
const TOLERANCE = 0.005;

const raw = (protocol: Protocol) => csvRows(realData(`social/discord-${protocol}.csv`));
const published = (what: string, protocol: Protocol) =>
  csvRows(realData(`social/expected-daily-${what}-${protocol}.csv`));

/** `08/02/2019 12:56 AM`, `2022/11/20` -> `2019-08-02`, `2022-11-20` */
function dayOf({ date = '' }: CsvRow): string {
  const [a = '', b = '', c = ''] = date.split(/[ /]/);
  const [year, month, day] = a.length === 4 ? [a, b, c] : [c, a, b];
  return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
}

function byDay<T>(rows: readonly CsvRow[], value: (row: CsvRow) => T): Map<string, T[]> {
  const days = new Map<string, T[]>();
  for (const row of rows) days.set(dayOf(row), [...(days.get(dayOf(row)) ?? []), value(row)]);
  return days;
}

describeRealData('real Discord messages', () => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openSocialWorld();
    const receipts = await world.landExample('social');
    expect(
      receipts.map(({ rows_in, rows_landed, rows_quarantined, rows_deduplicated }) => [
        rows_in,
        rows_landed,
        rows_quarantined,
        rows_deduplicated,
      ]),
    ).toEqual(
      PROTOCOLS.map((name) => [
        FILES[name].rows,
        FILES[name].rows - FILES[name].repeated,
        0,
        FILES[name].repeated,
      ]),
    );
  }, 60_000);
  afterAll(() => world.close());

  test.each(PROTOCOLS)(
    '%s: with plain VADER and empty messages as neutral ones, the mean sentiment of every day is that of its collectors',
    async (protocol) => {
      const plain = await openSocialWorld({ crypto_words: false, empty_messages: 'neutral' });
      const { sources } = exampleConfig('social');
      const source = sources[`discord-${protocol}`] as unknown as FileDelivery;
      const fields = { ...source.fields, text: { from: 'preprocessed' } };
      const mapped = Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [
          name,
          typeof field === 'string' ? { from: field } : field,
        ]),
      );
      await plain.land('social_message', {
        kind: 'file',
        path: source.path,
        format: 'csv',
        fields: mapped,
      });
      await plain.compute({ start: 0, end: 1_700_006_400, now: 1_700_006_399 });
      const days = await plain.rows(
        `select strftime(to_timestamp(day), '%Y-%m-%d') as name, cast(sentiment_sum as double) / messages as mean from derived.social_day`,
      );
      await plain.close();
      const ours = new Map(days.map(({ name, mean }) => [String(name), Number(mean)]));
      expect(ours.size).toBe(FILES[protocol].daysWithRows);
      const theirs = await published('sentiment', protocol);
      const compared = theirs.filter(({ Date: day = '' }) => ours.has(day));
      expect(compared).toHaveLength(ours.size);
      const off = compared.filter(
        ({ Date: day = '', 'Sentiment Score': score }) =>
          Math.abs((ours.get(day) ?? 9) - Number(score)) > TOLERANCE,
      );
      expect(off).toEqual([]);
    },
    60_000,
  );

  test.each(PROTOCOLS)('%s: every day has as many messages as its collectors counted', async (protocol) => {
    const counted = new Map(
      (
        await world.rows(
          `select strftime(to_timestamp(day), '%Y-%m-%d') as name, cast(sum(case when has_text then copies else 0 end) as bigint) as n
         from obs.social_message where protocol = '${protocol}' group by day`,
        )
      ).map(({ name, n }) => [String(name), Number(n)]),
    );
    const theirs = await published('volume', protocol);
    expect(theirs).toHaveLength(FILES[protocol].days);
    const wrong = theirs.filter(
      ({ Date: day = '', 'Discord Volume': volume }) => (counted.get(day) ?? 0) !== Number(volume),
    );
    expect(wrong).toEqual([]);
    expect([...counted.values()].reduce((sum, n) => sum + n, 0)).toBe(FILES[protocol].withText);
  });

  test('the week that ends on 2021-08-10 is published as counted by hand from the file', async () => {
    const last = Date.UTC(2021, 7, 10) / 1000;
    await computeDays(world, last - 6 * DAY, last + DAY - 1);
    const week = (await world.document(socialScores, 'discord/aave')) as unknown as SocialScore[];
    const rows = (await raw('aave')).filter(({ content = '' }) => content.trim() !== '');
    const authors = byDay(rows, ({ author_hash = '' }) => author_hash);
    const expected = Array.from({ length: 7 }, (_, back) =>
      new Date((last - back * DAY) * 1000).toISOString().slice(0, 10),
    )
      .filter((day) => authors.has(day))
      .map((day) => [`${day}T00:00:00`, authors.get(day)?.length, new Set(authors.get(day)).size]);
    expect(expected.length).toBeGreaterThan(4);
    expect(
      week.map(({ timestamp, daily_message_count, number_of_unique_users }) => [
        timestamp,
        daily_message_count,
        number_of_unique_users,
      ]),
    ).toEqual(expected);
  }, 60_000);
});
