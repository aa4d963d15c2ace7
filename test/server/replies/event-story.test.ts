// The story of an event, for every type of the catalogue: right figures with units, no raw names, and nothing that is not known.

import { describe, expect, test } from 'vitest';
import type { RiskEvent, Severity } from '../../../schemas/event.ts';
import { EVENT_DOUBTS } from '../../../schemas/event-doubts.ts';
import { EVENT_CATALOGUE, EVENT_TYPES, SAMPLES } from '../../../schemas/events.ts';
import { courseName, courseOf, isEnd } from '../../../server/replies/story/course.ts';
import { factsOf, STORY_TYPES, storyOf } from '../../../server/replies/story/event-story.ts';
import type { StoryFacts } from '../../../server/replies/story/story-facts.ts';

const AT = '2026-01-31T09:00:00Z';
const secondsLater = (seconds: number) =>
  new Date(Date.parse(AT) + seconds * 1_000).toISOString().replace('.000Z', 'Z');
const idOf = (n: number) => `01HZX3K9Q4T2V7B8N6M5P1R0${String(n).padStart(2, '0')}`;

/** The made-up event of a type; `n` orders events of one time. */
function eventOf(type: string, more: Partial<RiskEvent> = {}, n = 1): RiskEvent {
  const sample = SAMPLES[type];
  if (sample === undefined) throw new Error(`no sample of ${type}`);
  const { data, ...rest } = sample;
  return { ...rest, event_id: idOf(n), type, ts: AT, ...more, data: { ...data, ...more.data } } as RiskEvent;
}

const tell = (event: RiskEvent, more: Partial<StoryFacts> = {}) => storyOf({ ...factsOf(event), ...more });

/** Events of a fact that rose from warn to critical, or, of a depeg, that began, was confirmed, ended and recovered. */
function courseEvents(type: string): readonly RiskEvent[] {
  if (type.startsWith('peg.'))
    return [
      eventOf('peg.depeg.start', { severity: 'warn', data: { basis: 'source' } }, 1),
      eventOf('peg.depeg.start', { severity: 'high', ts: secondsLater(600) }, 2),
      eventOf('peg.depeg.end', { ts: secondsLater(5_040) }, 3),
      eventOf('peg.depeg.recovered', { ts: secondsLater(26_640) }, 4),
    ];
  const late = (seconds: number) => (type === 'oracle.stale' ? { data: { stale_age_s: 300 + seconds } } : {});
  return (['warn', 'high', 'critical'] as const).map((severity, index) =>
    eventOf(type, { severity, ts: secondsLater(index * 300), ...late(index * 300) }, index + 1),
  );
}

/** Doubts that an event of any type could carry, each as its gate has it. */
const doubted = (event: RiskEvent, doubt: string): RiskEvent => ({
  ...event,
  data_quality: 'degraded',
  meta: {
    _agentic: {
      freshness: { status: 'fresh' },
      quality_gate: { verdict: 'warn', checks: [{ name: doubt, verdict: 'warn', detail: 'a detail' }] },
    },
  },
});

const RAW_NAME = /\b[a-z0-9]+_[a-z0-9_]+\b|\b(?:null|undefined|NaN|Infinity)\b|\[object/;

test('every type of the catalogue has a sentence, and no other', () => {
  expect(STORY_TYPES.toSorted()).toEqual(EVENT_TYPES.toSorted());
});

for (const type of EVENT_TYPES)
  describe(type, () => {
    const events = courseEvents(type);
    const factsAt = (index: number): StoryFacts => {
      const event = events[index] ?? eventOf(type);
      return { ...factsOf(event), course: courseOf(event, events) };
    };
    const retraction = eventOf(
      type,
      {
        ts: secondsLater(90_000),
        retracts_event_id: idOf(1),
        data: { retraction: { reason: 'superseded', source_id: 'rounds', change: 'reland' } },
      },
      9,
    );

    test('at its start, its escalation, its end, retracted, and as a retraction', () => {
      const stories = {
        alone: tell(eventOf(type)).text,
        start: storyOf(factsAt(0)).text,
        escalation: storyOf(factsAt(1)).text,
        last: storyOf(factsAt(events.length - 1)).text,
        open: tell(eventOf(type), {
          condition: { unit: 'bps', value_now: -596, now_at: secondsLater(60), rule: [] },
        }).text,
        retracted: storyOf({ ...factsAt(0), retraction }).text,
        retraction: tell(retraction, { retracted: eventOf(type) }).text,
      };
      expect(stories).toMatchSnapshot();
      for (const text of Object.values(stories)) expect(text).not.toMatch(RAW_NAME);
    });

    test('every doubt is in the text and in the list, whatever its name', () => {
      for (const doubt of Object.keys(EVENT_DOUBTS) as (keyof typeof EVENT_DOUBTS)[]) {
        const { doubts, text, headline } = tell(doubted(eventOf(type), doubt));
        expect(doubts).toEqual([EVENT_DOUBTS[doubt]]);
        expect(text).toBe([headline, `Doubt: ${EVENT_DOUBTS[doubt]}.`].join(' '));
      }
      expect(tell(doubted(eventOf(type), 'newer_doubt')).doubts).toEqual(['a detail']);
      expect(tell({ ...eventOf(type), data_quality: 'degraded' }).doubts).toEqual([
        'the quality of its data was degraded, without a stated reason',
      ]);
    });

    test('what is null, absent or of another kind is not mentioned, in any combination of one', () => {
      const { data } = eventOf(type);
      for (const name of Object.keys(data))
        for (const value of [null, undefined, {}, [], Number.NaN]) {
          const { headline } = tell(eventOf(type, { data: { [name]: value } }));
          expect(headline, `${name} ${String(value)}`).not.toMatch(RAW_NAME);
          expect(headline).toMatch(/^[A-Z$0-9].*\.$/);
        }
      const { chain: _, ...unplaced } = eventOf(type);
      const bare = { ...unplaced, data: {} };
      expect(tell(bare).headline).not.toMatch(RAW_NAME);
      // Without data, nothing but the time and the subject is a number.
      expect(tell(bare).headline.replaceAll(/2026-01-31|09:00|0x\w+…\w+|100 bps|-1\b/g, '')).not.toMatch(
        /\d/,
      );
    });

    test('an event that stands in no log says so', () => {
      expect(tell({ ...eventOf(type), test: true }).headline).toMatch(/^Made up for testing: /);
    });
  });

test('samples of the catalogue and the events of this table are the same', () => {
  expect(EVENT_CATALOGUE.every(({ type, sample }) => SAMPLES[type] === sample)).toBe(true);
});

describe('figures', () => {
  test('a depeg: price with its unit, distance and side, and the threshold with its name', () => {
    const event = eventOf('peg.depeg.start');
    expect(tell(event, { quote: 'USD' }).headline).toBe(
      'SAMPLE on ethereum left its peg on 2026-01-31 09:00 UTC: its price was 0.985 USD, 150 bps below its reference of 1, beyond the threshold of 100 bps for dollar pegs.',
    );
    const above = { deviation_bps: 250, observed_price: '1.025', effective_enter_bps: 125, peg_kind: 'nav' };
    expect(tell(eventOf('peg.depeg.start', { data: above })).headline).toBe(
      'SAMPLE on ethereum left its peg on 2026-01-31 09:00 UTC: its price was 1.025, 250 bps above its reference of 1, beyond the threshold of 125 bps (100 bps for funds with a net asset value, widened by how far its feed may deviate).',
    );
  });

  test('how a depeg is confirmed, by the policy or by the open condition of its subject', () => {
    const rules = [
      { name: 'peg.confirm_observations', value: 2, unit: null },
      { name: 'peg.confirm_spacing_s', value: 60, unit: 'seconds' },
      { name: 'peg.immediate_multiple', value: 2, unit: null },
    ];
    const event = eventOf('peg.depeg.start');
    expect(tell(event, { rules }).further).toEqual([
      'It is reported once 2 observations over at least 1 min show it, or at once from 2 times the threshold on.',
    ]);
    const own = { name: 'peg.assets.SAMPLE-USD.confirm_observations', value: 5, unit: null };
    expect(tell(event, { rules: [...rules, own] }).further).toEqual([]);
    const rule = [
      { name: 'confirm_observations', value: 5, unit: null },
      { name: 'confirm_spacing', value: 120, unit: 'seconds' },
    ];
    const condition = { unit: 'bps', value_now: null, now_at: null, rule };
    expect(tell(event, { rules: [own], condition }).further).toEqual([
      'It is reported once 5 observations over at least 2 min show it.',
      'It still lasts.',
    ]);
  });

  test('a stale feed: heartbeat, grace, since when, the severity’s limit, and its next answer', () => {
    const event = eventOf('oracle.stale', {
      severity: 'high',
      data: { stale_age_s: 600, market_id: '0xab' },
    });
    const rules = [
      { name: 'oracle.grace_s', value: 60, unit: 'seconds' },
      { name: 'oracle.stale_high_s', value: 600, unit: 'seconds' },
    ];
    const names = { '0x00000000000000000000000000000000000000fe': 'AAVE-USD', '0xab': 'AAVE (aave)' };
    const answered_at = Date.parse(secondsLater(3_600)) / 1_000;
    expect(tell(event, { rules, names, heartbeat_s: 3_600, answered_at }).text).toBe(
      'AAVE-USD on ethereum, which the market AAVE (aave) relies on, had not answered on 2026-01-31 09:00 UTC: it was 10 min past its heartbeat of 1 h and a grace of 1 min, which ended on 2026-01-31 08:50 UTC, which is high from 10 min on. The feed answered again on 2026-01-31 10:00 UTC.',
    );
  });

  test('amounts of a vault are exact and without invented decimals, and a fee is a share', () => {
    const params = { market_id: '0xab', old_cap: '123456789012345678901234567890', new_cap: '0' };
    expect(
      tell(eventOf('vault.cap.changed', { data: { params } }), { names: { '0xab': 'ETH/USDC' } }).headline,
    ).toContain(
      'for the market ETH/USDC was changed on 2026-01-31 09:00 UTC from 123,456,789,012,345,678,901,234,567,890 to 0 in the smallest unit of its asset',
    );
    const fee = { old_fee: null, new_fee: '125500000000000000' };
    expect(tell(eventOf('vault.fee.changed', { data: { params: fee } })).headline).toContain(
      'was changed on 2026-01-31 09:00 UTC to 12.55 % by',
    );
  });

  test('reasons of retractions', () => {
    const event = eventOf('vault.cap.changed');
    const retractedBy = (data: object) =>
      tell(event, { retraction: eventOf('vault.cap.changed', { ts: secondsLater(60), data: { ...data } }) })
        .headline;
    expect(retractedBy({})).toMatch(
      /^Retracted on 2026-01-31 09:01 UTC, because the chain dropped what it rested on; /,
    );
    expect(retractedBy({ retraction: { reason: 'superseded', source_id: 'rounds' } })).toContain(
      'because rows of the source rounds were taken back',
    );
    expect(retractedBy({ retraction: { reason: 'reclassified', type: 'curator.action' } })).toContain(
      'because a newer version of the rules reads the same fact as “curator action”',
    );
  });

  test('a fall of a share price says which price fell', () => {
    const only = {
      coverage: null,
      price_before: '1.264000',
      price_after: '1.226080',
      quoted_before: '1.264000',
    };
    const quoted = eventOf('vault.share_price.fell', {
      data: {
        ...only,
        quoted_after: '1.226080',
        fall_bps: 300,
        loss_usd: null,
        cause: 'unknown',
        markets: [],
      },
    });
    expect(tell(quoted).headline).toMatch(/^The quoted price of the vault .* fell by 300 bps until/);
    expect(tell(eventOf('vault.share_price.fell')).headline).toMatch(
      /^What backs a share of the vault .* 250 bps/,
    );
    // A quote that did not move is not what fell.
    const hidden = { ...only, quoted_after: '1.264000' };
    expect(tell(eventOf('vault.share_price.fell', { data: hidden })).headline).toMatch(/^What backs a share/);
  });
});

describe('the course', () => {
  const [warned, confirmed, ended, recovered] = courseEvents('peg.depeg.start');
  const [first, second, third, fourth] = [warned, confirmed, ended, recovered].map((one) => one as RiskEvent);
  const all = [warned, confirmed, ended, recovered].flatMap((one) => one ?? []);

  test('of a depeg is the same for each of its events, and ends before the next one begins', () => {
    const next = eventOf('peg.depeg.start', { ts: secondsLater(90_000) }, 5);
    for (const one of all)
      expect(courseOf(one, [...all, next].toReversed())).toEqual({
        start: first,
        escalations: [second],
        end: third,
        recovery: fourth,
      });
    expect(courseOf(next, all)).toEqual({ start: next, escalations: [], end: null, recovery: null });
  });

  test('of a broken assumption ends when it is restored, and begins again with the next break', () => {
    const broken = eventOf('oracle.assumption.broken', {}, 1);
    const { subject_id } = broken;
    const restored = eventOf('oracle.assumption.restored', { ts: secondsLater(600), subject_id }, 2);
    const again = eventOf('oracle.assumption.broken', { ts: secondsLater(1_200) }, 3);
    const of = { start: broken, escalations: [], end: restored, recovery: null };
    for (const one of [broken, restored]) expect(courseOf(one, [again, restored, broken])).toEqual(of);
    expect(courseOf(again, [broken, restored])).toEqual({
      start: again,
      escalations: [],
      end: null,
      recovery: null,
    });
    expect([broken, restored].map(({ type }) => isEnd(type))).toEqual([false, true]);
    expect(courseName(restored.type)).toBe(courseName(broken.type));
  });

  test('of a broken assumption that becomes more severe has that as an escalation, and says since when it lasts', () => {
    const broken = eventOf('oracle.assumption.broken', {}, 1);
    const assumption = {
      ...(broken.data['assumption'] as object),
      broken_since_at: Date.parse(broken.ts) / 1_000,
    };
    const worse = eventOf(
      'oracle.assumption.broken',
      { ts: secondsLater(600), severity: 'critical', data: { assumption } },
      2,
    );
    expect(courseOf(broken, [worse, broken]).escalations).toEqual([worse]);
    expect(tell(worse).headline).toContain(
      ' of oracles on ethereum, broken since 2026-01-31 09:00 UTC, became more severe on 2026-01-31 09:10 UTC: ',
    );
    expect(tell(broken).headline).toContain(' of oracles on ethereum was broken on 2026-01-31 09:00 UTC: ');
  });

  test('of a broken assumption states at least what is not covered where not all of it is known', () => {
    const data = { unrealised_bad_debt_low_usd: 1_200, unrealised_bad_debt_high_usd: null, debt_usd: null };
    expect(tell(eventOf('oracle.assumption.broken', { data })).headline).toContain(
      '; 1 market rests on it, and at least $1,200.00 of debt is not covered.',
    );
  });

  test('leaves out what was retracted, retractions, and other subjects', () => {
    const retraction = eventOf('peg.depeg.end', { ts: secondsLater(100_000), retracts_event_id: idOf(3) }, 8);
    const other = eventOf('peg.depeg.end', { ts: secondsLater(700), subject_id: 'peg:ethereum:OTHER' }, 7);
    const { end } = courseOf(all[0] ?? eventOf('peg.depeg.start'), [...all, retraction, other]);
    expect(end).toBeNull();
  });

  test('of a stale feed is decided by the second at which it became late', () => {
    const stale = (seconds: number, late: number, severity: Severity, n: number) =>
      eventOf('oracle.stale', { ts: secondsLater(seconds), severity, data: { stale_age_s: late } }, n);
    const [warn, high, later] = [
      stale(0, 1, 'warn', 1),
      stale(599, 600, 'high', 2),
      stale(9_000, 600, 'high', 3),
    ];
    expect(courseOf(high, [warn, later])).toMatchObject({ start: warn, escalations: [high], end: null });
    expect(courseOf(later, [warn, high])).toMatchObject({ start: later, escalations: [] });
  });
});
